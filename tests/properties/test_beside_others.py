"""Models of one sensitive column for who knows the others (`beside: others`), by brute force."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import class_models
import pyarrow as pa
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Outcome, Problem, optimum_of, problems
from tiers import examples

import kanon_sql

if TYPE_CHECKING:
    from class_models import Rule

PROVING = ("optimal", "incognito", "exhaustive")
BY_ROWS = [each for each in AT_ONE_NODE if each["metric"] != "discernibility"]
CELLS = st.sampled_from(("x", "y", None))


@dataclass(frozen=True)
class InPart(Outcome):
    """A node whose classes may be kept in part."""

    gone: frozenset[int] = frozenset()

    @property
    def suppressed_rows(self):
        return set(self.gone)


@dataclass
class Beside(Problem):
    """A problem with a second sensitive column.

    Rows of one class and one `other` value, NULL being one, must have so many values of `spread`, no share above
    `alpha`, and be as near to the table as the rule `near` says; and those of one class and one value of `spread` have
    so many of `other`.
    """

    other: list[str | None] = field(default_factory=list)
    least: int = 1
    alpha: Fraction | None = None
    least_other: int = 1
    near: Rule | None = None

    def short(self, node, rows):
        found = super().short(node, rows)
        for theirs, fits in ((self.other, self.is_spread), (self.spread, self.others_differ)):
            members = defaultdict(list)
            for i in sorted(rows):
                members[*self.generalized(self.rows[i], node), theirs[i]].append(i)
            found += [each for each in members.values() if not fits(each)]
        return found

    def others_differ(self, rows):
        return self.values([self.other[i] for i in rows]) >= self.least_other

    def is_spread(self, rows):
        if self.values([self.spread[i] for i in rows]) < self.least:
            return False
        if self.near is not None and self.near.of_class:
            whole = self.counts(range(len(self.rows)))
            if not self.near.fits(self.counts(rows), whole):
                return False
        if self.alpha is None:
            return True
        known = self.counts(rows)
        return bool(known) and max(known.values()) <= self.alpha * known.people

    def near_to_kept(self, node, left):
        """Whether all classes that are left are near to what is left."""
        members = defaultdict(list)
        for i in left:
            members[*self.generalized(self.rows[i], node), self.other[i]].append(i)
        released = self.counts(left)
        return all(self.near.fits(self.counts(rows), released) for rows in members.values())

    def _count(self, node):
        rows_of, left = defaultdict(list), self.greatest(node)
        for i, row in enumerate(self.rows):
            rows_of[self.generalized(row, node)].append(i)
        kept = {key: len(left.intersection(rows)) for key, rows in rows_of.items()}
        kept = {key: count for key, count in kept.items() if count}
        sizes = {key: self.size(sorted(left.intersection(rows_of[key]))) for key in kept}
        suppressed = len(self.rows) - len(left)
        feasible = bool(kept) and suppressed <= self.max_suppressed
        if feasible and self.near is not None and self.near.of_release:
            feasible = self.near_to_kept(node, left)
        gone = frozenset(range(len(self.rows))) - left
        return InPart(dict(rows_of), kept, sizes, suppressed, feasible, gone=gone)

    def asked(self, writer, search):
        policy = writer.policy(self, search)
        policy["columns"]["o"] = {"role": "sensitive"}
        policy["privacy"] += [
            {"distinct_l": {"column": "s", "l": self.least, "beside": "others"}},
            {"distinct_l": {"column": "o", "l": self.least_other, "beside": "others"}},
        ]
        if self.alpha is not None:
            share = {"column": "s", "alpha": float(self.alpha), "beside": "others"}
            policy["privacy"].append({"alpha": share})
        if self.near is not None:
            ((key, said),) = self.near.privacy.items()
            policy["privacy"].append({key: {**said, "beside": "others"}})
            policy["columns"]["s"] |= self.near.column
        return policy

    def frame(self, writer):
        return writer.frame(self).append_column("o", pa.array(self.other, pa.string()))


@st.composite
def besides(draw, *, alpha=False, near=None):
    base = draw(problems(spread=False))
    count = len(base.rows)
    return Beside(
        base.rows,
        base.hierarchies,
        base.k,
        base.max_suppressed,
        base.entities,
        draw(st.lists(st.sampled_from(("a", "b", "c", None)), min_size=count, max_size=count)),
        draw(st.integers(1, 2)),
        draw(st.booleans()),
        other=draw(st.lists(CELLS, min_size=count, max_size=count)),
        least=draw(st.integers(1, 2)),
        alpha=draw(st.sampled_from((Fraction(1, 2), Fraction(3, 5)))) if alpha else None,
        least_other=draw(st.integers(1, 2)),
        near=near,
    )


def compared(writer, problem, search):
    """The release is what brute force leaves of the cheapest node; every class of it recounts."""
    try:
        made = kanon_sql.anonymize(problem.asked(writer, search), problem.frame(writer))
    except kanon_sql.InfeasibleError:
        assert not problem.feasible
        return "infeasible"
    with made:
        plan, released = made.plan, made.relation.to_arrow_table().to_pylist()
        over = made.verification.over
    node = tuple(plan.levels.values())
    out = problem.outcome(node)
    assert out.feasible
    assert {row["id"] for row in released} == problem.greatest(node)
    assert plan.suppressed_rows == out.suppressed
    assert (plan.classes, plan.smallest_class) == (len(out.kept), min(out.sizes.values()))
    assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
    for columns, found in over.items():
        labels = Counter(tuple(row[name] for name in columns) for row in released)
        assert (found.classes, found.rows) == (len(labels), len(released))
    partly = any(count < len(out.rows_of[key]) for key, count in out.kept.items())
    return "some class in part" if partly else "classes whole"


@pytest.mark.parametrize("algorithm", PROVING)
@examples(20)
@given(problem=besides(), search=st.sampled_from(BY_ROWS))
def test_the_release_is_the_greatest_set_of_the_cheapest_node(
    *, algorithm, writer, problem, search
):
    event(compared(writer, problem, {**search, "algorithm": algorithm}))


@examples(20)
@given(problem=besides(alpha=True), search=st.sampled_from(BY_ROWS))
def test_a_model_that_weighs_values_is_asked_beside_others(*, writer, problem, search):
    event(compared(writer, problem, search))


NEAR = {
    "t by the source": class_models.equal_distance(Fraction(2, 5), "source"),
    "t": class_models.equal_distance(Fraction(2, 5), "source", "release"),
    "ordered t by the release": class_models.ordered_distance(
        Fraction(2, 5), ["a", "b", "c"], "release"
    ),
    "beta": class_models.beta(Fraction(3, 4), "source", "release", enhanced=False),
}


@pytest.mark.parametrize("name", NEAR)
@examples(20)
@given(data=st.data(), search=st.sampled_from(BY_ROWS))
def test_a_model_that_compares_with_a_table_is_asked_beside_others(*, name, writer, data, search):
    problem = data.draw(besides(near=NEAR[name]))
    event(compared(writer, problem, {**search, "algorithm": "exhaustive"}))


def test_what_every_class_has_tells_no_rows_apart(writer):
    """One value of each class where NULL is one binds nothing: classes stay whole where a model needs them."""
    rows = [("a",), ("a",), ("a",), ("b",)]
    tree = [{"a": ["*"], "b": ["*"]}]
    problem = Beside(
        rows,
        tree,
        1,
        1,
        None,
        ["x", "y", None, "x"],
        2,
        counts_null=True,
        other=["p", "q", "p", "p"],
    )
    assert compared(writer, problem, {"metric": "height"}) == "classes whole"
    assert problem.greatest((0,)) == {0, 1, 2}
