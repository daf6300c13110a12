"""Measures how wrong counts on a release are (simple counts, and COUNT queries), and how much its labels hide.

The error of simple counts is by how much a GROUP BY of two columns on a release is wrong: the median relative error of
the counts of all pairs of bands of two quasi-identifiers that the source has often enough: in 100 rows, or in a
hundredth of the rows if that is less. A median hides small cells: beside it stands the error that a tenth of these
counts has at least. The bands of a column are its values if it has at most 20, or if some are texts
(of more than 64 texts, 64 bins of equally many). Other numbers and dates are in bands of a round width, 1, 2 or 5 times
a power of ten or of years, so that about ten of them hold the middle nine tenths of the values. NULL is a band by
itself.

A reader may spread the rows of a label over the values that it covers (`error`), or count labels as they are (`plain`):
then a row is in a band if its label covers values of that band alone. A released value covers itself, so that both are
one.

A COUNT query, of a seeded workload or of the user's own, counts the rows that meet a predicate on each of some
quasi-identifiers. On a release its count is an estimate: rows are spread uniformly over the values that a label covers,
and columns are independent within a class (Xiao and Tao, Anatomy, VLDB 2006; LeFevre, DeWitt and Ramakrishnan,
Mondrian, ICDE 2006).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import yaml

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import condition
from kanon_sql.counting.lattice.encode import map_tables, survey_maps
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.engines.base import whole
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.release_quality import beside_source, coded_pairs
from kanon_sql.evidence.release_quality.beside_source import (
    Predicate,
    covered_values,
    stage_beside_source,
    uncovered,
    values_of_labels,
)
from kanon_sql.evidence.release_quality.coded_pairs import (
    count_apportioned,
    count_in_bins,
    labels_of_regions,
    pairs_are_few,
    searched_tuples,
)
from kanon_sql.evidence.release_quality.measures import Hidden, LabelSums
from kanon_sql.policy.hierarchies.labels_sql import Released, SourceRows, release_map
from kanon_sql.policy.hierarchies.order import OrderKind
from kanon_sql.policy.metrics.statistics import TableStatistics
from kanon_sql.recoding.axes import measured_by
from kanon_sql.recoding.measured import QueryErrors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Row
    from kanon_sql.evidence.release_quality.beside_source import ReleaseBesideSource
    from kanon_sql.evidence.release_quality.measures import ClassSums
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.recoding.planning.make_plan import Planned


FEW_VALUES = 20
"""The most values of numbers or dates that are counted one by one."""
BANDS = 10
"""About how many bands the middle nine tenths of a column's numbers or years are in."""
MANY_ROWS = 100_000
"""The rows of a source above which each pair of columns is counted by itself."""
OFTEN, OFTEN_SHARE = 100, 100
"""The rows that a pair of bands needs to be counted: so many, or one in so many of all rows if these are fewer."""
MOST_ROWS, MOST_STAGED = 1_000_000, 250_000
"""The most rows of a source of which simple counts are measured whenever a plan or a release is made, and the most where
the release must be staged once more for them, which takes four times as long."""


def count_beside(
    run: Session, planned: Planned, beside: ReleaseBesideSource, values: Sequence[exp.Table]
) -> tuple[float, float, float] | None:
    """Return the errors of simple counts of a release that is staged beside its source: spread, plain, and of one in ten.

    `values` has the values of labels by column. It is None with fewer than two quasi-identifiers.
    """
    return None if len(values) < 2 else _counted(run, planned, beside.table, values)


def count_simply(
    run: Session, planned: Planned, released: exp.Table, weight: str | None = None
) -> tuple[float, float, float] | None:
    """Return the errors of simple counts of a release whose labels are staged: spread, plain, and of one in ten.

    A row of `released` counts as one row, or as often as its column `weight` states. It is None, so that this costs
    little beside a plan, for more than `MOST_ROWS` rows, and for more than `MOST_STAGED` where only the rows of a class
    show what its labels cover: `quality` measures these.
    """
    return _count_release(run, planned, released, weight, most=MOST_ROWS, most_staged=MOST_STAGED)


