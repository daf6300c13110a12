"""Measures the error of simple counts: by how much a GROUP BY of two columns on a release is wrong.

It is the median relative error of the counts of all pairs of bands of two quasi-identifiers that the source has often
enough: in 100 rows, or in a hundredth of the rows if that is less. The bands of a column are its values if it has at most
20, or if some are texts (of more than 64 texts, 64 bins of equally many). Other numbers and dates are in bands of a round
width, 1, 2 or 5 times a power of ten or of years, so that about ten of them hold the middle nine tenths of the values.
NULL is a band by itself.

A reader may spread the rows of a label over the values that it covers (`error`), or count labels as they are (`plain`):
then a row is in a band if its label covers values of that band alone. A released value covers itself, so that both are one.
"""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.evidence.release_quality import quality_sql, two_columns_sql
from kanon_sql.evidence.release_quality.beside_source import (
    covered_values,
    measured_by,
    stage_beside_source,
    uncovered,
    values_of_labels,
)
from kanon_sql.policy.hierarchies.order import OrderKind
from kanon_sql.recoding.counted_classes import counted_tuples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Row
    from kanon_sql.evidence.release_quality.beside_source import ReleaseBesideSource
    from kanon_sql.recoding.planning.make_plan import Planned

FEW_VALUES = 20
"""The most values of numbers or dates that are counted one by one."""
BANDS = 10
"""About how many bands the middle nine tenths of a column's numbers or years are in."""
OFTEN, OFTEN_SHARE = 100, 100
"""The rows that a pair of bands needs to be counted: so many, or one in so many of all rows if these are fewer."""
MOST_ROWS, MOST_STAGED = 1_000_000, 250_000
"""The most rows of a source of which simple counts are measured whenever a plan or a release is made, and the most where
the release must be staged once more for them, which takes four times as long."""


def count_beside(
    run: Session, planned: Planned, beside: ReleaseBesideSource, values: Sequence[exp.Table]
) -> tuple[float, float] | None:
    """Return the error of simple counts of a release that is staged beside its source: spread, and plain.

    `values` has the values of labels by column. It is None with fewer than two quasi-identifiers.
    """
    return None if len(values) < 2 else _counted(run, planned, beside.table, values)


def count_simply(
    run: Session, planned: Planned, released: exp.Table, weight: str | None = None
) -> tuple[float, float] | None:
    """Return the error of simple counts of a release whose labels are staged: spread, and plain.

    A row of `released` counts as one row, or as often as its column `weight` states. It is None, so that this costs
    little beside a plan, for more than `MOST_ROWS` rows, and for more than `MOST_STAGED` where only the rows of a class
    show what its labels cover: `quality` measures these.
    """
    return _count_release(run, planned, released, weight, most=MOST_ROWS, most_staged=MOST_STAGED)


def count_release(
    run: Session, planned: Planned, released: exp.Table
) -> tuple[float, float] | None:
    """Return the same for any number of rows."""
    rows = planned.opened.source_rows
    return _count_release(run, planned, released, None, most=rows, most_staged=rows)


def _count_release(
    run: Session,
    planned: Planned,
    released: exp.Table,
    weight: str | None,
    *,
    most: int,
    most_staged: int,
) -> tuple[float, float] | None:
    """Return the errors of a release whose labels are staged, of at most so many rows."""
    if planned.opened.source_rows > most or len(run.policy.quasi) < 2:
        return None
    values = values_by_column(run, planned, most_staged=most_staged)
    return None if values is None else _counted(run, planned, released, values, weight)


def values_by_column(
    run: Session, planned: Planned, *, most_staged: int = MOST_STAGED
) -> list[exp.Table] | None:
    """Create a table per column: its values, with the labels of a release that cover them.

    Where only the rows of a class show what its labels cover, as with intervals and sets, the release is staged once
    more, beside the source's own values. It is None where labels cover no known value, and where more rows than `most_staged` would have to be staged.
    """
    if not covers_values(run, planned):
        return None
    found = [values_of_labels(run, planned, number) for number, _ in enumerate(run.policy.quasi)]
    values = [each for each in found if each is not None]
    if len(values) == len(found):
        return values
    if planned.opened.source_rows > most_staged:
        return None
    return covered_values(run, planned, stage_beside_source(run, planned))


