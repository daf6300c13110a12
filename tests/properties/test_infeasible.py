"""What is said where nothing was found: true by brute force, and advice that works."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import class_models
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracle import Problem, problems
from tiers import examples

import kanon_sql

TENTHS = st.integers(0, 9).map(lambda n: Fraction(n, 10))
BY = st.sampled_from([("source", "release"), ("source",), ("release",)])
RULES = {
    "k": st.none(),
    "alpha": st.builds(class_models.alpha, TENTHS),
    "entropy": st.builds(class_models.entropy, st.sampled_from([1.5, 2, 2.5, 3])),
    "recursive": st.builds(
        class_models.recursive,
        st.fractions(Fraction(1, 4), 4, max_denominator=9),
        st.integers(1, 3),
    ),
    "t": st.builds(lambda t, by: class_models.equal_distance(t, *by), TENTHS, BY),
    "ordered t": st.builds(
        lambda t, by: class_models.ordered_distance(t, ["b", "a", "c"], *by), TENTHS, BY
    ),
    "beta": st.builds(
        lambda b, by: class_models.beta(b, *by, enhanced=False), TENTHS.map(lambda b: b + 1), BY
    ),
    "delta": st.builds(
        lambda d, by: class_models.delta(d, *by, absent="ignored"),
        st.integers(1, 8).map(lambda n: Fraction(n, 4)),
        BY,
    ),
}
ROWS_TO_GO = re.compile(
    r"([\d,]+) rows? \([\d.]+%\) would have to be suppressed, and the policy allows ([\d,]+)"
)
MORE_OR_LESS = re.compile(r"ask for (at least|at most) ([\d.,]+)")


@st.composite
def asked(draw, name, rows):
    """A problem, the coarsest levels that are allowed, and how NULL and people are counted."""
    problem = draw(problems(entity=rows != "row", most_rows=14))
    count, rule = len(problem.rows), draw(RULES[name])
    values = st.lists(st.sampled_from(("a", "b", "c", None)), min_size=count, max_size=count)
    people = st.lists(st.integers(0, 4), min_size=count, max_size=count)
    said = {} if rule is None else {"spread": draw(values), "rule": rule}
    if rows != "row":
        said["entities"] = problem.entities or draw(people)
    # the oracle's rows with NULL have a path to the root only where they are in a class
    hierarchies = [dict(each) for each in problem.hierarchies]
    bare = problem.without_entry
    for column in bare:
        del hierarchies[column][None]
    leaves_out = draw(st.booleans()) and rows != "signature"
    made = replace(
        problem, **said, hierarchies=hierarchies, without_entry=set(), leaves_out_nulls=leaves_out,
        signature=rows == "signature", _seen={},
    )  # fmt: skip
    most = tuple(draw(st.integers(0, top)) for top in made.tops)
    return made, (made.tops if draw(st.booleans()) else most)


def policy_of(writer, problem, most, search):
    policy = writer.policy(problem, search)
    for column, level in enumerate(most):
        if level < problem.tops[column]:
            policy["columns"][f"q{column}"]["levels"] = {"most": level}
    return policy


def refusal(policy, frame):
    try:
        kanon_sql.plan(policy, frame)
    except (kanon_sql.InfeasibleError, kanon_sql.SourceError) as error:
        return str(error)  # a source with fewer rows than k is refused before it is counted
    return None


@pytest.mark.parametrize("rows", ["row", "people", "signature"])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.sampled(4)
@examples(20)
@given(data=st.data())
def test_a_refusal_names_what_fails_and_advises_what_helps(*, name, rows, writer, data):
    if rows == "signature" and name != "k":
        pytest.skip("models that weigh values are not counted of signatures")
    problem, most = data.draw(asked(name, rows))
    assume(problem.in_classes)  # else it is refused at once
    within = {node for node in problem.feasible if all(map(int.__le__, node, most))}
    policy, frame = (
        policy_of(writer, problem, most, {"algorithm": "exhaustive"}),
        writer.frame(problem),
    )
    said = refusal(policy, frame)
    event("feasible" if said is None else re.sub(r"[\d.,]+", "N", said)[:60])
    assert (said is None) == bool(within)
    if said is None:
        return
    out = problem.outcome(most)
    if found := ROWS_TO_GO.search(said):
        gone, allowed = (int(each.replace(",", "")) for each in found.groups())
        assert gone > allowed == problem.max_suppressed
        assert gone == out.suppressed or most != problem.tops
        if said.endswith("more suppression"):
            assert refusal({**policy, "suppression": gone}, frame) is None
    if "fall short of" in said:
        assert out.kept
        assert out.suppressed <= problem.max_suppressed
        assert problem.rule.of_release
        assert re.search(r"reference: both$", said) is None or not problem.rule.of_class
    if found := MORE_OR_LESS.findall(said):
        assert_helps(policy, frame, found, problem)
    if "within the levels" in said:
        assert problem.feasible


NAMED = {"alpha": "alpha", "distinct_l": "l", "entropy_l": "l", "recursive_l": "c"}


def assert_helps(policy, frame, found, problem):
    """Ask for what was advised, of each model that falls short."""
    ways, words = zip(*found, strict=True)
    bounds = [float(each.replace(",", "")) for each in words]
    changed = []
    for model in policy["privacy"]:
        ((key, own),) = model.items()
        number = own if key == "k" else own.get(NAMED.get(key), 0)
        looser = [
            bound
            for way, bound in zip(ways, bounds, strict=True)
            if (way == "at most") == (key in {"k", "distinct_l", "entropy_l"})
            and (
                bound < Fraction(str(number)) if way == "at most" else bound > Fraction(str(number))
            )
        ]
        if looser and (key == "k" or key in NAMED):
            bound = min(looser) if way_is_least(key) else max(looser)
            bound = int(bound) if key in {"k", "distinct_l"} else bound
            changed.append({key: bound} if key == "k" else {key: {**own, NAMED[key]: bound}})
        else:
            changed.append(model)
    changed = [each for each in changed if each != {"k": 0}]
    assert changed != policy["privacy"]
    said = refusal({**policy, "privacy": changed}, frame)
    assert said is None or "within the levels" in said


def way_is_least(key):
    return key in {"k", "distinct_l", "entropy_l"}


def test_reference_release_is_named_and_no_limit_that_is_kept(writer):
    """Without b's row shares change: a and c are then too far from each other's, and no class goes for that."""
    labels = {"a": ["ab", "*"], "b": ["ab", "*"], "c": ["c", "*"]}
    held = {"a": ["flu"] * 4, "b": ["cold"], "c": ["cold"] * 3}
    rows = [(z,) for z, ill in held.items() for _ in ill]
    spread = [each for ill in held.values() for each in ill]
    rule = class_models.equal_distance(Fraction(1, 4), "release")
    problem = Problem(rows, [labels], 2, 3, spread=spread, rule=rule)
    policy = policy_of(writer, problem, (0,), {})
    said = refusal(policy, writer.frame(problem))
    assert "no recoding was found that satisfies the policy within the levels" in said
    assert "fall short of distance of s from the released rows: at most 0.25" in said
    assert "more suppression" not in said
    assert said.endswith("or try reference: both")
