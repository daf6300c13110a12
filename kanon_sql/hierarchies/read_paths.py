"""The entries of a hierarchy: read from a file, a table, a query or the policy, or created by rule."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import InternalError
from kanon_sql.hierarchies import mapping_sql
from kanon_sql.source import source_sql
from kanon_sql.source.find_table import find_table
from kanon_sql.source.lineage import open_query
from kanon_sql.source.text_files import records

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.engines.base import Row
    from kanon_sql.hierarchies.hierarchy_kind import HierarchyKind
    from kanon_sql.policy.model import Column
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement

MOST_LEVELS = 64
"""Each level costs a pass over the distinct values. No hierarchy written by a person has more levels."""

MOST_ENTRIES = 10_000_000


def hierarchy_of(column: Column) -> HierarchyKind:
    """Return a quasi-identifier's hierarchy. Raises InternalError without one, which no policy allows."""
    if column.hierarchy is None:
        raise InternalError("a quasi-identifier without a hierarchy passed the policy")
    return column.hierarchy


def path_statements(
    run: Session,
    column: Column,
    domain: exp.Table,
    paths: exp.Table,
    *,
    opened: exp.Table | None = None,
) -> tuple[int, list[Statement]]:
    """Build the statements that create the paths of a column's hierarchy, and return its height.

    If the statements are for a script, `opened` names the view through which it reads the query of a hierarchy.
    Raises ValueError and OSError, without a value of the hierarchy in the text.
    """
    kind = hierarchy_of(column)
    if not kind.has_entries:
        bounded = column.output.bounded
        return kind.height, [mapping_sql.paths_by_rule(paths, domain, kind, bounded=bounded)]
    if kind.rows is not None:
        names = ["value", *(mapping_sql.level(n) for n in range(1, kind.height + 1))]
        return kind.height, [mapping_sql.paths_from_rows(paths, names, kind.rows)]
    if kind.file is not None:
        return _from_csv(run, kind, paths)
    if kind.table is not None:
        return _from_table(run, find_table(run.engine, kind.table), paths)
    if kind.query is None:
        raise InternalError(f"{kind.key} does not say where its entries are")
    view = run.scratch.table("hierarchy")
    run.see(view, open_query(run.engine, view, kind.query, run.policy.base))
    height, read = _from_table(run, view, paths)
    if opened is None:
        return height, read
    names = [column.name for column in run.engine.columns(view)]
    return height, [
        open_query(run.engine, opened, kind.query, run.policy.base),
        mapping_sql.paths_from_table(paths, opened, names),
    ]


def create_paths(
    run: Session, column: Column, domain: exp.Table, paths: exp.Table
) -> tuple[int, exp.Table]:
    """Create the paths of a column's values; return their height, and the table of the entries as they are written.

    Raises ValueError and OSError, without a value of the hierarchy in the text.
    """
    match = hierarchy_of(column).match
    entries = run.scratch.table("entries") if match else paths
    height, statements = path_statements(run, column, domain, entries)
    check_height(height)
    if match:
        statements.append(mapping_sql.matched_paths(paths, entries, domain, match, height))
    for statement in statements:
        run.engine.execute(statement)
    return height, entries


def _from_csv(run: Session, kind: HierarchyKind, paths: exp.Table) -> tuple[int, list[Statement]]:
    """Read a hierarchy file in the database, or load it if the database cannot read files of this machine."""
    file, delimiter, height = file_of(run, kind)
    if run.engine.capabilities.local_files:
        return height, [mapping_sql.paths_from_csv(paths, file, delimiter, height)]
    names = ["value", *(mapping_sql.level(n) for n in range(1, height + 1))]
    run.engine.load(paths, names, csv_rows(file, delimiter, height + 1))
    return height, []


def file_of(run: Session, kind: HierarchyKind) -> tuple[str, str, int]:
    """Return a hierarchy file's path, its delimiter and its height; raises ValueError and OSError."""
    if kind.file is None:
        raise InternalError(f"{kind.key} has no file")
    file = run.path(kind.file)
    if not Path(file).is_file():
        raise ValueError(f"there is no such file ({file})")
    delimiter, width = csv_shape(file, kind.delimiter)
    return file, delimiter, width - 1


def check_height(height: int) -> None:
    """Raise ValueError for a hierarchy of more than MOST_LEVELS levels."""
    if height > MOST_LEVELS:
        raise ValueError(f"has {height} levels, more than {MOST_LEVELS}; use fewer steps")


def _from_table(run: Session, origin: exp.Table, paths: exp.Table) -> tuple[int, list[Statement]]:
    names = [column.name for column in run.engine.columns(origin)]
    if len(names) < 2:
        raise ValueError("has one column; it needs the value and at least one level")
    return len(names) - 1, [mapping_sql.paths_from_table(paths, origin, names)]


def csv_shape(path: str, delimiter: str | None) -> tuple[str, int]:
    """Return a hierarchy file's delimiter and its greatest number of fields.

    Raises ValueError, with the number of the line, where it is not CSV to its end.
    """
    with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        first = next((line for line in lines if line.strip()), "")
    if not first:
        raise ValueError("the file is empty")
    chosen = delimiter or next((d for d in ";\t," if d in first), ";")
    width = max((len(fields) for _, fields in records(path, chosen)), default=0)
    if width < 2:
        raise ValueError("the file has one field a line; it needs the value and at least one level")
    return chosen, width


def csv_rows(file: str, delimiter: str, width: int) -> list[Row]:
    """Read the rows of a hierarchy file by DuckDB, so that all databases get the same rows."""
    with open_duckdb() as reader, scratch(reader) as tables:
        read = tables.table("paths")
        reader.execute(mapping_sql.paths_from_csv(read, file, delimiter, width - 1))
        return reader.fetch(source_sql.first_rows(read, MOST_ENTRIES))


def digest_of(run: Session, kind: HierarchyKind, paths: exp.Table, height: int) -> str:
    """Hash the entries that are outside the policy: the bytes of a file, the paths of a table or query.

    The paths are hashed with the run's key, as they may show which values the source has.
    """
    if kind.file is not None:
        with Path(run.path(kind.file)).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    if kind.is_elsewhere:
        names = ["value", *(mapping_sql.level(n) for n in range(1, height + 1))]
        ((count, summed),) = run.engine.fetch(source_sql.fingerprint(paths, names))
        return run.key.hash(f"{count} paths: {summed}")
    return "in the policy"
