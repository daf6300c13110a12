"""Bottom-up generalization (Wang, Yu and Chakraborty, ICDM 2004), over one virtual identifier or several.

Every value begins as a part of its own. While a requirement does not hold, all children of one node
are replaced by it, of those nodes whose children are all parts. Critical ones, which make the smallest
class of a requirement larger, come first; of them, and where there are none of all, the one that loses
the least information for the anonymity it gains: IP(G) = I(G) / P(G), or I(G) where P(G) = 0.

What the paper leaves open: a requirement that holds takes no part in the choice, as nothing has to be
lost for it; P(G) is the average over those that do not hold and have the column. Trees only: the nodes
of a line are its splits, and from below there are none.

Guarantee: the classes of every requirement are as large as it asks, without suppression; the optimum is
not promised. Cost: a pass over the classes a step or fewer, and there are fewer classes after each.

Two facts spare the rest. A is the size of some class, so a node is critical only if all classes of that
size are below it: one a column at most is tried. And merging only makes classes larger: where no node is
critical after several steps that left A as it was, none was before any of them, so the ones of least
information may be taken several at once, and are taken back where that does not hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Protocol

from kanon_sql.policy.cut_steps import Cuts, CutStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate


@dataclass(frozen=True, slots=True)
class Rarest:
    """The smallest classes of a requirement: their size, and the places that each column's parts span."""

    size: int
    spans: Mapping[int, tuple[int, int]]

    def below(self, candidate: CutCandidate) -> bool:
        """Whether all of them have a part that the candidate would replace."""
        span = self.spans.get(candidate.quasi)
        return span is not None and candidate.low <= span[0] and span[1] <= candidate.high


class Generalizations(Protocol):
    """What bottom-up generalization asks of the table."""

    def nodes(self) -> list[CutCandidate]:
        """Begin with each value as a part; give all inner nodes of the columns of a requirement."""
        ...

    def rarest(self) -> Sequence[Rarest]:
        """Give the smallest classes of each requirement."""
        ...

    def smallest(self, asked: Sequence[tuple[int, CutCandidate]]) -> Sequence[int]:
        """Give how large the smallest class of each requirement is after each candidate: A_G."""
        ...

    def generalize(self, nodes: Sequence[CutCandidate]) -> None:
        """Replace all parts below some nodes, none of which is below another, by the nodes."""
        ...

    def back(self) -> None:
        """Put the parts back that the last nodes have replaced."""
        ...


@dataclass(frozen=True, slots=True)
class _Seen:
    """The table after a step: its smallest classes, and the critical nodes with what each gains."""

    rarest: Sequence[Rarest]
    short: Mapping[int, tuple[int, ...]]
    critical: Mapping[CutCandidate, Fraction]

    @property
    def smallest(self) -> tuple[int, ...]:
        return tuple(each.size for each in self.rarest)

    def needs(self, candidate: CutCandidate) -> bool:
        """Whether a requirement that does not hold has the column."""
        return any(candidate.quasi in columns for columns in self.short.values())


AT_ONCE = 64
"""How many steps are taken at once, at most: a statement names each interval."""


def bottom_up(
    table: Generalizations, requirements: Sequence[AnonymityRequirement], names: Sequence[str]
) -> Cuts | None:
    """Generalize until every requirement holds; None if some does not when its columns are whole.

    Ties go to the first column, then to the lowest place. The cut itself stays in the table.
    """
    pool, at_once = _Pool(table.nodes()), 1
    steps: list[CutStep] = []
    now = _look(table, requirements, pool)
    while now.short:
        chosen = pool.take(at_once, now)
        if not chosen:
            return None
        table.generalize(_highest(chosen))
        then = _look(table, requirements, pool)
        if len(chosen) > 1 and (then.smallest != now.smallest or then.critical):
            table.back()
            pool.give_back(chosen)
            at_once = max(len(chosen) // 4, 1)
            continue
        for candidate in chosen:
            gained = now.critical.get(candidate, Fraction(0))
            steps.append(
                CutStep.of(
                    candidate,
                    names[candidate.quasi],
                    anonymity=gained,
                    score=candidate.gain / gained if gained else candidate.gain,
                    smallest=then.smallest,
                )
            )
        now, at_once = then, min(2 * at_once, AT_ONCE)
    return Cuts(tuple(steps), now.smallest)


def _look(
    table: Generalizations, requirements: Sequence[AnonymityRequirement], pool: _Pool
) -> _Seen:
    """Find out which requirements do not hold, and which nodes are critical for them."""
    rarest = table.rarest()
    short = {
        number: each.columns
        for number, (each, found) in enumerate(zip(requirements, rarest, strict=True))
        if found.size < each.at_least
    }
    asked = [
        (number, candidate)
        for candidate in pool.open
        for number in short
        if rarest[number].below(candidate)
    ]
    gained: dict[CutCandidate, int] = {}
    if asked:
        for (number, candidate), size in zip(asked, table.smallest(asked), strict=True):
            gained[candidate] = gained.get(candidate, 0) + size - rarest[number].size
    critical = {
        each: Fraction(more, sum(each.quasi in columns for columns in short.values()))
        for each, more in gained.items()
        if more
    }
    return _Seen(rarest, short, critical)


def _highest(chosen: Sequence[CutCandidate]) -> list[CutCandidate]:
    """Leave out nodes below others: a node comes after all that are below it."""
    found: list[CutCandidate] = []
    for each in reversed(chosen):
        if not any(o.quasi == each.quasi and o.low <= each.low <= o.high for o in found):
            found.append(each)
    return found


class _Pool:
    """The nodes whose children are all parts, and how many inner children the others wait for."""

    def __init__(self, nodes: Sequence[CutCandidate]) -> None:
        self._nodes = {(each.quasi, each.part): each for each in nodes}
        self._waits = Counter((e.quasi, e.parent) for e in nodes if e.parent is not None)
        self._open = {each for key, each in self._nodes.items() if not self._waits[key]}
        self._by_loss = [(each.gain, each.rank, each.part) for each in self._open]
        heapify(self._by_loss)

    @property
    def open(self) -> Iterable[CutCandidate]:
        """The nodes that children may be generalized to now, in the order of ties."""
        return sorted(self._open, key=lambda each: each.rank)

    def take(self, most: int, now: _Seen) -> list[CutCandidate]:
        """Take the best critical node, or, where there is none, those that lose the least."""
        if now.critical:
            best = min(now.critical, key=lambda each: (each.gain / now.critical[each], each.rank))
            self._take(best)
            return [best]
        found: list[CutCandidate] = []
        while self._by_loss and len(found) < most:
            _, (quasi, _), part = heappop(self._by_loss)
            each = self._nodes[quasi, part]
            # one that no requirement needs now is needed never: those that hold go on to hold
            if each in self._open and now.needs(each):
                self._take(each)
                found.append(each)
        return found

    def _take(self, node: CutCandidate) -> None:
        self._open.remove(node)
        if node.parent is not None:
            key = node.quasi, node.parent
            self._waits[key] -= 1
            if not self._waits[key]:
                self._put(self._nodes[key])

    def _put(self, node: CutCandidate) -> None:
        self._open.add(node)
        heappush(self._by_loss, (node.gain, node.rank, node.part))

    def give_back(self, chosen: Sequence[CutCandidate]) -> None:
        """Put nodes back that were taken last, and do not wait for others any more."""
        for node in reversed(chosen):
            if node.parent is not None:
                key = node.quasi, node.parent
                if not self._waits[key]:
                    self._open.remove(self._nodes[key])
                self._waits[key] += 1
            self._put(node)
