"""Good heads to begin K-Optimize with: without one that is near the best, its bounds prune little.

A climb from the most general head takes the letter that lowers the cost most, until none does. Then
each letter may go, or move within its part of the column, and what helps most is done. Where
nothing helps any more, all letters of one column are taken out and the climb begins again, column
after column, until each was tried on the best head in vain.

Ties go to the least letter. Every step is a value, so that a search can be stopped between any two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.sql.cutting import members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.search.cutter import Cutter, Figures

STRIDES = (1, 2, 4, 8, 16)
"""By so many places a letter may move at once."""


@dataclass(frozen=True, slots=True)
class Seed:
    """Where the climbs are: at a head, of which it may be known that no letter more helps.

    The climb began when `origin` was the best head, without `column`; so many climbs from that head
    were in vain. In a strict one no row may be suppressed.
    """

    head: int
    full: bool = False
    origin: int = 0
    column: int = -1
    strict: bool = True
    vain: int = 0


class Seeds:
    """Makes the steps; `offer` is told of every head that is costed, and gives the best one's."""

    def __init__(self, cutter: Cutter, offer: Callable[[int, Figures], None]) -> None:
        self._cutter = cutter
        self._offer = offer
        self._whole = sum(cutter.columns)

    def step(self, seed: Seed, best: int) -> Seed | None:
        """Make one step; `best` is the best head before it. None when there is nothing left to try."""
        better = (self._move if seed.full else self._climb)(seed)
        if better is not None:
            return replace(seed, head=better, full=False)
        return self._again(seed, best) if seed.full else replace(seed, full=True)

    def _climb(self, seed: Seed) -> int | None:
        """Give the best head with one letter more, if it is better."""
        head = seed.head
        ((here, children),) = self._cutter.open([(head, self._whole & ~head)])
        return self._better(seed, here, [(head | 1 << c.letter, c.figures) for c in children])

    def _move(self, seed: Seed) -> int | None:
        """Give the best head with one letter less, or with one moved, if it is better."""
        heads = list(dict.fromkeys(self._neighbours(seed.head)))
        here, *figures = self._cutter.figures([seed.head, *heads])
        return self._better(seed, here, list(zip(heads, figures, strict=True)))

    def _neighbours(self, head: int) -> Iterator[int]:
        for letters in self._cutter.columns:
            for letter in members(head & letters):
                without = head & ~(1 << letter)
                yield without
                for stride in STRIDES:
                    for other in (letter - stride, letter + stride):
                        if other >= 0 and letters >> other & 1 and not head >> other & 1:
                            yield without | 1 << other

    def _better(self, seed: Seed, here: Figures, found: list[tuple[int, Figures]]) -> int | None:
        """Give the first of the best, if it is better than where the climb is, or is allowed at last."""
        limit = 0 if seed.strict else self._cutter.max_suppressed
        for head, figures in found:
            self._offer(head, figures)
        able = [(max(0, f.suppressed - limit), f.cost, head) for head, f in found]
        least = min(able, default=None)
        if least is None or least[:2] >= (max(0, here.suppressed - limit), here.cost):
            return None
        return least[2]

    def _again(self, seed: Seed, best: int) -> Seed | None:
        """Take a column out of the best head, first strictly; the first climb is from nothing twice."""
        if seed.column < 0 and seed.strict:
            return Seed(0, strict=False)
        columns = self._cutter.columns
        column, vain = seed.column, seed.vain if best == seed.origin else 0
        strict = seed.strict
        while vain < 2 * len(columns):
            strict, vain = not strict, vain + 1
            column = (column + strict) % len(columns)
            if column >= 0 and best & columns[column]:
                head = best & ~columns[column]
                return Seed(head, origin=best, column=column, strict=strict, vain=vain)
        return None
