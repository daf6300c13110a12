"""Counts the classes of a release by the distribution of sensitive columns' values in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.evidence.reports import reports_sql
from kanon_sql.evidence.reports.report_values import STEP, ClassSpread, SensitiveSpread
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session

STEPS, MOST_DISTINCT = round(1 / STEP), 20
"""The number of bands of distances and shares; the number of values from which classes share a band."""


def sensitive_spreads(
    run: Session, released: exp.Table, keys: reports_sql.Keys
) -> tuple[SensitiveSpread, ...]:
    """Count the classes by the distribution of each sensitive column's values: one GROUP BY of the release each."""
    found = []
    for each in run.policy.with_role(Role.SENSITIVE):
        values = run.scratch.create(
            "class_values", reports_sql.class_values, released, keys, each.name
        )
        statement = reports_sql.value_distances(values, keys, steps=STEPS, most=MOST_DISTINCT)
        rows = run.engine.fetch(statement)
        run.scratch.drop(values)
        if rows:
            counted = [tuple(map(whole, row[:5])) for row in rows]
            found.append(
                SensitiveSpread(
                    each.name,
                    _spread(counted, 0, STEPS),
                    _spread(counted, 1, STEPS),
                    _spread(counted, 2, 1),
                    max(float(str(row[5])) for row in rows),
                    max(float(str(row[6])) for row in rows),
                )
            )
    return tuple(found)


def _spread(rows: Sequence[tuple[int, ...]], at: int, steps: int) -> tuple[ClassSpread, ...]:
    """Sum classes and rows by the band in column `at`, where a band is 1/`steps` wide."""
    found: dict[int, tuple[int, int]] = {}
    for row in rows:
        classes, of_rows = found.get(row[at], (0, 0))
        found[row[at]] = classes + row[3], of_rows + row[4]
    return tuple(ClassSpread(step / steps, *counts) for step, counts in sorted(found.items()))
