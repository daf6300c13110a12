"""Names of scratch tables, which live exactly as long as one run, and of the tables that a view reads."""

from __future__ import annotations

import re
import secrets
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol

from kanon_sql.base.sql.quoting import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement

P = ParamSpec("P")
PREFIX = "_kanon_"
VIEW_TABLE = re.compile(r".+__([0-9a-f]{14})_(?:map_[0-9]+|classes)", re.DOTALL)
"""Names of tables that a released view reads: the view's name, and the mark of the run that made them."""
FIRST = 1_735_689_600
"""The beginning of 2025, in seconds since 1970: no run began before."""
SKEW = 3600
"""By how many seconds the clock of another machine may be ahead."""


def run_mark() -> str:
    """Create the mark of a run for the names of its tables: its start in seconds, and random digits."""
    return f"{int(time.time()):08x}{secrets.token_hex(3)}"


class Creates(Protocol):
    @property
    def scratch_schema(self) -> str | None: ...

    def execute(self, statement: Statement) -> object: ...

    def drop(self, table: exp.Table, *, view: bool) -> None: ...

    def drop_type(self, type_: exp.Table) -> None: ...


class Scratch:
    """Names the scratch tables of one run and drops them all when the run ends.

    There is no cache. A step that needs an earlier table takes it as an argument, and two runs never share a
    name, so nothing stale can be read.
    """

    def __init__(self, engine: Creates, run: str) -> None:
        self._engine = engine
        self._run = run
        self._made = 0
        self._live: dict[exp.Table, bool] = {}
        self._types: list[exp.Table] = []

    def table(self, what: str) -> exp.Table:
        """Name a table that is about to be created."""
        text = f"{PREFIX}{self._run}_{self._made}_{what}"
        named = table(text, schema=self._engine.scratch_schema)
        self._made += 1
        self._live[named] = False
        return named

    def create(
        self,
        what: str,
        statement: Callable[Concatenate[exp.Table, P], Statement],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> exp.Table:
        """Name a table, and create it by `statement(name, *args, **kwargs)`. Returns the name."""
        named = self.table(what)
        self._engine.execute(statement(named, *args, **kwargs))
        return named

    def type(self, what: str) -> exp.Table:
        """Name a type that is about to be created; it is dropped after all tables."""
        named = self.table(what)
        del self._live[named]
        self._types.append(named)
        return named

    def is_view(self, named: exp.Table, *, view: bool = True) -> None:
        """Record whether a scratch name is a view: views are dropped by another statement."""
        self._live[named] = view

    def drop(self, named: exp.Table) -> None:
        """Drop one table before the run ends."""
        self._engine.drop(named, view=self._live.pop(named))

    def drop_all(self) -> None:
        """Drop all remaining tables and views, the newest first, then the types."""
        while self._live:
            named, view = self._live.popitem()
            self._engine.drop(named, view=view)
        while self._types:
            self._engine.drop_type(self._types.pop())


def note_of(mark: str) -> str:
    """Return the comment of a table that a view reads. It proves which run created the table."""
    return f"made by kanon-sql, in run {mark}, for a release that is a view"


def mark_of(name: str, note: str) -> str | None:
    """Return the mark of the run that created a table for a view, if name and comment agree on it.

    >>> mark_of("people_k5__6840a1b2c3d4e5_map_1", note_of("6840a1b2c3d4e5"))
    '6840a1b2c3d4e5'
    >>> mark_of("people_k5__6840a1b2c3d4e5_map_1", "a map of mine")
    """
    match = VIEW_TABLE.fullmatch(name)
    if match is None or note != note_of(match[1]):
        return None
    return match[1] if FIRST <= _began(match[1]) <= time.time() + SKEW else None


def age_of(mark: str) -> float:
    """Return how many seconds ago the run of a mark began."""
    return time.time() - _began(mark)


def _began(mark: str) -> int:
    return int(mark[:8], 16)


@contextmanager
def scratch(engine: Creates, *, drops: bool = True) -> Iterator[Scratch]:
    """Yield the Scratch of a run. With `drops`, its tables are dropped however the run ends."""
    tables = Scratch(engine, run=run_mark())
    try:
        yield tables
    finally:
        if drops:
            tables.drop_all()
