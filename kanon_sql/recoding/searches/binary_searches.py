"""Searches for the minimal nodes of a lattice: Flash, OLA, AllMin, Samarati and MinGen. Sound for monotone models only.

Flash and OLA decide every node by binary searches, one check after another. Guarantee of both: all minimal nodes are
found. The cheapest of the nodes checked is chosen; it is the optimum where the metric is monotone along the lattice.

Flash (Kohlmayer, Prasser, Eckert, Kemper and Kuhn, PASSAT 2012): from the lowest undecided node a path goes to the top
through undecided nodes. Binary search finds the border on it, and the next paths start above the infeasible nodes that
were checked. Nodes are ordered by the table's statistics, so that the order of its columns does not matter (the
paper's stability). Cost: for each path the logarithm of its length.

Optimal Lattice Anonymization (El Emam et al., JAMIA 16(5), 2009): between an infeasible and a feasible node, the nodes
half-way up are checked one by one. Below a feasible one of them, and above an infeasible one, lies a sublattice of half
the height, which is searched alike. A sublattice of which every node is decided is skipped: this replaces both the
paper's list of solutions and its test of whether a sublattice was seen before.

AllMin finds all feasible nodes below which no node is feasible, by tagging in both directions, and chooses the
cheapest. This is the optimum where the metric is monotone along the lattice. Under other metrics a coarser node that
suppresses less may cost less, and nothing is claimed. Cost: a check for each minimal and each maximal infeasible node,
and for few others, as paths are checked where the border is forecast.

Samarati (TKDE 13(6), 2001) searches the height of the lattice (section 4). The chosen node has the least height at
which any node is feasible, and all feasible nodes of that height were found before the preference (section 3) chose
among them. A search that a time limit cuts short chooses among the feasible nodes that it met in the lowest layer that
had any. Cost: at most ceil(log2(height + 1)) layers, each until a feasible node is met, and the last one whole. The
binary search is complete for the least absolute distance alone. The other preferences are defined on all k-minimal
nodes, some of which may lie higher up. If `among` asks for these, all of them are found, at the cost of `all_min`.
`minimum_cost` is not Samarati's: of all nodes of least height it takes the cheapest by the policy's metric.

MinGen (Sweeney, IJUFKS 10(5), 2002) for whole columns takes the least distortion of all minimal nodes: none has a
higher precision Prec, suppressed rows counting as wholly generalized; of several with the highest, the preferred one is
chosen. The paper's algorithm generalizes cell by cell, which is infeasible for any but tiny tables, and never
suppresses. The policy's metric only states the cost of the chosen node. Cost: that of `all_min`.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Literal, assert_never

from kanon_sql.counting.lattice.result import LeastCost, SearchResult, offer, verdicts
from kanon_sql.errors import InternalError
from kanon_sql.policy.search_options import Among, Preference
from kanon_sql.recoding.searches.predictive_tagging import Border, by_stability, lowest, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kanon_sql.counting.lattice.result import Checker, Verdict
    from kanon_sql.policy.metrics.node import Node

    OfSamarati = Literal[
        Preference.ABSOLUTE, Preference.RELATIVE, Preference.DISTRIBUTION, Preference.SUPPRESSION
    ]


def flash(checker: Checker) -> SearchResult | None:
    """Decide every node and choose by cost; None when no node is feasible."""
    border = Border(checker, by_stability(checker.lattice, checker.stats))
    while border.undecided:
        starts = [lowest(border.undecided)]
        while starts:
            start = heappop(starts)
            if not border.undecided >> start & 1:
                continue
            if checker.late():
                return border.cheapest(complete=False)
            for above in _search(border, border.path(start)):
                heappush(starts, above)
    return border.cheapest(complete=True)


def _search(border: Border, path: list[int]) -> list[int]:
    """Find the border on a path; return the undecided parents of the infeasible nodes that were checked."""
    above = []
    low, high = 0, len(path) - 1
    while low <= high:
        middle = (low + high) // 2
        (verdict,) = border.check([border.order.node(path[middle])])
        if verdict.feasible:
            high = middle - 1
        else:
            low = middle + 1
            above += border.undecided_parents(path[middle])
    return above


def ola(checker: Checker) -> SearchResult | None:
    """Decide every node and choose by cost; None when no node is feasible."""
    lattice = checker.lattice
    search = _Halving(checker)
    search.halve(lattice.bottom, lattice.top)
    return search.border.cheapest(complete=search.complete)


class _Halving:
    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.border = Border(checker, by_stability(checker.lattice, checker.stats))
        self.layers = [0] * (checker.lattice.height + 1)
        for at, levels in enumerate(self.border.order.nodes):
            self.layers[sum(levels)] |= 1 << at
        self.complete = True

    def halve(self, bottom: Node, top: Node) -> None:
        """Decide all nodes between two nodes, of which the upper one is feasible.

        Only the top of the whole lattice may be infeasible: it is checked if nothing below it was feasible.
        """
        border, order = self.border, self.border.order
        inside = order.up(bottom.levels) & order.down(top.levels)
        if not inside & border.undecided or not self.in_time():
            return
        if top.height - bottom.height <= 1:
            if border.undecided >> order.position[bottom.levels] & 1:
                border.check([bottom])
            return
        middle = (bottom.height + top.height) // 2
        for at in members(inside & self.layers[middle]):
            node = order.node(at)
            if border.undecided >> at & 1 and self.in_time():
                border.check([node])
            if border.feasible >> at & 1:
                self.halve(bottom, node)
            else:
                self.halve(node, top)

    def in_time(self) -> bool:
        self.complete = self.complete and not self.checker.late()
        return self.complete


def all_min(checker: Checker) -> SearchResult | None:
    """Find all minimal nodes and choose by cost; None when no node is feasible."""
    border, complete = find_border(checker)
    return border.cheapest_of(border.minimal(), complete=complete)


def find_border(checker: Checker) -> tuple[Border, bool]:
    """Decide every node; return the border, and whether all was decided before the time limit.

    The top is checked first: if it is infeasible, so is every node, and if not, there is a node to return.
    """
    border = Border(checker, by_stability(checker.lattice, checker.stats))
    border.check([checker.lattice.top])
    while batch := border.probes():
        if checker.late():
            return border, False
        border.check(batch)
    return border, True


def samarati(
    checker: Checker, preference: Preference, among: Among = Among.LEAST_HEIGHT
) -> SearchResult | None:
    """Find the nodes to choose among and choose by preference; None if none is feasible."""
    if among is Among.ALL_MINIMAL:
        return _among_minimal(checker, preference)
    return _among_lowest(checker, preference)


def _among_minimal(checker: Checker, preference: Preference) -> SearchResult | None:
    border, complete = find_border(checker)
    if not border.feasible:
        return None
    return border.found(preferred(checker, preference, border.minimal()), complete=complete)


def _among_lowest(checker: Checker, preference: Preference) -> SearchResult | None:
    """Find every feasible node of least height, and choose among them.

    A layer is feasible if any of its nodes is: the bounds move once a layer.
    """
    known: dict[Node, Verdict] = {}
    low, high = checker.lattice.bottom.height, checker.lattice.height
    if not _any_feasible(checker, high, known):
        return None
    while low < high:
        middle = (low + high) // 2
        if _any_feasible(checker, middle, known):
            high = middle
        elif not checker.late():
            low = middle + 1
        else:
            break
    for _ in _layer(checker, high, known):
        pass
    feasible = [v for v in known.values() if v.feasible and v.node.height == high]
    chosen = preferred(checker, preference, feasible)
    (cost,) = checker.costs([chosen])
    # Least height is what this search proves; under another metric its node is only a good one.
    return SearchResult(chosen, cost, optimal=low == high and checker.metric.name == "height")


def _any_feasible(checker: Checker, height: int, known: dict[Node, Verdict]) -> bool:
    """Check a layer until one node is feasible, or there is no time for more."""
    return any(
        verdict.feasible for checked in _layer(checker, height, known) for verdict in checked
    )


def _layer(checker: Checker, height: int, known: dict[Node, Verdict]) -> Iterator[list[Verdict]]:
    """Yield the verdicts of a layer, batch by batch, while there is time; those of the top layer always."""
    layer = list(checker.lattice.layer(height))
    for start in range(0, len(layer), checker.batch):
        if height < checker.lattice.height and checker.late():
            return
        yield verdicts(checker, layer[start : start + checker.batch], known)


def preferred(checker: Checker, preference: Preference, verdicts: Iterable[Verdict]) -> Verdict:
    """Return the feasible verdict that is preferred; of several the first node in order."""
    if preference is Preference.COST:
        return _cheapest(checker, verdicts)
    heights = checker.stats.heights
    return min(verdicts, key=lambda v: (_rank(v, preference, heights), v.node.levels))


def _rank(verdict: Verdict, preference: OfSamarati, heights: tuple[int, ...]) -> Fraction:
    """Return the number that a preference policy minimizes."""
    match preference:
        case Preference.ABSOLUTE:
            return Fraction(verdict.node.height)
        case Preference.RELATIVE:
            return relative_height(verdict.node, heights)
        case Preference.DISTRIBUTION:
            return Fraction(-verdict.counts.classes)
        case Preference.SUPPRESSION:
            return Fraction(verdict.counts.suppressed)
        case _:
            assert_never(preference)


def _cheapest(checker: Checker, verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of least cost by the policy's metric; of several the lower node."""
    best = LeastCost()
    offer(checker, best, verdicts)
    if best.verdict is None:
        raise InternalError("a preference was to choose among no feasible nodes")
    return best.verdict


