"""Searches of the first papers: Incognito, which finds every feasible full-domain node, and mu-Argus.

Incognito (LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005): every feasible full-domain node.
Guarantee: sound and complete for monotone models; the minimal nodes are marked and the least cost
under the metric is proven. Subsets of the quasi-identifier grow by one column at a time: a subset
that fails at some levels fails with any further column (the a-priori property), and a subset's
frequency set is a roll-up of the whole one in which the other columns stand at their root. So the
source is scanned once, and counting a candidate is checking a node of the whole lattice.

Cost: a check for each candidate that is neither pruned nor marked, but none for one with a column
at its root: it has the classes of the candidate without that column, which survived.

mu-Argus (Hundepool and Willenborg 1996), as Sweeney describes it (IJUFKS 10(5), 2002, section 5.1).
Each column is generalized until every single value has k occurrences; then combinations of two and
three columns are tested, and cells of rarer values are suppressed (`recoding/multi_node/`).
Guarantee: no value of a tested combination is rarer than k among the rows that keep all its cells, as
counted before suppression. It does not guarantee k-anonymity, as no combination of four is tested, so the
release is recounted. Cost: a check for each combination of two or three columns, and for each level tried.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.candidate_graph import specializations
from kanon_sql.counting.lattice.result import (
    Effort,
    Local,
    SearchResult,
    least_cost,
    minimal,
    verdicts,
)
from kanon_sql.counting.plans.recodings import Outliers
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.search_options import Variant
from kanon_sql.recoding.searches.optimal import steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.counting.lattice.candidate_graph import Family, Graph, PartialNode
    from kanon_sql.counting.lattice.result import Checker, Keeping, Verdict
    from kanon_sql.policy.metrics.node import Lattice
    from kanon_sql.policy.search_options import Identifying, MuArgus


class RootSets:
    """Makes the sets of families, and drops each when its family is done.

    The first frequency set takes the place of the paper's table. Basic rolls every root up from it. Super-roots rolls
    up one set a family, at the finest node that all its roots can be rolled up from (their meet). Cube rolls up the
    family's set without any generalization, from that of a family with one more column. The paper makes all sets of the
    cube; this class makes only those that families need, and those they are rolled up from.
    """

    def __init__(self, checker: Keeping, variant: Variant) -> None:
        self._checker = checker
        self._variant = variant
        self._of: dict[Family, Node] = {}
        self._cube: set[Node] = set()
        stats = checker.stats.columns
        self._widest_first = sorted(range(len(stats)), key=lambda q: -stats[q].levels[0].values)

    def start(self, columns: Family, roots: Sequence[Node]) -> None:
        """Create the set on which the family's roots are counted, if any are to be counted."""
        if not roots or self._variant is Variant.BASIC:
            return
        if self._variant is Variant.CUBE:
            self._make_cube(columns)
            self._of[columns] = self._ungeneralized(columns)
        else:
            self._of[columns] = reduce(Node.meet, roots)
        self._checker.keep(self._of[columns])

    def of_root(self, root: PartialNode) -> Node:
        """Return the node whose set a root is counted on: its family's, or else its own."""
        return self._of.get(root.columns, root.node)

    def stays(self, node: Node) -> bool:
        """Return True if a set is kept until its family is done."""
        return node in self._of.values()

    def drop(self, columns: Family) -> None:
        node = self._of.pop(columns, None)
        if self._variant is Variant.CUBE:
            node = self._ungeneralized(columns)
            self._cube.discard(node)
        if node is not None:
            self._checker.let_go(node)

    def drop_all(self) -> None:
        """Drop the sets that were made for families that were not searched."""
        for node in self._cube:
            self._checker.let_go(node)
        self._cube.clear()

    def _ungeneralized(self, columns: Family) -> Node:
        lattice = self._checker.lattice
        return lattice.of_columns({quasi: lattice.bottoms[quasi] for quasi in columns})

    def _make_cube(self, columns: Family) -> None:
        """Create the sets that lead to a family's, leaving out the column of most values first.

        Families share these sets. A set that was dropped to make room is not made again.
        """
        remaining = set(range(len(self._widest_first)))
        for quasi in self._widest_first:
            if quasi in columns:
                continue
            remaining.remove(quasi)
            node = self._ungeneralized(tuple(remaining))
            if node not in self._cube:
                self._cube.add(node)
                self._checker.keep(node)


