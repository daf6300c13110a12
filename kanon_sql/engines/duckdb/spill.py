"""Folders to which DuckDB spills rows: one per run, locked while the run lives, removed when it ends.

A free lock means that the run is dead, whatever its age.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.file_lock import LOCKS, try_lock
from kanon_sql.errors import Fault, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMED = re.compile(r"kanon-sql-[0-9a-f]{16}")
LOCK = "lock"
NEW_LOCK = "lock.new"
BEGINNING = 60.0
"""Age in seconds from which a folder without a lock is of a run that was killed as it began."""


class RunState(Enum):
    ALIVE = "of a run that goes on"
    DEAD = "of a run that was killed"
    UNKNOWN = "has no lock: of an older version, or where files cannot be locked"


def default_parent() -> Path:
    return Path(tempfile.gettempdir())


@contextmanager
def spill_folder(parent: str | None) -> Iterator[str]:
    """Create a folder, and remove it at the end of the block or of the process, even after an interrupt."""
    folder = Path(parent or default_parent()) / f"kanon-sql-{secrets.token_hex(8)}"
    locks: list[int] = []

    def sweep() -> None:
        if not LOCKS:  # Windows removes no file that is open
            _close(locks)
        shutil.rmtree(folder, ignore_errors=True)
        _close(locks)

    atexit.register(sweep)
    try:
        try:
            folder.mkdir(mode=0o700)
            locks.append(_locked(folder))
        except OSError as error:
            what = f"a folder cannot be created there ({type(error).__name__})"
            raise SourceError(str(folder.parent), [Fault("temp_directory", what)]) from None
        yield str(folder)
    finally:
        sweep()
        atexit.unregister(sweep)


def _close(locks: list[int]) -> None:
    while locks:
        os.close(locks.pop())


def _locked(folder: Path) -> int:
    """Create a locked file in a folder. It is named LOCK only once the lock is held."""
    new = folder / NEW_LOCK
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    if LOCKS:
        with suppress(OSError):  # a file system without locks: `clean` then asks for --force
            try_lock(descriptor)
            new.rename(folder / LOCK)
    return descriptor


def spilled(parent: Path) -> list[Path]:
    """List the folders of all runs in `parent`, including those of living runs."""
    return sorted(
        each
        for each in parent.iterdir()
        if NAMED.fullmatch(each.name) and each.is_dir() and not each.is_symlink()
    )


def clear(folder: Path, *, force: bool = False, dry_run: bool = False) -> RunState:
    """Remove a folder if its run is dead, or with `force` if it has no lock. Returns the state of the run.

    Raises OSError where that is not allowed.
    """
    state = _state(folder)
    if not dry_run and (state is RunState.DEAD or (force and state is RunState.UNKNOWN)):
        shutil.rmtree(folder)
    return state


def _state(folder: Path) -> RunState:
    """Return the state of a folder's run, by its lock, or by its age before the lock has its name."""
    there = {each.name for each in folder.iterdir()}
    if not LOCKS or (there and not there & {LOCK, NEW_LOCK}):
        return RunState.UNKNOWN
    if LOCK not in there and time.time() - folder.stat().st_mtime < BEGINNING:
        return RunState.ALIVE
    if not there:
        return RunState.DEAD
    descriptor = os.open(folder / (LOCK if LOCK in there else NEW_LOCK), os.O_RDWR | os.O_NOFOLLOW)
    try:
        return RunState.DEAD if try_lock(descriptor) else RunState.ALIVE
    except OSError:  # a file system without locks
        return RunState.UNKNOWN
    finally:
        os.close(descriptor)
