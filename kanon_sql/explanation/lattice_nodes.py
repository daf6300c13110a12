"""Selects the nodes of the lattice for a file or chart, and collects the known results of each."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kanon_sql.explanation.explanation import Member

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kanon_sql.explanation.scenarios import Scenario
    from kanon_sql.lattice.checker import Verdict
    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import Cost


def lattice_nodes(
    scenario: Scenario, chosen: Sequence[Node], *, most: int, looked_at: bool
) -> tuple[Member, ...]:
    """Return all nodes of the lattice, or of more than `most` nodes those around the first chosen one.

    With `looked_at` these are the nodes at most two levels away (at most `most`), all that were checked, and all chosen
    ones. Without it they are as many whole rings as `most` nodes allow. Nodes are checked until time is up.
    """
    lattice = scenario.lattice
    if lattice.size <= most:
        wanted = list(lattice.nodes())
    elif looked_at:
        near = (node for ring in islice(rings(chosen[0], lattice), 3) for node in ring)
        checked = (verdict.node for verdict in scenario.known())
        wanted = sorted({*checked, *chosen, *islice(near, most)})
    else:
        wanted = sorted(whole_rings(chosen[0], lattice, most))
    costs = _costs_in_time(scenario, wanted)
    known = {verdict.node: verdict for verdict in scenario.known()}
    minimal = _minimal(wanted, known, lattice, monotone=scenario.monotone)
    return tuple(
        _member(
            node, known.get(node), costs.get(node), minimal=minimal[node], chosen=node in chosen
        )
        for node in wanted
    )


def _costs_in_time(scenario: Scenario, wanted: Sequence[Node]) -> dict[Node, Cost]:
    """Check nodes until time is up, and return the exact costs of the feasible ones."""
    costs: dict[Node, Cost] = {}
    size = 8 * scenario.batch
    for start in range(0, len(wanted), size):
        if scenario.late():
            break
        checked = scenario.check(wanted[start : start + size])
        feasible = [verdict for verdict in checked if verdict.feasible]
        costs.update(zip((v.node for v in feasible), scenario.costs(feasible), strict=True))
    return costs


def rings(node: Node, lattice: Lattice) -> Iterator[list[Node]]:
    """Yield a node, then the nodes one level away from it, then those two away, and so on."""
    seen, edge = {node}, [node]
    while edge:
        yield edge
        beside = (
            n
            for each in edge
            for n in (*each.children(lattice.bottoms), *each.parents(lattice.tops))
        )
        edge = sorted({n for n in beside if n not in seen})
        seen.update(edge)


def whole_rings(node: Node, lattice: Lattice, most: int) -> list[Node]:
    """Return a node and as many whole rings around it as fit in `most` nodes, the nearest first."""
    kept: list[Node] = []
    for ring in rings(node, lattice):
        if kept and len(kept) + len(ring) > most:
            break
        kept += ring
    return kept


def _member(
    node: Node, verdict: Verdict | None, cost: Cost | None, *, minimal: bool | None, chosen: bool
) -> Member:
    if verdict is None:
        return Member(node.levels, chosen=chosen)
    counts = verdict.counts
    return Member(
        node.levels, verdict.feasible, counts.suppressed, counts.classes, cost, minimal, chosen
    )


def _minimal(
    wanted: Iterable[Node], known: Mapping[Node, Verdict], lattice: Lattice, *, monotone: bool
) -> dict[Node, bool | None]:
    """Return for each node whether it is feasible and no node below it is; None if that is unknown."""
    found: dict[Node, bool | None] = {}
    below: dict[Node, bool | None] = {}
    for node in sorted(wanted, key=lambda node: node.height):
        states = []
        for child in node.children(lattice.bottoms):
            verdict = known.get(child)
            if verdict is None or verdict.feasible:
                states.append(None if verdict is None else True)
            else:
                states.append(False if monotone else below.get(child))
        below[node] = True if True in states else None if None in states else False
        own = known.get(node)
        above = below[node]
        if own is None or not own.feasible:
            found[node] = None if own is None else False
        else:
            found[node] = None if above is None else not above
    return found
