"""Publishes a release as a table of a lake: writes and compares its files, then commits them at once."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from kanon_sql.documents.text import counted
from kanon_sql.engines import tables_sql
from kanon_sql.engines.atomic_write import atomic_write, remove_leftovers
from kanon_sql.engines.lakes.lake import has_table, lake_errors, open_lake
from kanon_sql.errors import Fault, InternalError, ReleaseError
from kanon_sql.policy.lake_tables import LakeFormat, LakeTable
from kanon_sql.policy.locations import Destination, Format
from kanon_sql.release.compare_written import check_nothing_lost
from kanon_sql.source import source_sql
from kanon_sql.source.open_lake import lake_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.lakes import delta
    from kanon_sql.release.stage import Staged
    from kanon_sql.run.session import Session

KEEPS = (
    "keep_original names a table of a database; the older versions of this table hold the original until --purge "
    "removes them: say drop_original: true"
)
HERE = (
    "a release to Delta is written below a folder of this machine so far; copy the table from there"
)


def publish_lake(run: Session, staged: Staged, destination: Destination) -> None:
    """Publish a verified staging table as a table of a lake, in one commit, completely or not at all."""
    table = lake_of(run, destination)
    pinned = None if destination.in_place is None else staged.snapshot
    with lake_errors(table, writes=True):
        match table.format:
            case LakeFormat.DELTA:
                _publish_delta(run, staged, table, destination.name, pinned)
            case LakeFormat.ICEBERG:
                _publish_iceberg(run, staged, table, destination.name, pinned)
            case LakeFormat.DUCKLAKE:
                _publish_ducklake(run, staged, table, destination.name, pinned)
            case _:
                assert_never(table.format)


def lake_of(run: Session, destination: Destination) -> LakeTable:
    """Return the lake's table of a destination, with its path made absolute."""
    table = destination.lake
    if table is None:
        raise InternalError(f"{destination.format} is no format of a lake")
    return lake_at(run.engine, table, run.policy.base)


def is_same_table(run: Session, table: LakeTable, other: LakeTable) -> bool:
    """Return True if two lake tables are the same table, whatever their versions."""
    other = lake_at(run.engine, other, run.policy.base)
    if table.format is not other.format:
        return False
    if table.format is not LakeFormat.DUCKLAKE:
        return table.place == other.place
    from kanon_sql.engines.lakes import ducklake  # noqa: PLC0415  few runs

    return ducklake.is_same_table(run.engine, table, other)


def _publish_delta(
    run: Session, staged: Staged, table: LakeTable, name: str, pinned: str | None
) -> None:
    """Write a Delta table beside its place, compare its rows as read by Delta's library, and rename it.

    The rows of an existing table are replaced in one commit instead, and its older versions stay.
    """
    from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

    path = Path(table.place)
    with atomic_write(path) as place:
        place.written.mkdir()
        parts, _ = _partitions(run, staged, table) if path.exists() else ([], [])
        written = _write_parts(run, staged, place.written, parts)
        delta.write_log(place.written, written)
        beside = LakeTable(LakeFormat.DELTA, str(place.written))
        view = run.scratch.table("written")
        run.scratch.is_view(view, view=open_lake(run.engine, beside).open_rows(view))
        _compare(run, staged, view)
        run.may_publish(name)
        if path.exists():
            delta.replace_rows(table, written, pinned)
        else:
            place.move(replace=False)


def _partitions(run: Session, staged: Staged, table: LakeTable) -> tuple[list[str], list[str]]:
    """Return the partition columns of an existing Delta table that its release keeps, and those it loses."""
    from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

    there, rows = delta.partitions_of(table.place), staged.rows
    kept = [
        each
        for each in there
        if each in staged.columns  # deltalake commits no partition of NULL beside others
        and not run.engine.fetch_count(source_sql.count_missing(staged.table, each, rows=rows))
    ]
    if len(kept) == len(staged.columns):  # a file has to have a column
        kept = []
    return kept, [each for each in there if each not in kept]


def _write_parts(run: Session, staged: Staged, folder: Path, parts: Sequence[str]) -> delta.Written:
    """Write the staged rows as one Parquet file, or with `parts` as files for each partition."""
    from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

    if not parts:
        file = Path(_write_file(run, staged, str(folder)))
        return delta.written_in(folder, (), like=file)
    like = run.scratch.table("like")
    run.engine.execute(tables_sql.empty_copy(like, staged.table))
    own = str(folder / "like.parquet")
    run.engine.write(like, staged.columns, Destination(Format.PARQUET, own), own)
    below = str(folder / "parts")
    out = Destination(Format.PARQUET, below, tuple(parts))
    run.engine.write(staged.table, staged.columns, out, below)
    return delta.written_in(folder / "parts", parts, like=Path(own))


def partition_notes(run: Session, staged: Staged, destination: Destination) -> list[str]:
    """Return a warning if a Delta table's release loses some of the table's partition columns."""
    table = lake_of(run, destination)
    if table.format is not LakeFormat.DELTA or not Path(table.place).exists():
        return []
    with lake_errors(table):
        kept, lost = _partitions(run, staged, table)
    if not lost:
        return []
    now = f"by {', '.join(kept)} alone" if kept else "no more"
    before = ", ".join([*kept, *lost])
    return [
        f"the table was partitioned by {before}, and is now {now}: others are not released, or have NULL"
    ]


