"""Three small tables that a researcher would run on a source and on its release: two counts and a rate, by bands.

The bands are those of the error of simple counts. A column of numbers or dates comes first, where there is one, and one of
few values beside it; the rate is of the first sensitive column: of its most frequent value, or of many numbers of those that
are not below a round one near the median. Labels of the release are spread over the values that they cover.

Guarantee: a cell of the source is shown only if at least k rows or people are in it, and if the cells that are left out of
a line have as many together, so that no difference of what is shown tells of fewer.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal
from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import whole
from kanon_sql.errors import StalePlanError
from kanon_sql.evidence.release_quality import coded_pairs
from kanon_sql.evidence.release_quality.coded_pairs import UNIT
from kanon_sql.evidence.release_quality.simple_counts import (
    FEW_VALUES,
    band_width,
    columns_of_dates,
    values_by_column,
)
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import demands

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.recoding.planning.make_plan import Planned

MOST_VALUES, MOST_CELLS, MOST_SHOWN, MOST_CROSSED = 64, 4_000, 12, 60
"""The most values of a column that is counted by these, the most cells of a table, and the most lines that are shown: of
several releases, and of two columns of one release."""

OTHER = "hidden, not numbered"
"""The text in place of a value that is not among the listed ones, which have most rows."""


def hidden_text(number: int) -> str:
    """Return the text in place of a value of the source that a page must not show: no reader takes it for data.

    >>> hidden_text(2)
    'hidden #2'
    """
    return f"hidden #{number}"


def has_numbers(tables: Sequence[BandTable]) -> bool:
    """Return whether a number stands for a value of the source in one of the tables."""
    return any(
        band.startswith("hidden #") for each in tables for row in each.rows for band in row.bands
    )


Key = tuple[str, ...]
"""The bands of one line of a table, a number or the text of a value for each column."""


@dataclass(frozen=True, slots=True)
class BandedColumn:
    """A quasi-identifier in bands: of a width, in numbers or years, or of one value each where there is none."""

    name: str
    width: Decimal | None
    dates: bool = False

    def text(self, band: str) -> str:
        """Describe a band for readers.

        >>> from decimal import Decimal
        >>> BandedColumn("age", Decimal(10)).text("3"), BandedColumn("born", Decimal(5), dates=True).text("391")
        ('[30, 40)', '1955 to 1959')
        >>> BandedColumn("sex", None).text("vf"), BandedColumn("sex", None).text("")
        ('f', 'NULL')
        """
        if self.width is None:
            return band[1:] if band else "NULL"
        number = int(band)
        if number == coded_pairs.NULLS:
            return "NULL"
        low, high = number * self.width, (number + 1) * self.width
        if not self.dates:
            return f"[{low:f}, {high:f})"
        return f"{low:f}" if self.width == 1 else f"{low:f} to {high - 1:f}"


@dataclass(frozen=True, slots=True)
class Rate:
    """What a rate counts: the rows with a column's most frequent value, or with a number of at least `least`."""

    name: str
    least: Decimal | None = None

    @property
    def text(self) -> str:
        """Describe the rows that are counted.

        >>> Rate("ill").text, Rate("pay", Decimal(20000)).text
        ('the most frequent value of ill', 'pay of at least 20,000')
        """
        if self.least is None:
            return f"the most frequent value of {self.name}"
        return f"{self.name} of at least {self.least:,f}"


@dataclass(frozen=True, slots=True)
class BandRow:
    """A line of a small table: the bands, and the rows or the rate before and after, None where it has none.

    `own` is whether the band of each column is a value of the source.
    """

    bands: tuple[str, ...]
    own: tuple[bool, ...]
    before: float
    after: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class BandTable:
    """A small table: its columns, its lines, and how many others there are; `rate` is what a rate counts."""

    columns: tuple[str, ...]
    rows: tuple[BandRow, ...]
    others: int
    rate: Rate | None = None