def incognito(checker: Keeping, variant: Variant = Variant.CUBE) -> SearchResult | None:
    """Find all feasible nodes; None when there is none.

    When the time is up, it chooses among the nodes that it knows to be feasible by then.
    """
    walk = _Walk(checker, variant)
    graphs = checker.graphs()
    graph = graphs.first()
    failed = walk.search(graph)
    for _ in checker.lattice.tops[1:]:
        if walk.cut or len(failed) == len(graph):
            break
        graph = graphs.grow(failed)
        failed = walk.search(graph)
    effort = walk.finish()
    if walk.cut:
        known = [node for node, verdict in walk.known.items() if verdict.feasible]
        best, _ = least_cost(checker, known, walk.known)
    else:
        feasible = tuple(sorted(each.node for each in graph if each not in failed))
        best, finished = least_cost(checker, feasible, walk.known)
    if best.verdict is None or best.cost is None:
        return None
    if walk.cut:
        return SearchResult(best.verdict, best.cost, optimal=False, effort=effort)
    return SearchResult(best.verdict, best.cost, finished, feasible, minimal(feasible), effort)


class _Walk:
    """A breadth-first search of candidate graphs, the finest candidates first, and the verdicts so far."""

    def __init__(self, checker: Keeping, variant: Variant) -> None:
        self.known: dict[Node, Verdict] = {}
        self.cut = False
        self._checker = checker
        self._before = replace(checker.passes)
        self._sets = RootSets(checker, variant)
        self._nodes = self._roots = self._families = 0

    def finish(self) -> Effort:
        """Drop the sets that are kept, and return the effort of the search."""
        self._sets.drop_all()
        read = self._checker.passes.since(self._before)
        return Effort(
            self._nodes,
            self._roots,
            self._families,
            counted=len(self.known),
            first_set_scans=read.first,
            rolled_up_scans=read.rolled_up,
            sets_made=read.made,
            rows_read=read.rows,
        )

    def search(self, graph: Graph) -> set[PartialNode]:
        """Search a graph; return the candidates that are not feasible.

        Edges stay within a family, so families are searched one after another, and the sets of each are dropped after
        it. Once a feasible node is known, the time limit cuts the search short.
        """
        finer = specializations(graph)
        families: dict[Family, list[PartialNode]] = {}
        for candidate in sorted(graph):
            families.setdefault(candidate.columns, []).append(candidate)
        failed: set[PartialNode] = set()
        for columns, family in families.items():
            if self._checker.late() and any(v.feasible for v in self.known.values()):
                self.cut = True
                break
            roots = [candidate for candidate in family if not finer[candidate]]
            self._families += 1
            self._roots += len(roots)
            self._sets.start(columns, [root.node for root in roots if not self._is_known(root)])
            failed |= self._search_family(family, graph, finer)
            self._sets.drop(columns)
        return failed

    def _search_family(
        self, family: list[PartialNode], graph: Graph, finer: Graph
    ) -> set[PartialNode]:
        """Search the candidates over the same columns, layer by layer.

        A mark spreads to every direct generalization, from marked candidates too, or those above
        them would be checked again.
        """
        marked: set[PartialNode] = set()
        failed: set[PartialNode] = set()
        kept: set[Node] = set()
        layers: dict[int, list[PartialNode]] = {}
        for candidate in family:
            layers.setdefault(candidate.height, []).append(candidate)
        for _, layer in sorted(layers.items()):
            fresh = [candidate for candidate in layer if candidate not in marked]
            self._nodes += len(fresh)
            unknown = [candidate for candidate in fresh if not self._is_known(candidate)]
            kept = self._keep({self._counted_on(each, finer) for each in unknown}, kept)
            verdicts(self._checker, [each.node for each in unknown], self.known)
            for candidate in layer:
                if candidate in marked or self._survives(candidate):
                    marked.update(graph[candidate])
                else:
                    failed.add(candidate)
        self._keep(set(), kept)
        return failed

    def _keep(self, wanted: set[Node], kept: set[Node]) -> set[Node]:
        """Keep the sets that a layer is counted on, and drop those of the layer before; return which to drop."""
        for node in sorted(wanted):
            self._checker.keep(node)
        for node in kept - wanted:
            self._checker.let_go(node)
        return {node for node in wanted if not self._sets.stays(node)}

    def _is_known(self, candidate: PartialNode) -> bool:
        """Return True if the candidate's node was counted, or one of fewer columns has the same classes."""
        return candidate.node in self.known or self._is_smaller(candidate)

    def _is_smaller(self, candidate: PartialNode) -> bool:
        return len(candidate.columns) > 1 and candidate.ends(self._checker.lattice.roots)

    def _survives(self, candidate: PartialNode) -> bool:
        return self._is_smaller(candidate) or self.known[candidate.node].feasible

    def _counted_on(self, candidate: PartialNode, finer: Graph) -> Node:
        """Return the node whose set a candidate is counted on: its specialization of fewest classes."""
        if not finer[candidate]:
            return self._sets.of_root(candidate)
        least = min(finer[candidate], key=lambda each: (self._classes(each), each))
        return least.node

    def _classes(self, candidate: PartialNode) -> int:
        counts = self.known[candidate.node].counts
        return counts.classes + counts.failing


