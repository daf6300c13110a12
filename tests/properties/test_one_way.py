"""Datafly and the greedy on the database, from plan to release, against themselves on the rows."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from oracle import SEARCHES, cost_of, problems
from tiers import examples
from twins import by_datafly, by_greed, crowds, record_by_record, told, way_of

import kanon_sql
from kanon_sql.counting.plans.recodings import Enforced, FullDomain
from kanon_sql.policy.metrics.node import Node

searches = st.sampled_from(SEARCHES)


def node_of(plan):
    return tuple(plan.levels.values())


def seen_by(plan):
    return [(step.distinct, step.short_rows) for step in plan.steps]


def released_rows(release):
    with release:
        return {row[0] for row in release.relation.fetchall()}


@examples(40)
@given(problem=crowds() | problems(full_suppression=True), search=searches)
def test_datafly_releases_what_its_loop_leaves(writer, fake_checker, metric, problem, search):
    policy = writer.policy(problem, {**search, "algorithm": "datafly"})
    frame = writer.frame(problem)
    expected = by_datafly(problem)
    if expected is None:
        with pytest.raises(kanon_sql.InfeasibleError):
            kanon_sql.plan(policy, frame)
        return
    plan = kanon_sql.plan(policy, frame)
    seen, gone = expected
    node = seen[-1]
    enforced = gone != problem.outcome(node).suppressed_rows
    event(f"a class that fits is suppressed: {enforced}")
    assert node_of(plan) == node
    assert seen_by(plan) == told(problem, seen)
    assert plan.recoding == (
        Enforced(Node(node), problem.k) if enforced else FullDomain(Node(node))
    )
    assert plan.suppressed_rows == len(gone)
    checker = fake_checker(problem, metric(search))
    (verdict,) = checker.check([seen_node(checker, node)])
    verdict = checker.enforced(verdict)
    assert plan.classes == verdict.counts.classes
    assert plan.smallest_class == verdict.counts.smallest_kept
    assert plan.cost == pytest.approx(checker.costs([verdict])[0], rel=1e-9, abs=1e-7)
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan.yml")
    assert again.to_yaml() == plan.to_yaml()
    kept = released_rows(kanon_sql.apply(again, frame, policy=policy))
    assert kept == set(range(len(problem.rows))) - gone


def seen_node(checker, levels):
    return next(node for node in checker.lattice.nodes() if node.levels == levels)


@examples(25)
@given(problem=problems(), search=searches, order=st.lists(st.integers(0, 1), unique=True))
def test_the_greedy_plans_what_its_loop_finds(writer, problem, search, order):
    own = {
        **search,
        "algorithm": "greedy",
        **({"order": [f"q{c}" for c in order]} if order else {}),
    }
    policy, frame = writer.policy(problem, own), writer.frame(problem)
    seen = by_greed(problem, order)
    if seen is None:
        with pytest.raises(kanon_sql.InfeasibleError):
            kanon_sql.plan(policy, frame)
        return
    plan = kanon_sql.plan(policy, frame)
    assert node_of(plan) == seen[-1]
    assert seen_by(plan) == told(problem, seen)
    assert plan.cost == pytest.approx(cost_of(problem, seen[-1], search), rel=1e-9, abs=1e-7)
    assert not plan.optimal


@examples(25)
@given(problem=problems(), search=searches, order=st.lists(st.integers(0, 1), unique=True))
def test_per_record_each_row_stays_where_its_class_fits(writer, problem, search, order):
    told_order = {"order": [f"q{c}" for c in order]} if order else {}
    own = {**search, "algorithm": "greedy", "per": "record", **told_order}
    policy, frame = writer.policy(problem, own), writer.frame(problem)
    at = record_by_record(problem, way_of(problem, order))
    if not at or len(problem.rows) - len(at) > problem.max_suppressed:
        with pytest.raises(kanon_sql.InfeasibleError):
            kanon_sql.plan(policy, frame)
        return
    with kanon_sql.anonymize(policy, frame) as release:
        rows = release.relation.fetchall()
    expected = {i: problem.generalized(problem.rows[i], node) for i, node in at.items()}
    assert {row[0]: as_text(row[1 : len(problem.tops) + 1]) for row in rows} == {
        i: as_text(labels) for i, labels in expected.items()
    }
    assert release.plan.suppressed_rows == len(problem.rows) - len(at)
    assert release.plan.classes == len(set(expected.values()))


def as_text(row):
    return tuple(None if cell is None else str(cell) for cell in row)
