"""The interface that searches see, and what a search keeps and returns: frequency sets, steps, the cheapest node.

A regression on the checks so far guesses how many rows a node suppresses. It decides only where a search looks next:
feasibility is decided by checks alone.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import asdict, field
from enum import StrEnum
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Protocol

from kanon_sql.base.documents.records import Key, Needed
from kanon_sql.base.documents.shapes import check
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.candidate_graph import Graphs
    from kanon_sql.counting.plans.recodings import Outliers
    from kanon_sql.engines.base import PreparedStatement
    from kanon_sql.policy.metrics.node import Lattice, Node
    from kanon_sql.policy.metrics.statistics import Cost, Counts, Metric, TableStatistics


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one check. A feasible node keeps a class, and suppresses no more rows than allowed.

    So a node without kept rows is never feasible, whatever the suppression limit. An `enforced` verdict also suppresses
    a class that fits.
    """

    node: Node
    counts: Counts
    feasible: bool
    enforced: bool = False


class Checker(Protocol):
    """The methods that every search uses. Tests give searches a checker that counts by brute force."""

    @property
    def lattice(self) -> Lattice: ...

    @property
    def stats(self) -> TableStatistics: ...

    @property
    def metric(self) -> Metric: ...

    @property
    def max_suppressed(self) -> int: ...

    @property
    def monotone(self) -> bool:
        """Whether a verdict may be carried over to coarser and finer nodes without a check."""
        ...

    @property
    def batch(self) -> int:
        """The number of nodes that are best checked at once."""
        ...

    @property
    def class_size(self) -> int:
        """k: the least number of entities in a class (of rows, where the policy names no entity)."""
        ...

    def check(self, nodes: Sequence[Node]) -> list[Verdict]: ...

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Return the exact cost of each verdict's node, in order."""
        ...

    def late(self) -> bool:
        """Whether the time limit has passed."""
        ...


class Enforcing(Checker, Protocol):
    """A checker that can suppress more rows, as Datafly needs."""

    def enforced(self, verdict: Verdict) -> Verdict:
        """Suppress the smallest class that fits as well, if fewer than k entities are suppressed without it."""
        ...


class Keeping(Checker, Protocol):
    """A checker that keeps frequency sets on request and has candidate graphs, as Incognito needs."""

    @property
    def passes(self) -> Passes:
        """The passes over frequency sets so far."""
        ...

    def keep(self, node: Node) -> None:
        """Create the frequency set of a node, from the smallest that covers it, for later checks.

        The set may be dropped before `let_go` where sets take too much room.
        """
        ...

    def let_go(self, node: Node) -> None:
        """Drop the frequency set of a node, if it is kept."""
        ...

    def graphs(self) -> Graphs:
        """Return the candidate graphs over the lattice's columns, at their start."""
        ...


class FullChecker(Enforcing, Keeping, Protocol):
    """The checker of a run, which serves every algorithm."""


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


WINDOW = 32
"""How many scans are remembered. Earlier ones say little about where a search goes next."""

PRICE = 3.0
"""A set is made when the rows that it would have saved are this many times those it is made from.

Rent or buy: with a price of one scan, no more than twice the least would be paid. But a roll-up is also written down,
and its size is only guessed. On generated censuses prices from 2 to 6 scanned half to a quarter of the rows that checks
on the first set alone do; 3 did so with few sets made."""

SMALLER = 2
"""A set is made only if it is guessed to be this many times smaller than the one it is made from."""


@dataclass(eq=False)
class FrequencySet:
    """One frequency set in the database: the node that it is rolled up to, its table, and its rows.

    `prepared` has the statements over it that were rendered, by what they count and for how many nodes.
    """

    node: Node
    table: exp.Table
    rows: int
    prepared: dict[tuple[object, ...], PreparedStatement] = field(default_factory=dict)


ROOM = 2
"""The rolled-up sets together may hold this many times the rows of the first set. Beyond that they are dropped, the
least recently used first."""


@dataclass
class Passes:
    """The reads of frequency sets: a pass for each node counted on a set, and for each set made from it."""

    first: int = 0
    rolled_up: int = 0
    made: int = 0
    rows: int = 0

    def since(self, before: Passes) -> Passes:
        return Passes(
            self.first - before.first,
            self.rolled_up - before.rolled_up,
            self.made - before.made,
            self.rows - before.rows,
        )


