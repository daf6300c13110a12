"""A release as a table of a lake: its file is written and compared first, and then committed, all at once."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted
from kanon_sql.engines.atomic_write import atomic_write, remove_leftovers
from kanon_sql.engines.lakes.lake import lake_errors, open_lake
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.policy.lake_tables import LakeFormat, LakeTable
from kanon_sql.policy.locations import Destination, Format
from kanon_sql.release.compare_written import check_nothing_lost
from kanon_sql.source.open_lake import lake_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.release.stage import Staged
    from kanon_sql.run.session import Session

KEEPS = (
    "keep_original names a table of a database; the older versions of this table hold the original until --purge "
    "removes them: say drop_original: true"
)
HERE = (
    "a release to Delta is written below a folder of this machine so far; copy the table from there"
)


def publish_delta(run: Session, staged: Staged, destination: Destination) -> None:
    """Write a Delta table beside its place, compare what its reader reads, and rename it; or commit its file.

    The rows of a table that is there are replaced in one commit, in which case the table's older versions stay.
    """
    path = Path(run.path(destination.name))
    table = LakeTable(LakeFormat.DELTA, str(path))
    with lake_errors(table, writes=True), atomic_write(path) as place:
        from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

        place.written.mkdir()
        file = _write_file(run, staged, str(place.written))
        delta.write_log(place.written, Path(file).name, staged.rows)
        beside = LakeTable(LakeFormat.DELTA, str(place.written))
        _compare(run, staged, open_lake(beside).rows())
        run.may_publish(destination.name)
        if path.exists():
            rows = staged.rows
            delta.replace_rows(table, Path(file), rows, _pinned(destination, staged))
        else:
            place.move(replace=False)


def publish_iceberg(run: Session, staged: Staged, destination: Destination) -> None:
    """Write a file to where a table of Iceberg has its data, compare what its reader reads, and commit it."""
    table = LakeTable(LakeFormat.ICEBERG, destination.name)
    with lake_errors(table, writes=True):
        from kanon_sql.engines.lakes import iceberg  # noqa: PLC0415  an extra

        with iceberg.commit_of_rows(table, _pinned(destination, staged)) as commit:
            commit.add(_write_file(run, staged, commit.folder))
            _compare(run, staged, commit.rows())
            run.may_publish(destination.name)
            commit.end()


def _pinned(destination: Destination, staged: Staged) -> str | None:
    """Give the version that a release in place was made from: no other is replaced."""
    return None if destination.in_place is None else staged.snapshot


def _write_file(run: Session, staged: Staged, folder: str) -> str:
    """Write the staged rows as one file of Parquet, and return its path."""
    path = f"{folder}/part-00000-{secrets.token_hex(16)}.parquet"
    run.engine.write(staged.table, staged.columns, Destination(Format.PARQUET, path), path)
    return path


def _compare(run: Session, staged: Staged, rows: object) -> None:
    """Compare what the library of the format reads with what was verified; raises VerificationError."""
    view = run.scratch.table("written")
    run.scratch.is_view(view, view=run.engine.register(view, rows))
    check_nothing_lost(run, view, staged)
    run.scratch.drop(view)


def lake_faults(
    run: Session, destination: Destination, frame: object | None, *, replace: bool | None
) -> Iterator[Fault]:
    """Find why a table of a lake cannot take a release."""
    of = destination.format.lake
    if of is None:
        return
    if not run.engine.capabilities.reads_lakes:
        what = f"is a table of {of.label}, which DuckDB writes; {run.engine.capabilities.name} releases to tables"
        yield Fault("release", what)
        return
    place = run.path(destination.name) if destination.format.is_path else destination.name
    if of is LakeFormat.DELTA and "://" in place:
        yield Fault("release", HERE)
        return
    if of is LakeFormat.DELTA and replace is not None and Path(place).parent.is_dir():
        remove_leftovers(Path(place).parent)
    if destination.in_place is not None:
        yield from _in_place_faults(run, destination, LakeTable(of, place), frame)
    else:
        yield from _new_faults(LakeTable(of, place), replace=replace)


def _new_faults(table: LakeTable, *, replace: bool | None) -> Iterator[Fault]:
    there = exists(table)
    if there and replace is False:
        what = "already exists; --replace commits another version of it (from Python: replace=True)"
        yield Fault("release", what)
    elif there and replace:
        yield from (Fault("release", each) for each in open_lake(table).release_problems())
    elif table.format is LakeFormat.DELTA and not there:
        path = Path(table.place)
        if path.exists() and replace is not None:
            yield Fault("release", "already exists, and is no Delta table; name another folder")
        elif not path.parent.is_dir():
            yield Fault("release", "its folder does not exist")


def _in_place_faults(
    run: Session, destination: Destination, table: LakeTable, frame: object | None
) -> Iterator[Fault]:
    source, in_place = run.policy.source.lake, destination.in_place
    if frame is not None or source is None or in_place is None:
        yield Fault(
            "release", "in_place needs a source that is a table of the database or of a lake"
        )
        return
    if in_place.keep is not None:
        yield Fault("release.keep_original", KEEPS)
    for name in in_place.accept:
        yield Fault(name, "is accepted, but nothing hangs on a table of a lake; leave it out")
    lake = open_lake(LakeTable(table.format, table.place, source.version))
    if not lake.is_newest:
        what = (
            "in_place replaces the newest version, and the policy names an older one; leave it out"
        )
        yield Fault("release", what)
    yield from (Fault("release", each) for each in lake.release_problems())


def exists(table: LakeTable) -> bool:
    """Whether there is a table; raises ReleaseError where that cannot be found out."""
    with lake_errors(table, writes=True):
        if table.format is LakeFormat.DELTA:
            from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

            return delta.is_delta(table.place)
        from kanon_sql.engines.lakes import iceberg  # noqa: PLC0415  an extra

        return iceberg.has_table(table)


def purge_lake(run: Session, destination: Destination) -> None:
    """Remove the older versions of a table that was released in place; raises ReleaseError."""
    of = destination.format.lake
    if of is None:
        return
    place = run.path(destination.name) if destination.format.is_path else destination.name
    table = LakeTable(of, place)
    run.reached.append(
        f"--purge did not end, and older versions of {table.name} may hold raw rows: purge it again by the tools "
        f"of {of.label} (VACUUM, expire_snapshots)"
    )
    try:
        open_lake(table).purge()
    except Exception as error:
        what = f"ended by {type(error).__name__}: the release is there, and its older versions may hold raw rows"
        raise ReleaseError("--purge", [Fault("", what)]) from error
    run.reached.pop()


def older_versions_note(run: Session, destination: Destination) -> str:
    """Say what a release in place will leave behind."""
    of, source = destination.format.lake, run.policy.source.lake
    count = (
        0 if source is None else open_lake(lake_at(run.engine, source, run.policy.base)).versions
    )
    what = counted(count, f"older {'version' if of is LakeFormat.DELTA else 'snapshot'}")
    return f"{what} of the table can still be read, with raw rows; --purge removes them"
