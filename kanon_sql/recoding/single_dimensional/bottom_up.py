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

Classes are in the database, by the lowest coordinate of each column's interval, and become fewer with each step.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.cut_steps import Cuts, CutStep
from kanon_sql.recoding.single_dimensional.column_cuts import CutProblem
from kanon_sql.recoding.single_dimensional.cut_scores import TreeColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Row
    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate
    from kanon_sql.recoding.rare_bounds import CutFound, CutRequest
    from kanon_sql.recoding.single_dimensional.cut_scores import TupleSource


def leaf_classes(
    table: exp.Table, tuples: exp.Table, columns: Sequence[int], carried: Sequence[exp.Identifier]
) -> Statement:
    """Create the classes in which every value is an interval; `carried` tells apart what is counted later."""
    leaves = {"classes": table, "tuples": tuples, "carried": carried, "columns": columns}
    groups = range(1, len(columns) + len(carried) + 1)
    return Statement("single_dimensional/bottom_up/leaf_classes", {**leaves, "groups": groups})


def generalized_classes(
    table: exp.Table,
    before: exp.Table,
    columns: Sequence[int],
    merged: Mapping[int, Sequence[tuple[int, int]]],
    carried: Sequence[exp.Identifier],
) -> Statement:
    """Create the classes of some columns after the intervals within others became one each."""
    return Statement(
        "single_dimensional/bottom_up/generalized_classes",
        {
            "classes": table,
            "before": before,
            "carried": carried,
            "columns": [{"quasi": quasi, "merged": merged.get(quasi, ())} for quasi in columns],
            "groups": range(1, len(columns) + len(carried) + 1),
        },
    )


def smallest_classes(
    classes: exp.Table,
    requirements: Sequence[tuple[Sequence[int], Mapping[str, object]]],
    columns: Sequence[int],
    *,
    apart: bool,
) -> Statement:
    """Fetch the smallest classes of requirements, each by its columns: between which intervals they are.

    Each has what it counts too. The rows of a class are one, unless they are told `apart` by what is carried.

    A row has the requirement, a lowest and a highest interval for each of the columns, and the size.
    """
    required = [
        {**counted, "number": number, "columns": own, "whole": not apart and {*own} == {*columns}}
        for number, (own, counted) in enumerate(requirements)
    ]
    return Statement(
        "single_dimensional/bottom_up/smallest_classes",
        {"classes": classes, "columns": columns, "requirements": required},
    )


def smallest_merged(
    classes: exp.Table,
    merges: Sequence[tuple[tuple[int, ...], int, int, int, Mapping[str, object]]],
    carried: Sequence[exp.Identifier],
) -> Statement:
    """Fetch how large the smallest class over some columns is after an interval of one became one part."""
    described = [
        {
            **counted,
            "number": number,
            "columns": columns,
            "quasi": quasi,
            "low": low,
            "high": high,
        }
        for number, (columns, quasi, low, high, counted) in enumerate(merges)
    ]
    return Statement(
        "single_dimensional/bottom_up/smallest_merged",
        {"classes": classes, "carried": carried, "requirements": described},
    )


def intervals(
    table: exp.Table, classes: exp.Table, merged: Sequence[int], tuples: exp.Table, columns: int
) -> Statement:
    """List the intervals of all columns, of which only some are `merged` in the classes."""
    described = [
        {"quasi": quasi, "table": classes, "starts": name(f"part_{quasi}")}
        if quasi in merged
        else {"quasi": quasi, "table": tuples, "starts": name(f"place_{quasi}")}
        for quasi in range(columns)
    ]
    return Statement(
        "single_dimensional/intervals",
        {"intervals": table, "columns": described, "tuples": tuples},
    )


@dataclass(frozen=True, slots=True)
class SmallestClasses:
    """The smallest classes of a requirement: their size, and the coordinates they span in each column."""

    size: int
    spans: Mapping[int, tuple[int, int]]

    def below(self, candidate: CutCandidate) -> bool:
        """Return True if all of them have an interval that the candidate would replace."""
        span = self.spans.get(candidate.quasi)
        return span is not None and candidate.low <= span[0] and span[1] <= candidate.high


