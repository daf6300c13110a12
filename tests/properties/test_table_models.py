"""The models of a whole table against brute force; and whether each is monotone where it says so."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from fractions import Fraction

import class_models
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, optimum_of, problems
from table_models import Bounds, TableProblem, average_risk, sample_uniqueness, zayatz
from tiers import examples

import kanon_sql
from kanon_sql.counting.plans.recodings import FullDomain, WithoutSmallest
from kanon_sql.policy.privacy.population_uniques import Estimator
from kanon_sql.policy.privacy.table_models import (
    AverageRisk,
    ClassSizes,
    PopulationUniqueness,
    SampleUniqueness,
    smallest_to_suppress,
)

SHARES = [Fraction(n, 20) for n in (0, 1, 2, 3, 5, 8, 10, 14, 20)]
NAMES = ("average risk", "sample uniqueness", "population uniqueness", "both", "beside t")
MONOTONE = ("average risk", "sample uniqueness", "both")


@st.composite
def bounded(draw, name):
    """A problem that asks something of the whole table; k is often 1, so that rows are unique."""
    of_rows = draw(problems(most_rows=30, entity=False, spread=name != "beside t"))
    own = {each.name: getattr(of_rows, each.name) for each in fields(of_rows)}
    share = st.sampled_from(SHARES)
    if name == "beside t":
        own["spread"] = [draw(st.sampled_from("abc")) for _ in of_rows.rows]
        own["rule"] = class_models.equal_distance(draw(share), "source", "release")
    bounds = Bounds(
        risk=draw(share) if name in {"average risk", "both", "beside t"} else None,
        unique=draw(share) if name in {"sample uniqueness", "both"} else None,
        there=draw(share) if name == "population uniqueness" else None,
        sampling=draw(st.sampled_from((Fraction(1, 10), Fraction(1, 2)))),
    )
    k = draw(st.sampled_from((1, 1, of_rows.k)))
    return TableProblem(**{**own, "k": k, "_seen": {}}, bounds=bounds)


def asked(writer, problem, search):
    policy = writer.policy(problem, search)
    return {**policy, "privacy": [*policy["privacy"], *problem.bounds.privacy]}


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(asked(writer, problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


def in_one_piece(problem):
    """Where bounds that are kept stay so, as more of the smallest classes go, the first is the one that is found."""
    kept = [problem.keeps(node) for node in problem.nodes]
    return all(each == sorted(each) for each in kept)


@pytest.mark.parametrize("algorithm", ["optimal", "exhaustive", "lightning"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(6)
@examples(40)
@given(data=st.data(), search=st.sampled_from(AT_ONE_NODE))
def test_the_plan_has_the_least_cost(*, name, algorithm, writer, data, search):
    problem = data.draw(bounded(name))
    assume(in_one_piece(problem))
    search = {**search, "algorithm": algorithm}
    plan = planned(writer, problem, search)
    event("feasible" if problem.feasible else "infeasible")
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
        node = tuple(plan.levels.values())
        out, gone = problem.outcome(node), problem.keeps(node).index(True)
        event(f"suppressed for the table: {bool(gone)}")
        assert (plan.suppressed_rows, plan.classes) == (out.suppressed, len(out.kept))
        assert plan.smallest_class == min(out.kept.values())
        at = plan.recoding.node
        assert plan.recoding == (WithoutSmallest(at, gone) if gone else FullDomain(at))
        again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan.yml")
        assert again.recoding == plan.recoding


@pytest.mark.parametrize("algorithm", ["incognito", "flash", "ola", "samarati", "all_min"])
@pytest.mark.parametrize("name", MONOTONE)
@pytest.mark.sampled(6)
@examples(40)
@given(data=st.data())
def test_searches_that_prune_find_it(*, name, algorithm, writer, data):
    problem = data.draw(bounded(name))
    plan = planned(writer, problem, {"algorithm": algorithm, "metric": "height"})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert tuple(plan.levels.values()) in problem.feasible


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(5)
@examples(40)
@given(data=st.data())
def test_the_release_is_what_is_left_and_its_recount_says_so(*, name, writer, data):
    """Which of the classes of one size are suppressed, too: those whose labels come first."""
    problem = data.draw(bounded(name))
    assume(problem.feasible)
    assume(in_one_piece(problem))
    with kanon_sql.anonymize(asked(writer, problem, {}), writer.frame(problem)) as made:
        out = problem.outcome(tuple(made.plan.levels.values()))
        released = {row[0] for row in made.relation.project("id").fetchall()}
        assert released == {i for key in out.kept for i in out.rows_of[key]}
        said = made.verification.summary()
    sizes, bounds = list(out.kept.values()), problem.bounds
    found = {
        "average_risk": (bounds.risk, average_risk(sizes)),
        "sample_uniqueness": (bounds.unique, sample_uniqueness(sizes)),
        "population_uniqueness": (bounds.there, zayatz(sizes, bounds.sampling)),
    }
    for key, (bound, share) in found.items():
        if bound is not None:
            assert said[key] == pytest.approx(float(share), abs=1.1e-9)


@pytest.mark.parametrize("name", MONOTONE)
@examples(300)
@given(data=st.data())
def test_it_is_monotone_whatever_is_suppressed(name, data):
    """A hunt for what contradicts the declarations: a coarser node than a feasible one that is not, or keeps less."""
    assert {AverageRisk.monotony.value, SampleUniqueness.monotony.value} == {"always"}
    problem = data.draw(bounded(name))
    for node in problem.feasible:
        for at, top in enumerate(problem.tops):
            if node[at] < top:
                coarser = problem.outcome((*node[:at], node[at] + 1, *node[at + 1 :]))
                assert coarser.feasible
                assert coarser.suppressed <= problem.outcome(node).suppressed


sizes_of_classes = st.dictionaries(st.integers(1, 9), st.integers(1, 30), min_size=1)


@examples(300)
@given(
    counts=sizes_of_classes,
    share=st.integers(0, 10**9),
    model=st.sampled_from((AverageRisk, SampleUniqueness)),
)
def test_the_least_number_of_classes_is_suppressed(counts, share, model):
    """By halves the same number is found as one by one; and none where even the largest class alone does not do."""
    bound, sizes = Fraction(share, 10**9), ClassSizes.of(counts.items())
    one_by_one = [size for size, many in sorted(counts.items()) for _ in range(many)]
    rule = average_risk if model is AverageRisk else sample_uniqueness
    kept = [rule(one_by_one[gone:]) <= bound for gone in range(len(one_by_one))]
    expected = kept.index(True) if any(kept) else len(kept)
    required = model(Decimal(share).scaleb(-9)).requirements
    most = len(one_by_one) - 1
    assert smallest_to_suppress(required, sizes, most) == expected
    for fewer in {0, expected - 1, expected} & set(range(most + 1)):
        assert smallest_to_suppress(required, sizes, fewer) == min(expected, fewer + 1)
    rows = 7
    assert sizes.most_within(rows) == sum(
        sum(one_by_one[: n + 1]) <= rows for n in range(len(one_by_one))
    )


@examples(60)
@given(
    counts=sizes_of_classes,
    share=st.sampled_from(("0", "0.003", "0.05", "0.4")),
    estimator=st.sampled_from(Estimator),
    sampling=st.sampled_from(("0.02", "0.1", "0.5", "1")),
)
def test_what_is_left_keeps_an_estimate_and_one_class_more_does_not(
    counts, share, estimator, sampling
):
    model = PopulationUniqueness(Decimal(share), Decimal(sampling), estimator)
    (required,), sizes = model.requirements, ClassSizes.of(counts.items())
    gone = smallest_to_suppress([required], sizes, sizes.classes - 1)
    assert gone <= sizes.unique
    if gone < sizes.classes:
        assert required.holds(required.measure.of_sizes(sizes.without_smallest(gone)))
    if gone:
        before = sizes.without_smallest(gone - 1)
        assert not required.holds(required.measure.of_sizes(before))
