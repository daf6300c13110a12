"""Recodings of several nodes, row by row against brute force: local recoding and cells."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter, defaultdict
from contextlib import contextmanager

import duckdb
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from layered import Layered
from oracle import SEARCHES, Problem, problems
from tiers import examples

import kanon_sql
from kanon_sql.counting.lattice.result import Chain, SearchResult
from kanon_sql.counting.plans.recodings import MultiNode
from kanon_sql.policy.metrics.node import Lattice, Node
from kanon_sql.policy.search_options import Algorithm
from kanon_sql.recoding.searches.algorithms import ALGORITHMS

searches = st.sampled_from(SEARCHES)
recodings = st.sampled_from(["local", "cells"])
kinds = st.lists(st.sampled_from(("query", "csv", "tree")), min_size=3, max_size=3)
layers = st.sampled_from([2, 3, 64])
algorithms = st.sampled_from(["optimal", "samarati", "exhaustive"])


def approx(cost):
    return pytest.approx(cost, rel=1e-7, abs=1e-7)


def bag(rows):
    return Counter(tuple(sorted(row.items(), key=lambda item: item[0])) for row in rows)


def short(problem, released):
    """The classes of a released table that fall short of what the problem asks."""
    members = defaultdict(list)
    for row in released:
        members[tuple(row[f"q{c}"] for c in range(len(problem.tops)))].append(row)
    sizes = [
        len(rows) if problem.entities is None else len({row["person"] for row in rows})
        for rows in members.values()
    ]
    spreads = [
        problem.l if problem.spread is None else problem.values([row["s"] for row in rows])
        for rows in members.values()
    ]
    return [(n, s) for n, s in zip(sizes, spreads, strict=True) if n < problem.k or s < problem.l]


def layered(problem, plan):
    """The oracle of what a plan's nodes release."""
    return Layered(problem, [node.levels for node in plan.recoding.nodes])


def layers_of(plan):
    """The nodes in order with what each releases; none where it is one node."""
    return plan.recoding.released_nodes if isinstance(plan.recoding, MultiNode) else ()


def holds(problem, plan, released):
    """What is true of a plan of any recoding, and of its release."""
    oracle = layered(problem, plan)
    assert short(problem, released) == []
    assert bag(released) == bag(oracle.expected_release())
    assert plan.suppressed_rows == len(oracle.suppressed) <= problem.max_suppressed
    assert plan.classes == len(oracle.classes)
    assert plan.smallest_class == oracle.smallest
    for number, layer in enumerate(layers_of(plan)):
        rows = oracle.released(number)
        assert layer.rows == len(rows) > 0
        assert layer.classes == len(oracle.classes_of(layer.node.levels, rows))
    for name, metric in (
        ("height", "height"), ("loss", "loss"), ("discernibility", "discernibility"),
        ("aecs", "class_size"), ("entropy", "entropy"),
    ):  # fmt: skip
        assert plan.figures[name] == approx(oracle.cost({"metric": metric})[0]), name
    assert 1 - plan.figures["precision"] == approx(oracle.cost({"metric": "distortion"})[0])
    return oracle


def merging():
    """Three rows at the value x; three others, at no value that fits, under a label that is x too."""
    rows = [("x", "a")] * 3 + [("y", "a"), ("y", "b"), ("z", "b")] + [(None, "a")]
    first = {"x": ["x", "*"], "y": ["x", "*"], "z": ["x", "*"]}
    second = {"a": ["a", "*"], "b": ["a", "*"]}
    return Problem(rows, [first, second], k=3, max_suppressed=4, entities=[1, 2, 3, 1, 2, 9, 1])


MERGING = {"search": {"metric": "height"}, "kinds": ["query"] * 3, "max_nodes": 64}


