"""Publishes a verified staging table as a table of the database, or as files, completely or not at all."""

from __future__ import annotations

import os
import re
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.sql.quoting import parse_table_name
from kanon_sql.counting.source.column_problems import name_too_long
from kanon_sql.counting.source.files import open_written
from kanon_sql.counting.source.lineage import find_table, may_read
from kanon_sql.counting.source.released_types import typed_rows
from kanon_sql.engines import commands_sql
from kanon_sql.engines.commands_sql import drop_table
from kanon_sql.engines.local_files import atomic_write, remove_leftovers
from kanon_sql.engines.locations import FILE_ENDINGS, Source
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.recoding.label_codes import written_rows
from kanon_sql.release.add_partition import find_suppressed_partitions
from kanon_sql.release.destination import (
    REPLACE,
    SOURCE_ITSELF,
    Publisher,
    check_nothing_lost,
    files_read,
    is_opaque,
    is_read,
    is_what_was_staged,
    partition_faults,
    sources_read,
    why_not_written,
)
from kanon_sql.release.object_files import (
    MAY_READ,
    publish_to_store,
    store_faults,
    sweep_store,
    why_not_by_library,
    write_by_library,
)
from kanon_sql.release.stage import FILES, Executor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.locations import Destination
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.release.destination import Publishable

MORE = "is a folder that holds more than a release"


class TablePublisher(Publisher):
    """Publishes a release as a table of the database, by one statement where the database can replace a table."""

    noun = "table"
    other = "view"

    @classmethod
    def takes(cls, destination: Destination) -> bool:
        return destination.format.kind.in_database

    def names(self) -> tuple[str, list[exp.Table]]:
        """Return the key of the policy that names tables which a release creates, and these tables."""
        return "release", [parse_table_name(self.destination.name)]

    def faults(self) -> Iterator[Fault]:
        run = self.run
        where, tables = self.names()
        named = [part.name for each in tables for part in each.parts]
        if (what := name_too_long(run.engine.capabilities, named)) is not None:
            yield Fault(where, what)
        yield from self.replaced()

    def replaced(self) -> Iterator[Fault]:
        """Yield a fault where a table or view is there that the release must not replace."""
        run, replace = self.run, self.replace
        there = set(run.engine.locate(parse_table_name(self.destination.name)))
        if not there:
            return
        kind = "view" if any(each.kind == "view" for each in there) else "table"
        if replace is False:
            yield Fault("release", f"a {kind} of this name already exists; {REPLACE}")
            return
        sources = [each for _, each in sources_read(run.policy)]
        read = [each.table for each in sources if each.table is not None]
        opaque = any(each.query is not None for each in sources)
        kinds = [each.hierarchy for each in run.policy.quasi if each.hierarchy is not None]
        read += [kind.table for kind in kinds if kind.table is not None]
        opaque = opaque or any(kind.query is not None for kind in kinds)
        origins = {
            found for text in read for found in run.engine.locate(find_table(run.engine, text))
        }
        if there & origins:
            yield Fault(
                "release",
                "is the source itself, a population or a hierarchy; what a run reads is never written to",
            )
        elif replace and kind != self.noun:
            what = f"is a {self.other}, which no {self.noun} replaces; drop it, or name another"
            yield Fault("release", what)
        elif replace and (opaque or may_read(run.engine, origins, there)):
            what = (
                f"cannot be replaced: the run reads a view or a query, which may read this {kind}"
            )
            yield Fault("release", f"{what}; release under a new name")

    def write(self, planned: Planned, staged: Publishable) -> None:
        del planned
        run, replace = self.run, bool(self.replace)
        target = parse_table_name(self.destination.name)
        run.may_publish(self.destination.name)
        whole = run.engine.capabilities.replaces_tables
        if replace and not whole:
            run.engine.execute(drop_table(target))
        statement = commands_sql.publish_table(
            target, staged.table, staged.columns, replace=replace and whole
        )
        run.engine.execute(statement)