@dataclass(frozen=True, slots=True)
class CellCounts:
    """The rows and people of the source in each cell, those with the sensitive value apart, or what a release shows."""

    rows: dict[Key, float]
    people: dict[Key, int]
    hits: dict[Key, float]
    hit_people: dict[Key, int]


def chosen_columns(
    run: Session, planned: Planned, values: Sequence[exp.Table], *, lost: Collection[int] = ()
) -> list[tuple[int, BandedColumn]]:
    """Choose up to two quasi-identifiers to count by: one in bands if there is one, and one of few values.

    Those that are `lost`, by their positions, are chosen last: a release shows one label of them.
    """
    dates = columns_of_dates(planned.mapped)
    spans = run.engine.fetch(coded_pairs.spans_of_values(values, dates))
    wide: list[tuple[int, BandedColumn]] = []
    single: list[tuple[int, int, BandedColumn]] = []
    for at, (quasi, (_, different, texts, span)) in enumerate(
        zip(run.policy.quasi, spans, strict=True)
    ):
        many = whole(different)
        if many > FEW_VALUES and not whole(texts or 0) and span is not None:
            width = band_width(float(str(span)))
            if at in dates:  # days are counted by whole years
                width = max(width, Decimal(1))
                if Decimal(str(span)) < width:
                    continue
            wide.append((at, BandedColumn(quasi.name, width, at in dates)))
        elif 1 < many <= MOST_VALUES:
            single.append((many, at, BandedColumn(quasi.name, None)))
    few = [(at, each) for _, at, each in sorted(single, key=lambda one: one[:2])]
    wide, few = (sorted(each, key=lambda one: one[0] in lost) for each in (wide, few))
    if wide and few and wide[0][0] in lost and few[0][0] not in lost:
        wide = []
    first = wide[0] if wide else few[0] if few else None
    if first is None:
        return []
    others = [each for each in (*few, *wide) if each[0] != first[0]]
    return [first, *others[:1]]


def tables_of_release(
    run: Session, planned: Planned, released: exp.Table, *, lost: Collection[int] = ()
) -> tuple[list[BandTable], str]:
    """Return the small tables of a source and of its release, or none and the reason.

    Quasi-identifiers that are `lost`, by their positions, are counted if there are no others.
    """
    try:
        values = values_by_column(run, planned)
    except StalePlanError:  # its cuts are hashed under a key of another process, or are others now
        return [], "the source cannot be shown to be cut as the plan says"
    if values is None:
        return (
            [],
            "labels cover no known value, or only its rows show which, and the source has many",
        )
    columns = chosen_columns(run, planned, values, lost=lost)
    if not columns:
        return [], "no quasi-identifier has bands, or few values"
    rate = rate_of(run, planned)
    before = count_source(run, planned, values, columns, rate)
    after = count_released(run, planned, values, columns, released, rate)
    return small_tables(run, [each for _, each in columns], before, [after], rate), ""


def sensitive_column(run: Session) -> str | None:
    """Return the first sensitive column; None if there is none."""
    return next((each.name for each in run.policy.with_role(Role.SENSITIVE)), None)


def rate_of(run: Session, planned: Planned) -> Rate | None:
    """Return what the rate of the first sensitive column counts; None without such a column.

    Of many numbers each is rare, so that these are counted from a round one near their median on.
    """
    name = sensitive_column(run)
    if name is None:
        return None
    ((different, texts, median, span),) = run.engine.fetch(
        spread_of_numbers(planned.opened.source, name)
    )
    if whole(different or 0) <= FEW_VALUES or whole(texts or 0) or not (span and median):
        return Rate(name)
    width = band_width(float(str(span)))
    return Rate(name, (Decimal(str(median)) / width).to_integral_value(ROUND_FLOOR) * width)