def mu_argus(checker: Checker, options: MuArgus, names: Sequence[str]) -> SearchResult | None:
    """Generalize until single values are frequent, and find the combinations that are not.

    Returns None if a column has a value rarer than k even at its top.
    """
    given = dict(options.generalize)
    start = Node(
        tuple(
            max(given.get(name, 0), bottom)
            for name, bottom in zip(names, checker.lattice.bottoms, strict=True)
        )
    )
    known: dict[Node, Verdict] = {}
    node = _with_frequent_values(checker, start, known)
    if node is None:
        return None
    seen = verdicts(checker, list(_path(checker.lattice, start, node)), known)
    tested = list(family(names, options.sets))
    verdict = seen[-1]
    (cost,) = checker.costs([verdict])
    return SearchResult(
        verdict,
        cost,
        optimal=False,
        steps=steps(checker.stats, names, seen),
        then=Local(len(tested), _outliers(checker, node, tested, known)),
    )


def family(names: Sequence[str], sets: Identifying | None) -> Iterator[tuple[int, ...]]:
    """Yield the combinations of two and three columns that are tested; all of them without `sets`.

    With `sets`, each column of a combination is from another set: two or three of Identifying, More and Most
    identifying. The sets are nested: a Most identifying column is More identifying too, and that is Identifying.
    Disjoint sets cannot give Sweeney's figure 14; nested ones do.

    >>> from kanon_sql.policy.search_options import Identifying
    >>> names = ("race", "birth", "sex", "zip")
    >>> found = list(family(names, Identifying(("race",), ("sex", "zip"), ("birth",))))
    >>> [[names[at][0] for at in each] for each in found if len(each) == 3]
    [['r', 'b', 's'], ['r', 'b', 'z'], ['b', 's', 'z']]
    """
    ranks = [2] * len(names)
    if sets is not None:
        ranks = [2 if n in sets.most else 1 if n in sets.more else 0 for n in names]
    for size in (2, 3):
        for each in combinations(range(len(names)), size):
            highest = sorted((ranks[at] for at in each), reverse=True)
            if highest[0] >= size - 1 and (size == 2 or highest[1] >= 1):
                yield each


def _with_frequent_values(checker: Checker, start: Node, known: dict[Node, Verdict]) -> Node | None:
    """Raise each column until each of its values alone fits; None if some does not at the column's top."""
    levels, tops = list(start.levels), checker.lattice.tops
    pending = list(range(len(levels)))
    while pending:
        nodes = [checker.lattice.of_columns({at: levels[at]}) for at in pending]
        found = zip(pending, verdicts(checker, nodes, known), strict=True)
        pending = [at for at, verdict in found if verdict.counts.failing]
        if any(levels[at] == tops[at] for at in pending):
            return None
        for at in pending:
            levels[at] += 1
    return Node(tuple(levels))


def _path(lattice: Lattice, start: Node, end: Node) -> Iterator[Node]:
    """Yield the path from the bottom to the levels that the policy asks for, and on to the final node."""
    levels = list(lattice.bottom.levels)
    yield lattice.bottom
    for goal in (start, end):
        for at, level in enumerate(goal.levels):
            while levels[at] < level:
                levels[at] += 1
                yield Node(tuple(levels))


def _outliers(
    checker: Checker,
    node: Node,
    tested: Sequence[tuple[int, ...]],
    known: dict[Node, Verdict],
) -> tuple[Outliers, ...]:
    """Test combinations, but those with a column of a single value: smaller combinations decide them."""
    values = [
        c.levels[level].values for c, level in zip(checker.stats.columns, node.levels, strict=True)
    ]
    deciding = [each for each in tested if all(values[at] > 1 for at in each)]
    nodes = [checker.lattice.of_columns({at: node.levels[at] for at in each}) for each in deciding]
    found = zip(deciding, verdicts(checker, nodes, known), strict=True)
    return tuple(
        Outliers(each, verdict.counts.failing, verdict.counts.suppressed)
        for each, verdict in found
        if verdict.counts.failing
    )
