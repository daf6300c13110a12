"""Releases to files that are not on this machine's disk, where there is no lock and no one rename."""

from __future__ import annotations

import fnmatch
import re
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kanon_sql.engine.base import UNFINISHED
from kanon_sql.engine.beside import name_beside
from kanon_sql.errors import Fault, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kanon_sql.engine.base import Store

LEFT = re.compile(r"\.(.+)\.[0-9a-f]{8}\.kanon(\.\w+){0,2}", re.DOTALL)
DEAD = 24 * 3600.0
"""After so many seconds without a write, what a run left in a store is taken for a dead run's."""


@contextmanager
def publish_to_store(store: Store, address: str) -> Iterator[str]:
    """Give the name to write under, beside an address; then move what was written there.

    One object appears whole, and HDFS renames a folder as one; a folder of objects appears object
    by object, marked as unfinished until all of it is there. What was written beside is removed
    however the run ends, but for a kill: see `sweep_store`.
    """
    folder, _, name = address.rpartition("/")
    written = f"{folder}/{name_beside(name, secrets.token_hex(4))}"
    try:
        yield written
        store.move(written, address)
    except BaseException:
        with suppress(StatementError):  # never hide what went wrong
            store.remove(written)
        raise
    store.remove(written)


def store_faults(
    store: Store,
    address: str,
    *,
    replace: bool | None,
    is_folder: bool,
    read: Iterable[tuple[str, str]],
) -> Iterator[Fault]:
    """Find why an address cannot take a release; `read` are the patterns that the run reads.

    `replace` is None when only planning: what is there is no fault then.
    """
    for what, pattern in read:
        if _overlaps(address, pattern):
            yield Fault("release", f"is {what}; what a run reads is never written to")
            return
    if replace is None or not store.exists(address):
        return
    if is_folder:
        unfinished = any(name == UNFINISHED for name, _ in store.names(address))
        what = "is there already, and a store cannot replace a folder as one"
        if unfinished:
            what = "is unfinished: a run is moving it there, or was killed; if none is, remove it"
        yield Fault("release", f"{what}; release under a new name")
    elif not replace:
        yield Fault("release", "is there already; --replace replaces it (replace=True)")


def sweep_store(store: Store, address: str) -> list[str]:
    """Remove what runs left beside an address a day ago or more, and give its names.

    A store has no locks; a run that has written nothing for a day is taken to be dead.
    """
    folder, _, name = address.rpartition("/")
    found = [
        left
        for left, age in store.names(folder)
        if (match := LEFT.fullmatch(left)) and match[1] == name[:40] and age > DEAD
    ]
    for left in found:
        store.remove(f"{folder}/{left}")
    return found


def _overlaps(address: str, pattern: str) -> bool:
    read = pattern.rstrip("/")
    return (
        address == read
        or address.startswith(f"{read}/")
        or read.startswith(f"{address}/")
        or fnmatch.fnmatchcase(address, read)
    )
