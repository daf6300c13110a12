"""Top-down specialization, TDS (Fung, Wang and Yu, ICDE 2005; TKDE 19(5), 2007).

Every column begins as one part. Of the parts whose children tell more of the class column and leave
no class too small, the one of the highest score is replaced by its children, until there is none.
A tree's part has the children of its node, where nodes with one child were left out: they would
tell nothing, and the original stops at them. A line's interval is split in two where the gain is highest.

Guarantee: the classes of every requirement are as large as it asks, without suppression, and no part
is left that is valid and beneficial; the optimum is not promised. Cost: three statements a step or four,
of which one reads rows, and only those with the part that was specialized.

Three facts spare the rest. Splitting makes classes smaller, so what is invalid once stays it. AnonyLoss
needs of a candidate only the smallest class after it among those with its part: if that is not smaller
than A, then A is the size of a class that it does not touch. And classes with a part do not change when
other parts of the same column are specialized: as soon as no requirement has candidates in two of its
columns, all that are valid will be taken, sooner or later. They are then specialized together, a
generation at a time, and Python tells in which order the scores would have had them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kanon_sql.policy.cut_steps import (
    Average,
    Cuts,
    CutStep,
    Score,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate

    Asked = tuple[int, int]
    """A requirement and a column of it, both by their numbers."""


class Smallest(NamedTuple):
    """The smallest class of a requirement that a candidate would leave, among those that were asked."""

    requirement: int
    quasi: int
    part: int
    size: int


class Specializations(Protocol):
    """What TDS asks of the table; gains are of a column alone, and asked once a part."""

    def size(self) -> int:
        """Count the entities, or the rows where no entity is named."""
        ...

    def whole(self) -> list[CutCandidate]:
        """Begin with one part a column; give those that have children."""
        ...

    def specialize(self, parts: Sequence[CutCandidate]) -> list[list[CutCandidate]]:
        """Replace parts by their children; give for each those of them that have children."""
        ...

    def smallest(
        self, within: Sequence[CutCandidate], asked: Sequence[Asked]
    ) -> Iterable[Smallest]:
        """Give the smallest class after each candidate that lies within some parts, or after all.

        Of others in the columns of these parts nothing is told; of those in other columns, the
        smallest class that has a part within.
        """
        ...

    def late(self) -> bool:
        """Whether the time limit has passed; what was cut so far holds."""
        ...


@dataclass
class _Open:
    """A candidate, and the smallest class that each requirement would have with its part."""

    candidate: CutCandidate
    after: dict[int, int] = field(default_factory=dict)
    below: list[_Open] | None = None
    """The candidates among its children, where it was specialized already."""

    @property
    def key(self) -> tuple[int, int]:
        return self.candidate.quasi, self.candidate.part


class _Scored(NamedTuple):
    """A valid candidate with what it would come to; the least is the best."""

    worth: Fraction
    rank: tuple[int, int]
    loss: Fraction
    smallest: tuple[int, ...]


def top_down(
    table: Specializations,
    requirements: Sequence[AnonymityRequirement],
    names: Sequence[str],
    *,
    score: Score = Score.GAIN_PER_LOSS,
    average: Average = Average.AFFECTED,
) -> Cuts | None:
    """Specialize while a part is valid and beneficial; None if even whole columns are too small.

    Ties go to the first column, then to the lowest place. The cut itself stays in the table.
    """
    search = _Search(table, requirements, score, average)
    if not search.begin():
        return None
    steps = []
    while best := search.best():
        each, scored = best
        steps.append(
            CutStep.of(
                each.candidate,
                names[each.candidate.quasi],
                anonymity=scored.loss,
                score=-scored.worth,
                smallest=scored.smallest,
            )
        )
        search.specialize(each, scored)
    return Cuts(tuple(steps), search.smallest, cut_short=search.cut_short)


class _Search:
    """The candidates that are left, and the smallest class of each requirement."""

    def __init__(
        self,
        table: Specializations,
        requirements: Sequence[AnonymityRequirement],
        score: Score,
        average: Average,
    ) -> None:
        self.smallest: tuple[int, ...] = ()
        self.cut_short = False
        self._table = table
        self._requirements = requirements
        self._score = score
        self._average = average
        self._open: dict[tuple[int, int], _Open] = {}
        self._queue: list[tuple[_Scored, tuple[int, int]]] = []

    def begin(self) -> bool:
        """Look at the table with whole columns; whether that is large enough."""
        size = self._table.size()
        self.smallest = (size,) * len(self._requirements)
        if any(size < each.at_least for each in self._requirements):
            return False
        self._put(self._beneficial(self._table.whole()))
        self._look((), self._open, self._asked(None))
        self._line_up()
        return True

    def best(self) -> tuple[_Open, _Scored] | None:
        """Take out the valid candidate of the highest score; out of time, of those already specialized."""
        while self._queue:
            scored, key = heappop(self._queue)
            each = self._open.pop(key)
            if each.below is not None or not self.cut_short:
                return each, scored
        return None

    def specialize(self, best: _Open, scored: _Scored) -> None:
        """Replace a part by its children, which are candidates of their own."""
        changed = scored.smallest != self.smallest
        self.smallest = scored.smallest
        if best.below is None:
            self.cut_short = self._table.late()
            (below,) = self._table.specialize([best.candidate])
            self._put(self._beneficial(below))
            self._look((best.candidate,), self._open, self._asked(best.candidate.quasi))
            self._line_up()
        else:
            self._put(best.below)
            if changed:
                self._line_up()
            else:
                for each in filter(self._valid, best.below):
                    heappush(self._queue, (self._scored(each), each.key))

    def _beneficial(self, candidates: Iterable[CutCandidate]) -> list[_Open]:
        return [_Open(each) for each in candidates if each.gain > 0]

    def _put(self, fresh: Iterable[_Open]) -> None:
        self._open.update((each.key, each) for each in fresh)

    def _asked(self, replaced: int | None) -> list[Asked]:
        """Give what may have changed: candidates that share a requirement with a column, or all."""
        left = {quasi for quasi, _ in self._open}
        return [
            (number, quasi)
            for number, requirement in enumerate(self._requirements)
            if replaced is None or replaced in requirement.columns
            for quasi in requirement.columns
            if quasi in left
        ]

    def _look(
        self,
        within: Sequence[CutCandidate],
        told: Mapping[tuple[int, int], _Open],
        asked: Sequence[Asked],
    ) -> None:
        """Find out what candidates would come to now that rows within some parts have others."""
        if not asked:
            return
        for number, quasi, part, size in self._table.smallest(within, asked):
            if each := told.get((quasi, part)):
                # classes that were seen before are the same, or were split into some of these
                each.after[number] = min(size, each.after.get(number, size))

    def _line_up(self) -> None:
        """Order the valid candidates by their scores, and forget the others."""
        self._open = {key: each for key, each in self._open.items() if self._valid(each)}
        if not self.cut_short and self._apart():
            self._foresee()
        self._queue = [(self._scored(each), key) for key, each in self._open.items()]
        heapify(self._queue)

    def _valid(self, each: _Open) -> bool:
        return all(size >= self._requirements[n].at_least for n, size in each.after.items())

    def _scored(self, each: _Open) -> _Scored:
        """Score a candidate by the smallest classes after it, and its AnonyLoss."""
        after = tuple(min(size, each.after.get(n, size)) for n, size in enumerate(self.smallest))
        over = len(after) if self._average is Average.ALL else len(each.after)
        lost = sum(self.smallest) - sum(after)
        loss = Fraction(lost, over) if over else Fraction(0)
        worth = -self._score.of(each.candidate.gain, loss)
        return _Scored(worth, each.candidate.rank, loss, after)

    def _apart(self) -> bool:
        """Whether no requirement has candidates in two of its columns."""
        left = {quasi for quasi, _ in self._open}
        return all(len(left & {*each.columns}) <= 1 for each in self._requirements)

    def _foresee(self) -> None:
        """Specialize all that is valid, and what it comes to, before its turn has come."""
        generation = [each for each in self._open.values() if each.below is None]
        while generation and not self.cut_short:
            self.cut_short = self._table.late()
            parts = [each.candidate for each in generation]
            for each, below in zip(generation, self._table.specialize(parts), strict=True):
                each.below = self._beneficial(below)
            fresh = {e.key: e for each in generation for e in each.below or ()}
            columns = {quasi for quasi, _ in fresh}
            asked = [
                (number, quasi)
                for number, requirement in enumerate(self._requirements)
                for quasi in requirement.columns
                if quasi in columns
            ]
            self._look(parts, fresh, asked)
            generation = [each for each in fresh.values() if self._valid(each)]