@examples(60)
@example(problem=merging(), recoding="local", algorithm="optimal", **MERGING)
@example(problem=merging(), recoding="cells", algorithm="optimal", **MERGING)
@given(
    problem=problems(most_rows=60),
    search=searches,
    recoding=recodings,
    kinds=kinds,
    layers=layers,
    algorithm=algorithms,
)
def test_each_row_is_released_at_the_first_node_where_its_class_fits(
    *, writer, problem, search, recoding, kinds, layers, algorithm
):
    asked = {**search, "recoding": recoding, "max_nodes": layers, "algorithm": algorithm}
    policy, frame = writer.policy(problem, asked, kinds=kinds), writer.frame(problem)
    try:
        release = kanon_sql.anonymize(policy, frame)
    except kanon_sql.InfeasibleError:
        assert not problem.feasible
        return
    with release:
        table = release.relation.to_arrow_table()
    plan = release.plan
    assert table.column_names == frame.column_names
    oracle = holds(problem, plan, table.to_pylist())
    assert plan.cost == approx(oracle.cost(search))
    assert release.verification.classes == plan.classes
    assert release.verification.smallest_class == plan.smallest_class
    assert len(plan.recoding.nodes) <= layers
    first = problem.outcome(tuple(plan.levels.values()))
    assert plan.suppressed_rows <= first.suppressed
    top = oracle.classes_of(problem.tops, oracle.suppressed)
    gained = [rows for rows in top if problem.fits(rows, problem.k, problem.l)]
    assert gained == [], "what is left could be kept at the top"


def test_classes_of_several_nodes_under_the_same_labels_are_counted_once(writer):
    problem = merging()
    policy = writer.policy(problem, {"metric": "height", "recoding": "cells"})
    with kanon_sql.anonymize(policy, writer.frame(problem)) as release:
        plan, released = release.plan, release.relation.fetchall()
    by_node = [layer.classes for layer in plan.recoding.released_nodes]
    assert [layer.node.levels for layer in plan.recoding.released_nodes][:2] == [(0, 0), (1, 1)]
    assert sum(by_node) == plan.classes + 1 == release.verification.classes + 1
    assert plan.figures["discernibility"] == 6 * 6 + 7
    assert Counter(row[1] for row in released) == {"x": 6}


