"""Searches for the sets of columns that distinguish the rows of a table, as quasi-identifiers do. Reads only.

Sets are searched level by level, by their number of columns; a superset of a unique set is not minimal, and is
skipped. Sets are counted in samples first. A set that fails in a sample fails in the table: the expected share of
distinct tuples only falls as rows are added. Sets that pass the samples are counted in all rows. (Motwani and Xu,
"Efficient Algorithms for Masking and Finding Quasi-Identifiers", 2007: the distinct and the separation ratio.)
"""

from __future__ import annotations

import math
import re
from dataclasses import field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_table
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.attacks.measure_risk import opened_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.inputs import Connection, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings


def sample_columns(
    sample: exp.Table, source: exp.Table, columns: Sequence[str], share: float, *, encoded: bool
) -> Statement:
    """Draw a random sample of some columns, of about that share of the rows; a sample is `encoded` already."""
    leaves = {
        "sample": sample,
        "source": source,
        "columns": [{"column": column(each, of="s"), "as": name(each)} for each in columns],
        "encoded": encoded,
        "share": Decimal(f"{share:.9f}"),
    }
    return Statement("attacks/sample_columns", leaves)


def column_sets(
    source: exp.Table, sets: Sequence[Sequence[str]], *, encoded: bool, rows: int
) -> Statement:
    """Count, for each set of columns, its tuples, the rows that have one of their own, and the equal pairs."""
    described = [{"columns": [column(each, of="s") for each in names]} for names in sets]
    leaves = {"source": source, "sets": described, "encoded": encoded}
    return Statement("attacks/column_sets", leaves, scans=rows * len(sets))


SAMPLES = (20_000, 100_000)
"""Rows of the samples in which sets are counted before they are counted in all rows."""
SLACK = 0.01
"""How much a sample's distinct ratio may fall short of the required one by chance."""
IN_ANY_CASE = 100
"""Sets of a level that are counted in any case, even if their parts have too few tuples for a unique set."""
COUNTED = 400
"""The most sets of a level that are counted in a sample at all: those whose parts have the fewest equal pairs."""
LOOKED_AT, COUNTED_AT_FIRST = 50_000, 150
"""The most rows, and the most sets of a level in a sample, of a first look at a table."""
AT_ONCE = 20
"""Sets that one statement counts in a sample or a small table; in a larger table it counts one."""
AGAIN = 200
"""The most sets of a level that are counted in a further sample."""
CONFIRMED = 40
"""The most sets of several columns that are counted in all rows of a sampled table, in equal shares for each level."""
SHOWN = 3
"""The most sets of a level that are reported although they distinguish too few rows."""
WIDEST = 40
"""The most columns that sets are made of: those with the most distinct values."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """How well a set of columns distinguishes the rows of a table, or of a sample if `sampled`.

    `tuples` are distinct, `unique_rows` have a tuple of their own, `equal_pairs` are ordered pairs of equal rows.
    """

    columns: tuple[str, ...]
    rows: int
    tuples: int
    unique_rows: int
    equal_pairs: int
    sampled: bool = False

    @property
    def share(self) -> str:
        """Describe the share of unique rows, and of which rows it is."""
        of = f"a sample of {self.rows:,} rows" if self.sampled else "the rows"
        return f"{self.unique_rows / self.rows:.0%} of {of} are unique"

    @property
    def distinct_ratio(self) -> float:
        """Return the number of distinct tuples divided by the number of rows."""
        return self.tuples / self.rows

    @property
    def separation_ratio(self) -> float:
        """Return the share of pairs of rows that the columns distinguish."""
        pairs = self.rows * (self.rows - 1)
        return 1 - self.equal_pairs / pairs if pairs else 1.0

    @property
    def unique(self) -> bool:
        """Whether no two rows have equal tuples."""
        return self.tuples == self.rows

    def summary(self) -> dict[str, object]:
        """Return the set's entry in `risk --json`."""
        return {
            "columns": list(self.columns),
            "distinct_ratio": self.distinct_ratio,
            "separation_ratio": self.separation_ratio,
            "unique_rows": self.unique_rows,
        }


