"""Measures by SQL how well a release keeps the joint distribution of every two quasi-identifiers.

The rows of a class are spread evenly over the values that its labels cover, with columns independent within a class.
Three measures compare these expected counts of each pair of values with the source's counts:

* the error of COUNT queries on two columns, of a standard workload that is drawn by a seed, the same for all releases
  of a source: each query selects a range of about 22 % of either column's values (Xiao and Tao, Anatomy, VLDB 2006:
  one twentieth of all combinations). The error is |estimate - true| / max(true, 0.1 % of the rows), as Xiao et
  al. bound it (Privelet, ICDE 2010);
* two-way marginals: the total variation distance, half the sum of all differences over the rows of the source; the
  mean of all pairs. A suppressed row is missing from the count of its own values;
* pMSE (Snoke et al., JRSS A 181, 2018; Woo et al. 2009): the mean over all rows of source and release together of
  (p - c)^2, where c is the share of the release in both, and p the propensity of a row, which is that share among the rows
  with its pair of values: the maximum likelihood of the saturated logistic model of two columns. The mean of all
  pairs; 0 if source and release cannot be distinguished, at most c (1 - c), a quarter where no row is suppressed.

The values of a column with more than 64 are grouped into 64 bins of equally many values.
The error of simple counts (`simple_counts.py`) is measured with them. Columns that are numbers in both tables are compared by
means, standard deviations and Pearson's correlations: what a regression on a release sees. A label is no number.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import whole
from kanon_sql.evidence.release_quality import beside_source, coded_pairs
from kanon_sql.evidence.release_quality.beside_source import covered_values, uncovered
from kanon_sql.evidence.release_quality.coded_pairs import (
    count_in_both,
    numbered_tuples,
    pairs_of,
    put_in_bins,
)
from kanon_sql.evidence.release_quality.simple_counts import (
    MANY_ROWS,
    SELECTIVITY,
    banded,
    columns_of_dates,
    errors_of_pairs,
    rounded,
    rows_without_values,
)
from kanon_sql.policy.hierarchies.order import EXACT_UNIT, OrderKind, Steps
from kanon_sql.policy.model import Role
from kanon_sql.recoding.measured import NumberColumn, NumberPair, NumbersKept, TwoColumns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Row
    from kanon_sql.evidence.release_quality.beside_source import ReleaseBesideSource
    from kanon_sql.evidence.release_quality.measure_release import Measurable
    from kanon_sql.policy.model import Column
    from kanon_sql.recoding.planning.make_plan import Planned

QUERIES = 1_000
"""The number of queries of the standard workload."""
SEED = 0
FLOOR = 0.001
"""The least count that an error is divided by, as a share of the source's rows."""
ONE_COLUMN = "needs two quasi-identifiers"


