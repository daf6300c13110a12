"""Publishes a verified staging table as the release, completely or not at all: the last step of a run."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted
from kanon_sql.engines import tables_sql
from kanon_sql.engines.atomic_write import atomic_write
from kanon_sql.engines.commands_sql import drop_table
from kanon_sql.errors import (
    DEBUG,
    Fault,
    ReleaseError,
    StatementError,
)
from kanon_sql.policy.locations import Format
from kanon_sql.recoding.label_codes import written_rows
from kanon_sql.release.compare_written import check_nothing_lost, is_what_was_staged
from kanon_sql.release.object_files import publish_to_store
from kanon_sql.release.publish_lake import publish_lake
from kanon_sql.release.replace_in_place import swap_in_place
from kanon_sql.source.files import open_written
from kanon_sql.sql.quoting import parse_table_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot import exp

    from kanon_sql.policy.locations import Destination
    from kanon_sql.release.stage import Staged
    from kanon_sql.run.session import Session


def publish(run: Session, staged: Staged, destination: Destination, *, replace: bool) -> None:
    """Publish a verified staging table at its destination, completely or not at all.

    A table is created by one statement, or replaces its source. A file or folder is written beside its place under a
    temporary name, compared with the staged rows, and renamed. `publish_to_store` says what object stores cannot do
    atomically. Raises ReleaseError, VerificationError.
    """
    with run.engine.journal.step("publish"), release_errors(destination):
        if destination.format.lake is not None:
            publish_lake(run, staged, destination)
        elif destination.in_place is not None:
            run.may_publish(destination.name)
            swap_in_place(run, staged, destination.in_place)
        elif destination.format is Format.TABLE:
            run.may_publish(destination.name)
            _publish_table(run, staged, parse_table_name(destination.name), replace=replace)
        else:
            _publish_files(run, staged, destination, replace=replace)


def formulas(run: Session, staged: Staged) -> Iterator[str]:
    """Yield a warning for each column of a CSV release with texts that spreadsheets would run as formulas."""
    texts = [c.name for c in run.engine.columns(staged.table) if c.family == "text"]
    texts = [name for name in texts if name in staged.columns]
    if not texts:
        return
    rows = staged.rows
    counts = run.engine.fetch(tables_sql.count_formulas(staged.table, texts, rows=rows))[0]
    for name, count in zip(texts, counts, strict=True):
        if count:
            begin = (
                f"{counted(int(str(count)), 'value')} of {name} begin{'s' if count == 1 else ''}"
            )
            yield (
                f"release: {begin} like a formula (=, +, -, @), which a spreadsheet runs when it "
                f"opens the CSV; import it as text, or change them in a query"
            )


def _publish_table(run: Session, staged: Staged, target: exp.Table, *, replace: bool) -> None:
    whole = run.engine.capabilities.replaces_tables
    if replace and not whole:
        run.engine.execute(drop_table(target))
    statement = tables_sql.publish_table(
        target, staged.table, staged.columns, replace=replace and whole
    )
    run.engine.execute(statement)


def _publish_files(
    run: Session, staged: Staged, destination: Destination, *, replace: bool
) -> None:
    path = run.path(destination.name)
    store = run.engine.store(path)
    if store is not None:
        with publish_to_store(store, path) as written:
            _write(run, staged, destination, written, store.remove)
            run.may_publish(destination.name)
    else:
        _publish_here(run, staged, destination, Path(path), replace=replace)


@contextmanager
def release_errors(destination: Destination) -> Iterator[None]:
    """Turn a StatementError into a ReleaseError that names the destination: nothing was published."""
    try:
        yield
    except StatementError as error:
        dotted = destination.format is Format.TABLE and "." in destination.name
        as_table = " as a table of that schema; a file ends in .parquet or .csv" if dotted else ""
        what = (
            f"cannot be written{as_table} ({error.why}); nothing was published. {DEBUG}=1 shows why"
        )
        raise ReleaseError(destination.name, [Fault("release", what)]) from error


def _publish_here(
    run: Session, staged: Staged, destination: Destination, path: Path, *, replace: bool
) -> None:
    try:
        with atomic_write(path) as place:
            _write(run, staged, destination, str(place.written), lambda _: place.clear())
            if run.engine.capabilities.writes_folders:
                for each in place.written.rglob(".*.crc"):  # Hadoop's own checksum of each file
                    each.unlink()
            run.may_publish(destination.name)
            if destination.added:
                place.add(len(destination.added))
            else:
                place.move(replace=replace)
    except OSError as error:
        what = f"cannot be written ({type(error).__name__}: {os.strerror(error.errno or 0)})"
        raise ReleaseError(destination.name, [Fault("release", what)]) from error


def _write(
    run: Session,
    staged: Staged,
    destination: Destination,
    path: str,
    remove: Callable[[str], object],
) -> None:
    """Write the staged rows to files, read them back, and compare counts and hashes of all rows.

    If label codes were written and the files differ, the files are removed, and texts are written and compared.
    """
    origin = _written_rows(run, staged, destination)
    view = _write_and_open(run, origin, staged, destination, path)
    if origin == staged.table:
        check_nothing_lost(run, view, staged)
    elif not is_what_was_staged(run, view, staged):
        run.scratch.drop(view)
        remove(path)
        view = _write_and_open(run, staged.table, staged, destination, path)
        check_nothing_lost(run, view, staged)
    run.scratch.drop(view)


def _write_and_open(
    run: Session, origin: exp.Table, staged: Staged, destination: Destination, path: str
) -> exp.Table:
    """Write rows to files, and return a view of the files."""
    run.engine.write(origin, staged.columns, destination, path)
    view = run.scratch.table("written")
    run.see(view, open_written(run.engine, destination, view, path))
    return view


def _written_rows(run: Session, staged: Staged, destination: Destination) -> exp.Table:
    """Return the table to write: for Parquet one with codes of labels if possible, else the staged rows."""
    codes = None if staged.query is None else staged.query.codes
    if codes is None or destination.format is not Format.PARQUET:
        return staged.table
    return written_rows(run, codes, counted=staged.rows, row_group=destination.row_group_rows)