def count_source(
    run: Session,
    planned: Planned,
    values: Sequence[exp.Table],
    columns: Sequence[tuple[int, BandedColumn]],
    rate: Rate | None,
) -> CellCounts:
    """Count a source by bands; `values` has the table of each column's values."""
    tables = _banded(run, values, columns)
    statement = band_counts(
        planned.opened.source,
        [
            (each.name, table, band)
            for (_, each), (table, band) in zip(columns, tables, strict=True)
        ],
        entity=run.policy.entity,
        rate=rate,
    )
    found = CellCounts({}, {}, {}, {})
    for *bands, hit, rows, people in run.engine.fetch(statement):
        key = tuple(map(str, bands))
        _add(found, key, float(whole(rows)), hit=bool(hit))
        # People of two parts may be the same ones: the larger part is a bound of them all.
        of_all = max if run.policy.entity is not None else int.__add__
        found.people[key] = of_all(found.people.get(key, 0), whole(people))
        if hit:
            found.hit_people[key] = whole(people)
    return found


def count_released(  # noqa: PLR0917  one release
    run: Session,
    planned: Planned,
    values: Sequence[exp.Table],
    columns: Sequence[tuple[int, BandedColumn]],
    released: exp.Table,
    rate: Rate | None,
) -> CellCounts:
    """Count a release by bands, its labels spread over the values that they cover by `values`."""
    tables = _banded(run, values, columns)
    described = [
        (run.policy.quasi[at].released_as, table, band)
        for (at, _), (table, band) in zip(columns, tables, strict=True)
    ]
    statement = band_estimates(released, planned.opened.source, described, rate=rate)
    found = CellCounts({}, {}, {}, {})
    for *bands, hit, expected in run.engine.fetch(statement):
        _add(found, tuple(map(str, bands)), float(str(expected)), hit=bool(hit))
    return found


def _add(found: CellCounts, key: Key, rows: float, *, hit: bool) -> None:
    found.rows[key] = found.rows.get(key, 0.0) + rows
    if hit:
        found.hits[key] = rows


def _banded(
    run: Session, values: Sequence[exp.Table], columns: Sequence[tuple[int, BandedColumn]]
) -> list[tuple[exp.Table, str]]:
    """Create the tables of the columns' values by bands; each with the name of the column that has the band."""
    found = []
    for at, each in columns:
        if each.width is None:
            found.append((values[at], "own"))
        else:
            create = partial(coded_pairs.banded_values, dates=each.dates)
            banded = run.scratch.create("banded", create, values[at], each.width)
            found.append((banded, "bin"))
    return found


def small_tables(
    run: Session,
    columns: Sequence[BandedColumn],
    before: CellCounts,
    after: Sequence[CellCounts],
    rate: Rate | None,
) -> list[BandTable]:
    """Return the tables of one column, of two columns and of a rate, as far as there are columns for them."""
    if len(before.rows) > MOST_CELLS:
        return []
    k = max(2, *(each.class_size for each in demands(run.policy.privacy)))
    by_persons = run.policy.entity is not None
    one = _rolled_up(before, by_persons=by_persons)
    of_one = [_rolled_up(each, by_persons=False) for each in after]
    tables = [_of_counts(columns[:1], one, of_one, k)]
    if len(columns) > 1:
        tables.append(_of_counts(columns, before, after, k))
    if rate is not None and one.hits:
        tables.append(_of_rates(columns[:1], one, of_one, k, rate))
    return [each for each in tables if each.rows]


def _rolled_up(counts: CellCounts, *, by_persons: bool) -> CellCounts:
    """Return the counts of the first column's bands. Of people there are at least as many as in one cell."""

    def summed(found: Mapping[Key, float]) -> dict[Key, float]:
        return {key: sum(each) for key, each in _by_first(found)}

    def people(found: Mapping[Key, int]) -> dict[Key, int]:
        of_all: Callable[[Iterable[int]], int] = max if by_persons else sum
        return {key: of_all(each) for key, each in _by_first(found)}

    return CellCounts(
        summed(counts.rows), people(counts.people), summed(counts.hits), people(counts.hit_people)
    )


def _by_first(found: Mapping[Key, float]) -> Iterator[tuple[Key, list]]:  # type: ignore[type-arg]
    lines: dict[Key, list[float]] = {}
    for key, value in found.items():
        lines.setdefault(key[:1], []).append(value)
    yield from lines.items()


