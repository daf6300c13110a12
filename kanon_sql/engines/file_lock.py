"""Locks on files. A lock ends with the process that holds it, so a free lock shows that a run is dead."""

from __future__ import annotations

try:
    import fcntl
except ImportError:  # no such locks here: nothing is ever taken for dead
    fcntl = None  # type: ignore[assignment]

LOCKS = fcntl is not None
"""Whether this machine has such locks."""


def try_lock(descriptor: int) -> bool:
    """Lock an open file; False if another process has it locked, OSError where the file system has no locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
