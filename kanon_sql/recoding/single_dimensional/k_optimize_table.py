"""The table whose heads K-Optimize costs by GROUP BY over tuples, and the state by which its search can be resumed.

The stack has all that is open: it is at most as deep as there are letters, and about `batch` nodes wide.
"""

from __future__ import annotations

from collections import deque
from dataclasses import field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.session import is_past
from kanon_sql.engines.source import source_sql
from kanon_sql.recoding.single_dimensional.heads import (
    ITSELF,
    Child,
    ExpandedNode,
    HeadCosts,
    head_intervals,
    members,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine, PreparedStatement, Row
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.recoding.single_dimensional.heads import HeadStatements
    from kanon_sql.recoding.single_dimensional.saved_search import Seed


BATCH = 16
"""Heads of one statement."""

NODES = 64
"""Nodes of one statement at most: they share the engine's fixed cost."""

MOST_ROWS = 400_000
"""Rows that the nodes of one statement read together at most, where there are several: it is between
statements that a search looks at the clock."""

KEPT = 4
"""Sets of coarser allsets that are kept beside the first, each coarser than the one before."""

SMALLER = 2
"""A set is made only if it is known to be so many times smaller than the one it is made from."""

REMEMBERED = 256
"""Nodes for which the number of tuples of their allset is remembered."""


@dataclass(eq=False)
class Tuples:
    """The tuples that an allset distinguishes, and the statements that were rendered for them."""

    allset: int
    table: exp.Table
    rows: int
    prepared: dict[tuple[str, int], PreparedStatement] = field(default_factory=dict)


class KOptimizeTable:
    """Costs heads over the smallest set of tuples that covers the allset asked for.

    The classes of all descendants of a node are unions of the tuples of its allset, so deep in the tree a small set is
    enough. `tuples` has a row for each distinct tuple of coordinates, with the columns that the models and the cost
    need.
    """

    def __init__(
        self,
        engine: Engine,
        scratch: Scratch,
        statements: HeadStatements,
        tuples: exp.Table,
        *,
        max_suppressed: int,
        deadline: float | None = None,
    ) -> None:
        self.columns = statements.alphabet.columns
        self.max_suppressed = max_suppressed
        self._engine = engine
        self._scratch = scratch
        self._statements = statements
        self._deadline = deadline
        self._letters = scratch.create("letters", statements.letters)
        whole, codes = statements.alphabet.whole, scratch.table("thermometers")
        engine.execute(statements.thermometers(codes, tuples))
        first = self._made(whole, Tuples(whole, codes, self._count(codes)))
        scratch.drop(codes)
        self._sets = [first]
        self._sizes: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)

    @property
    def batch(self) -> int:
        """The number of nodes that are best opened at once: fewer where the first set is large."""
        return max(1, min(NODES, MOST_ROWS // max(1, self._sets[0].rows)))

    def late(self) -> bool:
        return is_past(self._deadline)

    def cost(self, heads: Sequence[int], allset: int) -> list[HeadCosts]:
        """Cost heads within an allset; the bounds are those for the allset."""
        tuples = self._covering(allset)
        if tuples.allset != allset:
            tuples = self._keep(self._made(allset, tuples))
        return [costs for costs, _ in self._costed(tuples, heads)]

    def _costed(self, tuples: Tuples, heads: Sequence[int]) -> list[tuple[HeadCosts, int]]:
        """Cost heads with bounds for the set's allset; return the number of classes of each head, too."""
        found = []
        for start in range(0, len(heads), BATCH):
            batch = heads[start : start + BATCH]
            statement = self._prepared(tuples, "heads", len(batch))
            rows = self._engine.fetch(statement, self._statements.bindings(batch))
            for _, classes, suppressed, cost, bound in sorted(map(_numbers, rows)):
                found.append((HeadCosts(cost, suppressed, bound), classes))
        return found

    def _prepared(self, tuples: Tuples, what: str, batch: int) -> PreparedStatement:
        key = what, batch
        if key not in tuples.prepared:
            if what == "heads":
                statement = self._statements.heads(tuples.table, batch)
            else:
                statement = self._statements.splits(tuples.table, self._letters, batch)
            tuples.prepared[key] = self._engine.prepare(statement)
        return tuples.prepared[key]

    def open(self, nodes: Sequence[tuple[int, int]]) -> list[ExpandedNode]:
        """Cost the heads of nodes, and each head with each letter of its node's tail.

        Many nodes share a statement. If models count more than rows, each node and each child is counted by itself.
        """
        if not self._statements.additive:
            return [self._counted(head, tail) for head, tail in nodes]
        found = []
        for start in range(0, len(nodes), self.batch):
            found += self._split(nodes[start : start + self.batch])
        return found

    def _split(self, nodes: Sequence[tuple[int, int]]) -> list[ExpandedNode]:
        tuples = self._set(reduce(or_, (head | tail for head, tail in nodes)))
        statement = self._prepared(tuples, "splits", len(nodes))
        rows = self._engine.fetch(statement, self._statements.node_bindings(nodes))
        self._engine.journal.scanned += tuples.rows * len(nodes)
        found: list[ExpandedNode] = []
        for number, letter, classes, fitting, *costs, distinct in sorted(map(_numbers, rows)):
            suppressed, cost, bound = costs
            if letter == ITSELF:
                head, tail = nodes[number]
                self._sizes.append((head | tail, distinct))
                found.append(ExpandedNode(HeadCosts(cost, suppressed, bound), []))
                continue
            whole, children = found[number]
            grown = HeadCosts(whole.cost + cost, whole.suppressed + suppressed, whole.bound + bound)
            children.append(Child(letter, classes, not fitting, grown))
        return found

    def _counted(self, head: int, tail: int) -> ExpandedNode:
        """Cost each child by itself; whether it is useless is not known then."""
        tuples = self._made(head | tail, self._sets[0])
        letters = list(members(tail))
        heads = [head, *(head | 1 << letter for letter in letters)]
        (whole, classes), *costed = self._costed(tuples, heads)
        self._scratch.drop(tuples.table)
        children = [
            Child(letter, split - classes, useless=False, costs=costs)
            for letter, (costs, split) in zip(letters, costed, strict=True)
            if split > classes
        ]
        return ExpandedNode(whole, children)

    def intervals(self, head: int) -> exp.Table:
        """Create the table of a head's intervals: quasi, part, low and high."""
        return self._scratch.create(
            "intervals", head_intervals, self._statements.alphabet.intervals(head)
        )

    def _set(self, allset: int) -> Tuples:
        """Return a set that covers an allset; a new one is made where it is known to be small."""
        finer = self._covering(allset)
        known = min((n for other, n in self._sizes if other & allset == allset), default=finer.rows)
        if finer.allset == allset or known * SMALLER > finer.rows:
            return finer
        return self._keep(self._made(allset, finer))

    def _covering(self, allset: int) -> Tuples:
        """Return the smallest set that covers an allset; drop those that do not cover it."""
        while self._sets[-1].allset & allset != allset:
            self._scratch.drop(self._sets.pop().table)
        return self._sets[-1]

    def _keep(self, made: Tuples) -> Tuples:
        """Keep a set, and at most `KEPT` rolled-up ones; the first set always stays."""
        self._sets.append(made)
        if len(self._sets) > 1 + KEPT:
            self._scratch.drop(self._sets.pop(1).table)
        return made

    def _made(self, allset: int, finer: Tuples) -> Tuples:
        table = self._scratch.create(
            "allset", self._statements.allset, finer.table, allset, rows=finer.rows
        )
        return Tuples(allset, table, self._count(table))

    def _count(self, table: exp.Table) -> int:
        ((rows,),) = self._engine.fetch(source_sql.count_rows(table))
        return int(str(rows))


def _numbers(row: Row) -> tuple[int, ...]:
    return tuple(int(str(cell)) for cell in row)


SECONDS_APART = 3.0
"""The least time between two lines of progress, in seconds of the search."""


class SearchReport(NamedTuple):
    """How far a search is: no feasible head costs less than `bound`; `proven` if the search is at an end."""

    cost: int
    bound: int
    heads: int
    seconds: float
    proven: bool

    def __str__(self) -> str:
        """Return the report as one line.

        >>> print(SearchReport(cost=1_600, bound=1_200, heads=50, seconds=12.3, proven=False))
        after 12 s: best cost 1,600, none below 1,200 (gap 25.0%), 50 heads costed
        """
        gap = 100 * (self.cost - self.bound) / self.cost if self.cost else 0.0
        return (
            f"after {self.seconds:.0f} s: best cost {self.cost:,}, none below {self.bound:,} "
            f"(gap {gap:.1f}%), {self.heads:,} heads costed"
        )


class Progress:
    """Prints a report when the best cost or bound changes, at most every `SECONDS_APART` until the end."""

    def __init__(self, report_line: Callable[[str], None] | None) -> None:
        self._report_line = report_line
        self._last: tuple[int, int] | None = None
        self._next = 0.0

    def __call__(self, report: SearchReport) -> None:
        now = report.cost, report.bound
        if self._report_line is None or now == self._last:
            return
        if report.seconds >= self._next or report.proven:
            self._last, self._next = now, report.seconds + SECONDS_APART
            self._report_line(str(report))


@dataclass(frozen=True, slots=True)
class BestHead:
    head: int
    cost: int
    suppressed: int


@dataclass(frozen=True, slots=True)
class CostedNode:
    """A node whose head has been costed; for its descendants only a lower bound is known."""

    head: int
    tail: int
    bound: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A node whose children have been costed: the letters left, the next one last, with bounds.

    The letters before a child's are its tail.
    """

    head: int
    left: tuple[tuple[int, int], ...]


@dataclass
class CutSearchState:
    """The state of a search, with all that is needed to resume it; the last of the stack is next.

    No feasible head costs less than `floor`, which was known before the stack was made coarser.
    """

    best: BestHead
    seed: Seed | None
    stack: list[CostedNode | Branch] = field(default_factory=list)
    heads: int = 0
    floor: int = 0
    seconds: float = 0.0

    def report(self) -> SearchReport:
        """Report how far the search is. A head that costs as much as the best may still be open."""
        bounds = (bound for each in self.stack for bound in _open_bounds(each))
        bound = min(self.best.cost, max(self.floor, min(bounds, default=self.best.cost)))
        ended = self.seed is None and not self.stack
        return SearchReport(self.best.cost, bound, self.heads, self.seconds, ended)


def _open_bounds(each: CostedNode | Branch) -> Iterator[int]:
    """Return bounds of the descendants of a node that have not been costed."""
    if isinstance(each, CostedNode):
        yield each.bound
    else:
        yield from (bound for _, bound in each.left[1:])
