"""Results that have scratch tables of their own; those that were used longest ago are dropped with their tables."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import ExitStack
from typing import TYPE_CHECKING, Generic, TypeVar

from kanon_sql.engines.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.scratch import Scratch

Made = TypeVar("Made")

KEPT = 4
"""The most results that are kept, so that undoing a change costs nothing."""


class RecentResults(Generic[Made]):
    """At most `KEPT` results by their keys."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, tuple[Made, ExitStack]] = OrderedDict()

    def get(self, key: object, run: Session, make: Callable[[Scratch], Made]) -> Made:
        """Return the result of a key, which `make` makes with scratch tables if none is kept."""
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                _, (_, oldest) = self._kept.popitem(last=False)
                oldest.close()
            with ExitStack() as stack:
                made = make(stack.enter_context(scratch(run.engine)))
                self._kept[key] = made, stack.pop_all()
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def close(self) -> None:
        """Drop all results and their tables."""
        while self._kept:
            self._kept.popitem()[1][1].close()