def _of_counts(
    columns: Sequence[BandedColumn], before: CellCounts, after: Sequence[CellCounts], k: int
) -> BandTable:
    left = left_out(before.people, k)
    rows = {
        key: (rows, tuple(each.rows.get(key, 0.0) for each in after))
        for key, rows in before.rows.items()
        if key not in left
    }
    most = MOST_CROSSED if len(columns) > 1 and len(after) == 1 else MOST_SHOWN
    return _table(columns, rows, before, None, most=most)


def _of_rates(
    columns: Sequence[BandedColumn],
    before: CellCounts,
    after: Sequence[CellCounts],
    k: int,
    rate: Rate,
) -> BandTable:
    """Return the share of rows that the rate counts; a band is left out if few have it, or few have another."""
    rows = {}
    for key, many in before.rows.items():
        hits, people = before.hits.get(key, 0.0), before.hit_people.get(key, 0)
        if min(people, before.people[key] - people, many - hits) >= k:
            rates = (
                each.hits.get(key, 0.0) / each.rows[key] if each.rows.get(key) else None
                for each in after
            )
            rows[key] = (hits / many, tuple(rates))
    return _table(columns, rows, before, rate)


def _table(
    columns: Sequence[BandedColumn],
    rows: Mapping[Key, tuple[float, tuple[float | None, ...]]],
    before: CellCounts,
    rate: Rate | None,
    *,
    most: int = MOST_SHOWN,
) -> BandTable:
    """Return the lines with most rows, in the order of their bands: of numbers, or the most frequent value first."""
    largest = sorted(rows, key=lambda key: (-before.rows[key], key))[:most]
    totals = [
        {key: sum(each) for key, each in _by_first({k[at:]: n for k, n in before.rows.items()})}
        for at, _ in enumerate(columns)
    ]

    def place(key: Key) -> list[tuple[float, str]]:
        return [
            (float(band), "") if each.width is not None else (-totals[at].get((band,), 0.0), band)
            for at, (each, band) in enumerate(zip(columns, key, strict=True))
        ]

    shown = tuple(
        BandRow(
            tuple(each.text(band) for each, band in zip(columns, key, strict=True)),
            tuple(
                each.width is None and bool(band) for each, band in zip(columns, key, strict=True)
            ),
            *rows[key],
        )
        for key in sorted(largest, key=place)
    )
    return BandTable(
        tuple(each.name for each in columns), shown, len(before.rows) - len(shown), rate
    )


def left_out(people: Mapping[Key, int], k: int) -> set[Key]:
    """Return the cells to leave out: those of fewer than k people, and others until each line lacks k or none.

    A line has the cells that share all bands but one: whoever knows its sum finds what is left out by a difference, and
    a cell that is the only one left out counts as found in the line that crosses it.

    >>> sorted(left_out({("a",): 3, ("b",): 9, ("c",): 7}, 5))
    [('a',), ('c',)]
    >>> sorted(left_out({("a", "x"): 3, ("a", "y"): 4, ("b", "x"): 30, ("b", "y"): 20}, 5))
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    >>> sorted(left_out({("a", "x"): 9, ("a", "y"): 80, ("b", "x"): 12, ("b", "y"): 70, ("c", "x"): 30, ("c", "y"): 40}, 11))
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    """
    hidden = {key for key, many in people.items() if many < k}
    lines: dict[tuple[int, Key], list[Key]] = {}
    for key in people:
        for at, _ in enumerate(key):
            lines.setdefault((at, (*key[:at], *key[at + 1 :])), []).append(key)
    while True:
        secret = _underivable(people, hidden, lines.values(), k)
        short = [
            line
            for line in lines.values()
            if any(key not in secret for key in line)
            and 0 < sum(people[key] for key in line if key in secret) < k
        ]
        if not short or len(hidden) == len(people):
            return hidden
        for line in short:
            found = {key for key in line if key in hidden and key not in secret}
            crossing = [
                key
                for each in lines.values()
                if each is not line and found & {*each}
                for key in each
            ]
            shown = [key for key in crossing or line if key not in hidden]
            shown = shown or [key for key in people if key not in hidden]
            hidden.add(min(shown or people, key=lambda key: (people[key], key)))
            if found:
                break


