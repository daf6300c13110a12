"""Files that a library reads: its batches are streamed into a scratch table, whose columns get their types by SQL."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import CatalogText, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.session import on_disk
from kanon_sql.counting.source.files import files_at
from kanon_sql.engines.files.file_kind import UnreadableFileError
from kanon_sql.engines.files.file_kinds import kind_of_file, misplaced_keys
from kanon_sql.errors import Fault, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.files.file_kind import ColumnInFile, FileKind, StoredRows
    from kanon_sql.engines.locations import Source

OF_TEXT_FILES: dict[str, object] = {
    "delimiter": None,
    "encoding": None,
    "skip": 0,
    "header": None,
    "union_by_name": False,
}
"""The keys of a source that go with text files, at their defaults."""


def open_library_file(run: Session, view: exp.Table, source: Source, base: str) -> None:
    """Open a file that a library reads under the name `view`. Raises SourceError and MissingExtraError."""
    kind, path = _kind(source), source.path or ""
    if faults := list(_faults(run.engine, kind, source)):
        raise SourceError(path, faults)
    try:
        stored = read_file(run, source, base)
        taken = take(run, stored)
    except UnreadableFileError as error:
        raise SourceError(path, [Fault("source", str(error))]) from error
    numbers = [each.name for each in stored.columns if each.stores == "number"]
    fractions = run.engine.fetch_counts(count_fractions(taken, numbers)) if numbers else []
    whole = {name for name, count in zip(numbers, fractions, strict=True) if not count}
    run.see(view, stored_values(view, taken, stored.columns, whole))
    run.scratch.drop(taken)


def read_file(run: Session, source: Source, base: str) -> StoredRows:
    """Return the columns of a file that a library reads, and its rows, still unread. Raises as `open_library_file`."""
    path = source.path or ""
    pattern = files_at(on_disk(path, run.engine), base).pattern
    files = glob.glob(pattern, recursive=True)  # noqa: PTH207
    if len(files) != 1:
        what = f"names {len(files)} files, and of {_kind(source).label} one is read: write them as Parquet, or name one"
        raise SourceError(path, [Fault("source", what)])
    return _kind(source).read(files[0], source)


def take(run: Session, stored: StoredRows) -> exp.Table:
    """Stream the rows of a file into a scratch table. Raises UnreadableFileError."""
    taken = run.scratch.table("taken")
    failed: list[UnreadableFileError] = []
    try:
        run.scratch.is_view(taken, view=run.engine.take(taken, stored.opened(failed)))
    except StatementError as error:
        raise (failed[0] if failed else UnreadableFileError("cannot be read")) from error
    return taken


def _kind(source: Source) -> FileKind:
    kind = kind_of_file(source.path or "")
    if kind is None:
        raise UnreadableFileError("is no file that a library reads")
    return kind


def _faults(engine: Engine, kind: FileKind, source: Source) -> Iterator[Fault]:
    """Yield a fault for a kind of file that the engine cannot be given, and for each key that does not go with it."""
    if not engine.capabilities.local_files or "://" in (source.path or ""):
        who = "kanon-sql" if "://" in (source.path or "") else engine.capabilities.name
        what = f"is {kind.label}, which {who} reads on this machine by DuckDB alone: write it as Parquet first"
        yield Fault("source", what)
    for key, default in OF_TEXT_FILES.items():
        if key not in kind.keys and getattr(source, key) != default:
            yield Fault("source", f"{key} goes with text files, and this is {kind.label}")
    yield from (Fault("source", what) for what in misplaced_keys(source))


def cast_columns(view: exp.Table, origin: exp.Table, types: Mapping[str, str]) -> Statement:
    """See columns of a table as the types that a database names."""
    described = [
        {"column": column(each, of="t"), "as": name(each), "type": CatalogText(of)}
        for each, of in types.items()
    ]
    return Statement("source/cast_columns", {"view": view, "origin": origin, "columns": described})


def count_fractions(origin: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the numbers of each column that are no whole numbers."""
    described = [column(each, of="f") for each in columns]
    return Statement("source/count_fractions", {"origin": origin, "columns": described})


def stored_values(
    view: exp.Table, origin: exp.Table, columns: Sequence[ColumnInFile], whole: Collection[str]
) -> Statement:
    """Take in the rows of a file as the types that its columns store; numbers of the `whole` columns are whole."""
    described = [
        {
            "column": column(each.name, of="f"),
            "as": name(each.name),
            "stores": each.stores,
            "labels": [{"value": literal(of), "text": literal(text)} for of, text in each.labels],
            "whole": each.name in whole,
            "units": each.units,
            "origin": each.origin,
            "origin_ms": 86_400_000 * each.origin,
        }
        for each in columns
    ]
    return Statement("source/stored_values", {"view": view, "origin": origin, "columns": described})
