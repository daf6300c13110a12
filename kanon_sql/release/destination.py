"""Checks that a destination can take the release, before anything is written."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.atomic_write import remove_leftovers
from kanon_sql.engines.scratch import run_mark
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.policy.locations import Format
from kanon_sql.policy.model import Action, Role
from kanon_sql.privacy.populations import population_of
from kanon_sql.release.object_files import MAY_READ, store_faults, sweep_store
from kanon_sql.release.publish_lake import is_same_table, lake_faults, lake_of
from kanon_sql.release.publish_view import companions, view_faults
from kanon_sql.release.replace_in_place import in_place_faults
from kanon_sql.run.session import on_disk, resolve
from kanon_sql.source.column_problems import name_too_long
from kanon_sql.source.find_table import find_table
from kanon_sql.source.lineage import files_of, may_read
from kanon_sql.sql.quoting import parse_table_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.hierarchies.hierarchy_kind import HierarchyKind
    from kanon_sql.policy.locations import Destination, Source
    from kanon_sql.policy.model import Policy
    from kanon_sql.run.session import Session

PARTS = (".parquet", ".csv", ".csv.gz")
MORE = "is a folder that holds more than a release"
REPLACE = "--replace replaces it (from Python: replace=True)"


def check_destination(
    run: Session, destination: Destination | None, frame: object | None, *, replace: bool | None
) -> None:
    """Raise ReleaseError where a destination cannot take the release, before anything is written.

    When only planning, `replace` is None. An existing release is no fault then, because it may be gone or replaced when
    the plan is carried out, and files of dead runs are not removed.
    """
    if destination is None:
        if replace is not None and not run.engine.capabilities.returns_relations:
            what = f"is missing; {run.engine.capabilities.name} releases to a table"
            raise ReleaseError("release", [Fault("", what)])
        return
    faults = list(_destination_faults(run, destination, frame, replace=replace))
    if faults:
        raise ReleaseError(destination.name, faults)


def _release_faults(
    run: Session, destination: Destination, frame: object | None
) -> Iterator[Fault]:
    if destination.view:
        yield from view_faults(run, destination, frame)
    if destination.format is Format.TABLE:
        yield from _name_faults(run, destination)
    yield from partition_faults(run.engine.capabilities, destination)
    if destination.file_size is not None and (why := run.engine.why_no_file_size(destination)):
        yield Fault("release.file_size", why)
    if destination.format is Format.CSV:
        yield from _header_faults(run)


def partition_faults(facts: Capabilities, destination: Destination) -> Iterator[Fault]:
    """Yield a fault for partition columns whose names folders would escape: some readers do not undo it."""
    for name in destination.partition_by:
        if facts.escaped and re.search(facts.escaped, name):
            what = f"{name} would be a column of another name to who reads the folders, because "
            what += f"{facts.name} escapes what is in it; give it a plain name in a query"
            yield Fault("release.partition_by", what)


def _header_faults(run: Session) -> Iterator[Fault]:
    """Yield a fault for names that a reader of CSV would change or not find."""
    what = (
        "is a name that begins or ends with a blank, or holds a carriage return, which readers of CSV "
        "change or refuse in a header; name it otherwise in a query, or release Parquet"
    )
    for column in run.policy.columns:
        is_kept = column.role is not Role.IDENTIFYING or column.action is not Action.DROP
        if is_kept and any(name != name.strip() or "\r" in name for name in column.released_as):
            yield run.policy.fault(f"columns.{column.name}", what)


def _name_faults(run: Session, destination: Destination) -> Iterator[Fault]:
    """Yield a fault for names of the release, or of tables beside it, that the database would cut."""
    in_place = destination.in_place
    if in_place is not None:  # its name is the source's
        where, tables = (
            "release.keep_original",
            [parse_table_name(in_place.keep)] if in_place.keep else [],
        )
    else:
        where, tables = "release", [parse_table_name(destination.name)]
    if destination.view:
        tables += companions(tables[0], run.policy, run_mark())
    what = name_too_long(
        run.engine.capabilities, [part.name for each in tables for part in each.parts]
    )
    if what is not None:
        yield Fault(where, what)


def _destination_faults(
    run: Session, destination: Destination, frame: object | None, *, replace: bool | None
) -> Iterator[Fault]:
    yield from _release_faults(run, destination, frame)
    if destination.format.lake is not None:
        yield from _lake_faults(run, destination, frame, replace=replace)
    elif destination.in_place is not None:
        yield from in_place_faults(run, destination, frame)
    elif destination.format is Format.TABLE:
        yield from _table_faults(run, destination, replace=replace)
    else:
        yield from _file_faults(run, destination, frame, replace=replace)


def _file_faults(
    run: Session, destination: Destination, frame: object | None, *, replace: bool | None
) -> Iterator[Fault]:
    """Yield a fault for each reason why a file or a folder of files cannot take the release."""
    if not run.engine.capabilities.writes_files:
        yield Fault("release", f"is a file; {run.engine.capabilities.name} releases to tables")
        return
    path = run.path(destination.name)
    store = run.engine.store(path)
    is_folder = destination.in_several_files or run.engine.capabilities.writes_folders
    if destination.name.endswith("/") and not is_folder:
        yield Fault(
            "release", "is a folder; without partition_by or file_size the release is one file"
        )
        return
    if destination.added and store is not None:
        what = "an object store renames no folder, so that a reader would see half a partition; release to a new folder"
        yield Fault("partition", what)
        return
    if store is None and destination.added:
        yield from _folder_faults(run, Path(path))
    elif store is None:
        yield from _place_faults(run, Path(path), frame, is_folder=is_folder, replace=replace)
    if store is None:
        return
    if replace is not None:
        sweep_store(store, path)
    read = _files_read(run)
    yield from store_faults(
        store,
        path,
        is_folder=is_folder,
        replace=replace,
        read=read,
        opaque=_is_opaque(run, frame),
    )


def _lake_faults(
    run: Session, destination: Destination, frame: object | None, *, replace: bool | None
) -> Iterator[Fault]:
    """Yield a fault if the run reads this table of a lake, otherwise the faults of `lake_faults`."""
    if destination.in_place is None:
        table = lake_of(run, destination)
        sources = [each.lake for _, each in _sources(run.policy) if each.lake is not None]
        is_read = any(is_same_table(run, table, each) for each in sources)
        if destination.format.is_path and "://" not in table.place:
            path = Path(table.place)
            is_read = any(_is_read(path, each, folders=True) for _, each in _files_read(run))
        if is_read:
            what = "is read by the run; what a run reads is never written to, but in place"
            yield Fault("release", what)
            return
    yield from lake_faults(run, destination, frame, replace=replace)


def _place_faults(
    run: Session, path: Path, frame: object | None, *, is_folder: bool, replace: bool | None
) -> Iterator[Fault]:
    try:
        if replace is not None:
            remove_leftovers(path.parent)  # first of all: it may put an old release back
        if (read := _read_fault(run, path)) is not None:
            yield read
            return
        if replace is not None and (path.exists() or path.is_symlink()):
            if not replace:
                yield Fault("release", f"already exists; {REPLACE}")
            elif path.is_dir() != is_folder:
                yield Fault("release", "is a folder where a file is to go, or the other way round")
            elif path.is_dir() and not _is_partitioned(path):
                yield Fault("release", MORE)
            elif _is_opaque(run, frame):
                yield Fault("release", MAY_READ)
        yield from _parent_faults(path.parent)
    except OSError as error:
        yield _no_path(error)


def _folder_faults(run: Session, path: Path) -> Iterator[Fault]:
    """Yield a fault for each reason why a partition cannot be added to a folder, which keeps its files."""
    try:
        remove_leftovers(path.parent)
        if (read := _read_fault(run, path)) is not None:
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


def _read_fault(run: Session, path: Path) -> Fault | None:
    """Return a fault if the run reads this path, a file in it, or a folder of the source around it."""
    for what, pattern in _files_read(run):
        if _is_read(path, pattern, folders=what == SOURCE_ITSELF):
            return Fault("release", f"is {what}; what a run reads is never written to")
    return None


def _parent_faults(folder: Path) -> Iterator[Fault]:
    if not folder.is_dir():
        yield Fault("release", "its folder does not exist")
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Fault("release", "its folder cannot be written to")


def _no_path(error: OSError) -> Fault:
    return Fault("release", f"is no path that can be written ({os.strerror(error.errno or 0)})")


def _table_faults(
    run: Session, destination: Destination, *, replace: bool | None
) -> Iterator[Fault]:
    there = set(run.engine.locate(parse_table_name(destination.name)))
    if not there:
        return
    kind = "view" if any(each.kind == "view" for each in there) else "table"
    if replace is False:
        yield Fault("release", f"a {kind} of this name already exists; {REPLACE}")
        return
    sources = [each for _, each in _sources(run.policy)]
    read = [each.table for each in sources if each.table is not None]
    opaque = any(each.query is not None for each in sources)
    kinds = [each.hierarchy for each in run.policy.quasi if each.hierarchy is not None]
    read += [kind.table for kind in kinds if kind.table is not None]
    opaque = opaque or any(kind.query is not None for kind in kinds)
    origins = {found for text in read for found in run.engine.locate(find_table(run.engine, text))}
    if there & origins:
        yield Fault(
            "release",
            "is the source itself, a population or a hierarchy; what a run reads is never written to",
        )
    elif replace and (kind == "view") is not destination.view:
        own, other = ("view", "table") if destination.view else ("table", "view")
        yield Fault("release", f"is a {other}, which no {own} replaces; drop it, or name another")
    elif replace and (opaque or may_read(run.engine, origins, there)):
        what = f"cannot be replaced: the run reads a view or a query, which may read this {kind}"
        yield Fault("release", f"{what}; release under a new name")


def _is_partitioned(folder: Path) -> bool:
    """Return True if a folder has only partition folders and data files, as a release in several files."""
    return all(
        (each.is_dir() and "=" in each.name) or each.name.lower().endswith(PARTS)
        for each in folder.rglob("*")
    )


SOURCE_ITSELF = "the source itself"


def _sources(policy: Policy) -> Iterator[tuple[str, Source]]:
    """Yield the sources of rows that a policy reads, each with its description: the source, a population."""
    yield SOURCE_ITSELF, policy.source
    if (population := population_of(policy.privacy)) is not None:
        yield "the population", population


def _files_read(run: Session) -> Iterator[tuple[str, str]]:
    """Yield patterns of all files that a run reads, each with a description for messages."""
    policy = run.policy
    for what, each in _sources(policy):
        if each.path is not None:
            yield what, run.path(each.path)
        if each.lake is not None and each.lake.path is not None:
            yield what, run.path(each.lake.path)
        if each.query is not None:
            for path in files_of(run.engine, each.query, policy.base)[0]:
                yield what, path
    if policy.database is not None:
        yield "the database", run.path(policy.database)
    for name, path in policy.attach:
        yield f"the database {name}", run.path(path)
    if policy.file is not None:
        yield "the policy", resolve(policy.file, "")
    for column in policy.quasi:
        for path in _hierarchy_files(run, column.hierarchy):
            yield f"the hierarchy of {column.name}", path


def _hierarchy_files(run: Session, kind: HierarchyKind | None) -> Iterator[str]:
    """Give patterns of the files that the entries of a hierarchy are read from."""
    if kind is not None and kind.file is not None:
        yield run.path(kind.file)
    if kind is not None and kind.query is not None:
        yield from files_of(run.engine, kind.query, run.policy.base)[0]


def _is_opaque(run: Session, frame: object | None) -> bool:
    """Return True if it is unknown which files the source and the hierarchies read."""
    kinds = [each.hierarchy for each in run.policy.columns if each.hierarchy is not None]
    sources = [each for of, each in _sources(run.policy) if frame is None or of != SOURCE_ITSELF]
    tables = [kind.table for kind in kinds if kind.table is not None]
    queries = [kind.query for kind in kinds if kind.query is not None]
    tables += [each.table for each in sources if each.table is not None]
    queries += [each.query for each in sources if each.query is not None]
    found = [each for text in tables for each in run.engine.locate(find_table(run.engine, text))]
    return (
        hasattr(frame, "sql_query")
        or any(each.kind == "view" for each in found)
        or not all(files_of(run.engine, text, run.policy.base)[1] for text in queries)
    )


def _is_read(path: Path, pattern: str, *, folders: bool) -> bool:
    """Return True if a path is, or contains, a file of a pattern, or (with `folders`) lies in its folder."""
    target, pattern = path.resolve(), on_disk(pattern)
    matches = {pattern, *glob.glob(pattern, recursive=True)}  # noqa: PTH207  it is a pattern
    for match in matches:
        real = Path(match).resolve()
        if (
            real == target
            or (real.exists() and target.exists() and real.samefile(target))
            or target in real.parents
            or (folders and real.is_dir() and real in target.parents)
        ):
            return True
    return False
