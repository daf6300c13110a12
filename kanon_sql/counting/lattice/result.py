"""The result of a search, with its guarantee, its classes, and how the cheapest of the feasible nodes is chosen."""

from __future__ import annotations

from dataclasses import asdict, field
from enum import StrEnum
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.records import Key, Needed
from kanon_sql.base.documents.shapes import check
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.counting.lattice.checker import Checker, Verdict
    from kanon_sql.counting.plans.recodings import Outliers
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import Cost


class Guarantee(StrEnum):
    """A guarantee in words. Whether one plan is optimal depends on the metric too: see `Plan.optimal`."""

    OPTIMUM = "no feasible node costs less under the metric"
    MONOTONE_OPTIMUM = "no feasible node costs less, if the metric is monotone along the lattice"
    LEAST_HEIGHT = "no feasible node is lower"
    MINIMAL = "no finer node is feasible"
    FEASIBLE = "feasible"
    UNCUT = "no region has another allowable cut"
    RUNS = "every region satisfies the privacy models; the ranges of regions may overlap"
    BENEFICIAL = "no further specialization has a gain and keeps every class large enough"
    LARGE_ENOUGH = "every class is as large as required, without suppression"
    BEST_PARTS = "no cuts of the columns' orders cost less, if it ends in time; else a lower bound of the cost"
    RARITY = "no tested combination of columns has rare values; a release that fails its recount is not published"


def size_text(size: int, entity: str | None) -> str:
    """Format a class's size in rows if `entity` is None, else in people of that column ("" if unknown).

    >>> size_text(1, None), size_text(1420, "mrn"), size_text(1, "")
    ('1 row', '1,420 people (mrn)', '1 person')
    """
    if entity is None:
        return counted(size, "row")
    return f"{people(size)} ({entity})" if entity else people(size)


def people(number: int) -> str:
    """Format a count of people."""
    return "1 person" if number == 1 else f"{number:,} people"


def classes_text(classes: int, smallest: int, entity: str | None = None) -> str:
    """Format the number of classes and the size of the smallest; `entity` is as in `size_text`."""
    return f"{counted(classes, 'equivalence class')}, smallest {size_text(smallest, entity)}"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one of several sets of quasi-identifiers, and the smallest one's size."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int


