"""Scratch tables, which live exactly as long as one run, and the turns of its threads on a connection.

Two threads on one connection would read each other's results, so one runs at a time; signals end its statement.
"""

from __future__ import annotations

import re
import secrets
import sys
import threading
import time
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar
from weakref import WeakKeyDictionary

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table
from kanon_sql.errors import Fault, InputError

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


TAKEN = (
    "is used by a run in another thread; use one connection for each thread "
    "(DuckDB: connection.cursor())"
)
SIGNALS_SEEN, INTERRUPTED_AGAIN = 0.5, 0.02
"""Seconds between checks for signals while a statement runs (on Windows, waiting does not see them),
and between interrupts of a statement, which may not have begun at the first interrupt."""
Answer = TypeVar("Answer")
_CHANGING = threading.Lock()


@dataclass
class _Turn:
    """The thread that uses a connection, and how many of its runs do so, one within another.

    An RLock of `threading` does not fit, as only the thread that took it can release it. A database that a statement
    opens, in the thread of that statement, is closed by the thread of the run.
    """

    thread: int = 0
    runs: int = 0


_TURNS: WeakKeyDictionary[object, _Turn] = WeakKeyDictionary()


@contextmanager
def exclusive(connection: object) -> Iterator[None]:
    """Keep runs of other threads off a connection. Raises InputError if another thread uses it."""
    with _CHANGING:
        turn = _TURNS.setdefault(connection, _Turn())
        if turn.runs and turn.thread != threading.get_ident():
            raise InputError("connection", [Fault("", TAKEN)])
        turn.thread = threading.get_ident()
        turn.runs += 1
    try:
        yield
    finally:
        with _CHANGING:
            turn.runs -= 1


class _Worker:
    """A thread that runs the statements of the main thread, one after another: to start one for each costs more than most."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True, name="kanon-sql statements")
        self._thread.start()

    def _work(self) -> None:
        while True:
            self._asked.get()()

    @property
    def is_alive(self) -> bool:
        """Whether the thread runs; a process that was forked from its process has none."""
        return self._thread.is_alive()

    def run(self, work: Callable[[], None]) -> None:
        self._asked.put(work)


_workers: list[_Worker] = []


def _on_worker(work: Callable[[], None]) -> None:
    if not _workers or not _workers[0].is_alive:
        _workers[:] = [_Worker()]
    _workers[0].run(work)


def run_interruptibly(
    run: Callable[[], Answer],
    interrupt: Callable[[], object],
    start: Callable[[Callable[[], None]], None] = _on_worker,
) -> Answer:
    """Return the result of `run`, a statement. Raises its errors, or those of a signal's handler.

    Python runs signal handlers only in its main thread, between two instructions, so never while that thread waits
    for a database. Therefore `start` has the statement run in a thread of its own while the main thread waits. If a
    handler raises, the main thread calls `interrupt` until the statement has ended. If a handler raises nothing, as that
    of a search which keeps the best found, the statement goes on. In any other thread, this only calls `run`; in a
    browser, too, whose Python has neither threads nor signals.
    """
    if sys.platform == "emscripten" or threading.current_thread() is not threading.main_thread():
        return run()
    answers: list[Answer] = []
    errors: list[BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            answers.append(run())
        except BaseException as error:  # noqa: BLE001  raised in the thread that waits
            errors.append(error)
        finally:
            ended.set()

    start(work)
    try:
        while not ended.wait(SIGNALS_SEEN):
            pass
    except BaseException:
        while not ended.wait(INTERRUPTED_AGAIN):
            interrupt()
        raise
    if errors:
        raise errors[0]
    return answers[0]