def count_release(
    run: Session, planned: Planned, released: exp.Table
) -> tuple[float, float, float] | None:
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
) -> tuple[float, float, float] | None:
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
) -> tuple[float, float, float] | None:
    """Compare the pairs of bands of a source with those of its release; `values` has the values of labels by column."""
    opened, create = planned.opened, run.scratch.create
    dates = columns_of_dates(planned.mapped)
    spans = run.engine.fetch(coded_pairs.spans_of_values(values, dates))
    bands = banded(run, values, dates, spans)
    rows = opened.source_rows
    cells = count_apportioned(run, planned, bands)
    if cells is None:
        own = _source_pairs(run, planned, bands, [whole(row[1]) + 1 for row in spans])
        classes = _released_classes(run, planned, released, weight)
        shown = create("released_pairs", _paired(run, rows), classes, "key_", weighted=True)
        cells = create("cells", coded_pairs.pair_cells, own, shown, bands)
    sums = run.engine.fetch(coded_pairs.pair_sums(cells, rows, planned.plan.released_rows))
    if rows_without_values(sums, planned.plan.released_rows):
        return None
    return errors_of_pairs(run, cells, rows)


def _source_pairs(
    run: Session, planned: Planned, bands: Sequence[exp.Table], values: Sequence[int]
) -> exp.Table:
    """Create the table of the source's rows by pairs of bands: by the codes of the search if it has them, else by its rows.

    `values` counts the different values of each column.
    """
    opened, rows = planned.opened, planned.opened.source_rows
    tuples = searched_tuples(planned) if pairs_are_few(values, rows) else None
    if tuples is not None:
        own = count_in_bins(run, tuples, bands, values, many=rows > MANY_ROWS)
        if own is not None:
            return own
    binned = partial(coded_pairs.binned_rows, rows=rows)
    names = [each.name for each in run.policy.quasi]
    in_bands = run.scratch.create("binned_rows", binned, opened.source, names, bands)
    return run.scratch.create(
        "source_pairs", _paired(run, rows), in_bands, "value_", weighted=False
    )


def _paired(run: Session, rows: int) -> partial[Statement]:
    """Return the function that makes the statement of the pairs of a table."""
    many = len(run.policy.quasi)
    return partial(coded_pairs.counted_pairs, columns=many, many=rows > MANY_ROWS)


def _released_classes(
    run: Session, planned: Planned, released: exp.Table, weight: str | None
) -> exp.Table:
    """Create the table of the classes of a release: of the labels of its regions where these are known, else of its rows."""
    keys = tuple(each.released_as for each in run.policy.quasi)
    regions = labels_of_regions(planned)
    if regions is not None:
        released, keys = regions
        weight = "row_count"
    grouped = partial(beside_source.classes, weight=weight)
    return run.scratch.create("released_classes", grouped, released, keys)