class FilePublisher(Publisher):
    """Publishes a release as a file, or as a folder of files.

    They are written beside their place under a temporary name, compared with the staged rows, and renamed.
    `publish_to_store` says what object stores cannot do atomically.
    """

    @property
    def executor(self) -> Executor:
        return FILES

    @classmethod
    def takes(cls, destination: Destination) -> bool:
        return destination.format.kind.is_file

    def faults(self) -> Iterator[Fault]:
        run = self.run
        out, kind = self.destination, self.destination.format.kind
        yield from partition_faults(run.engine.capabilities, out)
        if out.file_size is not None and (why := run.engine.why_no_file_size(out)):
            yield Fault("release.file_size", why)
        for column in run.policy.columns:
            why_not = [
                kind.why_no_name(name) for name in column.released_as if not column.is_dropped
            ]
            if what := next(filter(None, why_not), None):
                yield run.policy.fault(f"columns.{column.name}", what)
        if not run.engine.capabilities.writes_files:
            yield Fault("release", f"is a file; {run.engine.capabilities.name} releases to tables")
        elif (why := self._why_not_written()) is not None:
            yield Fault("release", why)
        else:
            yield from self._path_faults()

    def _why_not_written(self) -> str | None:
        """Return why the engine, or a library for it, writes no such file; None if it does."""
        facts, kind = self.run.engine.capabilities, self.destination.format.kind
        if kind.library is not None:
            return why_not_by_library(facts, kind.library, self.destination.name)
        if self.destination.bom and facts.writes_folders:
            return f"has bom, which goes with one file, and {facts.name} releases a folder of files"
        if self.destination.bom and re.search(r'[",\r\n]', self._first_name()):
            return (
                "has bom, and its first column a name that CSV quotes; name it otherwise in a query"
            )
        return why_not_written(kind, self.run.engine.dialect)

    def _first_name(self) -> str:
        """Return the name of the release's first column."""
        kept = (c for c in self.run.policy.columns if not c.is_dropped)
        return next((name for each in kept for name in each.released_as), "")

    def _path_faults(self) -> Iterator[Fault]:
        """Yield a fault for each reason why the path or address cannot take the release."""
        run, replace = self.run, self.replace
        path = self.place
        store = run.engine.store(path)
        is_folder = self.destination.in_several_files or run.engine.capabilities.writes_folders
        if self.destination.name.endswith("/") and not is_folder:
            yield Fault(
                "release", "is a folder; without partition_by or file_size the release is one file"
            )
            return
        if self.destination.added and store is not None:
            what = "an object store renames no folder, so that a reader would see half a partition; release to a new folder"
            yield Fault("partition", what)
            return
        if store is None and self.destination.added:
            yield from self._folder_faults(Path(path))
        elif store is None:
            yield from self._place_faults(Path(path), is_folder=is_folder)
        else:
            if replace is not None:
                sweep_store(store, path)
            read, opaque = files_read(run), is_opaque(run, self.frame)
            yield from store_faults(
                store, path, is_folder=is_folder, replace=replace, read=read, opaque=opaque
            )

    def notes(self, staged: Publishable) -> Iterator[str]:
        if self.destination.format.kind.runs_formulas:
            yield from _formulas(self.run, staged)

    def _place_faults(self, path: Path, *, is_folder: bool) -> Iterator[Fault]:
        run, replace = self.run, self.replace
        try:
            if replace is not None:
                remove_leftovers(path.parent)  # first of all: it may put an old release back
            if (read := self._read_fault(path)) is not None:
                yield read
                return
            if replace is not None and (path.exists() or path.is_symlink()):
                if not replace:
                    yield Fault(
                        "release", f"already exists; {REPLACE}, and --release names another"
                    )
                elif path.is_dir() != is_folder:
                    yield Fault(
                        "release", "is a folder where a file is to go, or the other way round"
                    )
                elif path.is_dir() and not _is_partitioned(path):
                    yield Fault("release", MORE)
                elif is_opaque(run, self.frame):
                    yield Fault("release", MAY_READ)
            yield from _parent_faults(path.parent)
        except OSError as error:
            yield _no_path(error)

    def _folder_faults(self, path: Path) -> Iterator[Fault]:
        """Yield a fault for each reason why a partition cannot be added to a folder, which keeps its files."""
        try:
            remove_leftovers(path.parent)
            if (read := self._read_fault(path)) is not None:
                yield read
                return
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                yield Fault("release", "is no folder that a partition could be added to")
            elif path.is_dir() and not _is_partitioned(path):
                yield Fault("release", MORE)
            elif path.is_dir() and not os.access(path, os.W_OK | os.X_OK):
                yield Fault("release", "cannot be written to")
            yield from _parent_faults(path.parent)
        except OSError as error:
            yield _no_path(error)

    def _read_fault(self, path: Path) -> Fault | None:
        """Return a fault if the run reads this path, a file in it, or a folder of the source around it."""
        for what, pattern in files_read(self.run):
            if is_read(path, pattern, folders=what == SOURCE_ITSELF):
                return Fault("release", f"is {what}; what a run reads is never written to")
        return None

    def write(self, planned: Planned, staged: Publishable) -> None:
        gone = find_suppressed_partitions(self.run, planned, staged, self.destination)
        recoded_by = planned.plan.recoding_hash
        out = changed(self.destination, recoded_by=recoded_by, suppressed=gone)
        store = self.run.engine.store(self.place)
        if store is None:
            self._write_here(staged, out)
            return
        with publish_to_store(store, self.place) as written:
            self._write_to(written, staged, out, store.remove)
            self.run.may_publish(out.name)

    def _write_here(self, staged: Publishable, out: Destination) -> None:
        try:
            with atomic_write(Path(self.place)) as place:
                self._write_to(str(place.written), staged, out, lambda _: place.clear())
                if self.run.engine.capabilities.writes_folders:
                    for each in place.written.rglob(".*.crc"):  # Hadoop's own checksum of each file
                        each.unlink()
                self.run.may_publish(out.name)
                if out.added:
                    place.add(len(out.added))
                else:
                    place.move(replace=bool(self.replace))
        except OSError as error:
            what = f"cannot be written ({type(error).__name__}: {os.strerror(error.errno or 0)})"
            raise ReleaseError(out.name, [Fault("release", what)]) from error

    def _write_to(
        self, path: str, staged: Publishable, out: Destination, remove: Callable[[str], object]
    ) -> None:
        """Write the staged rows to files, read them back, and compare counts and hashes of all rows.

        If label codes were written and the files differ, the files are removed, and texts are written and compared.
        """
        run, origin = self.run, staged.table
        if out.format.kind.library is not None:
            write_by_library(run, out.format.kind.library, staged, out, path)
            return
        codes = None if staged.query is None else staged.query.codes
        if codes is not None and out.format.kind.holds_codes:
            origin = written_rows(run, codes, counted=staged.rows, row_group=out.row_group_rows)
            if staged.types:
                typed = run.scratch.table("typed_codes")
                run.see(typed, typed_rows(typed, origin, staged.columns, staged.types))
                origin = typed
        view = self._written(origin, staged, out, path)
        if origin == staged.table:
            check_nothing_lost(run, view, staged)
        elif not is_what_was_staged(run, view, staged, codes=codes):
            run.scratch.drop(view)
            remove(path)
            view = self._written(staged.table, staged, out, path)
            check_nothing_lost(run, view, staged)
        run.scratch.drop(view)

    def _written(
        self, origin: exp.Table, staged: Publishable, out: Destination, path: str
    ) -> exp.Table:
        """Write rows to files, and return a view of the files."""
        run = self.run
        run.engine.write(origin, staged.columns, out, path)
        view = run.scratch.table("written")
        run.see(view, open_written(run.engine, out, view, path))
        return view

    @property
    def place(self) -> str:
        return self.run.path(self.destination.name)

    def source_at(self, place: str) -> Source:
        kind = self.destination.format.kind
        named = kind.delimiter is not None or (
            kind.library is not None and "header" in kind.library.keys
        )
        return Source(path=place, delimiter=kind.delimiter, header=True if named else None)


