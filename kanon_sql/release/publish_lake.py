"""Chooses the publisher of a destination, and publishes to a lake: writes and compares files, then commits them at once."""

from __future__ import annotations

import os
import secrets
from abc import abstractmethod
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from kanon_sql.base.documents.text import counted
from kanon_sql.counting.source.open_view import lake_at
from kanon_sql.engines import commands_sql
from kanon_sql.engines.lakes.lake import has_table, lake_errors, open_lake
from kanon_sql.engines.lakes.lake_tables import LakeFormat, LakeTable
from kanon_sql.engines.local_files import atomic_write, remove_leftovers
from kanon_sql.engines.locations import Destination, Format, Source
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InternalError, ReleaseError
from kanon_sql.release.destination import (
    Publisher,
    Unpublished,
    check_nothing_lost,
    files_read,
    is_read,
    sources_read,
)
from kanon_sql.release.publish import FilePublisher, TablePublisher
from kanon_sql.release.publish_view import NO_SCRIPT, InPlacePublisher, ViewPublisher, why_keeping
from kanon_sql.release.stage import FILES, IN_PLACE, Executor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.lakes import delta
    from kanon_sql.engines.locations import InPlace
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.release.destination import Publishable


KEEPS = (
    "keep_original names a table of a database; the older versions of this table hold the original until --purge "
    "removes them: say drop_original: true"
)
HERE = (
    "a release to Delta is written below a folder of this machine so far; copy the table from there"
)


class LakePublisher(Publisher):
    """Publishes a release as a table of a lake, in one commit: a new table, another version of it, or its source's."""

    lake: ClassVar[LakeFormat]
    versions_of: ClassVar[str] = "of the table"
    """The words for what has the older versions."""

    @property
    def executor(self) -> Executor:
        return FILES if self.destination.in_place is None else IN_PLACE

    @classmethod
    def takes(cls, destination: Destination) -> bool:
        return destination.format.kind.lake is cls.lake

    @property
    def table(self) -> LakeTable:
        """The lake's table, with its path made absolute."""
        table = self.destination.lake
        if table is None:
            raise InternalError(f"{self.destination.format} is no format of a lake")
        return lake_at(self.run.engine, table, self.run.policy.base)

    def faults(self) -> Iterator[Fault]:
        run, table, in_place = self.run, self.table, self.destination.in_place
        if in_place is None and self.is_read(table):
            what = "is read by the run; what a run reads is never written to, but in place"
            yield Fault("release", what)
            return
        if not run.engine.capabilities.reads_lakes:
            name = run.engine.capabilities.name
            what = (
                f"is a table of {self.lake.label}, which DuckDB writes; {name} releases to tables"
            )
            yield Fault("release", what)
            return
        if (why := self.why_not_here(table)) is not None:
            yield Fault("release", why)
        elif in_place is not None:
            yield from _in_place_faults(run, in_place, table, self.frame)
        else:
            yield from self._new_faults(table)

    def is_read(self, table: LakeTable) -> bool:
        """Return whether the run reads this table, whatever its version."""
        run = self.run
        sources = [each.lake for _, each in sources_read(run.policy) if each.lake is not None]
        there = (lake_at(run.engine, each, run.policy.base) for each in sources)
        return any(each.format is table.format and self.is_same(table, each) for each in there)

    def is_same(self, table: LakeTable, other: LakeTable) -> bool:
        """Return whether two tables of this lake are the same table."""
        return table.place == other.place

    def why_not_here(self, table: LakeTable) -> str | None:
        """Return why no table is written at this place; None if one may be."""
        del table
        return None

    def _new_faults(self, table: LakeTable) -> Iterator[Fault]:
        there = has_table(self.run.engine, table)
        if there and self.replace is False:
            what = "already exists; --replace commits another version of it (from Python: replace=True)"
            yield Fault("release", what)
        elif there and self.replace:
            problems = open_lake(self.run.engine, table).release_problems()
            yield from (Fault("release", each) for each in problems)
        elif not there and (why := self.why_no_new(table)) is not None:
            yield Fault("release", why)

    def why_no_new(self, table: LakeTable) -> str | None:
        """Return why no new table can be created at this place; None if it can."""
        del table
        return None

    def script_faults(self, *, to_table: bool) -> Iterator[Fault]:
        policy = self.run.policy
        if self.destination.in_place is not None:
            yield policy.fault("release", NO_SCRIPT)
        elif not to_table:
            what = f"a script commits nothing to {self.lake.label}; apply the plan instead, or name a table: --release NAME"
            yield policy.fault("release", what)

    @property
    def why_not_purged(self) -> str | None:
        if self.destination.in_place is None:
            return super().why_not_purged
        return why_keeping(self.destination) or self.why_kept()

    def why_kept(self) -> str | None:
        """Return why `purge` cannot remove the older versions of a table; None if it can."""
        return None

    def remove_dropped(self) -> None:
        """Remove the older versions of a table that was released in place. Raises ReleaseError."""
        run, table = self.run, self.table
        with run.engine.journal.step("purge"):
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

    def notes(self, staged: Publishable) -> Iterator[str]:
        """Warn that older versions with raw rows stay readable, and say whether --purge removes them."""
        del staged
        if self.destination.in_place is not None and not self.purge:
            versions = open_lake(self.run.engine, self.table).versions
            what = counted(versions, f"older {self.lake.version}")
            why = self.why_kept()
            then = "--purge removes them" if why is None else f"--purge cannot remove them: {why}"
            yield f"{what} {self.versions_of} can still be read, with raw rows; {then}"

    def write(self, planned: Planned, staged: Publishable) -> None:
        del planned
        pinned = None if self.destination.in_place is None else staged.snapshot
        with lake_errors(self.table, writes=True):
            self.commit(staged, self.table, pinned)

    @abstractmethod
    def commit(self, staged: Publishable, table: LakeTable, pinned: str | None) -> None:
        """Write the rows, compare them as the lake's library reads them, and commit them.

        `pinned` is the version that a release in place was made from.
        """

    @property
    def place(self) -> str:
        return self.table.location

    def source_at(self, place: str) -> Source:
        return Source(lake=changed(self.destination, name=place).lake)