@dataclass(frozen=True, slots=True)
class ColumnSets:
    """The columns of a table, and the sets of at most `most_columns` that distinguish its rows.

    In the minimal sets `unique` no two rows agree; the distinct ratio of `near_unique` is at least `near`; `others`
    come next. The `unconfirmed` sets may distinguish rows, and were too many to be counted in all rows. `left_out` columns are in no set of several.
    """

    rows: int
    near: float
    most_columns: int
    columns: tuple[ColumnSet, ...]
    unique: tuple[ColumnSet, ...]
    near_unique: tuple[ColumnSet, ...]
    others: tuple[ColumnSet, ...]
    unconfirmed: int = 0
    left_out: tuple[str, ...] = ()

    def summary(self) -> dict[str, object]:
        """Return the document that `risk --json` prints without quasi-identifiers."""
        found: dict[str, object] = {
            "rows": self.rows,
            "near": self.near,
            "most_columns": self.most_columns,
            "unconfirmed": self.unconfirmed,
            "left_out": list(self.left_out),
        }
        for kind in ("columns", "unique", "near_unique", "others"):
            found[kind] = [each.summary() for each in getattr(self, kind)]
        return found


def search_column_sets(
    run: Session,
    table: exp.Table,
    columns: Sequence[str],
    *,
    rows: int,
    near: float,
    most_columns: int,
    encoded: bool = False,
    most_sets: int | None = None,
) -> ColumnSets:
    """Search for the sets of at most `most_columns` columns that distinguish the rows of a non-empty table.

    The columns of a table can be `encoded` already. At most `most_sets` sets of a level are counted in a sample.
    """
    with run.engine.journal.step("sample"):
        tables = _with_samples(run, table, columns, rows, encoded=encoded)
    with run.engine.journal.step("columns"):
        search = _Search(run, tables, near, encoded, most_sets or COUNTED)
        return search.result(tuple(columns), most_columns)


def search_at_most(
    run: Session, table: exp.Table, columns: Sequence[str], *, rows: int
) -> ColumnSets:
    """Search in a sample of a larger table, with fewer sets, as a first look at columns does."""
    encoded = rows > LOOKED_AT
    if encoded:
        table = run.scratch.create("sample", source_sql.sample_rows, table, LOOKED_AT, of=rows)
        rows = run.engine.fetch_count(source_sql.count_rows(table))
        table = run.scratch.create("columns", sample_columns, table, columns, 1, encoded=False)
    return search_column_sets(
        run,
        table,
        columns,
        rows=rows,
        near=NEAR,
        most_columns=MOST_COLUMNS,
        encoded=encoded,
        most_sets=COUNTED_AT_FIRST if encoded else None,
    )


def _with_samples(
    run: Session, table: exp.Table, columns: Sequence[str], rows: int, *, encoded: bool
) -> list[tuple[exp.Table, int]]:
    """Draw the samples with at most half the rows of the next larger one, from which each is drawn.

    Returns the tables with their rows, the smallest sample first and the table itself last.
    """
    tables = [(table, rows)]
    for wanted in sorted(SAMPLES, reverse=True):
        source, many = tables[0]
        if wanted * 2 <= many:
            sample = run.scratch.table("columns")
            drawn = sample_columns(
                sample, source, columns, wanted / many, encoded=encoded or len(tables) > 1
            )
            run.engine.execute(drawn)
            tables.insert(0, (sample, run.engine.fetch_count(source_sql.count_rows(sample))))
    return tables


