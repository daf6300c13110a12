"""Last box: a verified staging table becomes the release, whole or not at all."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, ReleaseError, StatementError, VerificationError
from kanon_sql.flow.in_place import swap_in_place
from kanon_sql.flow.session import DEBUG
from kanon_sql.flow.source import dotted
from kanon_sql.model.policy import Format
from kanon_sql.sql import publishing, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.flow.session import Session
    from kanon_sql.flow.stage import Staged
    from kanon_sql.model.policy import Destination


def publish(run: Session, staged: Staged, destination: Destination, *, replace: bool) -> None:
    """Put a verified staging table where it belongs, whole or not at all.

    A table is made by one statement, or takes its source's place; a file or folder is written beside its place under a name
    of this run, counted again, and renamed.
    """
    with run.engine.journal.step("publish"), _told_as_release(destination):
        if destination.in_place is not None:
            swap_in_place(run, staged, destination.in_place)
        elif destination.format is Format.TABLE:
            target = dotted(destination.name)
            whole = run.engine.facts.replaces_tables
            if replace and not whole:
                run.engine.say(publishing.drop_table(target))
            statement = publishing.publish_table(
                target, staged.table, staged.columns, replace=replace and whole
            )
            run.engine.say(statement)
        else:
            _publish_path(run, staged, destination, replace=replace)


@contextmanager
def _told_as_release(destination: Destination) -> Iterator[None]:
    """Say of a refused statement that it was the release, and that nothing was published."""
    try:
        yield
    except StatementError as error:
        what = f"cannot be written ({error.kind}); nothing was published. {DEBUG}=1 shows why"
        raise ReleaseError(destination.name, [Fault("release", what)]) from error


def _publish_path(run: Session, staged: Staged, destination: Destination, *, replace: bool) -> None:
    path = Path(run.path(destination.name))
    mark = secrets.token_hex(4)
    suffix = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    beside = path.with_name(f".{path.name[:100]}.{mark}.kanon{suffix}")
    try:
        run.engine.say(
            publishing.copy_out(
                staged.table,
                staged.columns,
                path=str(beside),
                format_=destination.format,
                partition_by=destination.partition_by,
            )
        )
        _recount_written(run, staged, destination, beside)
        _move(beside, path, mark, replace=replace)
    except OSError as error:
        what = f"cannot be written ({type(error).__name__}: {os.strerror(error.errno or 0)})"
        raise ReleaseError(destination.name, [Fault("release", what)]) from error
    finally:
        if beside.is_dir():
            shutil.rmtree(beside, ignore_errors=True)
        else:
            beside.unlink(missing_ok=True)


def _recount_written(run: Session, staged: Staged, destination: Destination, beside: Path) -> None:
    """Count what was written; a file that is short is no release."""
    view = run.scratch.table("written")
    pattern = glob.escape(str(beside))
    if destination.partition_by:
        pattern += "/**/*.parquet"
    run.see(view, sources.open_as(view, pattern, destination.format))
    ((rows,),) = run.engine.ask(sources.count_rows(view))
    run.scratch.drop(view)
    if rows != staged.verification.rows:
        raise VerificationError(
            f"{rows} rows were written where {staged.verification.rows} were verified; "
            f"nothing was published"
        )


def _move(beside: Path, path: Path, mark: str, *, replace: bool) -> None:
    if beside.is_dir():
        old = path.with_name(f".{path.name[:100]}.{mark}.old")
        try:
            if replace and path.exists():
                path.rename(old)
            beside.rename(path)
        except BaseException:
            if old.exists() and not path.exists():
                old.rename(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
        return
    with beside.open("rb") as file:
        os.fsync(file.fileno())
    if replace:
        beside.replace(path)
        return
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError:  # no hard links here: the check a moment ago has to do
        beside.replace(path)
