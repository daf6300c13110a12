"""Statements that map several columns, whose hierarchies have entries, in shared tables.

In a shared table each row has the number of its column, as text. The values of each column are in a separate column, of
the column's type. A statement on one column reads a view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.hierarchies import mapping_sql
from kanon_sql.late_dataclass import dataclass
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp


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
    shape = "hierarchies/all_paths_of_files" if has_files else "hierarchies/all_paths"
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
    return Statement("hierarchies/all_domains", leaves_, scans=rows)


def survey_all_paths(paths: exp.Table, height: int) -> Statement:
    """Count the same as `survey_paths`, for each level of each hierarchy."""
    leaves_ = {"paths": paths, "levels": _levels(height)}
    return Statement("hierarchies/survey_all_paths", leaves_)


def survey_all_domains(domains: exp.Table, paths: exp.Table) -> Statement:
    """Count the same as `survey_domain`, for each column."""
    return Statement("hierarchies/survey_all_domains", {"domains": domains, "paths": paths})


def all_paths_complete(
    complete: exp.Table, paths: exp.Table, heights: Mapping[int, int], nulls: Collection[int]
) -> Statement:
    """Complete the paths of several hierarchies; `nulls` are the numbers of columns with NULL as a value."""
    levels = _levels(max(heights.values()))
    tops = {n: [number_of(q) for q in nulls if heights[q] == n] for n in levels}
    return Statement(
        "hierarchies/all_paths_complete",
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