def _publish_iceberg(
    run: Session, staged: Staged, table: LakeTable, name: str, pinned: str | None
) -> None:
    """Write a file to an Iceberg table's folder, compare its rows as the library reads them, and commit."""
    from kanon_sql.engines.lakes import iceberg_commit  # noqa: PLC0415  an extra

    with iceberg_commit.commit_of_rows(table, pinned) as commit:
        commit.add(_write_file(run, staged, commit.folder))
        view = run.scratch.table("written")
        run.scratch.is_view(view, view=run.engine.register(view, commit.rows()))
        _compare(run, staged, view)
        run.may_publish(name)
        commit.end()


def _publish_ducklake(
    run: Session, staged: Staged, table: LakeTable, name: str, pinned: str | None
) -> None:
    """Create the table in a transaction, compare its rows with the staged ones, and commit."""
    from kanon_sql.engines.lakes import ducklake  # noqa: PLC0415  few runs

    with ducklake.commit_of_table(run.engine, table, pinned) as (made, replace):
        columns = staged.columns
        run.engine.execute(tables_sql.publish_table(made, staged.table, columns, replace=replace))
        check_nothing_lost(run, made, staged)
        run.may_publish(name)


def _write_file(run: Session, staged: Staged, folder: str) -> str:
    """Write the staged rows as one file of Parquet, and return its path."""
    path = f"{folder}/part-00000-{secrets.token_hex(16)}.parquet"
    run.engine.write(staged.table, staged.columns, Destination(Format.PARQUET, path), path)
    return path


def _compare(run: Session, staged: Staged, view: exp.Table) -> None:
    """Raise VerificationError where the rows that the lake's library reads are not the staged ones."""
    check_nothing_lost(run, view, staged)
    run.scratch.drop(view)


def lake_faults(
    run: Session, destination: Destination, frame: object | None, *, replace: bool | None
) -> Iterator[Fault]:
    """Yield a fault for each reason why a table of a lake cannot take a release."""
    of = destination.format.lake
    if of is None:
        return
    if not run.engine.capabilities.reads_lakes:
        what = f"is a table of {of.label}, which DuckDB writes; {run.engine.capabilities.name} releases to tables"
        yield Fault("release", what)
        return
    table = lake_of(run, destination)
    if of is LakeFormat.DELTA and "://" in table.place:
        yield Fault("release", HERE)
        return
    if of is LakeFormat.DELTA and replace is not None and Path(table.place).parent.is_dir():
        remove_leftovers(Path(table.place).parent)
    if of is LakeFormat.DUCKLAKE and replace is not None:
        path = table.path
        if path is not None and Path(path).exists() and not os.access(path, os.W_OK):
            yield Fault("release", "its catalog cannot be written to")
            return
    if destination.in_place is not None:
        yield from _in_place_faults(run, destination, table, frame)
    else:
        yield from _new_faults(run, table, replace=replace)


def _new_faults(run: Session, table: LakeTable, *, replace: bool | None) -> Iterator[Fault]:
    there = has_table(run.engine, table)
    if there and replace is False:
        what = "already exists; --replace commits another version of it (from Python: replace=True)"
        yield Fault("release", what)
    elif there and replace:
        problems = open_lake(run.engine, table).release_problems()
        yield from (Fault("release", each) for each in problems)
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
    lake = open_lake(run.engine, changed(table, version=source.version))
    if not lake.is_newest:
        what = (
            "in_place replaces the newest version, and the policy names an older one; leave it out"
        )
        yield Fault("release", what)
    yield from (Fault("release", each) for each in lake.release_problems())


def why_not_purged(run: Session, destination: Destination) -> str | None:
    """Return the reason why `purge` cannot remove the older versions of a table; None if it can."""
    table = lake_of(run, destination)
    if table.format is not LakeFormat.DUCKLAKE:
        return None
    from kanon_sql.engines.lakes import ducklake_catalog  # noqa: PLC0415  few runs

    with lake_errors(table):
        return ducklake_catalog.why_not_purged(ducklake_catalog.duckdb_of(run.engine), table)


def purge_lake(run: Session, destination: Destination) -> None:
    """Remove the older versions of a table that was released in place. Raises ReleaseError."""
    table = lake_of(run, destination)
    run.reached.append(
        f"--purge did not end, and older versions of {table.name} may hold raw rows: purge it again by the tools "
        f"of {table.format.label} (VACUUM, expire_snapshots)"
    )
    try:
        open_lake(run.engine, table).purge()
    except Exception as error:
        what = f"ended by {type(error).__name__}: the release is there, and its older versions may hold raw rows"
        raise ReleaseError("--purge", [Fault("", what)]) from error
    run.reached.pop()


def older_versions_note(run: Session, destination: Destination) -> str:
    """Return a warning that older versions with raw rows stay readable, and whether --purge removes them."""
    table = lake_of(run, destination)
    versions = open_lake(run.engine, table).versions
    what = counted(versions, f"older {table.format.version}")
    of = (
        "of the catalog, with all its tables,"
        if table.format is LakeFormat.DUCKLAKE
        else "of the table"
    )
    why_not = why_not_purged(run, destination)
    then = "--purge removes them" if why_not is None else f"--purge cannot remove them: {why_not}"
    return f"{what} {of} can still be read, with raw rows; {then}"
