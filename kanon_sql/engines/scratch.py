"""Tables that live exactly as long as one run."""

from __future__ import annotations

import re
import secrets
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from kanon_sql.sql.quoting import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

PREFIX = "_kanon_"
VIEW_TABLE = re.compile(r".+__([0-9a-f]{14})_(?:map_[0-9]+|classes)", re.DOTALL)
"""How the tables that a view reads are named: after it, with the mark of the run that made them."""
FIRST = 1_735_689_600
"""The year 2025, before which no run began."""
SKEW = 3600
"""By how many seconds the clock of another machine may be ahead."""


def run_mark() -> str:
    """Mark a run in the names of what it makes: when it began, in seconds, and by chance."""
    return f"{int(time.time()):08x}{secrets.token_hex(3)}"


class Drops(Protocol):
    @property
    def scratch_schema(self) -> str | None: ...

    def drop(self, table: exp.Table, *, view: bool) -> None: ...


class Scratch:
    """Hands out table names for one run and drops them all when the run ends.

    There is no cache. A step that needs an earlier table is given it as an argument, and
    two runs never share a name, so nothing stale can be read.
    """

    def __init__(self, engine: Drops, run: str) -> None:
        self._engine = engine
        self._run = run
        self._made = 0
        self._live: dict[exp.Table, bool] = {}

    def table(self, what: str) -> exp.Table:
        """Name a table that is about to be made."""
        text = f"{PREFIX}{self._run}_{self._made}_{what}"
        named = table(text, schema=self._engine.scratch_schema)
        self._made += 1
        self._live[named] = False
        return named

    def is_view(self, named: exp.Table, *, view: bool = True) -> None:
        """Say that what was made under a name is a view, which is dropped by another statement."""
        self._live[named] = view

    def drop(self, named: exp.Table) -> None:
        """Drop one table before the run ends."""
        self._engine.drop(named, view=self._live.pop(named))

    def drop_all(self) -> None:
        """Drop what is left, the newest first."""
        while self._live:
            named, view = self._live.popitem()
            self._engine.drop(named, view=view)


def note_of(mark: str) -> str:
    """Say on a table that a view is to read which run made it: the proof that it is ours."""
    return f"made by kanon-sql, in run {mark}, for a release that is a view"


def mark_of(name: str, note: str) -> str | None:
    """Give the mark of the run that made a table for a view: its name and its comment must say it.

    >>> mark_of("people_k5__6840a1b2c3d4e5_map_1", note_of("6840a1b2c3d4e5"))
    '6840a1b2c3d4e5'
    >>> mark_of("people_k5__6840a1b2c3d4e5_map_1", "a map of mine")
    """
    match = VIEW_TABLE.fullmatch(name)
    if match is None or note != note_of(match[1]):
        return None
    return match[1] if FIRST <= _began(match[1]) <= time.time() + SKEW else None


def age_of(mark: str) -> float:
    """Tell how many seconds ago the run of a mark began."""
    return time.time() - _began(mark)


def _began(mark: str) -> int:
    return int(mark[:8], 16)


@contextmanager
def scratch(engine: Drops) -> Iterator[Scratch]:
    """Give a run its scratch tables, and drop them however the run ends."""
    tables = Scratch(engine, run=run_mark())
    try:
        yield tables
    finally:
        tables.drop_all()
