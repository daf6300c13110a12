"""Open any kind of source under a name of a run: files, a table, a query, or a table of a lake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import DEBUG, Fault, SourceError, StatementError
from kanon_sql.run.session import on_disk, resolve
from kanon_sql.source import source_sql
from kanon_sql.source.files import broken_parquet, files_at, open_files, see_files
from kanon_sql.source.find_table import ENDINGS, find_table
from kanon_sql.source.header_line import check_header
from kanon_sql.source.lineage import open_query
from kanon_sql.source.text_files import find_misfit, first_fields

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.locations import Source
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement


def source_name(source: Source) -> str:
    """Return the name of a source for messages."""
    lake = None if source.lake is None else source.lake.name
    return source.path or source.table or lake or ("query" if source.query else "source")


def open_as_view(run: Session, view: exp.Table, source: Source, base: str) -> str | None:
    """Open a source under the name `view`. Raises SourceError if it is missing or unreadable.

    Returns the version of a table of a lake; None for other sources.
    """
    if source.lake is not None:
        from kanon_sql.source.open_lake import open_lake_table  # noqa: PLC0415  of lakes

        return open_lake_table(run, view, source.lake, base).snapshot
    try:
        if source.path is not None and run.engine.capabilities.reads_files:
            see_files(run, view, source, base)
        else:
            run.see(view, open_statement(run.engine, source, view, base))
    except StatementError as error:
        path, what = source.path or "", "cannot be read"
        if (line := _refused_line(run, source, base, error)) is not None:
            raise SourceError(source_name(source), [Fault("source", line)]) from error
        if "://" in path:
            what = "holds no file that can be read, or is out of reach"
        elif source.query is not None and error.kind == "IOException":
            what = "names a file that cannot be read; relative paths start from the policy's folder"
        elif path and not source_sql.has_ending(path) and Path(resolve(path, base)).is_file():
            what = f"is no Parquet file, and its ending is none of {ENDINGS}"
            if path.endswith((".yml", ".yaml")):
                what = "is YAML and no table; a policy names its table under source"
        elif path and (broken := broken_parquet(path, base)):
            what = broken
        elif source.query is not None:
            what = "cannot be read; check its syntax and the names of its tables and columns"
        what += f" ({error.why}); {DEBUG}=1 shows the database's message"
        raise SourceError(source_name(source), [Fault("source", what)]) from error
    if source.path is not None and source.header is None:
        _check_header(run, view, source, base)
    return None


def _check_header(run: Session, view: exp.Table, source: Source, base: str) -> None:
    """Raise SourceError if the first line of a text file looks like a row; for sources without `header`."""
    pattern = files_at(on_disk(source.path or "", run.engine), base).pattern
    if source_sql.kind_of(pattern) == "csv":
        fields = first_fields(pattern, source.delimiter, source.skip)
        check_header(run.engine, view, source_name(source), len(fields) or None)


def _refused_line(run: Session, source: Source, base: str, error: StatementError) -> str | None:
    """Describe the line for which the database refused a text file; None if it cannot be found."""
    if source.path is None or source_sql.kind_of(source.path) != "csv":
        return None
    pattern = files_at(on_disk(source.path, run.engine), base).pattern
    return find_misfit(pattern, source.delimiter, source.skip, error.cause)


def open_statement(engine: Engine, source: Source, view: exp.Table, base: str) -> Statement:
    """Return the statement that opens a source. Raises SourceError if it is missing, or no statement can."""
    if source.lake is not None:
        what = "is read by a library, and by no statement: write a plain copy, or apply the plan instead"
        raise SourceError(source.lake.name, [Fault("source", what)])
    if source.path is not None:
        if not engine.capabilities.reads_files:
            what = f"is a file; {engine.capabilities.name} reads tables and queries"
            raise SourceError(source.path, [Fault("source", what)])
        return open_files(engine, source, view, base)
    if source.query is not None:
        try:
            return open_query(engine, view, source.query, base)
        except ValueError as error:
            raise SourceError("query", [Fault("source.query", str(error))]) from error
    return source_sql.open_table(view, find_table(engine, source.table or ""))