def _underivable(
    people: Mapping[Key, int], hidden: Collection[Key], lines: Collection[Sequence[Key]], k: int
) -> set[Key]:
    """Return the hidden cells but those of k people that follow from a sum, as the one hidden cell of a line."""
    secret = set(hidden)
    while alone := {
        found[0]
        for line in lines
        if len(found := [key for key in line if key in secret]) == 1 and people[found[0]] >= k
    }:
        secret -= alone
    return secret


def with_numbers(
    tables: Sequence[BandTable], known: Mapping[str, Mapping[str | None, str]]
) -> tuple[BandTable, ...]:
    """Replace bands that are values of the source: by the text that is `known` for a value, or by its own number."""
    numbers: dict[str, dict[str, str]] = {}

    def numbered(column: str, text: str) -> str:
        if column in known:
            return known[column].get(text, OTHER)
        own = numbers.setdefault(column, {})
        return own.setdefault(text, hidden_text(len(own) + 1))

    return tuple(
        replace(
            each,
            rows=tuple(
                replace(
                    row,
                    bands=tuple(
                        numbered(column, text) if own else text
                        for column, text, own in zip(each.columns, row.bands, row.own, strict=True)
                    ),
                    own=(False,) * len(row.own),
                )
                for row in each.rows
            ),
        )
        for each in tables
    )


def band_counts(
    source: exp.Table,
    columns: Sequence[tuple[str, exp.Table, str]],
    *,
    entity: str | None,
    rate: Rate | None,
) -> Statement:
    """Count the rows and people of a source by the bands of columns, each with its table and the band's column there."""
    described = [
        {
            "of": column(text, of="t"),
            "known": column("value", of=f"x{n}"),
            "alias": name(f"x{n}"),
            "table": table,
            "band": column(band, of="b"),
            "found": column("band", of=f"x{n}"),
        }
        for n, (text, table, band) in enumerate(columns)
    ]
    return Statement(
        "release_quality/pairs/band_counts",
        {
            "source": source,
            "columns": described,
            "entity": None if entity is None else column(entity, of="t"),
            **_rate_leaves(rate, "t"),
        },
    )


def band_estimates(
    released: exp.Table,
    source: exp.Table,
    columns: Sequence[tuple[tuple[str, ...], exp.Table, str]],
    *,
    rate: Rate | None,
) -> Statement:
    """Count the rows that a release lets expect in bands."""
    described = [
        {
            "parts": [column(text, of="s") for text in parts],
            "key": column(f"key_{n}", of="g"),
            "label": column("label", of=f"x{n}"),
            "alias": name(f"x{n}"),
            "table": table,
            "band": column(band, of="b"),
            "found": column("band", of=f"x{n}"),
            "share": column("share", of=f"x{n}"),
        }
        for n, (parts, table, band) in enumerate(columns)
    ]
    return Statement(
        "release_quality/pairs/band_estimates",
        {
            "released": released,
            "source": source,
            "columns": described,
            **_rate_leaves(rate, "s"),
        },
    )


def spread_of_numbers(source: exp.Table, sensitive: str) -> Statement:
    """Count a column's values and those that are no numbers, with the median and the span of the others."""
    leaves = {"source": source, "sensitive": column(sensitive, of="t"), "unit": literal(UNIT)}
    return Statement("release_quality/spread_of_numbers", leaves)


def _rate_leaves(rate: Rate | None, shown: str) -> dict[str, object]:
    """Return what the most frequent value is sought in, what is compared by rows of `shown`, and the least number."""
    if rate is None:
        return {"sensitive": None, "shown": None, "least": None, "unit": literal(UNIT)}
    return {
        "sensitive": column(rate.name, of="t"),
        "shown": column(rate.name, of=shown),
        "least": None if rate.least is None else literal(rate.least * UNIT),
        "unit": literal(UNIT),
    }