class DeltaPublisher(LakePublisher):
    """Publishes a release as a Delta table, in a folder of this machine."""

    lake = LakeFormat.DELTA

    def is_read(self, table: LakeTable) -> bool:
        """Return whether the run reads this table, any file in its folder, or a folder around it."""
        if "://" in table.place:
            return super().is_read(table)
        path = Path(table.place)
        return any(is_read(path, each, folders=True) for _, each in files_read(self.run))

    def why_not_here(self, table: LakeTable) -> str | None:
        if "://" in table.place:
            return HERE
        if self.replace is not None and Path(table.place).parent.is_dir():
            remove_leftovers(Path(table.place).parent)
        return None

    def why_no_new(self, table: LakeTable) -> str | None:
        path = Path(table.place)
        if path.exists() and self.replace is not None:
            return "already exists, and is no Delta table; name another folder"
        return None if path.parent.is_dir() else "its folder does not exist"

    def notes(self, staged: Publishable) -> Iterator[str]:
        """Warn also where the release loses some of the table's partition columns."""
        yield from super().notes(staged)
        table = self.table
        if not Path(table.place).exists():
            return
        with lake_errors(table):
            kept, lost = _partitions(self.run, staged, table)
        if lost:
            now = f"by {', '.join(kept)} alone" if kept else "no more"
            before = ", ".join([*kept, *lost])
            yield f"the table was partitioned by {before}, and is now {now}: others are not released, or have NULL"

    def commit(self, staged: Publishable, table: LakeTable, pinned: str | None) -> None:
        """Write a table beside its place, and rename it.

        The rows of an existing table are replaced in one commit instead, and its older versions stay.
        """
        from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

        run, path = self.run, Path(table.place)
        with atomic_write(path) as place:
            place.written.mkdir()
            parts, _ = _partitions(run, staged, table) if path.exists() else ([], [])
            written = _write_parts(run, staged, place.written, parts)
            delta.write_log(place.written, written)
            beside = LakeTable(LakeFormat.DELTA, str(place.written))
            view = run.scratch.table("written")
            run.scratch.is_view(view, view=open_lake(run.engine, beside).open_rows(view))
            _compare(run, staged, view)
            run.may_publish(self.destination.name)
            if path.exists():
                delta.replace_rows(table, written, pinned)
            else:
                place.move(replace=False)


class IcebergPublisher(LakePublisher):
    """Publishes a release as an Iceberg table of a catalog."""

    lake = LakeFormat.ICEBERG

    def commit(self, staged: Publishable, table: LakeTable, pinned: str | None) -> None:
        """Write a file to the table's folder, compare its rows as the library reads them, and commit."""
        from kanon_sql.engines.lakes import iceberg  # noqa: PLC0415  an extra

        run = self.run
        with iceberg.commit_of_rows(table, pinned) as commit:
            commit.add(_write_file(run, staged, commit.folder))
            view = run.scratch.table("written")
            run.scratch.is_view(view, view=run.engine.register(view, commit.rows()))
            _compare(run, staged, view)
            run.may_publish(self.destination.name)
            commit.end()