def relative_height(node: Node, heights: tuple[int, ...]) -> Fraction:
    """Return the sum of each level's share of its hierarchy's height; exact, so that equal sums tie.

    >>> from kanon_sql.policy.metrics.node import Node
    >>> relative_height(Node((1, 2, 0)), (3, 3, 0))
    Fraction(1, 1)
    """
    shares = (Fraction(level, top) for level, top in zip(node.levels, heights, strict=True) if top)
    return sum(shares, Fraction(0))


def mingen(checker: Checker, preference: Preference) -> SearchResult | None:
    """Choose the least distorted of all minimal nodes; None when no node is feasible."""
    border, complete = find_border(checker)
    distortions = {verdict: _distortion(checker, verdict) for verdict in border.minimal()}
    if not distortions:
        return None
    least = min(distortions.values())
    ties = [verdict for verdict, distortion in distortions.items() if distortion == least]
    return border.found(preferred(checker, preference, ties), complete=complete)


def _distortion(checker: Checker, verdict: Verdict) -> Fraction:
    """Return 1 - Prec in cells of the table; exact, so that the preference sees every tie."""
    heights, suppressed = checker.stats.heights, verdict.counts.suppressed
    kept = checker.stats.rows - suppressed
    return kept * relative_height(verdict.node, heights) + suppressed * len(heights)
