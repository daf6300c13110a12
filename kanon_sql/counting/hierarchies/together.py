"""Reads, checks and completes the hierarchies of several columns in shared tables.

A statement costs about as much as processing the few values of most hierarchies, on Spark a hundred times as much. So
columns whose hierarchies have entries share their tables, and each column has views of its rows in them.
In a shared table each row has the number of its column, as text, and the values of each column are in a separate
column, of the column's type.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.read_paths import (
    MOST_ENTRIES,
    Level,
    check_height,
    digest_of,
    domain_problems,
    file_of,
    hierarchy_of,
    may_be_null,
    path_problems,
    path_statements,
    warnings_of,
)
from kanon_sql.counting.hierarchies.value_axes import check_no_problems
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.engines.scratch import scratch
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InputError, StatementError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.specs import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Row
    from kanon_sql.policy.model import Column, Policy


NO_VALUES = (0, 0, 0, 0, 0)
"""The counts of a column of a table without rows."""


@dataclass(frozen=True, slots=True)
class Together:
    """The shared tables of several columns: values and complete paths; `numbers` has the columns by name."""

    domains: exp.Table
    paths: exp.Table
    numbers: Mapping[str, int]
    height: int

    def at(self, column: str) -> int:
        """Return the index of a column among those of the tables."""
        return list(self.numbers).index(column)


@dataclass(frozen=True, slots=True)
class MappedTogether:
    """One column of shared tables: the views of its values and of its complete paths."""

    column: Column
    domain: exp.Table
    paths: exp.Table
    hierarchy: Hierarchy
    warnings: tuple[str, ...]
    together: Together
    nulls: bool


Outcome = MappedTogether | Exception


def map_together(run: Session, opened: OpenSource, *, new: bool) -> dict[str, Outcome]:
    """Map the columns whose hierarchies have entries. All other columns must be mapped separately.

    An outcome is a column's views or its error. No column is returned if a shared statement fails, as separate ones
    show the column at fault; or on a cluster with many rows, where several tasks can rank the values of single columns.
    """
    if not run.engine.capabilities.numbers_rows and opened.rows > mapping_sql.MANY_ROWS:
        return {}
    columns = {
        number: column
        for number, column in enumerate(run.policy.quasi)
        if _has_plain_entries(run.policy, column)
    }
    if len(columns) < 2 or opened.population is not None:
        return {}
    try:
        return _Reader(run, opened, columns).mapped(new=new)
    except StatementError:
        return {}


def _has_plain_entries(policy: Policy, column: Column) -> bool:
    """Whether a column has a hierarchy with entries of equal length that are compared as equal texts."""
    kind = column.hierarchy
    by_order = column.order is not None and policy.search.options.by_order
    if by_order or kind is None or not kind.has_entries:
        return False
    return not kind.ragged and not kind.match


class _Reader:
    def __init__(self, run: Session, opened: OpenSource, columns: Mapping[int, Column]) -> None:
        self.run = run
        self.opened = opened
        self.columns = columns
        self.found: dict[str, Outcome] = {}
        self.own: dict[int, exp.Table] = {}
        """The paths of columns whose entries are in a table or a query, by the column's number."""

    def mapped(self, *, new: bool) -> dict[str, Outcome]:
        origins = self._origins()
        if not origins:
            return self.found
        heights = {each.number: each.height for each in origins}
        paths = self._read(origins)
        surveys = self._surveys(paths, heights)
        domains = self.run.scratch.table("domains")
        names = {number: self.columns[number].name for number in heights}
        table, weight, size = self.opened.tuples
        make = all_domains(domains, table, names, rows=size, weight=weight)
        self.run.engine.execute(make)
        counts = self._counts(domains, paths)
        for number, survey in surveys.items():
            column = self.columns[number]
            try:
                check_no_problems(
                    *path_problems(hierarchy_of(column), survey),
                    *domain_problems(
                        self.run,
                        self.opened,
                        column,
                        counts[number],
                        new=new,
                        entries=partial(mapping_sql.likely_entries, domains, paths, str(number)),
                    ),
                )
            except InputError as error:
                self.found[column.name] = error
        if not self.found:
            self._complete(domains, paths, surveys, counts)
        return self.found

    def _origins(self) -> list[OneHierarchy]:
        """List the sources of the entries. A file that cannot be read becomes the error of its column."""
        found = []
        for number, each in self.columns.items():
            try:
                found.append(self._origin(number, each))
            except (InputError, OSError, ValueError) as error:
                self.found[each.name] = error
        return found

    def _origin(self, number: int, column: Column) -> OneHierarchy:
        kind = hierarchy_of(column)
        if kind.file is not None:
            file, delimiter, height = file_of(self.run, kind)
            check_height(height)
            return OneHierarchy(number, height, file=(file, delimiter))
        if kind.rows is not None:
            check_height(kind.height)
            return OneHierarchy(number, kind.height, rows=kind.rows)
        own = self.run.scratch.table("paths")
        height, statements = path_statements(self.run, column, own, own)
        check_height(height)
        for statement in statements:
            self.run.engine.execute(statement)
        self.own[number] = own
        return OneHierarchy(number, height, table=own)

    def _read(self, origins: Sequence[OneHierarchy]) -> exp.Table:
        """Read the entries of all columns into one table."""
        run, paths = self.run, self.run.scratch.table("all_paths")
        if run.engine.capabilities.local_files:
            run.engine.execute(all_paths(paths, origins))
            return paths
        written = [each for each in origins if each.number not in self.own]
        tables = [each for each in origins if each.number in self.own]
        loaded = None
        if written:
            height = max(each.height for each in written)
            loaded = (run.scratch.table("loaded") if tables else paths), height
            levels = map(mapping_sql.level, range(1, height + 1))
            run.engine.load(loaded[0], ["quasi", "value", *levels], _rows_of(written))
        if tables:
            run.engine.execute(all_paths(paths, tables, loaded))
        return paths

    def _surveys(self, paths: exp.Table, heights: Mapping[int, int]) -> dict[int, list[Level]]:
        """Count the problems of each hierarchy, at its own levels."""
        surveys = {number: [Level(0, 0, 0, 0)] * (top + 1) for number, top in heights.items()}
        of_all = survey_all_paths(paths, max(heights.values()))
        for row in self.run.engine.fetch(of_all):
            number, level, *counts = (int(str(cell)) for cell in row)
            if level <= heights[number]:
                surveys[number][level] = Level(*counts)
        return surveys

    def _counts(self, domains: exp.Table, paths: exp.Table) -> dict[int, Sequence[int]]:
        rows = self.run.engine.fetch(survey_all_domains(domains, paths))
        found = {int(str(number)): [int(str(cell)) for cell in cells] for number, *cells in rows}
        return {number: found.get(number, NO_VALUES) for number in self.columns}

    def _complete(
        self,
        domains: exp.Table,
        paths: exp.Table,
        surveys: Mapping[int, Sequence[Level]],
        counts: Mapping[int, Sequence[int]],
    ) -> None:
        run, heights = self.run, {number: len(survey) - 1 for number, survey in surveys.items()}
        complete = run.scratch.table("all_complete")
        nulls = [number for number, found in counts.items() if found[1]]
        run.engine.execute(all_paths_complete(complete, paths, heights, nulls))
        numbers = {self.columns[number].name: number for number in heights}
        together = Together(domains, complete, numbers, max(heights.values()))
        for at, (number, height) in enumerate(heights.items()):
            column, survey = self.columns[number], surveys[number]
            domain, own = run.scratch.table("domain"), run.scratch.table("complete")
            run.see(domain, one_domain(domain, domains, number, at))
            run.see(own, one_paths(own, complete, number, height))
            several_roots = survey[height].labels > 1
            digest = digest_of(run, hierarchy_of(column), self.own.get(number, paths), height)
            self.found[column.name] = MappedTogether(
                column,
                domain,
                own,
                Hierarchy(height, digest, several_roots),
                tuple(warnings_of(survey, several_roots=several_roots)),
                together,
                may_be_null(self.opened, column, counts[number]),
            )


