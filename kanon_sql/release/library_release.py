"""Files of a release that a library writes: an engine gives batches, and the file is read again as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.counting.source.library_files import cast_columns, open_library_file, read_file
from kanon_sql.engines.files.file_kind import UnreadableFileError, UnwritableRowsError
from kanon_sql.engines.files.file_kinds import kind_of_file
from kanon_sql.engines.locations import Source
from kanon_sql.errors import Fault, ReleaseError, VerificationError
from kanon_sql.release.destination import check_nothing_lost

if TYPE_CHECKING:
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.files.file_kind import FileKind
    from kanon_sql.engines.locations import Destination
    from kanon_sql.release.destination import Publishable

TYPES_IN_FILES = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "decimal": "DOUBLE",
    "float": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
"""The types that a library is given, by the family of a column's type. Its files have no others."""


def why_not_by_library(facts: Capabilities, kind: FileKind, name: str) -> str | None:
    """Return why no library can write a release for an engine; None if one can."""
    if facts.local_files and "://" not in name:
        return None
    return (
        f"is {kind.label}, which is written on this machine by DuckDB alone; release Parquet or CSV"
    )


def write_by_library(
    run: Session, kind: FileKind, staged: Publishable, out: Destination, path: str
) -> None:
    """Write the staged rows to a file, read it back, and compare all rows. Raises ReleaseError, VerificationError."""
    columns = [each for each in run.engine.columns(staged.table) if each.name in staged.columns]
    faults = [
        Fault(
            f"columns.{each.name}",
            f"is of a type that {kind.label} does not have ({each.type}); cast it in a query",
        )
        for each in columns
        if _family(each) not in TYPES_IN_FILES
    ]
    if kind.most_rows is not None and staged.rows > kind.most_rows:
        what = f"has {staged.rows:,} rows, and {kind.label} has room for {kind.most_rows:,}; release Parquet or CSV"
        faults.append(Fault("release", what))
    if kind.most_cells is not None and staged.rows * len(columns) > kind.most_cells:
        what = f"has {staged.rows * len(columns):,} cells, and a file of {kind.label} is made in memory, of {kind.most_cells:,} at most; release Parquet or CSV"
        faults.append(Fault("release", what))
    if faults:
        raise ReleaseError(out.name, faults)
    given = run.scratch.table("given")
    types_given = {each.name: TYPES_IN_FILES[_family(each)] for each in columns}
    run.see(
        given,
        cast_columns(given, staged.table, {name: types_given[name] for name in staged.columns}),
    )
    try:
        kind.write(run.engine.batches(given, staged.columns), path, titles_of(run))
    except UnwritableRowsError as error:
        raise ReleaseError(out.name, [Fault("release", str(error))]) from error
    read, view = run.scratch.table("written"), run.scratch.table("written_values")
    header = True if "header" in kind.keys else None
    open_library_file(run, read, Source(path=path, header=header), "")
    types = {each.name: "VARCHAR" if _family(each) == "text" else each.type for each in columns}
    run.see(view, cast_columns(view, read, {name: types[name] for name in staged.columns}))
    try:
        check_nothing_lost(run, view, staged)
    except VerificationError as error:
        raise VerificationError(f"{error} ({kind.label}: {kind.loses})") from error
    for each in (view, given, read):
        run.scratch.drop(each)


def _family(column: ColumnType) -> str:
    """Return the family of a staged column; label codes are texts."""
    return "text" if column.enum else column.family


def titles_of(run: Session) -> dict[str, str]:
    """Return the labels that the source's file gives to its columns, by the names under which these are released."""
    kind = kind_of_file(run.policy.source.path or "")
    if kind is None or "values" not in kind.keys:
        return {}
    try:
        stored = read_file(run, run.policy.source, run.policy.base)
    except UnreadableFileError:
        return {}
    titles = {each.name: each.title for each in stored.columns if each.title}
    return {
        name: titles[each.name]
        for each in run.policy.columns
        if each.name in titles
        for name in each.released_as
    }