class FrequencySets:
    """The first frequency set, and those rolled up from it in the order of their last use."""

    def __init__(self, stats: TableStatistics, base: FrequencySet) -> None:
        self.base = base
        self.passes = Passes()
        self._rolled_up: list[FrequencySet] = []
        self._scans: deque[tuple[Node, int]] = deque(maxlen=WINDOW)
        self._guess = SuppressionModel(stats, middle=math.log(base.rows + 1) / 2)
        self._guess.learn(base.node.levels, base.rows)

    def __iter__(self) -> Iterator[FrequencySet]:
        yield self.base
        yield from self._rolled_up

    def read(self, on: FrequencySet, times: int = 1) -> int:
        """Record passes over a set; return the rows that they read."""
        if on is self.base:
            self.passes.first += times
        else:
            self.passes.rolled_up += times
        self.passes.rows += on.rows * times
        return on.rows * times

    def covering(self, node: Node) -> FrequencySet:
        """Return the smallest set on which a node can be counted."""
        return min((each for each in self if node.covers(each.node)), key=lambda each: each.rows)

    def scanned(self, node: Node, on: FrequencySet, least: int | None = None) -> None:
        """Record that a node was counted on a set; `least` bounds the rows of the node's own set from below."""
        self._scans.append((node, on.rows))
        if on is not self.base:
            self._rolled_up.remove(on)
            self._rolled_up.append(on)
        if least is not None:
            self._guess.learn(node.levels, least)

    def worth_making(self, node: Node) -> Node | None:
        """Return the node to roll up to before `node` is counted, if that set would have paid by now.

        The remembered scans stand for the next ones: sets that they share with this node are considered.
        """
        wanted = [*self._scans, (node, self.covering(node).rows)]
        best, gain = None, 0.0
        for shared in {node.meet(other) for other, _ in self._scans}:
            finer = self.covering(shared).rows
            rows = math.exp(min(self._guess.log_rows(shared.levels), math.log(finer + 1)))
            if rows * SMALLER > finer:
                continue
            saved = sum(max(0.0, paid - rows) for each, paid in wanted if each.covers(shared))
            if saved - PRICE * finer > gain:
                best, gain = shared, saved - PRICE * finer
        return best

    def add(self, made: FrequencySet) -> list[FrequencySet]:
        """Record a set that was made; return the sets to drop for it."""
        self._guess.learn(made.node.levels, made.rows)
        self.passes.made += 1
        self._rolled_up.append(made)
        self._scans = deque(
            (
                (node, min(paid, made.rows) if node.covers(made.node) else paid)
                for node, paid in self._scans
            ),
            maxlen=WINDOW,
        )
        dropped = []
        while sum(each.rows for each in self._rolled_up) > ROOM * self.base.rows:
            dropped.append(self._rolled_up.pop(0))
        return dropped

    def take(self, node: Node) -> FrequencySet | None:
        """Remove and return the set of a node, if there is one and it is not the first."""
        for each in self._rolled_up:
            if each.node == node:
                self._rolled_up.remove(each)
                return each
        return None


SPREAD = (4.0, 1.0, 0.3)
"""Variances of the intercept, the slope and one level's own effect around their start, before any check."""

NOISE = 0.05
"""Variance of a check around the line, in squared logarithms."""


class SuppressionModel:
    """Recursive least squares on the logarithm of a number of rows.

    The features of a node are the summed entropy of its columns, which bounds that of its classes, and the levels at
    which it stands. Correlated columns have more rows alike than their entropies say; the levels' own effects learn
    that.
    """

    def __init__(
        self, stats: TableStatistics, *, middle: float, slope: float = 0.8, noise: float = NOISE
    ) -> None:
        """Start with a guess, a logarithm, for a node of half the source's entropy, and its slope by entropy."""
        rows = math.log(stats.rows)
        self._entropies = [
            [rows - at.entropy / stats.rows for at in column.levels] for column in stats.columns
        ]
        self._own: dict[tuple[int, int], int] = {}
        for quasi, column in enumerate(stats.columns):
            for level in range(1, len(column.levels)):
                self._own[quasi, level] = 2 + len(self._own)
        size = 2 + len(self._own)
        spreads = [SPREAD[0], SPREAD[1], *[SPREAD[2]] * (size - 2)]
        self._noise = noise
        self._middle = sum(column[0] for column in self._entropies) / 2
        self._weights = [middle, slope, *[0.0] * (size - 2)]
        self._covariance = [
            [spread if i == j else 0.0 for j in range(size)] for i, spread in enumerate(spreads)
        ]
        self.seen = 0

    def _features(self, levels: Sequence[int]) -> list[tuple[int, float]]:
        entropy = sum(c[level] for c, level in zip(self._entropies, levels, strict=True))
        own = [(self._own[q, level], 1.0) for q, level in enumerate(levels) if level]
        return [(0, 1.0), (1, entropy - self._middle), *own]

    def log_rows(self, levels: Sequence[int]) -> float:
        return sum(self._weights[i] * x for i, x in self._features(levels))

    def shares(self) -> list[list[float]]:
        """Return the term of each level of each column in the guess."""
        own = [[0.0] * len(levels) for levels in self._entropies]
        for (quasi, level), at in self._own.items():
            own[quasi][level] = self._weights[at]
        return [
            [
                self._weights[1] * entropy + effect
                for entropy, effect in zip(of, effects, strict=True)
            ]
            for of, effects in zip(self._entropies, own, strict=True)
        ]

    def change(self, before: Sequence[int], after: Sequence[int]) -> dict[int, float]:
        """Return how two nodes differ in their features, by the feature's number."""
        found = dict(self._features(after))
        for at, x in self._features(before):
            found[at] = found.get(at, 0.0) - x
        return {at: x for at, x in found.items() if x}

    def covariances(self, change: dict[int, float]) -> list[float]:
        """Return the covariance of the guess of a change with each weight."""
        return [sum(row[at] * x for at, x in change.items()) for row in self._covariance]

    def variance(self, levels: Sequence[int]) -> float:
        """Return the expected squared error of the guess of a node, with the noise of a check."""
        features = dict(self._features(levels))
        around = self.covariances(features)
        return self._noise + sum(around[at] * x for at, x in features.items())

    def learn(self, levels: Sequence[int], rows: int) -> None:
        self.learn_log(levels, math.log(max(rows, 0.5)))

    def learn_log(self, levels: Sequence[int], found: float) -> None:
        features = self._features(levels)
        gain = [sum(row[i] * x for i, x in features) for row in self._covariance]
        scale = self._noise + sum(gain[i] * x for i, x in features)
        error = found - sum(self._weights[i] * x for i, x in features)
        for at, part in enumerate(gain):
            self._weights[at] += part * error / scale
            row = self._covariance[at]
            self._covariance[at] = [
                cell - part * other / scale for cell, other in zip(row, gain, strict=True)
            ]
        self.seen += 1
