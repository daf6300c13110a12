"""Why a plan has its node: what it was made from is opened again, and what lies beside is searched.

Guarantee: the figures are of the very rows that the plan was made from, which are compared first;
reads only. Cost: the frequency set once, then checks on it until the time limit.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.flow.encode import Encoded, encode, make_checker
from kanon_sql.flow.given import open_run
from kanon_sql.flow.planning import MOST_NODES, metric_label
from kanon_sql.flow.stale import plan_and_policy, replan
from kanon_sql.model.explained import beyond
from kanon_sql.model.explanation import Explanation
from kanon_sql.model.lattice import Node
from kanon_sql.model.plan import Plan
from kanon_sql.model.privacy import demands
from kanon_sql.search.algorithms import ALGORITHMS
from kanon_sql.search.bars import BarsChecker, JointBars
from kanon_sql.search.joint import JointChecker
from kanon_sql.search.trials import Trials
from kanon_sql.search.what_if import WhatIf, notches, with_k

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kanon_sql.engine.connect import Settings
    from kanon_sql.flow.given import Given
    from kanon_sql.flow.session import Session
    from kanon_sql.search.bars import Tallies

KS = (2, 3, 5, 10, 25, 50, 100)
PER_THOUSAND = (0, 1, 10, 20, 50, 100)
"""The frontier's k and its MaxSup in thousandths of the rows; the policy's own come beside them."""

MOST_TOLD = 100_000
"""Nodes of a lattice that is told whole."""

TIME_LIMIT = 60.0


def explain(
    plan: str | Path | Plan,
    source: object = None,
    *,
    policy: Given | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
    time_limit: float = TIME_LIMIT,
    lattice: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Explanation:
    """Say why a plan has its node: what binds, what each column costs, what else could be had.

    What was not reached within `time_limit` seconds says so. With `lattice` its nodes are given
    too. Raises StalePlanError where the policy, a hierarchy or the source is no longer what the
    plan was made from.
    """
    chosen, given = plan_and_policy(plan, policy)
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            given,
            source,
            connection=connection,
            settings=settings,
            overrides=chosen.overrides,
            progress=progress,
            writes=False,
        )
        planned = replan(run, chosen, frame, from_file=not isinstance(plan, Plan))
        journal = run.engine.journal
        with journal.step("encode"):
            encoded = encode(run, planned.opened, planned.mapped)
        with journal.step("explain"):
            tallies = _tallies(run, encoded, time.monotonic() + time_limit)
            found = _explained(run, chosen, encoded, tallies, lattice=lattice)
        return replace(found, checks=tallies.counted, run=journal.summary())


def _tallies(run: Session, encoded: Encoded, deadline: float) -> Tallies:
    checker = make_checker(
        run,
        encoded,
        metric=run.policy.search.cost(),
        max_suppressed=run.policy.suppression.limit(encoded.facts.rows),
        deadline=deadline,
        alone=BarsChecker,
    )
    if isinstance(checker, JointChecker):
        return JointBars(checker, tuple(column.name for column in run.policy.quasi))
    if not isinstance(checker, BarsChecker):
        raise InternalError("the checker of one set of quasi-identifiers counts under several bars")
    return checker


def _explained(
    run: Session, chosen: Plan, encoded: Encoded, tallies: Tallies, *, lattice: bool
) -> Explanation:
    rows = encoded.facts.rows
    limit = run.policy.suppression.limit(rows)
    own = demands(run.policy.privacy)
    ks = [k for k in (*KS, own[0].class_size) if k <= rows]
    limits = [*(share * rows // 1000 for share in PER_THOUSAND), limit]
    bars = [own, *(less for *_, less in notches(own)), *(with_k(own, k) for k in ks)]
    names = tuple(chosen.levels)
    asked = WhatIf(
        Trials(tallies, bars, run.policy.monotone),
        node=Node(tuple(chosen.levels.values())),
        names=names,
        max_suppressed=limit,
        most_nodes=MOST_NODES,
    )
    algorithm = run.policy.search.algorithm
    described = ALGORITHMS[algorithm]
    promise = described.promises(run.policy.search)
    optimum = asked.optimum()
    return Explanation(
        privacy=tuple(str(model) for model in run.policy.privacy),
        algorithm=algorithm.value,
        promise=promise,
        paper=described.paper,
        metric=metric_label(run.policy.search),
        proven=asked.chosen.feasible and optimum.proven and asked.cost <= optimum.cost,
        levels=dict(chosen.levels),
        heights=dict(chosen.heights),
        feasible=asked.chosen.feasible,
        cost=asked.cost,
        rows=rows,
        suppressed_rows=asked.chosen.counts.suppressed,
        max_suppressed=limit,
        optimum=optimum,
        neighbours=tuple(asked.neighbours(algorithm=algorithm.value, promise=promise)),
        bounds=tuple(asked.bounds(optimum)),
        columns=tuple(asked.columns()),
        frontier=asked.frontier(ks, limits),
        lattice_nodes=encoded.lattice.size,
        nodes=asked.nodes(MOST_TOLD) if lattice else None,
        checks=0,
        beyond=beyond(chosen),
    )