@dataclass(slots=True)
class _Search:
    """The state of a search; `tables` are the samples and, last, the table itself, each with its number of rows."""

    run: Session
    tables: list[tuple[exp.Table, int]]
    near: float
    encoded: bool
    """Whether the last table is encoded as the samples are."""
    most_sets: int
    tuples: dict[Names, int] = field(default_factory=dict)
    """The number of tuples of each set in the smallest sample, or an upper bound of it."""
    equal: dict[Names, float] = field(default_factory=dict)
    """The share of equal pairs of each set in the smallest sample, or what its parts let expect."""
    single: dict[str, int] = field(default_factory=dict)
    """The number of distinct values of each column in all rows."""
    unique: list[ColumnSet] = field(default_factory=list)
    near_unique: list[ColumnSet] = field(default_factory=list)
    others: list[ColumnSet] = field(default_factory=list)
    supposed: list[ColumnSet] = field(default_factory=list)
    """Sets that are unique in all samples, and were too many to be counted in all rows."""
    confirmed: int = 0
    unconfirmed: int = 0

    def result(self, columns: Names, most_columns: int) -> ColumnSets:
        """Search level by level, and return the sets that were found."""
        level: list[Names] = [(name,) for name in columns]
        singles = self._count(level, self.tables[-1])
        sampled = singles if len(self.tables) == 1 else self._count(level, self.tables[0])
        self._keep(sampled)
        self.single = {each.columns[0]: each.tuples for each in singles}
        self._sort(singles)
        self.others.clear()
        widest = sorted(level, key=self.tuples.__getitem__, reverse=True)[:WIDEST]
        used = [each for each in level if each in widest and self.tuples[each] > 1]
        level = self._minimal(used)
        for levels_left in range(most_columns - 1, 0, -1):
            level = self._minimal(_joined(level))
            self._search(level, (CONFIRMED - self.confirmed) // levels_left)
        return ColumnSets(
            rows=self.tables[-1][1],
            near=self.near,
            most_columns=most_columns,
            columns=tuple(singles),
            unique=tuple(self.unique),
            near_unique=tuple(self.near_unique),
            others=tuple(sorted(self.others, key=lambda each: -each.distinct_ratio)),
            unconfirmed=self.unconfirmed,
            left_out=tuple(name for name in columns if (name,) not in used),
        )

    def _minimal(self, level: Iterable[Names]) -> list[Names]:
        """Keep the sets without a unique subset."""
        unique = [*self.unique, *self.supposed]
        return [names for names in level if not _holds(unique, names)]

    def _search(self, level: Sequence[Names], most: int) -> None:
        """Count the sets of a level in the samples, and at most `most` of the sets that pass them in all rows."""
        for names in level:
            parts = ((names[:n] + names[n + 1 :], names[n : n + 1]) for n in range(len(names)))
            least, agreeing = self.tables[0][1], 0.0
            for part, one in parts:
                least = min(least, self.tuples[part] * self.tuples[one])
                agreeing = max(agreeing, self.equal[part] * self.equal[one])
            self.tuples[names], self.equal[names] = least, agreeing
        ranked = sorted(level, key=self.tuples.__getitem__, reverse=True)
        chance = [names for names in ranked if self._has_chance(names)]
        others = [names for names in ranked if not self._has_chance(names)]
        if len(self.tables) > 1:
            chance.sort(key=self._expected)  # at most CONFIRMED of them are counted in all rows
            self.unconfirmed += len(chance[self.most_sets :])
            chance = chance[: self.most_sets]
        found = self._count([*chance, *others[: max(IN_ANY_CASE - len(chance), 0)]], self.tables[0])
        self._keep(found)
        passing = self._passing(found[: len(chance)])
        chosen = {each.columns for each in passing}
        best = sorted(found, key=lambda each: -each.tuples)
        shown = [each for each in best if each.columns not in chosen][:SHOWN]
        if len(self.tables) == 1:
            self._sort([*passing, *shown])
            return
        for table in self.tables[1:-1]:
            again = self._count([each.columns for each in passing[:AGAIN]], table)
            self.unconfirmed += len(passing[AGAIN:])
            passing = self._passing(again)
        self.unconfirmed += len(passing[most:])
        self.confirmed += len(passing[:most])
        self.supposed += [each for each in passing[most:] if each.unique]
        counted = [each.columns for each in (*passing[:most], *shown)]
        self._sort(self._count(counted, self.tables[-1]))

    def _keep(self, counted: Iterable[ColumnSet]) -> None:
        """Keep what the smallest sample says of sets."""
        for each in counted:
            self.tuples[each.columns] = each.tuples
            self.equal[each.columns] = 1 - each.separation_ratio

    def _passing(self, counted: Iterable[ColumnSet]) -> list[ColumnSet]:
        """Keep the sets that a sample does not refute, the fewest equal pairs first, then the fewest values."""
        passing = [each for each in counted if self._may_pass(each)]
        return sorted(passing, key=lambda each: (each.equal_pairs, self._product(each.columns)))

    def _expected(self, names: Names) -> tuple[float, int]:
        """Rank a set by the equal pairs that are expected in the smallest sample, then as `_passing` does."""
        rows = self.tables[0][1]
        return max(1.0, self.equal[names] * rows * (rows - 1)), self._product(names)

    def _product(self, names: Names) -> int:
        return math.prod(self.single[name] for name in names)

    def _has_chance(self, names: Names) -> bool:
        """Whether the tuples of its parts allow a set to be nearly unique, in the smallest sample and in all rows."""
        enough = (self.near - SLACK) * self.tables[0][1]
        possible = self._product(names) >= self.near * self.tables[-1][1]
        return possible and self.tuples[names] >= enough

    def _may_pass(self, counted: ColumnSet) -> bool:
        """Whether a sample's counts allow that a set is a minimal unique or nearly unique one."""
        if _holds(self.near_unique, counted.columns):
            return counted.unique
        return counted.distinct_ratio >= self.near - SLACK

    def _sort(self, counted: Iterable[ColumnSet]) -> None:
        for each in counted:
            if each.unique:
                self.unique.append(each)
            elif each.distinct_ratio < self.near:
                self.others.append(each)
            elif not _holds(self.near_unique, each.columns):
                self.near_unique.append(each)

    def _count(self, sets: Sequence[Names], counted: tuple[exp.Table, int]) -> list[ColumnSet]:
        table, rows = counted
        encoded = self.encoded or counted != self.tables[-1]
        at_once = AT_ONCE if encoded or rows <= SAMPLES[-1] else 1
        found = []
        for start in range(0, len(sets), at_once):
            some = sets[start : start + at_once]
            fetched = self.run.engine.fetch(column_sets(table, some, encoded=encoded, rows=rows))
            figures = {whole(number): map(whole, counts) for number, *counts in fetched}
            for number, names in enumerate(some):
                tuples, unique, pairs = figures.get(number, (0, 0, 0))
                found.append(ColumnSet(names, rows, tuples, unique, pairs))
        return found


def _holds(found: Iterable[ColumnSet], names: Names) -> bool:
    """Whether one of the found sets is a subset of `names`."""
    return any(set(each.columns) <= set(names) for each in found)


def _joined(level: Sequence[Names]) -> Iterator[Names]:
    """Yield the unions of two sets that differ in the last column, if all their largest subsets are in the level."""
    there = set(level)
    for n, first in enumerate(level):
        for second in level[n + 1 :]:
            if first[:-1] != second[:-1]:
                break
            names = (*first, second[-1])
            if all(names[:at] + names[at + 1 :] in there for at in range(len(names))):
                yield names


NEAR = 0.9
"""The least distinct ratio of a set of columns that is called nearly unique."""
MOST_COLUMNS = 3
NESTED = re.compile(
    r"[\[\]<>]|struct|map|union|list|json|blob|binary|bytea|xml|array|variant", re.IGNORECASE
)
"""Matches types with nested or binary values, which are not searched."""


@checked
def find_quasi_identifiers(
    source: TableInput,
    *,
    leave_out: Sequence[str] = (),
    near: float = NEAR,
    most_columns: int = MOST_COLUMNS,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> ColumnSets:
    """Find the sets of at most `most_columns` columns that distinguish the rows of a table; reads only.

    In a unique set no two rows agree. Sets are counted in random samples first; up to 40 that pass, in all rows.

    Args:
        source: The table; by default the policy's source.
        leave_out: Columns that are in no set, such as a key.
        near: The least distinct ratio of a nearly unique set.
        most_columns: The most columns of a set.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.

    Returns:
        The unique and the nearly unique sets.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> found = kanon_sql.find_quasi_identifiers(people)
    >>> [each.columns for each in found.unique]
    [('age',)]
    """
    name = str(source) if isinstance(source, str | Path) else "risk"
    if not 0 < near <= 1:
        raise InputError("risk", [Fault("near", "is a ratio: above 0 and at most 1")])
    if most_columns < 1:
        raise InputError("risk", [Fault("most_columns", "must be at least 1")])
    with opened_engine(database, connection, settings, progress) as run:
        table = open_table(run, source, "searched").table
        described = run.engine.columns(table)
        there = [column.name for column in described]
        faults = [
            Fault(each, "is not a column of the table") for each in leave_out if each not in there
        ]
        scalar = [
            column.name
            for column in described
            if column.name not in leave_out and NESTED.search(column.type) is None
        ]
        if not scalar and not faults:
            faults.append(Fault("", "has no columns to search"))
        if faults:
            raise InputError(name, faults)
        with run.engine.own_functions():
            rows = run.engine.fetch_count(source_sql.count_rows(table))
            if not rows:
                raise InputError(name, [Fault("", "has no rows")])
            found = search_column_sets(
                run, table, scalar, rows=rows, near=near, most_columns=most_columns
            )
        nested = [name for name in there if name not in scalar and name not in leave_out]
        return replace(found, left_out=(*nested, *found.left_out))
