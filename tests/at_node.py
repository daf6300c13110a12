"""A plan at a node of a test's own choice, with the figures that it has there."""

from __future__ import annotations

from dataclasses import replace

import duckdb

from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.plans.recodings import FullDomain
from kanon_sql.counting.run.session import session
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.privacy.risks import ReleaseRisk
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.recoding.planning.make_plan import prepare


def at_node(plan, policy, frame, node):
    """What the search would have said of it."""
    parsed = read_policy(policy)
    with duckdb.connect() as connection, session(DuckDB(connection), parsed) as run:
        limit = parsed.suppression.limit(plan.source_rows)
        encoded = prepare(run, frame).encoded
        checker = make_checker(
            run, encoded, metric=parsed.metric, max_suppressed=limit, deadline=None
        )
        (verdict,) = checker.check([Node(node)], detail=True)
        risk = ReleaseRisk.of(checker.class_sizes(verdict), parsed.entity)
    return replace(
        plan,
        recoding=FullDomain(Node(node)),
        suppressed_rows=verdict.counts.suppressed,
        classes=verdict.counts.classes,
        smallest_class=verdict.counts.smallest_kept,
        risk=risk,
    )