class DuckLakePublisher(LakePublisher):
    """Publishes a release as a table of a DuckLake."""

    lake = LakeFormat.DUCKLAKE
    versions_of = "of the catalog, with all its tables,"

    def is_same(self, table: LakeTable, other: LakeTable) -> bool:
        from kanon_sql.engines.lakes import ducklake  # noqa: PLC0415  few runs

        return ducklake.is_same_table(self.run.engine, table, other)

    def why_not_here(self, table: LakeTable) -> str | None:
        path = table.path if self.replace is not None else None
        if path is not None and Path(path).exists() and not os.access(path, os.W_OK):
            return "its catalog cannot be written to"
        return None

    def why_kept(self) -> str | None:
        from kanon_sql.engines.lakes import ducklake  # noqa: PLC0415  few runs

        with lake_errors(self.table):
            own = ducklake.duckdb_of(self.run.engine)
            return ducklake.why_not_purged(own, self.table)

    def commit(self, staged: Publishable, table: LakeTable, pinned: str | None) -> None:
        """Create the table in a transaction, compare its rows with the staged ones, and commit."""
        from kanon_sql.engines.lakes import ducklake  # noqa: PLC0415  few runs

        run = self.run
        with ducklake.commit_of_table(run.engine, table, pinned) as (made, replace):
            columns = staged.columns
            statement = commands_sql.publish_table(made, staged.table, columns, replace=replace)
            run.engine.execute(statement)
            check_nothing_lost(run, made, staged)
            run.may_publish(self.destination.name)


def _partitions(run: Session, staged: Publishable, table: LakeTable) -> tuple[list[str], list[str]]:
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


def _write_parts(
    run: Session, staged: Publishable, folder: Path, parts: Sequence[str]
) -> delta.Written:
    """Write the staged rows as one Parquet file, or with `parts` as files for each partition."""
    from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

    if not parts:
        file = Path(_write_file(run, staged, str(folder)))
        return delta.written_in(folder, (), like=file)
    like = run.scratch.table("like")
    run.engine.execute(commands_sql.empty_copy(like, staged.table))
    own = str(folder / "like.parquet")
    run.engine.write(like, staged.columns, Destination(Format.PARQUET, own), own)
    below = str(folder / "parts")
    out = Destination(Format.PARQUET, below, tuple(parts))
    run.engine.write(staged.table, staged.columns, out, below)
    return delta.written_in(folder / "parts", parts, like=Path(own))


def _write_file(run: Session, staged: Publishable, folder: str) -> str:
    """Write the staged rows as one file of Parquet, and return its path."""
    path = f"{folder}/part-00000-{secrets.token_hex(16)}.parquet"
    run.engine.write(staged.table, staged.columns, Destination(Format.PARQUET, path), path)
    return path


def _compare(run: Session, staged: Publishable, view: exp.Table) -> None:
    """Raise VerificationError where the rows that the lake's library reads are not the staged ones."""
    check_nothing_lost(run, view, staged)
    run.scratch.drop(view)


def _in_place_faults(
    run: Session, in_place: InPlace, table: LakeTable, frame: object | None
) -> Iterator[Fault]:
    source = run.policy.source.lake
    if frame is not None or source is None:
        yield Fault(
            "release", "in_place needs a source that is a table of the database or of a lake"
        )
        return
    if in_place.keep is not None:
        yield Fault("release.keep_original", KEEPS)
    for name in in_place.accept:
        yield Fault(name, "is accepted, but a table of a lake has no dependents; leave it out")
    lake = open_lake(run.engine, changed(table, version=source.version))
    if not lake.is_newest:
        what = (
            "in_place replaces the newest version, and the policy names an older one; leave it out"
        )
        yield Fault("release", what)
    yield from (Fault("release", each) for each in lake.release_problems())


PUBLISHERS: tuple[type[Publisher], ...] = (
    ViewPublisher,
    InPlacePublisher,
    TablePublisher,
    FilePublisher,
    DeltaPublisher,
    IcebergPublisher,
    DuckLakePublisher,
)
"""Every kind of destination. The first that takes a destination publishes there."""


def publisher_of(
    run: Session,
    destination: Destination | None,
    frame: object | None = None,
    *,
    replace: bool | None = None,
    purge: bool = False,
) -> Publisher:
    """Return the object that publishes a run's release at a destination."""
    if destination is None:
        return Unpublished(run, Destination(Format.TABLE, "release"), frame, replace, purge)
    kind = next(each for each in PUBLISHERS if each.takes(destination))
    return kind(run, destination, frame, replace, purge)
