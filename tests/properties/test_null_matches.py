"""`nulls: wildcard` against brute force: NULL matches any value, and suppressed rows match nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, optimum_of, problems
from tiers import examples

import kanon_sql


def match(one, other):
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def fewest(rows):
    return min((sum(match(a, b) for b in rows) for a in rows), default=0)


@dataclass
class Matching(Problem):
    """A problem in which a row has the candidates that match it, among the rows that are left."""

    def short(self, node, rows):
        labels = {i: self.generalized(self.rows[i], node) for i in rows}
        return [[i] for i in rows if sum(match(labels[i], labels[j]) for j in rows) < self.k]


@st.composite
def matching(draw):
    drawn = draw(problems(entity=False, spread=False, most_rows=12))
    return Matching(drawn.rows, drawn.hierarchies, drawn.k, drawn.max_suppressed,
                    without_entry=drawn.without_entry)  # fmt: skip


def policy_of(writer, problem, search):
    return {**writer.policy(problem, search), "nulls": "wildcard"}


@pytest.mark.parametrize("algorithm", ["optimal", "exhaustive", "flash", "incognito", "samarati"])
@pytest.mark.sampled(2)
@examples(8)
@given(data=st.data(), search=st.sampled_from(AT_ONE_NODE))
def test_the_release_is_what_brute_force_leaves(algorithm, writer, data, search):
    problem = data.draw(matching())
    said = (
        {**search, "algorithm": algorithm} if algorithm != "samarati" else {"algorithm": algorithm}
    )
    policy, frame = policy_of(writer, problem, said), writer.frame(problem)
    try:
        plan = kanon_sql.plan(policy, frame)
    except kanon_sql.InfeasibleError:
        assert not problem.feasible
        return
    node = tuple(plan.levels.values())
    assert node in problem.feasible
    if plan.optimal:
        assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
    left = sorted(problem.greatest(node))
    released = [problem.generalized(problem.rows[i], node) for i in left]
    plain = replace_by(problem)
    event(f"more than as a value: {len(left) > len(plain.greatest(node))}")
    assert plan.suppressed_rows == len(problem.rows) - len(left)
    assert plan.classes == len(set(released))
    assert plan.smallest_class == fewest(released) >= problem.k
    with kanon_sql.anonymize(policy, frame) as release:
        found = release.relation.to_arrow_table().to_pylist()
        counted = release.verification
    assert sorted(row["id"] for row in found) == left
    assert (counted.rows, counted.classes) == (len(left), len(set(released)))
    assert counted.smallest_class == fewest(released)


def replace_by(problem):
    """The same problem where NULL is a value."""
    return Problem(problem.rows, [dict(each) for each in problem.hierarchies], problem.k,
                   problem.max_suppressed)  # fmt: skip
