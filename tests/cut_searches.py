"""The searches over cuts, run by the product on tables in a real DuckDB; and the steps that oracles tell."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import duckdb
from cutting import put, put_widths, read
from python_cuts import SENSITIVE, requirements_of

from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.scratch import scratch
from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.recoding.single_dimensional.bottom_up import BottomUpTable, bottom_up
from kanon_sql.recoding.single_dimensional.cut_scores import RemovedLoss, TupleSource
from kanon_sql.recoding.single_dimensional.top_down import TopDownTable, top_down

NAMES = ("q0", "q1", "q2")


def by_loss(connection, problem, requirements):
    """The gains of specializations where there is no target."""
    of_lines, of_trees = put_widths(connection, problem)
    cells = len(problem.rows) * len(problem.trees)
    return RemovedLoss(of_lines, of_trees, cells, requirements)


@contextmanager
def given_to(kind, problem, *, score=None, **more):
    """What the product's search sees of a problem, with its requirements."""
    with duckdb.connect() as connection, scratch(engine := DuckDB(connection)) as tables:
        places, trees = put(connection, problem)
        requirements = requirements_of(problem)
        sensitive = (SENSITIVE,) if problem.valued else ()
        source = TupleSource(engine, tables, places, trees, requirements, problem.entity, sensitive)
        if score is Score.LOSS:
            source = replace(source, gains=by_loss(connection, problem, requirements))
        yield kind(source, **more), requirements, connection


def from_above(problem, *, score=Score.GAIN_PER_LOSS, average=Average.AFFECTED, deadline=None):
    """What TDS found, and the parts that it left in the table."""
    seen = given_to(TopDownTable, problem, score=score, deadline=deadline)
    with seen as (table, requirements, connection):
        found = top_down(table, requirements, NAMES, score=score, average=average)
        return None if found is None else (found, read(connection, table.intervals()))


def from_below(problem):
    """What bottom-up generalization found, and the parts that it left in the table."""
    with given_to(BottomUpTable, problem) as (table, requirements, connection):
        found = bottom_up(table, requirements, NAMES)
        return None if found is None else (found, read(connection, table.intervals()))


def gain_of(step):
    """What a step gained: one of the two, and never both."""
    (gain,) = (each for each in (step.information, step.loss) if each is not None)
    return gain


def told(found):
    """The steps of a search, as a test compares them."""
    return [
        (s.column, s.low, s.high, gain_of(s), s.anonymity, s.score, s.smallest) for s in found.steps
    ]


def expected(steps):
    """The same of an oracle's steps."""
    return [
        (
            NAMES[s["at"]], s["node"].low, s["node"].high, float(s["information"]),
            float(s["anonymity"]), float(s["score"]), s["after"],
        )
        for s in steps
    ]  # fmt: skip
