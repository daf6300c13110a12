"""When a search ends early: at its deadline, or at the first interrupt, which keeps the best found so far.

A signal is of the whole process, and so is what is kept of it here.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.plans.plan import Plan

_ALLOWED, _SEARCHING, _ASKED = Event(), Event(), Event()

INTERRUPTED = "the search was interrupted, and this is the best recoding that it had found"

NEVER = float("inf")
"""The deadline of a search that only an interrupt ends."""


class SearchInterrupted(KeyboardInterrupt):
    """A search was interrupted, and the best plan that it had found by then is not carried out."""

    def __init__(self, plan: Plan) -> None:
        super().__init__("interrupted; nothing was published")
        self.plan = plan


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Let the first interrupt end the search of a run as a time limit does; others end the run, as elsewhere."""
    _ASKED.clear()
    _ALLOWED.set()
    try:
        yield
    finally:
        _ALLOWED.clear()


@contextmanager
def searching(limit: float | None) -> Iterator[float | None]:
    """Begin a search of so many seconds, or of any number, and give its deadline on the monotonic clock."""
    by_interrupt = _ALLOWED.is_set()
    if by_interrupt:
        _SEARCHING.set()
    try:
        yield time.monotonic() + limit if limit is not None else NEVER if by_interrupt else None
    finally:
        _SEARCHING.clear()


def end_search() -> bool:
    """Ask a search to end with the best found; false where none goes on that could, or one was asked before."""
    if not _SEARCHING.is_set() or _ASKED.is_set():
        return False
    _ASKED.set()
    return True


def was_interrupted() -> bool:
    """Whether the last search that an interrupt could end was ended by one."""
    return _ASKED.is_set()


def forget_interrupt() -> None:
    """Begin a run in which nothing was interrupted."""
    _ASKED.clear()


def is_past(deadline: float | None) -> bool:
    """Whether a search that has a deadline has to end now."""
    return deadline is not None and (_ASKED.is_set() or time.monotonic() > deadline)


def interrupt_notes() -> tuple[str, ...]:
    """Note beside a plan that its search was interrupted."""
    return (INTERRUPTED,) if _ASKED.is_set() else ()


def ended_by() -> str:
    """Name what ended a search early."""
    return "the interrupt" if _ASKED.is_set() else "the time limit"