def _rows_of(written: Sequence[OneHierarchy]) -> list[Row]:
    """Read entries of files and of the policy by DuckDB, so that all databases get the same rows."""
    with open_duckdb() as reader, scratch(reader) as tables:
        read = tables.create("paths", all_paths, written)
        return reader.fetch(source_sql.first_rows(read, MOST_ENTRIES))


NO_ORIGIN: dict[str, object] = {"table": None, "path": None, "rows": []}


@dataclass(frozen=True, slots=True)
class OneHierarchy:
    """The location of the entries of one of several hierarchies: a file, the policy, or a table of paths."""

    number: int
    height: int
    file: tuple[str, str] | None = None
    """The path and the delimiter of the file."""
    rows: Sequence[Sequence[str | None]] = ()
    table: exp.Table | None = None


def all_paths(
    paths: exp.Table, entries: Sequence[OneHierarchy], loaded: tuple[exp.Table, int] | None = None
) -> Statement:
    """Read the entries of several hierarchies into one table, with those of a `loaded` (table, height)."""
    columns = [_origin(each) for each in entries]
    heights = [each.height for each in entries]
    if loaded is not None:
        table, height = loaded
        columns.insert(0, {**NO_ORIGIN, "number": None, "height": height, "table": table})
        heights.append(height)
    leaves_ = {"paths": paths, "columns": columns, "levels": _levels(max(heights))}
    has_files = any(each.file for each in entries)
    shape = "hierarchies/paths/all_paths_of_files" if has_files else "hierarchies/paths/all_paths"
    return Statement(shape, leaves_)