class BottomUpTable:
    """The classes of the present cut; an interval is its lowest coordinate, so merging is arithmetic.

    Columns that no requirement names are not generalized.
    """

    def __init__(self, source: TupleSource) -> None:
        """Take the source. Raises ValueError for an ordered column, or where there is no requirement."""
        self._source = source
        self._engine, self._scratch, self._tuples = source.engine, source.scratch, source.tuples
        self._trees = [nodes for nodes in source.trees if nodes is not None]
        if len(self._trees) < len(source.trees):
            raise ValueError("bottom-up generalization needs a tree for each column; one is a line")
        self._merged = sorted({quasi for each in source.requirements for quasi in each.columns})
        if not self._merged:
            raise ValueError("bottom-up generalization needs a requirement to reach")
        self._classes: list[exp.Table] = []
        """The present classes last, after those to which `undo` may return."""

    def begin(self) -> list[CutCandidate]:
        """Begin with each value as an interval; return all inner nodes of the requirements' columns."""
        first = self._scratch.create(
            "classes",
            leaf_classes,
            self._tuples,
            self._merged,
            self._source.carried,
        )
        self._classes.append(first)
        found: list[CutCandidate] = []
        for quasi in self._merged:
            tree = TreeColumn.open(self._source, quasi, self._trees[quasi])
            found += tree.inner_nodes()
        return found

    def smallest_classes(self) -> list[SmallestClasses]:
        """Return the smallest classes of each requirement; for an empty table no spans, and size 0."""
        columns = [each.columns for each in self._source.requirements]
        of = list(zip(columns, self._source.counted("c"), strict=True))
        rows = self._engine.fetch(
            smallest_classes(self._classes[-1], of, self._merged, apart=bool(self._source.carried))
        )
        found = {int(str(row[0])): row[1:] for row in rows}
        nothing: Row = (None,) * (2 * len(self._merged) + 1)
        return [self._smallest(found.get(number, nothing)) for number in range(len(of))]

    def _smallest(self, row: Row) -> SmallestClasses:
        *ends, size = (None if each is None else int(str(each)) for each in row)
        spans = {}
        for quasi, low, high in zip(self._merged, ends[::2], ends[1::2], strict=True):
            if low is not None and high is not None:
                spans[quasi] = (low, high)
        return SmallestClasses(size or 0, spans)

    def smallest_after(self, pairs: Sequence[tuple[int, CutCandidate]]) -> list[int]:
        """Return, for each requirement and candidate, the smallest class after the candidate: A_G."""
        required, counted = self._source.requirements, self._source.counted("t")
        merges = [
            (required[number].columns, each.quasi, each.low, each.high, counted[number])
            for number, each in pairs
        ]
        rows = self._engine.fetch(smallest_merged(self._classes[-1], merges, self._source.carried))
        found = {int(str(number)): int(str(size)) for number, size in rows}
        return [found[number] for number in range(len(pairs))]

    def generalize(self, nodes: Sequence[CutCandidate]) -> None:
        """Replace all intervals below some nodes by the nodes, none of which is below another."""
        merged: dict[int, list[tuple[int, int]]] = {}
        for each in nodes:
            merged.setdefault(each.quasi, []).append((each.low, each.high))
        made = self._scratch.create(
            "classes",
            generalized_classes,
            self._classes[-1],
            self._merged,
            merged,
            self._source.carried,
        )
        self._classes.append(made)
        while len(self._classes) > 2:
            self._scratch.drop(self._classes.pop(0))

    def undo(self) -> None:
        """Put back the intervals that the last `generalize` replaced. Only one step can be undone."""
        self._scratch.drop(self._classes.pop())

    def intervals(self) -> exp.Table:
        """Create the table of all intervals: quasi, part, low and high, numbered from 0 by low."""
        return self._scratch.create(
            "intervals",
            intervals,
            self._classes[-1],
            self._merged,
            self._tuples,
            len(self._trees),
        )


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