def errors_of_pairs(run: Session, cells: exp.Table, rows: int) -> tuple[float, float, float] | None:
    """Return the errors of pairs of bands: the medians, spread and plain, and what one in ten has at least, spread.

    It is None if no pair is often enough in these rows.
    """
    least = min(OFTEN, max(rows // OFTEN_SHARE, 1))
    ((_, *found),) = run.engine.fetch(coded_pairs.count_errors(cells, least))
    if None in found:
        return None
    error, plain, tenth = (rounded(float(str(each))) for each in found)
    return error, plain, tenth


def banded(
    run: Session,
    values: Sequence[exp.Table],
    dates: Sequence[int],
    spans: Sequence[Row],
    binned: Sequence[exp.Table] = (),
) -> list[exp.Table]:
    """Create the table of each column's values by bands, as wide as their `spans` need.

    `binned` may have those of columns without wide bands.
    """
    found = []
    for number, (each, row) in enumerate(zip(values, spans, strict=True)):
        _, different, texts, span = row
        if whole(different) > FEW_VALUES and not whole(texts or 0) and span is not None:
            width = band_width(float(str(span)))
            create = partial(coded_pairs.banded_values, dates=number in dates)
            found.append(run.scratch.create("banded", create, each, width))
        elif binned:
            found.append(binned[number])
        else:
            found.append(run.scratch.create("binned", coded_pairs.binned_values, each))
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


@dataclass(frozen=True, slots=True)
class LabelledRelease:
    """The classes of a release, and its source with the hierarchies of the labels.

    With `by_classes` the source's rows are not read again, so that `Hidden.star` is None.
    """

    run: Session
    opened: OpenSource
    mapped: Sequence[Mapped]
    classes: exp.Table
    by_classes: bool = False

    def levels(self, recoding: Recoding | None) -> list[tuple[int, ...]]:
        """Return the levels that each column's labels may have: the recoding's, or all if it has no nodes."""
        return [
            tuple(range(each.hierarchy.height + 1))
            if recoding is None or not recoding.nodes
            else tuple(sorted(levels_used(recoding, quasi)))
            for quasi, each in enumerate(self.mapped)
        ]

    def hidden(self, recoding: Recoding | None, source: ClassSums) -> Hidden:
        """Count how much the labels hide. A label is looked up at the levels that `levels` returns."""
        levels = self.levels(recoding)
        maps, of_all = map_tables(self.run, self.mapped)
        columns, _ = survey_maps(self.run.engine, maps, self.mapped, of_all=of_all)
        stats = TableStatistics(source.rows, source.classes, tuple(columns))
        tables = self._labels(levels)
        fetched = self.run.engine.fetch(beside_source.label_sums(self.classes, tables))
        found = Hidden(stats, tuple(_label_sums(row) for row in fetched))
        if found.problem is not None:
            return found
        ((ambiguity,),) = self.run.engine.fetch(beside_source.ambiguity(self.classes, tables))
        found = replace(found, ambiguity=None if ambiguity is None else float(str(ambiguity)))
        node = found.node
        return found if node is None else self._at_node(found, node)

    def _labels(self, levels: Sequence[Sequence[int]]) -> list[exp.Table]:
        return [
            self.run.scratch.create("labels", beside_source.labels, each, at)
            for each, at in zip(self.mapped, levels, strict=True)
        ]

    def _at_node(self, found: Hidden, node: Node) -> Hidden:
        """Add the counts that need a release at one node: the suppressed rows' labels, `excess` and DM*."""
        tables = self._labels([(level,) for level in node.levels])
        rest = self.run.engine.fetch(beside_source.label_remainders(self.classes, tables))
        return replace(
            found,
            suppressed_logs=tuple(float(str(logs)) for _, logs, _ in rest),
            excess=max(whole(excess) for *_, excess in rest),
            star=None if self.by_classes else self._star(node),
        )

    def _star(self, node: Node) -> int:
        """Return the sum of squared class sizes of the whole source at a node (DM* of ARX)."""
        released = []
        for each, level in zip(self.mapped, node.levels, strict=True):
            table = self.run.scratch.table("map")
            one = Released(each.column, level, each.hierarchy.height, table)
            self.run.engine.execute(release_map(one, each.domain, each.paths, rows=each.rows))
            released.append(one)
        rows = SourceRows(self.opened.table, released, (), None, self.opened.rows)
        table = self.run.scratch.create("all_classes", rows.classes)
        _, _, _, squares, _ = self.run.engine.fetch(beside_source.class_sums(table))[0]
        return whole(squares)

    def squared_errors(self, node: Node) -> list[tuple[int, float] | None]:
        """Return for each column the number of rows in an interval, and their sum of squared errors.

        The error is 0.0 at level 0. A column has None if its hierarchy has no intervals, or is at its root.
        """
        return [
            self._squared_error(each, level)
            for each, level in zip(self.mapped, node.levels, strict=True)
        ]

    def _squared_error(self, each: Mapped, level: int) -> tuple[int, float] | None:
        kind = each.column.hierarchy
        if kind is None or not kind.bounded_levels:
            return None
        if level == 0:
            return self.opened.rows, 0.0
        if level == each.hierarchy.height:
            return None
        ((rows, squares),) = self.run.engine.fetch(beside_source.squared_error(each, level))
        return whole(rows), float(str(squares or 0))


def _label_sums(row: Sequence[object]) -> LabelSums:
    _, unknown, at_several, unclear, lowest, highest, levels, leaves, wide, logs, shared = row
    return LabelSums(
        whole(unknown),
        whole(at_several),
        whole(unclear),
        None if lowest is None else whole(lowest),
        None if highest is None else whole(highest),
        whole(levels),
        whole(leaves),
        whole(wide),
        float(str(logs or 0)),
        float(str(shared or 0)),
    )


SELECTIVITY = 0.05
"""The share of all combinations of values that a drawn query selects, as in Anatomy's experiments."""
MOST_COLUMNS = 3
"""The most columns with a predicate in a query of the workload."""
MOST_QUERIES = 1_000
AT_ONCE = 50
"""The number of queries in one statement: each is a column of the tables that classes are joined with."""


@dataclass(frozen=True, slots=True)
class Workload:
    """COUNT queries: `count` queries to draw by `seed`, or the user's `own`, each as conditions by column."""

    count: int = 0
    seed: int = 0
    own: tuple[Mapping[str, str], ...] = ()

    @property
    def queries(self) -> int:
        return len(self.own) or self.count


def read_workload(queries: object, workload: int, seed: int) -> Workload | None:
    """Read the query arguments of `quality`; None if they ask for no queries. Raises InputError."""
    if queries is None:
        if not 0 <= workload <= MOST_QUERIES:
            what = f"must be at least 0 and at most {MOST_QUERIES:,}"
            raise InputError("quality", [Fault("workload", what)])
        return Workload(workload, seed) if workload else None
    if workload:
        raise InputError("quality", [Fault("queries", "goes without workload")])
    listed = _read_file(queries) if isinstance(queries, str | Path) else queries
    what = "must be a list of mappings of quasi-identifiers to SQL conditions on them, such as [{age: 'age >= 65', sex: \"sex = 'F'\"}]"
    if not isinstance(listed, list | tuple) or not 0 < len(listed) <= MOST_QUERIES:
        raise InputError("quality", [Fault("queries", what)])
    for number, each in enumerate(listed, start=1):
        texts = isinstance(each, dict) and all(
            isinstance(text, str) for pair in each.items() for text in pair
        )
        if not texts or not each:
            raise InputError("quality", [Fault(f"queries {number}", what)])
    return Workload(own=tuple(listed))


def _read_file(path: str | Path) -> object:
    try:
        read = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), [Fault("queries", "there is no such file")]) from error
    except yaml.YAMLError as error:
        raise InputError(str(path), [Fault("queries", "is not YAML")]) from error
    if not isinstance(read, dict) or list(read) != ["queries"]:
        raise InputError(str(path), [Fault("queries", "must be the one key of the file")])
    return read["queries"]


