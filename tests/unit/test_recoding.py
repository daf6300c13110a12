"""Recodings of several nodes without a database: what a policy may say, the plan file, the pass."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from layered import Layered
from oracle import SEARCHES, Problem, problems
from policies import with_

from kanon_sql.base.documents.keys import read_mapping
from kanon_sql.base.documents.shapes import Refused
from kanon_sql.counting.plans.plan import Plan
from kanon_sql.counting.plans.recodings import (
    RECODING,
    Enforced,
    FullDomain,
    LocalSuppression,
    MultiNode,
    Outliers,
    SuppressedCells,
    levels_used,
)
from kanon_sql.errors import InputError, PolicyError
from kanon_sql.policy.metrics.node import HEIGHTS, Lattice, Node
from kanon_sql.policy.metrics.registry import METRICS, metric_named
from kanon_sql.policy.metrics.statistics import ReleasedNode
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.policy.search import Recode
from kanon_sql.recoding.multi_node import local_recoding as pass_
from kanon_sql.recoding.multi_node.local_recoding import (
    Cells,
    EmptyNodes,
    SkippingChecker,
    charging_suppression,
)

searches = st.sampled_from(SEARCHES)


def test_a_policy_says_how_the_rest_is_recoded():
    assert read_policy(with_()).search.recoding is Recode.FULL_DOMAIN
    local = read_policy(with_(search={"recoding": "local", "max_nodes": 3})).search
    assert (local.recoding, local.max_nodes) == (Recode.LOCAL, 3)
    assert read_policy(with_(search={"recoding": "cells"})).search.max_nodes == 64


@pytest.mark.parametrize(
    ("search", "told"),
    [
        ({"recoding": "global"}, "full_domain, local, cells"),
        ({"recoding": "local", "max_nodes": 1}, "at least 2"),
        ({"max_nodes": 5}, "goes with recoding: local or cells"),
        ({"recoding": "full_domain", "max_nodes": 5}, "goes with recoding: local or cells"),
    ],
)
def test_what_a_policy_may_not_say(search, told):
    with pytest.raises(PolicyError) as error:
        read_policy(with_(search=search))
    assert "search" in str(error.value)
    assert all(word in str(error.value) for word in told.split(", "))


@pytest.mark.parametrize("recoding", ["local", "cells"])
def test_several_sets_of_quasi_identifiers_go_with_full_domain_alone(recoding):
    columns = {name: {"role": "quasi", "hierarchy": "suppress"} for name in "ab"}
    privacy = [{"k": 2}, {"k": 3, "over": ["a"]}]
    with pytest.raises(PolicyError, match="remove over:, or use full_domain"):
        read_policy(with_(columns=columns, privacy=privacy, search={"recoding": recoding}))
    assert read_policy(with_(columns=columns, privacy=privacy))


LAYERED = {
    "kanon_sql_plan": 1,
    "policy": {"file": "p.yml", "sha256": "0", "overrides": {}},
    "source": {"rows": 9, "fingerprint": "x:1"},
    "hierarchies": {"a": "in the policy", "b": "in the policy"},
    "privacy": ["2-anonymity"],
    "search": {"algorithm": "optimal", "metric": "loss", "optimal": False, "cost": 0.5,
               "lattice_nodes": 6},
    "recoding": {"nodes": [{"levels": {"a": 0, "b": 1}, "rows": 6, "classes": 3},
                           {"levels": {"a": 1, "b": 0}, "rows": 2, "classes": 1}],
                 "highest_levels": {"a": 1, "b": 2}, "max_suppressed": 3, "suppressed_rows": 1},
    "figures": {"classes": 4, "smallest_class": 2},
    "sql": "SELECT 1",
}  # fmt: skip


def test_a_plan_of_several_nodes_survives_its_file():
    plan = Plan.from_yaml(yaml.safe_dump(LAYERED, sort_keys=False), "plan")
    assert plan.recoding == MultiNode(
        (ReleasedNode(Node((0, 1)), 6, 3), ReleasedNode(Node((1, 0)), 2, 1))
    )
    assert plan.levels == {"a": 0, "b": 1}
    assert plan.document()["recoding"] == LAYERED["recoding"]
    assert plan.summary()["nodes"] == LAYERED["recoding"]["nodes"]
    assert Plan.from_yaml(plan.to_yaml(), "plan") == plan


@pytest.mark.parametrize(
    "layers",
    [
        [],
        "a",
        {},
        [3],
        [{"levels": {"a": 0, "b": 1}, "rows": 6}],
        [LAYERED["recoding"]["nodes"][0], {"levels": {"a": 1}, "rows": 1, "classes": 1}],
        [LAYERED["recoding"]["nodes"][0], {"levels": {"b": 1, "a": 1}, "rows": 1, "classes": 1}],
        [{"levels": {"a": "0", "b": 1}, "rows": 6, "classes": 3}],
        [LAYERED["recoding"]["nodes"][0]],
    ],
)
def test_odd_layers_are_no_plan(layers):
    document = {**LAYERED, "recoding": {**LAYERED["recoding"], "nodes": layers}}
    with pytest.raises(InputError):
        Plan.from_yaml(yaml.safe_dump(document, sort_keys=False), "plan")


def test_a_recoding_knows_the_levels_of_a_column():
    nodes = Node((1, 0)), Node((0, 2)), Node((1, 1))
    several = MultiNode(tuple(ReleasedNode(node, 2, 1) for node in nodes))
    assert [levels_used(several, quasi) for quasi in (0, 1)] == [(1, 0), (0, 2, 1)]
    assert levels_used(FullDomain(Node((2, 1))), 1) == (1,)


def test_a_recoding_with_blanks_has_roots_only_where_cells_are_released_blank():
    """A column whose blanked rows are all suppressed keeps its type: it needs no label of the root."""
    outliers = (Outliers((0, 1), 3, 5),)
    blanks = SuppressedCells(1, outliers, rounds=2, rows=(4, 1, 0), released=(4, 0, 0))
    found = LocalSuppression(Node((0, 1, 1)), blanks, tops=(2, 2, 1))
    assert found.nodes == (Node((0, 1, 1)), Node((2, 1, 1)))
    assert (found.moves, found.combinations) == (True, ((0, 1),))
    assert [levels_used(found, quasi) for quasi in range(3)] == [(0, 2), (1,), (1,)]
    none = SuppressedCells(1, (), rounds=0, rows=(0, 0, 0), released=(0, 0, 0))
    alone = LocalSuppression(Node((0, 1, 1)), none, tops=(2, 2, 1))
    assert (alone.moves, alone.nodes) == (False, (Node((0, 1, 1)),))


NAMES, TOPS = ("a", "b"), (1, 2)
RECODINGS = [
    FullDomain(Node((0, 1))),
    FullDomain(Node((0, 1)), passes=3),
    Enforced(Node((1, 1)), least=5),
    MultiNode((ReleasedNode(Node((0, 1)), 6, 3), ReleasedNode(Node((1, 0)), 2, 1))),
    LocalSuppression(
        Node((0, 1)), SuppressedCells(1, (Outliers((0, 1), 3, 5),), 1, (0, 4), (0, 2)), TOPS
    ),
    LocalSuppression(Node((0, 1)), SuppressedCells(2, (), 0, (0, 0), (0, 0)), TOPS),
]


def written(recoding):
    return RECODING.write(recoding, {HEIGHTS: dict(zip(NAMES, TOPS, strict=True))})


def read_recoding(told, names, tops):
    document = read_mapping(told)
    document.reading.known[HEIGHTS] = dict(zip(names, tops, strict=True))
    return RECODING.read(document)


@pytest.mark.parametrize("recoding", RECODINGS, ids=lambda each: type(each).__name__)
def test_a_recoding_is_read_back_from_its_document(recoding):
    assert read_recoding(written(recoding), NAMES, TOPS) == recoding
    with pytest.raises(Refused):
        read_recoding(written(recoding), ("b", "a"), TOPS)


def test_a_document_of_two_recodings_is_none():
    told = written(RECODINGS[2]) | written(RECODINGS[3])
    with pytest.raises(Refused):
        read_recoding(told, NAMES, TOPS)


@pytest.mark.parametrize("name", METRICS)
def test_the_rest_is_searched_under_a_metric_that_charges_for_suppression(name):
    """Height, class size and plain entropy would be best where a single class is kept."""
    own = metric_named(name)
    charged = charging_suppression(own)
    assert (charged is own) == (
        name in {"distortion", "loss", "discernibility", "ncp", "ambiguity"}
    )
    assert charged.name in {name, "loss"}
    counted = metric_named("entropy", count_suppressed=True)
    assert charging_suppression(counted) is counted


def problem_of_rest(problem, nodes):
    """What is left of a problem after some nodes, as a problem of its own."""
    left = Layered(problem, nodes).suppressed
    people = None if problem.entities is None else [problem.entities[i] for i in left]
    spread = None if problem.spread is None else [problem.spread[i] for i in left]
    rows = [problem.rows[i] for i in left]
    return type(problem)(
        rows,
        problem.hierarchies,
        problem.k,
        len(rows),
        people,
        spread,
        problem.l,
        problem.counts_null,
    )


@given(
    problem=problems(full_suppression=True),
    search=searches,
    batch=st.sampled_from((1, 2, 16)),
    monotone=st.booleans(),
)
def test_one_pass_over_nodes_gives_the_cheapest_that_fits_each_time(
    *, fake_checker, metric, problem, search, batch, monotone
):
    checker = fake_checker(problem, metric(search), batch=batch)
    cells = Cells(Lattice(problem.tops), checker.metric, checker.stats)
    floors = checker.metric.floors(checker.stats, checker.lattice)
    order = [
        node
        for _, _, node in sorted(
            (floor, sum(node), node) for floor, node in zip(floors, problem.nodes, strict=True)
        )
    ]
    taken = []
    while True:
        left = problem_of_rest(problem, taken)
        if not left.rows:
            return
        found = cells.next(fake_checker(left, checker.metric, batch=batch, monotone=monotone))
        fitting = [node for node in order if left.outcome(node).kept]
        assert (found and found.node.levels) == (fitting[0] if fitting else None)
        if found is None:
            return
        taken.append(found.node.levels)
        cells.close(found.node, finer=monotone)


def test_a_pass_checks_no_more_than_it_may(fake_checker, metric, monkeypatch):
    rows = [(f"v{i}", f"w{i}") for i in range(6)]
    tree = {f"v{i}": [f"g{i // 2}", "*"] for i in range(6)}
    other = {f"w{i}": [f"h{i // 2}", "*"] for i in range(6)}
    problem = Problem(rows, [tree, other], k=6, max_suppressed=6)
    monkeypatch.setattr(pass_, "MOST_CHECKS", 2)
    checker = fake_checker(problem, metric({"metric": "height"}), batch=2)
    cells = Cells(Lattice(problem.tops), checker.metric, checker.stats)
    assert cells.next(checker) is None
    assert cells.spent
    assert len(checker.checked) == 2


@given(problem=problems(full_suppression=True), nodes=st.data())
def test_an_empty_node_is_not_asked_about_again(fake_checker, metric, problem, nodes):
    checker, empty = fake_checker(problem, metric({"metric": "loss"})), EmptyNodes()
    known: list[Node] = []
    for _ in range(4):
        asked = [Node(nodes.draw(st.sampled_from(problem.nodes))) for _ in range(3)]
        before = len(checker.checked)
        found = SkippingChecker(checker, empty).check(asked)
        for node, verdict in zip(asked, found, strict=True):
            assert verdict.node == node
            assert bool(verdict.counts.classes) == bool(problem.outcome(node.levels).kept)
            assert verdict.feasible == problem.outcome(node.levels).feasible
        new = [Node(levels) for levels in checker.checked[before:]]
        assert not any(each.covers(node) for node in new for each in known)
        known += [node for node in new if not problem.outcome(node.levels).kept]
    assert all(node in empty for node in known)
