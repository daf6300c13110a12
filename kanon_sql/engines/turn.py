"""One run at a time on a connection: two threads that use one would read each other's results."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

TAKEN = (
    "is used by a run in another thread; use one connection for each thread "
    "(DuckDB: connection.cursor())"
)
_LOCKS: WeakKeyDictionary[object, threading.RLock] = WeakKeyDictionary()
_FINDING = threading.Lock()


@contextmanager
def exclusive(connection: object) -> Iterator[None]:
    """Keep other threads' runs from a connection; raises InputError if one uses it."""
    with _FINDING:
        lock = _LOCKS.setdefault(connection, threading.RLock())
    if not lock.acquire(blocking=False):
        raise InputError("connection", [Fault("", TAKEN)])
    try:
        yield
    finally:
        lock.release()
