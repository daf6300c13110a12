"""The early end of a search, at its deadline or the first interrupt, with the best recoding so far.

Signals concern the whole process, so the state here is global.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.plans.plan import Plan

_ALLOWED, _SEARCHING, _ASKED = Event(), Event(), Event()

INTERRUPTED = "the search was interrupted, and this is the best recoding that it had found"

NEVER = float("inf")
"""The deadline of a search without a time limit, which only an interrupt can end early."""


class SearchInterrupted(KeyboardInterrupt):
    """A search was interrupted. `plan` is the best that it had found; it was not applied."""

    def __init__(self, plan: Plan) -> None:
        super().__init__("interrupted; nothing was published")
        self.plan = plan


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Let the first interrupt end the search as a time limit would. Further interrupts end the run."""
    _ASKED.clear()
    _ALLOWED.set()
    try:
        yield
    finally:
        _ALLOWED.clear()


@contextmanager
def searching(limit: float | None) -> Iterator[float | None]:
    """Begin a search. Yields its deadline on the monotonic clock: in `limit` seconds, NEVER, or None."""
    by_interrupt = _ALLOWED.is_set()
    if by_interrupt:
        _SEARCHING.set()
    try:
        yield time.monotonic() + limit if limit is not None else NEVER if by_interrupt else None
    finally:
        _SEARCHING.clear()


def end_search() -> bool:
    """Ask the search to end with the best found. Returns False if none can, or it was asked before."""
    if not _SEARCHING.is_set() or _ASKED.is_set():
        return False
    _ASKED.set()
    return True


def was_interrupted() -> bool:
    """Whether an interrupt has asked the current or last search to end."""
    return _ASKED.is_set()


def forget_interrupt() -> None:
    """Reset the state for a run that was not interrupted yet."""
    _ASKED.clear()


def is_past(deadline: float | None) -> bool:
    """Whether a search has to end now: past its deadline, or interrupted. Never without a deadline."""
    return deadline is not None and (_ASKED.is_set() or time.monotonic() > deadline)


def interrupt_notes() -> tuple[str, ...]:
    """Return the note for a plan whose search was interrupted; else none."""
    return (INTERRUPTED,) if _ASKED.is_set() else ()


def ended_by() -> str:
    """Return the cause of a search's early end in words: the interrupt, or the time limit."""
    return "the interrupt" if _ASKED.is_set() else "the time limit"
