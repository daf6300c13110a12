"""mu-Argus (Hundepool and Willenborg 1996), as Sweeney describes it (IJUFKS 10(5), 2002, section 5.1).

Each column is generalized until every single value has k occurrences; then combinations of two and
three columns are tested, and cells of rarer values are suppressed (`recoding/local_suppression/`).
Guarantee: no value of a tested combination is rarer than k among the rows that keep all its cells, as
counted before suppression. It does not guarantee k-anonymity, as no combination of four is tested, so the
release is recounted. Cost: a check for each combination of two or three columns, and for each level tried.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.result import Local, SearchResult, verdicts
from kanon_sql.counting.plans.recodings import Outliers
from kanon_sql.policy.metrics.node import Node
from kanon_sql.recoding.searches.optimal import steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.counting.lattice.checker import Checker, Verdict
    from kanon_sql.policy.metrics.node import Lattice
    from kanon_sql.policy.search_options import Identifying, MuArgus


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
