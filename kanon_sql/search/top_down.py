"""Top-down specialization, TDS (Fung, Wang and Yu, ICDE 2005; TKDE 19(5), 2007).

Every column begins as one part. Of the parts whose children tell more of the class column and leave
no class too small, the one of the highest score is replaced by its children, until there is none.
A tree's part has the children of its node, where nodes with one child were left out: they would
tell nothing, and the original stops at them. A line's interval is split in two where the gain is highest.

Guarantee: the classes of every requirement are as large as it asks, without suppression, and no part
is left that is valid and beneficial; the optimum is not promised. Cost: three statements a step, which
read only rows with the part that was specialized.

Two facts spare the rest. Splitting makes classes smaller, so what is invalid once stays it; and
AnonyLoss needs of a candidate only the smallest class after it among those with its part: if that is
not smaller than A, then A is the size of a class that it does not touch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kanon_sql.model.cutting import Average, Cuts, CutStep, Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.model.cutting import AnonymityRequirement, Candidate

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

    def whole(self) -> list[Candidate]:
        """Begin with one part a column; give those whose children tell more of the class."""
        ...

    def specialize(self, candidate: Candidate) -> list[Candidate]:
        """Replace a part by its children; give those of them whose own children tell more."""
        ...

    def smallest(self, within: Candidate | None, asked: Sequence[Asked]) -> Iterable[Smallest]:
        """Give the smallest class after each candidate, among rows that were within a part, or all."""
        ...


@dataclass
class _Open:
    """A candidate, and the smallest class that each requirement would have with its part."""

    candidate: Candidate
    after: dict[int, int] = field(default_factory=dict)


class _Scored(NamedTuple):
    """A valid candidate with what it would come to."""

    score: Fraction
    loss: Fraction
    candidate: Candidate
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
    search = _Search(table, requirements, average)
    if not search.begin():
        return None
    steps = []
    while best := search.best(score):
        steps.append(
            CutStep.of(
                best.candidate,
                names[best.candidate.quasi],
                anonymity=best.loss,
                score=best.score,
                smallest=best.smallest,
            )
        )
        search.specialize(best)
    return Cuts(tuple(steps), search.smallest)


class _Search:
    """The candidates that are left, and the smallest class of each requirement."""

    def __init__(
        self,
        table: Specializations,
        requirements: Sequence[AnonymityRequirement],
        average: Average,
    ) -> None:
        self.smallest: tuple[int, ...] = ()
        self._table = table
        self._requirements = requirements
        self._average = average
        self._open: dict[tuple[int, int], _Open] = {}

    def begin(self) -> bool:
        """Look at the table with whole columns; whether that is large enough."""
        size = self._table.size()
        self.smallest = (size,) * len(self._requirements)
        if any(size < each.at_least for each in self._requirements):
            return False
        self._look(self._table.whole(), None)
        return True

    def best(self, score: Score) -> _Scored | None:
        """Give the valid candidate of the highest score, and forget those that are not valid."""
        best: _Scored | None = None
        for key, each in list(self._open.items()):
            if not all(
                size >= self._requirements[number].at_least for number, size in each.after.items()
            ):
                del self._open[key]
                continue
            smallest, loss = self._after(each)
            scored = _Scored(score.of(each.candidate.gain, loss), loss, each.candidate, smallest)
            if best is None or _rank(scored) < _rank(best):
                best = scored
        return best

    def _after(self, each: _Open) -> tuple[tuple[int, ...], Fraction]:
        """Give the smallest classes after a candidate, and its AnonyLoss."""
        after = tuple(
            min(size, each.after.get(number, size)) for number, size in enumerate(self.smallest)
        )
        over = len(after) if self._average is Average.ALL else len(each.after)
        lost = sum(self.smallest) - sum(after)
        return after, Fraction(lost, over) if over else Fraction(0)

    def specialize(self, best: _Scored) -> None:
        """Replace a part by its children, which are candidates of their own."""
        self.smallest = best.smallest
        del self._open[best.candidate.quasi, best.candidate.part]
        self._look(self._table.specialize(best.candidate), best.candidate)

    def _look(self, fresh: Iterable[Candidate], within: Candidate | None) -> None:
        """Find out what candidates would come to now that rows have other parts."""
        for candidate in fresh:
            if candidate.gain > 0:
                self._open[candidate.quasi, candidate.part] = _Open(candidate)
        if asked := self._asked(within):
            for number, quasi, part, size in self._table.smallest(within, asked):
                if each := self._open.get((quasi, part)):
                    known = each.after.get(number, size)
                    # what was seen before is either the same now or split, and what it was
                    # split into is among what is seen now
                    each.after[number] = min(size, known)

    def _asked(self, within: Candidate | None) -> list[Asked]:
        """Give what may have changed: candidates that share a requirement with what was replaced."""
        left = {quasi for quasi, _ in self._open}
        return [
            (number, quasi)
            for number, requirement in enumerate(self._requirements)
            if within is None or within.quasi in requirement.columns
            for quasi in requirement.columns
            if quasi in left
        ]


def _rank(scored: _Scored) -> tuple[Fraction, tuple[int, int]]:
    return -scored.score, scored.candidate.rank