@dataclass(frozen=True, slots=True)
class Effort:
    """The work of a search over subsets of the columns (Incognito), for reports.

    `nodes` counts the nodes of candidate graphs that were neither marked nor pruned, whose frequency sets the paper
    counts. `roots` of them have no specialization, in `families` sets of columns. The paper's Basic variant scans the
    table once for each root, Super-roots once for each family, Cube once. This run counted `counted` of the nodes, as
    the others have the classes of a node over fewer columns. It read the source once, the first frequency set in
    `first_set_scans` passes, and the `sets_made` rolled up from it in `rolled_up_scans`: `rows_read` rows of these
    sets.
    """

    nodes: int
    roots: int
    families: int
    counted: int
    first_set_scans: int
    rolled_up_scans: int
    sets_made: int
    rows_read: int

    def document(self) -> dict[str, int]:
        return {"source_scans": 1, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Chain:
    """Further nodes, in order: each releases the rows of the classes that fit among the remainder.

    Only rows whose class fits at no node are suppressed, so the first node need not be feasible by itself.
    """

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Local:
    """The outliers of the `tested` combinations of columns, whose cells mu-Argus suppresses.

    They are suppressed before classes that do not fit are suppressed.
    """

    tested: int
    outliers: tuple[Outliers, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The chosen node; `optimal` is true only when no feasible node can cost less.

    Algorithms that decide every node give `feasible` and `minimal`, those that search subsets of the columns `effort`,
    and those that only generalize `steps`. `then` states how the rows that the node does not keep are recoded; without
    it they are suppressed. `out_of_room` is true if the search forgot parts of the lattice that may hold a better node.
    """

    verdict: Verdict
    cost: Cost
    optimal: bool
    feasible: tuple[Node, ...] | None = None
    minimal: tuple[Node, ...] | None = None
    effort: Effort | None = None
    steps: tuple[SearchStep, ...] = ()
    then: Chain | Local | None = None
    out_of_room: bool = False

    @property
    def keeps(self) -> bool:
        """Whether the node keeps a class, or later steps (`then`) may keep rows."""
        return bool(self.verdict.counts.classes) or self.then is not None


def minimal(feasible: Iterable[Node]) -> tuple[Node, ...]:
    """Return the feasible nodes none of whose direct predecessors is feasible.

    Enough because feasibility is upward closed (Samarati 2001, definition of k-minimal).
    """
    known = set(feasible)
    return tuple(
        sorted(n for n in known if not any(c in known for c in n.children((0,) * len(n.levels))))
    )


def optimum_is_minimal(checker: Checker) -> bool:
    """Return True if no feasible node can cost less than a finer feasible one.

    Under most metrics a coarser node may, because it suppresses fewer rows; the metric's monotony states when it
    cannot.
    """
    return checker.monotone and checker.metric.monotony.holds(checker.max_suppressed)


@dataclass
class LeastCost:
    """The least cost so far; ties go to the lower node, then to the first in order."""

    cost: Cost | None = None
    verdict: Verdict | None = None
    _rank: tuple[Cost, int, tuple[int, ...]] | None = field(default=None, repr=False)

    def offer(self, verdict: Verdict, cost: Cost) -> None:
        """Remember a feasible node if it is better than the best so far."""
        rank = (cost, verdict.node.height, verdict.node.levels)
        if self._rank is None or rank < self._rank:
            self._rank, self.cost, self.verdict = rank, cost, verdict

    def beats(self, floor: Cost) -> bool:
        """Return True if a node that costs at least `floor` cannot replace the best any more."""
        return self.cost is not None and floor > self.cost


def least_cost(
    checker: Checker, nodes: Iterable[Node], known: dict[Node, Verdict]
) -> tuple[LeastCost, bool]:
    """Choose among feasible nodes by exact cost, in the order of their floors.

    Stops when the floors exceed the least cost. Returns the best node, and whether the time limit left time to prove
    it.
    """
    floored = sorted((checker.metric.floor(checker.stats, n), n.height, n.levels, n) for n in nodes)
    best = LeastCost()
    start = 0
    while start < len(floored) and not best.beats(floored[start][0]):
        if best.verdict is not None and checker.late():
            return best, False
        batch = [
            entry[-1]
            for entry in floored[start : start + checker.batch]
            if not best.beats(entry[0])
        ]
        start += len(batch)
        offer(checker, best, verdicts(checker, batch, known))
    return best, True


def verdicts(checker: Checker, nodes: Sequence[Node], known: dict[Node, Verdict]) -> list[Verdict]:
    """Return the verdict of each node. Checks the nodes that `known` lacks, and adds them to it."""
    fresh = [node for node in dict.fromkeys(nodes) if node not in known]
    known.update((verdict.node, verdict) for verdict in checker.check(fresh))
    return [known[node] for node in nodes]


def suppressed_below(checker: Checker, verdict: Verdict) -> int | None:
    """Return the least rows that every finer node suppresses; None where the check did not count them."""
    return verdict.counts.suppressed if checker.monotone else verdict.counts.unavoidable


def offer(
    checker: Checker, best: LeastCost, checked: Iterable[Verdict]
) -> list[tuple[Verdict, Cost]]:
    """Offer the feasible nodes to `best`; return those whose exact cost was asked for, with the costs.

    A node's floor, given the rows that it suppresses, orders them: the first few mostly rule out the rest.
    """
    stats, metric = checker.stats, checker.metric
    able = [verdict for verdict in checked if verdict.feasible]
    floored = sorted(
        ((metric.floor(stats, v.node, v.counts.suppressed), v.node.levels, v) for v in able),
        key=itemgetter(0, 1),
    )
    priced: list[tuple[Verdict, Cost]] = []
    for start in range(0, len(floored), checker.batch):
        batch = floored[start : start + checker.batch]
        undecided = [verdict for floor, _, verdict in batch if not best.beats(floor)]
        if not undecided:
            break
        for verdict, cost in zip(undecided, checker.costs(undecided), strict=True):
            best.offer(verdict, cost)
            priced.append((verdict, cost))
    return priced


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A node on the path of a search, as Sweeney (2002, figure 9) shows Datafly's: counts, never values.

    `column` was raised to `level`; the first step raises none. `distinct` counts the values of each quasi-identifier,
    in the policy's order, and `short_rows` the rows in classes that do not fit.
    """

    column: Annotated[str | None, Key("generalize")] = None
    level: int = 0
    distinct: Annotated[tuple[int, ...], Needed()] = ()
    short_rows: Annotated[int, Needed()] = 0

    def __post_init__(self) -> None:
        check(("level", bool(self.level) == (self.column is not None), "goes with generalize"))
