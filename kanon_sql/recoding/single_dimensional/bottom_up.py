"""Bottom-up generalization (Wang, Yu and Chakraborty, ICDM 2004), for one virtual identifier or more.

Every value begins as an interval of its own. While a requirement on its virtual identifier does not hold, all children
of one node are replaced by it. Only nodes whose children are all intervals of the cut are considered. Critical nodes,
which make the smallest class of a requirement larger, come first. Of them, or of all nodes where none is critical, the
one is taken that loses the least information for the anonymity it gains: IP(G) = I(G) / P(G), or I(G) where P(G) = 0.

The paper leaves open how requirements that hold take part in the choice. Here they take none, as nothing has to be lost
for them; P(G) is the average over those that do not hold and have the column. Hierarchies only: the nodes of an ordered
column are its splits, and from below there are none.

Guarantee: the classes of every requirement are as large as it asks, or have as many different values, without
suppression; the optimum is not promised. Cost: a pass over the classes a step or fewer, and there are fewer classes
after each.

Two facts save statements. A requirement's A is the size of its smallest class, so a node is critical only if all
classes of that size are below it: at most one node of a column is tried. And merging only makes classes larger: where
no node is critical after several steps that left A unchanged, none was before any of them. So the nodes of least
information are taken several at once, and taken back if that does not hold.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.cut_steps import Cuts, CutStep
from kanon_sql.recoding.single_dimensional.bottom_up_table import BottomUpTable
from kanon_sql.recoding.single_dimensional.column_cuts import CutProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate
    from kanon_sql.recoding.cuts import CutFound, CutRequest
    from kanon_sql.recoding.single_dimensional.bottom_up_table import SmallestClasses

AT_ONCE = 64
"""Most steps that are taken at once: a statement names each interval."""


def cut_bottom_up(request: CutRequest) -> CutFound:
    """Cut the columns bottom-up. The search has no time limit, and cannot be resumed."""
    problem = CutProblem.open(request)
    table = BottomUpTable(problem.source)
    found = bottom_up(table, problem.requirements, problem.names)
    return problem.solved_by_steps(table, found)


@dataclass(frozen=True, slots=True)
class _Counted:
    """The table after a step: its smallest classes, and the critical nodes with the anonymity each gains.

    `unmet` has the columns of each requirement that does not hold, by the requirement's number.
    """

    classes: Sequence[SmallestClasses]
    unmet: Mapping[int, tuple[int, ...]]
    critical: Mapping[CutCandidate, Fraction]

    @property
    def smallest(self) -> tuple[int, ...]:
        return tuple(each.size for each in self.classes)

    def needs(self, candidate: CutCandidate) -> bool:
        """Whether a requirement that does not hold has the column."""
        return any(candidate.quasi in columns for columns in self.unmet.values())


def bottom_up(
    table: BottomUpTable, requirements: Sequence[AnonymityRequirement], names: Sequence[str]
) -> Cuts | None:
    """Generalize until every requirement holds; None if one fails even when its columns are whole.

    Ties go to the first column, then to the lowest coordinate. The cut itself stays in the table.
    """
    pool, at_once = _Pool(table.begin()), 1
    steps: list[CutStep] = []
    now = _count(table, requirements, pool)
    while now.unmet:
        chosen = pool.take(at_once, now)
        if not chosen:
            return None
        table.generalize(_highest(chosen))
        then = _count(table, requirements, pool)
        if len(chosen) > 1 and (then.smallest != now.smallest or then.critical):
            table.undo()
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


def _count(
    table: BottomUpTable, requirements: Sequence[AnonymityRequirement], pool: _Pool
) -> _Counted:
    """Find out which requirements do not hold, and which nodes are critical for them."""
    classes = table.smallest_classes()
    unmet = {
        number: each.columns
        for number, (each, found) in enumerate(zip(requirements, classes, strict=True))
        if found.size < each.at_least
    }
    pairs = [
        (number, candidate)
        for candidate in pool.open
        for number in unmet
        if classes[number].below(candidate)
    ]
    gained: dict[CutCandidate, int] = {}
    if pairs:
        for (number, candidate), size in zip(pairs, table.smallest_after(pairs), strict=True):
            gained[candidate] = gained.get(candidate, 0) + size - classes[number].size
    critical = {
        each: Fraction(more, sum(each.quasi in columns for columns in unmet.values()))
        for each, more in gained.items()
        if more
    }
    return _Counted(classes, unmet, critical)


def _highest(chosen: Sequence[CutCandidate]) -> list[CutCandidate]:
    """Return the chosen nodes that are below no other; in `chosen` a node follows all that are below it."""
    found: list[CutCandidate] = []
    for each in reversed(chosen):
        if not any(o.quasi == each.quasi and o.low <= each.low <= o.high for o in found):
            found.append(each)
    return found


class _Pool:
    """The nodes whose children are all intervals of the cut; for each other node, its children to come."""

    def __init__(self, nodes: Sequence[CutCandidate]) -> None:
        self._nodes = {(each.quasi, each.part): each for each in nodes}
        self._waits = Counter((e.quasi, e.parent) for e in nodes if e.parent is not None)
        self._open = {each for key, each in self._nodes.items() if not self._waits[key]}
        self._by_loss = [(each.gain, each.rank, each.part) for each in self._open]
        heapify(self._by_loss)

    @property
    def open(self) -> Iterable[CutCandidate]:
        """The nodes to which their children may be generalized now, in the order of ties."""
        return sorted(self._open, key=lambda each: each.rank)

    def take(self, most: int, now: _Counted) -> list[CutCandidate]:
        """Take the best critical node; if none is critical, take the nodes that lose the least."""
        if now.critical:
            best = min(now.critical, key=lambda each: (each.gain / now.critical[each], each.rank))
            self._take(best)
            return [best]
        found: list[CutCandidate] = []
        while self._by_loss and len(found) < most:
            _, (quasi, _), part = heappop(self._by_loss)
            each = self._nodes[quasi, part]
            # A node that no requirement needs now is never needed: a requirement that holds keeps holding.
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
                self._add(self._nodes[key])

    def _add(self, node: CutCandidate) -> None:
        self._open.add(node)
        heappush(self._by_loss, (node.gain, node.rank, node.part))

    def give_back(self, chosen: Sequence[CutCandidate]) -> None:
        """Put the nodes taken last back, and close the parents that became open by them."""
        for node in reversed(chosen):
            if node.parent is not None:
                key = node.quasi, node.parent
                if not self._waits[key]:
                    self._open.remove(self._nodes[key])
                self._waits[key] += 1
            self._add(node)