@examples(40)
@given(problem=problems(most_rows=60, full_suppression=True), search=searches)
def test_cells_takes_the_cheapest_node_at_which_a_class_of_the_rest_fits(
    writer, metric, python_stats, problem, search
):
    policy = writer.policy(problem, {**search, "recoding": "cells", "max_nodes": 64})
    try:
        plan = kanon_sql.plan(policy, writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return
    assume(len(plan.recoding.nodes) > 1)
    oracle = layered(problem, plan)
    rest = [problem.rows[i] for i in oracle.left_before(1)]
    stats = python_stats(Problem(rows=rest, hierarchies=problem.hierarchies))
    floors = metric(search).floors(stats, Lattice(problem.tops))
    order = sorted(
        zip(floors, problem.nodes, strict=True), key=lambda pair: (pair[0], sum(pair[1]), pair[1])
    )
    for number, node in enumerate(oracle.nodes[1:], start=1):
        left = oracle.left_before(number)
        fitting = next(
            other
            for _, other in order
            if any(
                problem.fits(rows, problem.k, problem.l) for rows in oracle.classes_of(other, left)
            )
        )
        assert node == fitting


@examples(20)
@given(problem=problems(most_rows=60), search=searches, recoding=recodings, seed=st.integers(0, 99))
def test_the_plan_is_the_same_bytes_and_applies_to_the_same_rows(
    writer, problem, search, recoding, seed
):
    policy = writer.policy(problem, {**search, "recoding": recoding})
    order = list(range(len(problem.rows)))
    random.Random(seed).shuffle(order)
    frames = [writer.frame(problem), writer.frame(problem), writer.frame(problem, order)]
    try:
        plans = [kanon_sql.plan(policy, frame) for frame in frames]
    except kanon_sql.InfeasibleError:
        return
    assert len({plan.to_yaml() for plan in plans}) == 1
    again = kanon_sql.Plan.from_yaml(plans[0].to_yaml(), "plan.yml")
    assert again == plans[0]
    assert again.to_yaml() == plans[0].to_yaml()
    with kanon_sql.apply(again, frames[2], policy=policy) as release:
        released = release.relation.to_arrow_table().to_pylist()
    assert bag(released) == bag(layered(problem, again).expected_release())


@contextmanager
def searched_by(chain):
    """Let `exhaustive` give these nodes, in order, whatever it is asked."""

    def follow(checker, *_):
        first, *then = map(Node, chain)
        (verdict,) = checker.check([first])
        (cost,) = checker.costs([verdict])
        return SearchResult(verdict, cost, optimal=True, then=Chain(tuple(then)))

    exhaustive = ALGORITHMS[Algorithm.EXHAUSTIVE]
    described = dataclasses.replace(exhaustive, run=follow)
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(ALGORITHMS, Algorithm.EXHAUSTIVE, described)
        yield


@pytest.mark.parametrize("recoding", ["local", "cells"])
def test_what_a_time_limit_leaves_no_time_for_is_suppressed(writer, recoding):
    problem, told = merging(), {}
    for limit in ("1h", "1ms"):
        search = {"algorithm": "exhaustive", "recoding": recoding, "time_limit": limit}
        policy, frame = writer.policy(problem, search), writer.frame(problem)
        with searched_by([(0, 0)]), kanon_sql.anonymize(policy, frame) as release:
            holds(problem, release.plan, release.relation.to_arrow_table().to_pylist())
            told[limit] = len(layers_of(release.plan)), release.plan.suppressed_rows
    assert told["1ms"] == (0, 4)
    assert (told["1h"][0] > 1) == (recoding == "cells")


@st.composite
def chains(draw):
    """A problem and any nodes in order, as a search might give them."""
    problem = draw(problems(full_suppression=True))
    return problem, draw(st.lists(st.sampled_from(problem.nodes), min_size=1, max_size=5))


NOBODY = Problem([("", "")] * 3, [{"": ["*"]}, {"": ["*"]}], k=2, entities=[0, 0, 0])


@examples(40)
@example(given_=(NOBODY, [(0, 0), (1, 1)]), recoding="full_domain")
@example(given_=(NOBODY, [(0, 0), (1, 1)]), recoding="cells")
@given(given_=chains(), recoding=st.sampled_from(["full_domain", "local", "cells"]))
def test_a_search_may_give_a_chain_of_nodes(writer, given_, recoding):
    """Nodes of a chain at which nothing fits are left out; what fits at none must be allowed."""
    problem, chain = given_
    policy = writer.policy(problem, {"algorithm": "exhaustive", "recoding": recoding})
    oracle = Layered(problem, chain)
    kept = len(problem.rows) - len(oracle.suppressed)
    with searched_by(chain):
        try:
            with kanon_sql.anonymize(policy, writer.frame(problem)) as release:
                released = release.relation.to_arrow_table().to_pylist()
        except kanon_sql.InfeasibleError:
            if recoding == "full_domain":
                assert not kept or len(oracle.suppressed) > problem.max_suppressed
            return
    holds(problem, release.plan, released)
    taken = list(dict.fromkeys(chain[n] for n in oracle.at if n is not None))
    nodes = [node.levels for node in release.plan.recoding.nodes]
    wanted = [node for node in dict.fromkeys(chain) if node in taken]
    assert nodes[: len(wanted)] == wanted
    if recoding == "full_domain":
        assert nodes == wanted
        assert len(oracle.suppressed) <= problem.max_suppressed


@pytest.mark.parametrize("kind", ["DECIMAL(10, 3)", "DOUBLE"])
def test_values_beside_the_bounds_of_others_are_not_rounded(kind):
    """The common type of DECIMAL(10, 3) and of bounds with one decimal place would hold one place."""
    text = f"SELECT CAST(UNNEST([1.12, 1.12, 1.12, 1.14, 1.14, 1.14, 7, 8, 9.5]) AS {kind}) AS a"
    hierarchy = {"role": "quasi", "hierarchy": {"intervals": [0.5, 5]}, "output": "bounds"}
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {"a": hierarchy},
        "privacy": {"k": 3},
        "suppression": "40%",
        "search": {"recoding": "cells", "metric": "height"},
    }
    with (
        duckdb.connect() as connection,
        kanon_sql.anonymize(policy, connection.sql(text), connection=connection) as release,
    ):
        found = set(release.relation.fetchall())
        assert release.plan.classes == release.verification.classes == len(found)
        assert {float(low) for low, high in found if low == high} == {1.12, 1.14}