def draw_ranges(domains: Sequence[int], count: int, seed: int) -> Iterator[Row]:
    """Draw `count` queries, each with a range of places on one to three columns; other columns are whole.

    Yields a row per query and column: both their numbers, the first and the last place. With m columns a range has the
    share 0.05^(1/m) of the column's values, so that all ranges together select one twentieth of all combinations.

    >>> list(draw_ranges([100], 2, seed=1))
    [('0', '0', '74', '78'), ('1', '0', '44', '48')]
    """
    draw = Random(seed)  # noqa: S311  a workload is no secret
    for query in range(count):
        many = 1 + int(draw.random() * min(MOST_COLUMNS, len(domains)))
        order = sorted(range(len(domains)), key=lambda _: draw.random())
        for quasi, domain in enumerate(domains):
            length = domain
            if quasi in order[:many]:
                length = max(round(domain * SELECTIVITY ** (1 / many)), 1)
            first = 1 + int(draw.random() * (domain - length + 1))
            yield str(query), str(quasi), str(first), str(first + length - 1)


@dataclass(frozen=True, slots=True)
class QueriedRelease:
    """A source's tuples (`before`), its release's classes (`after`), and tables of values and labels."""

    run: Session
    mapped: Sequence[Mapped]
    values: Sequence[exp.Table]
    before: exp.Table
    after: exp.Table

    def errors(self, workload: Workload, domains: Sequence[int]) -> QueryErrors:
        """Count each query on the source, and estimate it on the release; `domains` are numbers of values."""
        scratch = self.run.scratch
        values = self.values
        if workload.own:
            predicates = list(self._predicates(workload.own))
            ranges = scratch.create("ranges", beside_source.taken, predicates, values)
            on = [(each.query, each.quasi) for each in predicates if each.condition is not None]
        else:
            ranges = scratch.table("ranges")
            drawn = list(draw_ranges(domains, workload.count, workload.seed))
            names = ("value", "quasi", "first_place", "last_place")
            self.run.engine.load(ranges, names, drawn)
            taken = [tuple(int(str(cell)) for cell in row) for row in drawn]
            on = [
                (query, quasi)
                for query, quasi, first, last in taken
                if last - first + 1 < domains[quasi]
            ]
        columns: dict[int, list[int]] = {query: [] for query in range(workload.queries)}
        for query, quasi in on:
            columns[query].append(quasi)
        queries = list(columns.items())
        true, estimates = (
            self._counts(table, ranges, queries, before=before)
            for table, before in ((self.before, True), (self.after, False))
        )
        # Sums of floating point differ in their last digits by the order of their rows.
        return QueryErrors(
            tuple(
                (round(was), float(f"{now:.9g}")) for was, now in zip(true, estimates, strict=True)
            )
        )

    def _counts(
        self,
        table: exp.Table,
        ranges: exp.Table,
        queries: Sequence[tuple[int, Sequence[int]]],
        *,
        before: bool,
    ) -> list[float]:
        shares = [
            self.run.scratch.create(
                "shares", beside_source.shares, of, ranges, quasi, before=before
            )
            for quasi, of in enumerate(self.values)
        ]
        found: list[float] = []
        for first in range(0, len(queries), AT_ONCE):
            some = queries[first : first + AT_ONCE]
            (row,) = self.run.engine.fetch(beside_source.count_queries(table, shares, some))
            found += [float(str(counted or 0)) for counted in row]
        return found

    def _predicates(self, own: Sequence[Mapping[str, str]]) -> Iterator[Predicate]:
        """Parse the user's conditions. Raises InputError where one names another column than its own."""
        names = [each.column.name for each in self.mapped]
        faults = []
        for number, query in enumerate(own):
            where = f"queries {number + 1}"
            faults += [Fault(where, f"{n} is no quasi-identifier") for n in query if n not in names]
            for quasi, text in enumerate(names):
                read = None
                if text in query:
                    try:
                        read = condition(query[text], dialect=self.run.engine.dialect)
                    except ValueError as error:
                        faults.append(Fault(f"{where}.{text}", str(error)))
                        continue
                    others = {each.name for each in _columns_of(read)} - {text}
                    if others:
                        faults.append(Fault(f"{where}.{text}", "names another column than its own"))
                yield Predicate(number, quasi, text, read)
        if faults:
            raise InputError("quality", faults)


def _columns_of(read: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the column nodes of a condition's syntax tree."""
    return (node for node in read.walk() if node.key == "column")