@dataclass(frozen=True, slots=True)
class TablesBeside:
    """A source's tuples, a release's classes, their rows, and tables of each column's values and labels.

    With `codes`, a table per column, the tuples have numbers in place of the values' texts. `coded` is then the table
    of the row counts of each pair of numbers, if they have been counted. `dates` numbers the columns of dates.
    """

    run: Session
    values: Sequence[exp.Table]
    tuples: exp.Table
    classes: exp.Table
    rows: int
    released: int
    codes: Sequence[exp.Table] = ()
    coded: exp.Table | None = None
    dates: Sequence[int] = ()

    def measure(self) -> TwoColumns | str:
        """Return the three measures, or the reason why they cannot be measured."""
        if len(self.values) < 2:
            return ONE_COLUMN
        run, engine = self.run, self.run.engine
        binned = [
            run.scratch.create("binned", coded_pairs.binned_values, each) for each in self.values
        ]
        spans = engine.fetch(coded_pairs.spans_of_values(self.values, self.dates))
        bands = banded(run, self.values, self.dates, spans, binned)
        own, own_in_bands = self._own_pairs(binned, bands)
        released = self._pairs("released_pairs", self.classes, "key_")
        cells = run.scratch.create("cells", coded_pairs.pair_cells, own, released, binned)
        sums = engine.fetch(coded_pairs.pair_sums(cells, self.rows, self.released))
        missing = rows_without_values(sums, self.released)
        if missing:
            return f"up to {missing:,} released rows have a label that covers no known value"
        bins = [whole(count) for _, count in engine.fetch(coded_pairs.bins(binned))]
        ranges = run.scratch.table("ranges")
        engine.load(ranges, RANGE, list(draw_pairs(bins, QUERIES, SEED)))
        found = {
            str(query): (float(str(true)), float(str(expected)))
            for query, true, expected in engine.fetch(coded_pairs.pair_queries(cells, ranges))
        }
        counts = [found.get(str(query), (0.0, 0.0)) for query in range(QUERIES)]
        errors = sorted(
            abs(expected - true) / max(true, FLOOR * self.rows) for true, expected in counts
        )
        middle = len(errors) // 2
        of_bands = run.scratch.create(
            "cells", coded_pairs.pair_cells, own_in_bands, released, bands
        )
        error, plain, tenth = errors_of_pairs(run, of_bands, self.rows) or (None, None, None)
        pairs = len(sums)
        distances = math.fsum(float(str(distance)) for *_, distance, _ in sums)
        squares = math.fsum(float(str(each)) for *_, each in sums)
        return TwoColumns(
            count_median=rounded((errors[middle - 1] + errors[middle]) / 2),
            count_mean=rounded(math.fsum(errors) / len(errors)),
            marginals=rounded(distances / (2 * self.rows * pairs)),
            pmse=rounded(squares / ((self.rows + self.released) * pairs)),
            count_error=error,
            count_error_plain=plain,
            count_error_tenth=tenth,
        )

    def _own_pairs(self, *both: Sequence[exp.Table]) -> Sequence[exp.Table]:
        """Create the tables of the source's rows by pairs of bins, and by pairs of bands, for every two columns."""
        if self.coded is not None:
            tuples = numbered_tuples(self.tuples, self.codes)
            found = [put_in_bins(self.run, self.coded, tuples, each) for each in both]
            known = [each for each in found if each is not None]
            if len(known) == len(found):
                return known
        many = self.rows > MANY_ROWS
        return count_in_both(self.run, self.tuples, self.codes, both, many=many)

    def _pairs(self, named: str, counted: exp.Table, prefix: str) -> exp.Table:
        """Create the table of the rows of every two columns of a table."""
        pairs = partial(
            coded_pairs.counted_pairs,
            columns=len(self.values),
            weighted=True,
            many=self.rows > MANY_ROWS,
        )
        return self.run.scratch.create(named, pairs, counted, prefix)


RANGE = ("value", "first_quasi", "second_quasi", "first_from", "first_to", "second_from", "second_to")  # fmt: skip


def draw_pairs(bins: Sequence[int], count: int, seed: int) -> Iterator[Row]:
    """Draw queries on each pair of columns in turn: rows of `RANGE`, with 0.05^(1/2) of a column's bins.

    >>> list(draw_pairs([2, 10], 2, seed=0))
    [('0', '0', '1', '1', '1', '6', '7'), ('1', '0', '1', '0', '0', '2', '3')]
    """
    draw = Random(seed)  # noqa: S311  a workload is no secret
    pairs = pairs_of(len(bins))
    for query in range(count):
        pair = pairs[query % len(pairs)]
        ends: list[str] = []
        for at in pair:
            length = max(round(bins[at] * SELECTIVITY**0.5), 1)
            first = int(draw.random() * (bins[at] - length + 1))
            ends += [str(first), str(first + length - 1)]
        yield (str(query), *map(str, pair), *ends)


def measure_beside(run: Session, planned: Planned, beside: ReleaseBesideSource) -> TwoColumns | str:
    """Measure a plan's staged release against its source; a text is the reason why it cannot be measured."""
    why = uncovered(planned, by_order=run.policy.search.options.by_order)
    if why is not None:
        return why
    quasi = run.policy.quasi
    tuples, classes = (
        run.scratch.create(name, beside_source.classes, table, keys)
        for name, table, keys in (
            ("source_tuples", planned.opened.source, tuple((each.name,) for each in quasi)),
            ("released_classes", beside.table, tuple(each.released_as for each in quasi)),
        )
    )
    values = covered_values(run, planned, beside)
    rows = planned.opened.source_rows
    dates = columns_of_dates(planned.mapped)
    return TablesBeside(run, values, tuples, classes, rows, beside.rows, dates=dates).measure()


NUMBERS = {"integer", "decimal", "float"}
MOST_NUMBERS = 8
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
    names = list(_numbers(of))[:MOST_NUMBERS]
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
    yield from (each.name for each in policy.quasi if _is_number(each, before & after))
    yield from (
        each.name
        for each in policy.with_role(Role.SENSITIVE)
        if each.mask is None and each.name in before & after
    )


def _is_number(each: Column, both: set[str]) -> bool:
    """Whether all cells of a quasi-identifier are numbers: one of its class, or computed from its rows.

    Without an order it is among the columns that are numbers in `both` tables.
    """
    numbers = each.order is OrderKind.NUMBER or isinstance(each.order, Steps)
    return each.output.is_of_class and (numbers or (each.order is None and each.name in both))
