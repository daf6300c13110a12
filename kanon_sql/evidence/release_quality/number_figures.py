"""Means, standard deviations and Pearson's correlations of columns that are numbers in a source and in its release.

A reader who computes with a release, as a regression does, sees what these keep. A label is no number.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.hierarchies.order import EXACT_UNIT, OrderKind, Steps
from kanon_sql.policy.model import Role
from kanon_sql.recoding.measured import NumberColumn, NumberPair, NumbersKept

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.evidence.release_quality.measure_release import Measurable
    from kanon_sql.policy.model import Column

NUMBERS = {"integer", "decimal", "float"}
MOST = 8
"""The most columns that are compared: they have 28 pairs."""


def number_figures(table: exp.Table, names: Sequence[str]) -> Statement:
    """Compute the mean and the standard deviation of each column, and the correlation of every two."""
    pairs = [{"one": one, "other": other} for one, other in combinations(range(len(names)), 2)]
    columns = [column(each, of="t") for each in names]
    leaves = {"table": table, "columns": columns, "pairs": pairs, "unit": literal(EXACT_UNIT)}
    return Statement("release_quality/number_figures", leaves)


def numbers_kept(of: Measurable) -> NumbersKept | None:
    """Compare the columns that are numbers in both tables; None if there is none.

    With a policy they are quasi-identifiers that are released as numbers, and sensitive columns; else those of both tables.
    """
    names = list(_numbers(of))[:MOST]
    if not names:
        return None
    before, after = (_figures(of.run, table, names) for table in (of.source, of.released.table))
    at = 2 * len(names)
    pairs = list(combinations(names, 2))
    return NumbersKept(
        tuple(
            NumberColumn(name, before[2 * n], after[2 * n], before[2 * n + 1], after[2 * n + 1])
            for n, name in enumerate(names)
        ),
        tuple(
            NumberPair(*pair, *both)
            for pair, both in zip(pairs, zip(before[at:], after[at:], strict=True), strict=True)
        ),
    )


def _figures(run: Session, table: exp.Table, names: Sequence[str]) -> list[float | None]:
    """Fetch the figures to nine digits: sums differ in their last ones by the order of their rows."""
    (row,) = run.engine.fetch(number_figures(table, names))
    found = [None if each is None else float(str(each)) for each in row]
    return [None if x is None or not math.isfinite(x) else float(f"{x:.9g}") for x in found]


def _numbers(of: Measurable) -> Iterator[str]:
    before, after = (
        {each.name for each in columns if each.family in NUMBERS}
        for columns in (of.columns, of.released.columns)
    )
    if not of.mapped:
        yield from (name for name in of.names if name in before & after)
        yield from (each.name for each in of.columns if each.name in before & after - {*of.names})
        return
    policy = of.run.policy
    yield from (each.name for each in policy.quasi if _is_number(each))
    yield from (
        each.name
        for each in policy.with_role(Role.SENSITIVE)
        if each.mask is None and each.name in before & after
    )


def _is_number(each: Column) -> bool:
    """Whether all cells of a quasi-identifier are numbers: one of its class, or computed from its rows."""
    numbers = each.order is OrderKind.NUMBER or isinstance(each.order, Steps)
    single = each.output.is_of_rows and each.output.covers != "set"
    return numbers and single