def _parent_faults(folder: Path) -> Iterator[Fault]:
    if not folder.is_dir():
        yield Fault("release", "its folder does not exist")
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Fault("release", "its folder cannot be written to")


def _no_path(error: OSError) -> Fault:
    return Fault("release", f"is no path that can be written ({os.strerror(error.errno or 0)})")


def _is_partitioned(folder: Path) -> bool:
    """Return True if a folder has only partition folders and data files, as a release in several files."""
    return all(
        (each.is_dir() and "=" in each.name) or each.name.lower().endswith(FILE_ENDINGS)
        for each in folder.rglob("*")
    )


def _formulas(run: Session, staged: Publishable) -> Iterator[str]:
    """Yield a warning for each column of a CSV release with texts that spreadsheets would run as formulas."""
    texts = [c.name for c in run.engine.columns(staged.table) if c.family == "text"]
    texts = [name for name in texts if name in staged.columns]
    if not texts:
        return
    rows = staged.rows
    counts = run.engine.fetch(commands_sql.count_formulas(staged.table, texts, rows=rows))[0]
    for name, count in zip(texts, counts, strict=True):
        if count:
            begin = (
                f"{counted(int(str(count)), 'value')} of {name} begin{'s' if count == 1 else ''}"
            )
            yield (
                f"release: {begin} like a formula (=, +, -, @), which a spreadsheet runs when it "
                f"opens the CSV; import it as text, or change them in a query"
            )