def _levels(height: int) -> range:
    return range(1, height + 1)


def _origin(one: OneHierarchy) -> dict[str, object]:
    own = {"number": number_of(one.number), "height": one.height, "table": one.table}
    read = {} if one.file is None else mapping_sql.csv_file(*one.file, one.height)
    return {**NO_ORIGIN, **own, "rows": mapping_sql.cells(one.rows), **read}


def number_of(quasi: int) -> exp.Expr:
    """Return the number of a column as shared tables have it: as text, as loaded tables have only texts."""
    return literal(str(quasi))


def all_domains(
    domains: exp.Table,
    source: exp.Table,
    columns: Mapping[int, str],
    *,
    rows: int,
    weight: str | None = None,
) -> Statement:
    """Count the distinct values of several columns, by number; a row counts as one, or as its `weight`."""
    listed = [
        {"number": number_of(n), "column": column(text, of="s")} for n, text in columns.items()
    ]
    leaves_ = {"domains": domains, "source": source, "columns": listed}
    leaves_["weight"] = None if weight is None else column(weight, of="s")
    return Statement("hierarchies/domains/all_domains", leaves_, scans=rows)


def survey_all_paths(paths: exp.Table, height: int) -> Statement:
    """Count the same as `survey_paths`, for each level of each hierarchy."""
    leaves_ = {"paths": paths, "levels": _levels(height)}
    return Statement("hierarchies/paths/survey_all_paths", leaves_)


def survey_all_domains(domains: exp.Table, paths: exp.Table) -> Statement:
    """Count the same as `survey_domain`, for each column."""
    return Statement("hierarchies/domains/survey_all_domains", {"domains": domains, "paths": paths})


def all_paths_complete(
    complete: exp.Table, paths: exp.Table, heights: Mapping[int, int], nulls: Collection[int]
) -> Statement:
    """Complete the paths of several hierarchies; `nulls` are the numbers of columns with NULL as a value."""
    levels = _levels(max(heights.values()))
    tops = {n: [number_of(q) for q in nulls if heights[q] == n] for n in levels}
    return Statement(
        "hierarchies/paths/all_paths_complete",
        {
            "complete": complete,
            "paths": paths,
            "levels": levels,
            "nulls": [number_of(q) for q in nulls],
            "roots": [{"level": n, "columns": tops[n]} for n in levels],
        },
    )


def all_maps(
    maps: exp.Table, domains: exp.Table, paths: exp.Table, *, columns: int, height: int
) -> Statement:
    """Create the mapping tables of several quasi-identifiers as one shared table."""
    leaves_ = {"maps": maps, "domains": domains, "paths": paths}
    values = {"values": range(columns), "levels": _levels(height)}
    return Statement("hierarchies/all_maps", {**leaves_, **values})


def all_level_statistics(maps: exp.Table, paths: exp.Table, height: int) -> Statement:
    """Return the statistics of every level of several columns, also of levels above a column's last."""
    leaves_ = {"maps": maps, "paths": paths, "levels": _levels(height)}
    return Statement("hierarchies/all_level_statistics", leaves_)


def one_domain(domain: exp.Table, domains: exp.Table, quasi: int, at: int) -> Statement:
    """Create the view of one column's distinct values; `at` is the column's index in the shared table."""
    columns = [(f"value_{at}", "value"), ("row_count", "row_count")]
    return _one(domain, domains, quasi, columns)


def one_paths(paths: exp.Table, complete: exp.Table, quasi: int, height: int) -> Statement:
    """Create the view of one column's complete paths."""
    names = ["value"]
    for n in _levels(height):
        names += [mapping_sql.level(n), mapping_sql.leaf_count(n)]
    return _one(paths, complete, quasi, [(each, each) for each in names])


def one_map(map_: exp.Table, maps: exp.Table, quasi: int, at: int, height: int) -> Statement:
    """Create the view of one column's mapping table."""
    names = ["row_count", "ordinal_0"]
    for n in _levels(height):
        names += [mapping_sql.level(n), mapping_sql.leaf_count(n), f"ordinal_{n}"]
    return _one(map_, maps, quasi, [(f"value_{at}", "value"), *((each, each) for each in names)])


def _one(
    one: exp.Table, whole: exp.Table, quasi: int, columns: Sequence[tuple[str, str]]
) -> Statement:
    named = [{"from": column(own, of="w"), "as": name(as_)} for own, as_ in columns]
    leaves_ = {"one": one, "whole": whole, "number": number_of(quasi), "columns": named}
    return Statement("hierarchies/column_of_all", leaves_)
