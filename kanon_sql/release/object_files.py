"""Releases to files that are not on this machine's disk, where there is no lock and no one rename."""

from __future__ import annotations

import fnmatch
import re
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kanon_sql.engines.atomic_write import temporary_name
from kanon_sql.engines.base import UNFINISHED
from kanon_sql.errors import Fault, ReleaseError, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kanon_sql.engines.base import Store

LEFTOVER = re.compile(r"\.(.+)\.[0-9a-f]{8}\.kanon(\.\w+){0,2}", re.DOTALL)
ALIASES = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
"""Schemes that are other names of a store's."""
MAY_READ = (
    "cannot be replaced: the source or a hierarchy is a view or a relation, or a query of more than "
    "named files and tables, which may read it; release under a new name"
)
DEAD = 24 * 3600.0
"""After so many seconds without a write, what a run left in a store is taken for a dead run's."""


@contextmanager
def publish_to_store(store: Store, address: str) -> Iterator[str]:
    """Give the name to write under, beside an address; then move what was written there.

    One object appears whole, and HDFS renames a folder as one; a folder of objects appears object
    by object, marked as unfinished until all of it is there. What was written beside is removed
    however the run ends, but for a kill: see `sweep_store`. Raises ReleaseError where the store
    refuses to remove something, and says what is there.
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
    """Find why an address cannot take a release; `read` are the patterns that the run reads.

    Where it is `opaque` what the source reads, nothing is replaced. `replace` is None when only
    planning: what is there is no fault then.
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
    """Remove what runs left at and beside an address a day ago or more, if the store allows it.

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
    """Name what runs have written beside releases in a folder, what for, and seconds since then."""
    return [
        (leftover, match[1], age)
        for leftover, age in store.names(folder)
        if (match := LEFTOVER.fullmatch(leftover))
    ]


def _spelt(store: Store, address: str) -> str:
    """Spell an address as all its spellings are compared."""
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
