"""Bottom-up generalization (Wang, Yu and Chakraborty, ICDM 2004), over one virtual identifier or several.

Every value begins as a part of its own. While a requirement does not hold, all children of one node
are replaced by it, of those nodes whose children are all parts. Critical ones, which make the smallest
class of a requirement larger, come first; of them, and where there are none of all, the one that loses
the least information for the anonymity it gains: IP(G) = I(G) / P(G), or I(G) where P(G) = 0.

What the paper leaves open: a requirement that holds takes no part in the choice, as nothing has to be
lost for it; P(G) is the average over those that do not hold and have the column. Trees only: the nodes
of a line are its splits, and from below there are none.

Guarantee: the classes of every requirement are as large as it asks, without suppression; the optimum is
not promised. Cost: a pass over the classes a step, of which there are fewer after each. A is the size
of some class, so a node is critical only if all classes of that size are below it: only those nodes,
one a column at most, are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kanon_sql.model.cutting import Cuts, CutStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.model.cutting import AnonymityRequirement, Candidate


@dataclass(frozen=True, slots=True)
class Rarest:
    """The smallest classes of a requirement: their size, and the places that each column's parts span."""

    size: int
    spans: Mapping[int, tuple[int, int]]

    def below(self, candidate: Candidate) -> bool:
        """Whether all of them have a part that the candidate would replace."""
        span = self.spans.get(candidate.quasi)
        return span is not None and candidate.low <= span[0] and span[1] <= candidate.high


class Generalizations(Protocol):
    """What bottom-up generalization asks of the table."""

    def lowest(self) -> list[Candidate]:
        """Begin with each value as a part; give the nodes whose children are all values."""
        ...

    def rarest(self) -> Sequence[Rarest]:
        """Give the smallest classes of each requirement."""
        ...

    def smallest(self, asked: Sequence[tuple[int, Candidate]]) -> Sequence[int]:
        """Give how large the smallest class of each requirement is after each candidate: A_G."""
        ...

    def generalize(self, candidate: Candidate) -> Candidate | None:
        """Replace all children of a node by it; give its parent if that has only parts below it now."""
        ...


class _Scored(NamedTuple):
    """A candidate with what it gains, and loses for that."""

    score: Fraction
    gained: Fraction
    candidate: Candidate


def bottom_up(
    table: Generalizations, requirements: Sequence[AnonymityRequirement], names: Sequence[str]
) -> Cuts | None:
    """Generalize until every requirement holds; None if some does not when its columns are whole.

    Ties go to the first column, then to the lowest place. The cut itself stays in the table.
    """
    open_ = {candidate.rank: candidate for candidate in table.lowest()}
    rarest, steps = table.rarest(), []
    while short := _short(requirements, rarest):
        best = _best(table, short, rarest, open_.values())
        if best is None:
            return None
        del open_[best.candidate.rank]
        if above := table.generalize(best.candidate):
            open_[above.rank] = above
        rarest = table.rarest()
        steps.append(
            CutStep.of(
                best.candidate,
                names[best.candidate.quasi],
                anonymity=best.gained,
                score=best.score,
                smallest=tuple(each.size for each in rarest),
            )
        )
    return Cuts(tuple(steps), tuple(each.size for each in rarest))


def _short(
    requirements: Sequence[AnonymityRequirement], rarest: Sequence[Rarest]
) -> dict[int, tuple[int, ...]]:
    """Give the columns of each requirement that does not hold."""
    return {
        number: each.columns
        for number, (each, found) in enumerate(zip(requirements, rarest, strict=True))
        if found.size < each.at_least
    }


def _best(
    table: Generalizations,
    short: Mapping[int, tuple[int, ...]],
    rarest: Sequence[Rarest],
    candidates: Iterable[Candidate],
) -> _Scored | None:
    """Choose among the nodes of columns that some requirement needs generalized."""
    useful = [c for c in candidates if any(c.quasi in columns for columns in short.values())]
    asked = [
        (number, candidate)
        for candidate in useful
        for number in short
        if rarest[number].below(candidate)
    ]
    gained: dict[Candidate, int] = {}
    if asked:
        for (number, candidate), size in zip(asked, table.smallest(asked), strict=True):
            more = size - rarest[number].size
            gained[candidate] = gained.get(candidate, 0) + more
    critical = [candidate for candidate, more in gained.items() if more]
    scored = []
    for candidate in critical or useful:
        over = sum(candidate.quasi in columns for columns in short.values())
        average = Fraction(gained.get(candidate, 0), over)
        score = candidate.gain / average if average else candidate.gain
        scored.append(_Scored(score, average, candidate))
    return min(scored, key=lambda each: (each.score, each.candidate.rank), default=None)
