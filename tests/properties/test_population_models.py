"""k-map and delta-presence against brute force; and whether each is monotone where it says so."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction

import class_models
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, optimum_of, problems
from population_models import PopulationProblem, Presence
from tiers import examples

import kanon_sql

NAMES = ("k_map", "presence", "absent ignored", "both", "beside alpha")
TENTHS = [Fraction(n, 10) for n in range(11)]


@st.composite
def compared(draw, name, *, entity=False):
    """A problem with a population, which has most of its rows, and others; some more often than once."""
    of_rows = draw(problems(most_rows=25, entity=entity, spread=False))
    people = [row for row in of_rows.rows for _ in range(draw(st.sampled_from((0, 1, 1, 2, 4))))]
    nulls = [
        [None] if any(row[c] is None for row in of_rows.rows) or draw(st.booleans()) else []
        for c in range(len(of_rows.hierarchies))
    ]
    cells = [
        st.sampled_from([*(v for v in h if v is not None), *extra])
        for h, extra in zip(of_rows.hierarchies, nulls, strict=True)
    ]
    others = draw(st.lists(st.tuples(*cells), max_size=12))
    people = draw(st.permutations([*people, *others]))
    assume(people)
    bounds = sorted(draw(st.tuples(st.sampled_from(TENTHS), st.sampled_from(TENTHS))))
    least, most = bounds[0] if draw(st.booleans()) else Fraction(0), bounds[1]
    presence = Presence(least, most, ignored=name == "absent ignored")
    own = {each.name: getattr(of_rows, each.name) for each in fields(of_rows)}
    if name == "beside alpha":
        values = st.sampled_from(("a", "b", "c"))
        own["spread"] = [draw(values) for _ in of_rows.rows]
        own["rule"] = class_models.alpha(draw(st.sampled_from(TENTHS)))
    return PopulationProblem(
        **{**own, "_seen": {}},
        population=people,
        k_map=draw(st.integers(1, 6)) if name in {"k_map", "both"} else 0,
        presence=None if name == "k_map" else presence,
    )


def asked(writer, problem, search):
    """The policy of a problem; its population is a file."""
    names = [f"q{c}" for c, _ in enumerate(problem.tops)]
    types = writer.frame(problem).schema
    columns = zip(*problem.population, strict=True)
    arrays = {n: pa.array(c, types.field(n).type) for n, c in zip(names, columns, strict=True)}
    writer.files += 1
    path = str(writer.folder / f"{writer.files}.parquet")
    pq.write_table(pa.table(arrays), path)
    policy = writer.policy(problem, search)
    policy["privacy"] = [*policy["privacy"], *problem.privacy(path)]
    return policy


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(asked(writer, problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


@pytest.mark.parametrize("algorithm", ["optimal", "exhaustive", "lightning"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(6)
@examples(20)
@given(data=st.data(), search=st.sampled_from(AT_ONE_NODE))
def test_the_plan_has_the_least_cost(*, name, algorithm, writer, data, search):
    problem = data.draw(compared(name, entity=name == "k_map"))
    search = {**search, "algorithm": algorithm}
    plan = planned(writer, problem, search)
    event("feasible" if problem.feasible else "infeasible")
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
        out = problem.outcome(tuple(plan.levels.values()))
        assert (plan.suppressed_rows, plan.classes) == (out.suppressed, len(out.kept))


@pytest.mark.parametrize("algorithm", ["incognito", "flash", "ola", "samarati", "all_min"])
@pytest.mark.parametrize("name", ["k_map", "presence"])
@pytest.mark.sampled(8)
@examples(10)
@given(data=st.data())
def test_searches_that_prune_find_it_where_it_is_monotone(*, name, algorithm, writer, data):
    """k-map is so whatever is suppressed."""
    problem = data.draw(compared(name))
    if name == "presence":
        problem = replace(problem, max_suppressed=0, _seen={})
    search = {"algorithm": algorithm, "metric": "height"}
    plan = planned(writer, problem, search)
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert tuple(plan.levels.values()) in problem.feasible


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(4)
@examples(20)
@given(data=st.data())
def test_the_release_is_what_fits_and_its_recount_says_so(*, name, writer, data):
    problem = data.draw(compared(name))
    assume(problem.feasible)
    with kanon_sql.anonymize(asked(writer, problem, {}), writer.frame(problem)) as made:
        node = tuple(made.plan.levels.values())
        out, people = problem.outcome(node), problem.people(node)
        released = {row[0] for row in made.relation.project("id").fetchall()}
        assert released == {i for key in out.kept for i in out.rows_of[key]}
        worst = {key: next(iter(of.values())) for key, of in made.verification.worst.items()}
    if problem.k_map > 0:
        assert worst["least_in_population"] == min(people[key] for key in out.kept)
    if problem.presence is not None:
        shares = [Fraction(n, people[key]) for key, n in out.kept.items()]
        assert worst["greatest_presence"] == pytest.approx(float(max(shares)), abs=1e-9)
        beyond = sum(n for key, n in people.items() if key not in out.kept)
        share = Fraction(out.suppressed, beyond) if beyond else Fraction(0)
        assert worst["greatest_presence_in_rest"] == pytest.approx(float(share), abs=1e-9)


@pytest.mark.parametrize("name", ["k_map", "presence"])
@examples(200)
@given(data=st.data())
def test_it_is_monotone_where_it_says_so(name, data):
    """A hunt for what contradicts the declarations: a coarser node than a feasible one that is not."""
    problem = data.draw(compared(name))
    if name == "presence":
        problem = replace(problem, max_suppressed=0, _seen={})
    for node in problem.feasible:
        for at, top in enumerate(problem.tops):
            if node[at] < top:
                coarser = (*node[:at], node[at] + 1, *node[at + 1 :])
                assert problem.outcome(coarser).feasible


def merged(sample, population, presence, *, most=0):
    """Classes a, b, c and d, of which a coarser node makes two, ab and cd, and the top one."""
    labels = {each: [pair, "*"] for pair in ("ab", "cd") for each in pair}
    rows, people = ([(z,) for z, n in of.items() for _ in range(n)] for of in (sample, population))
    return PopulationProblem(
        rows, [labels], max_suppressed=most, population=people, presence=presence
    )


def test_presence_is_not_monotone_where_rows_may_be_suppressed():
    """The rows of b may go, as d has more that may be theirs; under ab they take those of a with them."""
    presence = Presence(Fraction(0), Fraction(1, 2))
    sample, population = {"a": 5, "b": 2, "c": 2}, {"a": 10, "b": 2, "c": 4, "d": 4}
    problem = merged(sample, population, presence, most=2)
    assert [problem.outcome((at,)).suppressed for at in (0, 1, 2)] == [2, 7, 0]
    assert problem.feasible == {(0,), (2,)}


def test_rows_may_be_suppressed_only_where_others_could_be_theirs():
    """Without d whoever is in no released class is in the source: the rest is a class of its own."""
    presence = Presence(Fraction(0), Fraction(1, 2))
    problem = merged({"a": 5, "b": 2, "c": 2}, {"a": 10, "b": 2, "c": 6}, presence, most=2)
    assert [problem.outcome((at,)).suppressed for at in (0, 1, 2)] == [2, 7, 0]
    assert problem.feasible == {(2,)}


def test_presence_that_ignores_absent_classes_is_never_monotone():
    """Half of a is in the source and nothing of b: a fits, and together they have too little."""
    sample, population = {"a": 2, "c": 4}, {"a": 4, "b": 4, "c": 8}
    bounds = Fraction(1, 2), Fraction(1, 2)
    ignoring = merged(sample, population, Presence(*bounds, ignored=True))
    assert ignoring.feasible == {(0,)}
    assert merged(sample, population, Presence(*bounds)).feasible == set()
