"""Publishes releases to object stores, which have no locks, and in files of formats that a library writes.

Stores (except HDFS) rename no whole folder. A library gets an engine's batches, and its file is read again.
"""

from __future__ import annotations

import fnmatch
import re
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kanon_sql.counting.source.files import cast_columns, open_library_file, read_file
from kanon_sql.engines.base import UNFINISHED
from kanon_sql.engines.destination_format import UnreadableFileError, UnwritableRowsError
from kanon_sql.engines.files.file_kinds import kind_of_file
from kanon_sql.engines.local_files import temporary_name
from kanon_sql.engines.locations import Source
from kanon_sql.errors import Fault, ReleaseError, StatementError, VerificationError
from kanon_sql.release.destination import check_nothing_lost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType, Store
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.destination_format import FileKind
    from kanon_sql.engines.locations import Destination
    from kanon_sql.release.destination import Publishable


LEFTOVER = re.compile(r"\.(.+)\.[0-9a-f]{8}\.kanon(\.\w+){0,2}", re.DOTALL)
ALIASES = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
"""Other names of a store's URL scheme."""
MAY_READ = (
    "cannot be replaced: the source or a hierarchy is a view or a relation, or a query of more than "
    "named files and tables, which may read it; release under a new name"
)
DEAD = 24 * 3600.0
"""The seconds without a write after which files in a store are taken for those of a dead run."""


@contextmanager
def publish_to_store(store: Store, address: str) -> Iterator[str]:
    """Yield a temporary name beside an address to write under, then move the written files to the address.

    A single object appears whole, and HDFS renames a folder at once. A folder of objects appears object by object,
    marked as unfinished until all are there. The temporary files are removed unless the run is killed: see
    `sweep_store`. Raises ReleaseError where the store refuses to remove something, and says what is there.
    """
    folder, _, name = address.rpartition("/")
    written = f"{folder}/{temporary_name(name, secrets.token_hex(4))}"
    try:
        yield written
        store.move(written, address)
    except BaseException as error:
        unfinished = False
        with suppress(StatementError):  # never hide what went wrong
            unfinished = store.exists(f"{address}/{UNFINISHED}")
            store.remove(written)
        if unfinished and isinstance(error, StatementError):
            what = "could not be moved there whole, nor be removed again; remove what is there"
            raise ReleaseError(address, [Fault("release", what)]) from error
        raise
    try:
        store.remove(written)
    except StatementError as error:
        what = (
            f"is there, whole and verified, but the store refused to remove what it was copied "
            f"from ({error.why}); remove {written}"
        )
        raise ReleaseError(address, [Fault("release", what)]) from error


def store_faults(
    store: Store,
    address: str,
    *,
    replace: bool | None,
    is_folder: bool,
    read: Iterable[tuple[str, str]],
    opaque: bool,
) -> Iterator[Fault]:
    """Yield a fault for each reason why an address cannot take a release.

    `read` has the patterns that the run reads, with descriptions. With `opaque` it is unknown which files the source
    reads, so nothing is replaced. `replace` is None when only planning: an existing release is no fault then.
    """
    for what, pattern in read:
        if _overlaps(_spelt(store, address), _spelt(store, pattern)):
            yield Fault("release", f"is {what}; what a run reads is never written to")
            return
    if replace is None or not store.exists(address):
        return
    if is_folder:
        what = (
            "already exists, and a store cannot replace a folder as one; release under a new name"
        )
        if unfinished_for(store, address) is not None:
            what = (
                f"is unfinished: a run is writing it, or was killed; if no run is writing it, remove it by `kanon-sql "
                f"clean --path {address} --older-than 0`, or release under a new name"
            )
        yield Fault("release", what)
    elif not replace:
        yield Fault("release", "already exists; --replace replaces it (replace=True)")
    elif opaque:
        yield Fault("release", MAY_READ)


def sweep_store(store: Store, address: str) -> None:
    """Remove files that dead runs left at and beside an address, if the store allows it.

    A store has no locks; a run that has written nothing for a day is taken to be dead.
    """
    folder, _, name = address.rpartition("/")
    for leftover, of, age in leftovers_in(store, folder):
        if of == name[:40] and age > DEAD:
            with suppress(StatementError):
                store.remove(f"{folder}/{leftover}")
    with suppress(StatementError):
        if (unfinished_for(store, address) or 0.0) > DEAD:
            store.remove(address)


def unfinished_for(store: Store, address: str) -> float | None:
    """Return for how many seconds a folder has been marked as not published whole; None if it is not."""
    return dict(store.names(address)).get(UNFINISHED)


def leftovers_in(store: Store, folder: str) -> list[tuple[str, str, float]]:
    """List temporary names in a folder, each with its release's name and the seconds since it was written."""
    return [
        (leftover, match[1], age)
        for leftover, age in store.names(folder)
        if (match := LEFTOVER.fullmatch(leftover))
    ]


def _spelt(store: Store, address: str) -> str:
    """Normalize an address, so that two spellings of it are equal."""
    scheme, mark, rest = store.spelt(address).partition("://")
    return f"{ALIASES.get(scheme.lower(), scheme.lower())}{mark}{rest}" if mark else scheme


def _overlaps(address: str, pattern: str) -> bool:
    read = pattern.rstrip("/")
    return (
        address == read
        or address.startswith(f"{read}/")
        or read.startswith(f"{address}/")
        or fnmatch.fnmatchcase(address, read)
    )


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