def covers_values(run: Session, planned: Planned) -> bool:
    """Whether all labels cover known values."""
    return uncovered(planned, by_order=run.policy.search.options.by_order) is None


def _counted(
    run: Session,
    planned: Planned,
    released: exp.Table,
    values: Sequence[exp.Table],
    weight: str | None = None,
) -> tuple[float, float] | None:
    """Compare the pairs of bands of a source with those of its release; `values` has the values of labels by column."""
    opened, quasi, create = planned.opened, run.policy.quasi, run.scratch.create
    grouped = partial(quality_sql.classes, weight=weight)
    classes = create("released_classes", grouped, released, tuple(q.released_as for q in quasi))
    bands = banded(run, values, columns_of_dates(planned.mapped))
    names, rows = [each.name for each in quasi], opened.source_rows
    tuples = counted_tuples(run, planned)
    if tuples is None:
        counted = partial(two_columns_sql.pairs_of_rows, rows=rows)
        own = create("source_pairs", counted, opened.source, names, bands)
    else:
        weighed = partial(two_columns_sql.pairs_of_rows, weight=tuples[1])
        own = create("source_pairs", weighed, tuples[0], names, bands)
    shown = create("released_pairs", two_columns_sql.released_pairs, classes, bands)
    cells = create("cells", two_columns_sql.pair_cells, own, shown, bands)
    sums = run.engine.fetch(two_columns_sql.pair_sums(cells, rows, planned.plan.released_rows))
    if rows_without_values(sums, planned.plan.released_rows):
        return None
    error, plain = median_errors(run, cells, rows)
    return None if error is None or plain is None else (error, plain)


def median_errors(run: Session, cells: exp.Table, rows: int) -> tuple[float | None, float | None]:
    """Return the median error of pairs of bands, spread and plain; None if no pair is often enough in these rows."""
    least = min(OFTEN, max(rows // OFTEN_SHARE, 1))
    ((_, error, plain),) = run.engine.fetch(two_columns_sql.count_errors(cells, least))
    if error is None or plain is None:
        return None, None
    return rounded(float(str(error))), rounded(float(str(plain)))


def banded(
    run: Session,
    values: Sequence[exp.Table],
    dates: Sequence[int],
    binned: Sequence[exp.Table] = (),
) -> list[exp.Table]:
    """Create the table of each column's values by bands; `binned` may have those of columns without wide bands."""
    found = []
    spans = run.engine.fetch(two_columns_sql.spans_of_values(values, dates))
    for number, (each, row) in enumerate(zip(values, spans, strict=True)):
        _, different, texts, span = row
        if whole(different) > FEW_VALUES and not whole(texts or 0) and span is not None:
            width = band_width(float(str(span)))
            create = partial(two_columns_sql.banded_values, dates=number in dates)
            found.append(run.scratch.create("banded", create, each, width))
        elif binned:
            found.append(binned[number])
        else:
            found.append(run.scratch.create("binned", two_columns_sql.binned_values, each))
    return found


def band_width(span: float) -> Decimal:
    """Return the least of 1, 2 or 5 times a power of ten by which at most `BANDS` bands span so much.

    >>> [str(band_width(span)) for span in (66, 10, 11, 0.7, 120_000)]
    ['10', '1', '2', '0.1', '20000']
    """
    least = Decimal(repr(span)) / BANDS
    power = Decimal(1).scaleb(least.adjusted()) if least else Decimal(1)
    width = next(power * times for times in (1, 2, 5, 10) if power * times >= least)
    return Decimal(f"{width.normalize():f}")


def columns_of_dates(mapped: Sequence[Mapped]) -> list[int]:
    """Return the numbers of the columns that are dates by the policy: by their order or their hierarchy."""
    return [
        number
        for number, each in enumerate(mapped)
        if measured_by(each) == OrderKind.DATE
        or (each.column.hierarchy is not None and each.column.hierarchy.of_dates)
    ]


def rows_without_values(sums: Sequence[Row], released: int) -> int:
    """Return the number of released rows whose labels cover no known value, in the worst pair of columns."""
    least = min((float(str(expected)) for _, _, _, expected, *_ in sums), default=0.0)
    return round(released - least)


def rounded(value: float) -> float:
    """Round to nine digits, because the last digits of a floating-point sum depend on the order of rows."""
    return float(f"{value:.9g}")
