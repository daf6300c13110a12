"""One run at a time on a connection, as two threads that use one would read each other's results; signals end its statements."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from kanon_sql.errors import Fault, InputError
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TAKEN = (
    "is used by a run in another thread; use one connection for each thread "
    "(DuckDB: connection.cursor())"
)
SIGNALS_SEEN, INTERRUPTED_AGAIN = 0.5, 0.02
"""Seconds after which who waits for a statement looks for signals again, where waiting itself does not see them (Windows),
and after which a statement that has not ended is interrupted once more: it may not have begun the first time."""
Answer = TypeVar("Answer")
_CHANGING = threading.Lock()


@dataclass
class _Turn:
    """The thread whose runs have a connection, and how many of them, one within another.

    A lock of `threading` would do, but it is released by its own thread alone: a database that a statement opens, in the
    thread of that statement, is closed by the thread of the run.
    """

    thread: int = 0
    runs: int = 0


_TURNS: WeakKeyDictionary[object, _Turn] = WeakKeyDictionary()


@contextmanager
def exclusive(connection: object) -> Iterator[None]:
    """Keep other threads' runs from a connection; raises InputError if one uses it."""
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


def run_interruptibly(
    run: Callable[[], Answer],
    interrupt: Callable[[], object],
    thread: Callable[..., threading.Thread] = threading.Thread,
) -> Answer:
    """Run a statement and give what it returns; raises what it raises, or what the handler of a signal raises meanwhile.

    Python runs the handlers of signals in its main thread, and there between two instructions only: not while that waits
    for a database. So the statement has a `thread` of its own, while the main thread waits, and calls `interrupt`
    until the statement has ended. A handler that raises nothing, as that of a search which keeps the best found, lets the
    statement go on. In any other thread than the main one, the statement is just run.
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

    thread(target=work, daemon=True).start()
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
