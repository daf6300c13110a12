"""Allow one thread at a time on a connection, and let signals end statements.

Two threads on one connection would read each other's results.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    of a search which keeps the best found, the statement goes on. In any other thread, this only calls `run`.
    """
    if threading.current_thread() is not threading.main_thread():
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
