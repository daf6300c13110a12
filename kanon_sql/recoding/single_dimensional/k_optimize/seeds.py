"""Good heads to begin K-Optimize with: without one that is near the best, its bounds prune little.

A climb from the most general head adds the letter that lowers the cost most, or several of the best letters where they
lower it more together, until none does. Then single letters are removed, or moved within their column, where that helps
most. If nothing helps any more, the best head is kicked (some of its letters go, or one column gets other letters) and
the next climb begins there. Every second climb allows no suppressed row. Every other climb is free at first: it allows
any number of suppressed rows, at their price, until nothing helps any more. That leads to other heads, often better
ones. The climbs end after `VAIN` from one head that found no better one.

Ties go to the least head. A kick follows from its number alone, and every step is a value: a search that is stopped
between two steps goes on as if it had not been stopped.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.recoding.single_dimensional.k_optimize.heads import members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kanon_sql.recoding.single_dimensional.k_optimize.heads import HeadCosts
    from kanon_sql.recoding.single_dimensional.k_optimize.k_optimize_table import KOptimizeTable

STRIDES = (1, 2, 4, 8, 16)
"""The distances, in coordinates, by which a letter may move at once."""

TOGETHER = 17
"""Most letters that are added at once."""

APART = 3
"""The least distance, in coordinates, of letters of one column that are added at once."""

AT_ONCE = 64
"""Heads that are costed between two looks at the clock."""

VAIN = 32
"""Most climbs from one head that find no better one; fewer if there are fewer letters."""

LAST = -1
"""The number of a climb that no other follows."""

SHARES = (80, 60, 40, 20)
"""In a kick, the percentage of letters that stay, or are added."""


class _TooLateError(Exception):
    """The time limit passed within a step."""


@dataclass(frozen=True, slots=True)
class Seed:
    """The state of the climbs: the present head; `full` if it is known that no further letter helps.

    The climb of this `number` began when `origin` was the best head, and `vain` climbs from that head found no better
    one. The first two begin without letters. An even one allows no suppressed row, and an odd one is `free` at first.
    """

    head: int
    full: bool = False
    free: bool = False
    number: int = 0
    origin: int = 0
    vain: int = 0


class Seeds:
    """Takes the steps of climbs; `offer` is called with every head that is costed."""

    def __init__(self, table: KOptimizeTable, offer: Callable[[int, HeadCosts], None]) -> None:
        self._table = table
        self._offer = offer
        self._whole = sum(table.columns)

    def near(self, best: int) -> Seed:
        """Return the climb from a head that the tree search found; no other climb follows it."""
        return Seed(best, number=LAST)

    def step(self, seed: Seed, best: int) -> Seed | None:
        """Take one step; `best` is the best head before it. None when there is nothing left to try.

        A step that the time limit interrupts returns the seed unchanged, so that it is taken again.
        """
        try:
            better = (self._move if seed.full else self._climb)(seed)
        except _TooLateError:
            return seed
        if better is not None:
            return replace(seed, head=better, full=False)
        if not seed.full:
            return replace(seed, full=True)
        return replace(seed, free=False, full=False) if seed.free else self._again(seed, best)

    def _climb(self, seed: Seed) -> int | None:
        """Return the best head with one letter more, or with several of the best, if it is better."""
        head = seed.head
        ((here, children),) = self._table.open([(head, self._whole & ~head)])
        found = [(head | 1 << child.letter, child.costs) for child in children]
        better, costs = self._better(seed, head, here, found)
        if better == head:
            return None
        helpful = sorted(
            (*self._rank(seed, child.costs), child.letter)
            for child in children
            if self._rank(seed, child.costs) < self._rank(seed, here)
        )
        more = list(self._together(head, [letter for *_, letter in helpful]))
        if more:
            found = list(zip(more, self._table.cost(more, more[-1]), strict=True))
            better, _ = self._better(seed, better, costs, found)
        return better

    def _together(self, head: int, letters: Sequence[int]) -> Iterator[int]:
        """Yield the head with the first two letters, three, and so on that lie apart: close ones help alike."""
        taken: list[int] = []
        for letter in letters:
            column = next(each for each in self._table.columns if each >> letter & 1)
            if any(column >> other & 1 and abs(letter - other) < APART for other in taken):
                continue
            taken.append(letter)
            head |= 1 << letter
            if len(taken) > 1:
                yield head
            if len(taken) == TOGETHER:
                return

    def _move(self, seed: Seed) -> int | None:
        """Take out or move, column after column, the letter that helps most; None if none does."""
        head = seed.head
        (here,) = self._table.cost([head], head)
        for letters in self._table.columns:
            heads = list(dict.fromkeys(_neighbours(head, letters)))
            allset = reduce(or_, heads, 0)
            costs: list[HeadCosts] = []
            while len(costs) < len(heads):
                if self._table.late():
                    raise _TooLateError
                batch = heads[len(costs) : len(costs) + AT_ONCE]
                costs += self._table.cost(batch, allset)
            found = list(zip(heads, costs, strict=True))
            head, here = self._better(seed, head, here, found)
        return None if head == seed.head else head

    def _better(
        self, seed: Seed, head: int, here: HeadCosts, found: list[tuple[int, HeadCosts]]
    ) -> tuple[int, HeadCosts]:
        """Return the best of the heads found, or `head` if none is better, by rows too many, then by cost."""
        for other, costs in found:
            self._offer(other, costs)
        least = min(((*self._rank(seed, f), other, f) for other, f in found), default=None)
        if least is None or least[:2] >= self._rank(seed, here):
            return head, here
        return least[2:]

    def _rank(self, seed: Seed, costs: HeadCosts) -> tuple[int, int]:
        """Order heads by the rows too many that they suppress, then by cost; a free climb by cost alone."""
        limit = self._table.max_suppressed if seed.number % 2 else 0
        return 0 if seed.free else max(0, costs.suppressed - limit), costs.cost

    def _again(self, seed: Seed, best: int) -> Seed | None:
        """Begin the next climb, from another head than the best."""
        if seed.number == LAST:
            return None
        if not seed.number:
            return Seed(0, free=True, number=1)
        number, vain = seed.number, seed.vain if best == seed.origin else 0
        while vain < min(VAIN, self._whole.bit_count()):
            number, vain = number + 1, vain + 1
            head = self._kicked(best, number)
            if head != best:
                return Seed(head, free=bool(number % 2), number=number, origin=best, vain=vain)
        return None

    def _kicked(self, best: int, number: int) -> int:
        """Take letters out of all columns, or give one column other letters in place of its own."""
        share = SHARES[number // 4 % len(SHARES)]
        if number // 2 % 2:
            return sum(1 << n for n in members(best) if _drawn(number, n) < share)
        columns = self._table.columns
        column = columns[_drawn(number, self._whole.bit_length()) % len(columns)]
        return best & ~column | sum(1 << n for n in members(column) if _drawn(number, n) < share)


def _drawn(number: int, letter: int) -> int:
    """Draw from 0 to 99: the same on every machine, in every run (Steele et al.'s SplitMix64)."""
    mixed = (number * 1_000_003 + letter + 1) * 0x9E3779B97F4A7C15 % 2**64
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
    return (mixed ^ mixed >> 31) % 100


def _neighbours(head: int, letters: int) -> Iterator[int]:
    """Yield the heads without one of a column's letters, and with another letter in its place."""
    for letter in members(head & letters):
        without = head & ~(1 << letter)
        yield without
        for stride in STRIDES:
            for other in (letter - stride, letter + stride):
                if other >= 0 and letters >> other & 1 and not head >> other & 1:
                    yield without | 1 << other
