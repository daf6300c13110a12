"""Top-down specialization, TDS (Fung, Wang and Yu, ICDE 2005; TKDE 19(5), 2007).

Every column begins as one interval. An interval is a candidate if its children have more information about the class
column. Of the candidates that leave no class too small, the one of the highest score is replaced by its children, until
there is none. In a hierarchy an interval has the children of its node, where nodes with one child were left out: they
would add nothing, and the original stops at them. In an ordered column it is split in two where the information gain is
highest.

Guarantee: the classes of every requirement are as large as it asks, or have as many different values, without
suppression, and no candidate is left that is valid and beneficial; the optimum is not promised. Cost: three or four
statements a step. One of them reads tuples, and only those within the interval that was specialized.

Three facts save statements. Splitting makes classes smaller, so a candidate that is invalid stays so. AnonyLoss needs
only the smallest class after a candidate among the classes within it: if that is not smaller than A, then A is the size
of a class that the candidate does not touch. And classes within an interval do not change when other intervals of the
same column are specialized. So as soon as no requirement has candidates in two of its columns, all valid ones will be
taken sooner or later. They are then specialized together, a generation at a time, and the scores give their order in
memory.

The state is in the database: a small table a column, which is its cut, and tuples that do not change.
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.session import is_past
from kanon_sql.policy.cut_steps import Average, Cuts, CutStep, Score
from kanon_sql.policy.search_options import TopDown
from kanon_sql.recoding.single_dimensional import bottom_up
from kanon_sql.recoding.single_dimensional.column_cuts import CutProblem
from kanon_sql.recoding.single_dimensional.cut_scores import LineColumn, TreeColumn, upward

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate
    from kanon_sql.recoding.rare_bounds import CutFound, CutRequest
    from kanon_sql.recoding.single_dimensional.cut_scores import TupleSource

    Pair = tuple[int, int]
    """A requirement and a column of it, both by their numbers."""


ABOVE = -2
"""The number of the interval that is there before the first cut; no node and no coordinate has it."""


class Piece(NamedTuple):
    """Places that get an interval of an ordered column, and the half of it that they are in."""

    low: int
    high: int
    part: int
    child: int | None


def first_cut(table: exp.Table, counts: exp.Table, *, whole: int) -> Statement:
    leaves = {"cut": table, "counts": counts, "above": ABOVE, "whole": whole}
    return Statement("single_dimensional/top_down/first_cut", leaves)


def first_cut_of_roots(table: exp.Table, ancestors: exp.Table, *, depth: int) -> Statement:
    """Create what the first cut of a tree with several roots is specialized from: each place's root is a child."""
    leaves = {"cut": table, "ancestors": ancestors, "above": ABOVE}
    return Statement(
        "single_dimensional/top_down/first_cut_of_roots", {**leaves, "up": range(depth, -1, -1)}
    )


def specialize_tree(
    table: exp.Table, before: exp.Table, ancestors: exp.Table, *, nodes: Sequence[int], depth: int
) -> Statement:
    leaves = {"cut": table, "before": before, "ancestors": ancestors, "nodes": nodes}
    return Statement(
        "single_dimensional/top_down/specialize_tree", {**leaves, "steps": upward(depth)}
    )


def specialize_line(table: exp.Table, before: exp.Table, pieces: Sequence[Piece]) -> Statement:
    return Statement(
        "single_dimensional/top_down/specialize_line",
        {"cut": table, "before": before, "pieces": pieces},
    )


def candidate_classes(
    table: exp.Table,
    tuples: exp.Table,
    cuts: Mapping[int, exp.Table],
    *,
    split: Collection[int],
    within: Sequence[tuple[int, int, int]],
    carried: Sequence[exp.Identifier],
) -> Statement:
    """Create the classes of some columns, of those to `split` by the children of candidates too.

    `within` has columns with an interval each: a tuple has to lie in one of them. Empty, all do.
    """
    columns = [
        {"quasi": quasi, "cut": cut, "splits": quasi in split} for quasi, cut in cuts.items()
    ]
    groups = len(cuts) + len({*split} & {*cuts}) + len(carried)
    return Statement(
        "single_dimensional/top_down/candidate_classes",
        {
            "classes": table,
            "tuples": tuples,
            "carried": carried,
            "within": within,
            "columns": columns,
            "groups": range(1, groups + 1),
        },
    )


def smallest_after(
    classes: exp.Table,
    pairs: Sequence[tuple[int, int, Sequence[int]]],
    counted: Sequence[Mapping[str, object]],
) -> Statement:
    """Fetch the smallest class after each candidate of a requirement and a column.

    Each of `pairs` has the two numbers, and the columns that distinguish the requirement's classes; `counted` has what
    each requirement counts of them.
    """
    described = [
        {**counted[number], "number": number, "quasi": quasi, "columns": columns}
        for number, quasi, columns in pairs
    ]
    leaves = {"classes": classes, "requirements": described}
    return Statement("single_dimensional/top_down/smallest_after", leaves)


def intervals(table: exp.Table, cuts: Iterable[exp.Table]) -> Statement:
    """List the intervals of all columns, by the cut of each."""
    columns = [{"quasi": quasi, "table": cut, "starts": None} for quasi, cut in enumerate(cuts)]
    return Statement(
        "single_dimensional/intervals", {"intervals": table, "columns": columns, "tuples": None}
    )


AT_ONCE = 64
"""Most intervals that a statement names."""

FIRST, LAST = -1, 2**31 - 1
"""The least and the greatest coordinate that there may be; that of NULL is the least."""

ROOT = 0
"""The number of a hierarchy's root among its nodes."""


class SmallestAfter(NamedTuple):
    """The smallest class that a candidate would leave to a requirement, among those that were counted."""

    requirement: int
    quasi: int
    part: int
    size: int


class TopDownTable:
    """The present cut of each column. A step reads the tuples within one interval, joined to the cuts.

    The table of a column's cut has a row for each coordinate: its interval, and the child of that interval in which it
    would be. So a specialization writes as many rows as the column has values, and none of the table's.
    """

    def __init__(self, source: TupleSource, deadline: float | None = None) -> None:
        self._source = source
        self._engine, self._scratch, self._tuples = source.engine, source.scratch, source.tuples
        self._deadline = deadline
        self._columns: list[TreeColumn | LineColumn] = []
        self._cuts: list[exp.Table] = []
        self._specialized: set[int] = set()
        self._children: dict[tuple[int, int | None], list[CutCandidate]] = {}

    def smallest(self) -> tuple[int, ...]:
        """Return, for each requirement, its measure of the smallest class."""
        required = self._source.requirements
        if not (self._specialized and required):
            return self._source.whole_table()
        columns = [each.columns for each in required]
        classes = self._scratch.create(
            "classes",
            candidate_classes,
            self._tuples,
            dict(enumerate(self._cuts)),
            split=(),
            within=(),
            carried=self._source.carried,
        )
        of = list(zip(columns, self._source.counted("c"), strict=True))
        rows = self._engine.fetch(
            bottom_up.smallest_classes(
                classes, of, range(len(self._cuts)), apart=bool(self._source.carried)
            )
        )
        self._scratch.drop(classes)
        found = {int(str(row[0])): int(str(row[-1])) for row in rows}
        return tuple(found.get(number, 0) for number in range(len(required)))

    def begin(self) -> list[CutCandidate]:
        """Begin with one interval a column; return those that have children."""
        found = []
        for quasi, nodes in enumerate(self._source.trees):
            first = self._scratch.table(f"cut_{quasi}")
            self._cuts.append(first)
            column: TreeColumn | LineColumn
            if nodes is None:
                column = LineColumn.open(self._source, quasi)
                self._engine.execute(first_cut(first, column.counts, whole=FIRST))
                roots = column.best_splits([(FIRST, LAST)])
                self._replace_in_line(quasi, [(FIRST, LAST)], roots)
            else:
                column = TreeColumn.open(self._source, quasi, nodes)
                if column.roots > 1:
                    self._specialized.add(quasi)
                    cut = first_cut_of_roots(first, column.ancestors, depth=column.depth)
                else:
                    cut = first_cut(first, column.counts, whole=ROOT)
                self._engine.execute(cut)
                for each in column.inner_nodes():
                    self._children.setdefault((quasi, each.parent), []).append(each)
                roots = self._children.get((quasi, None), [])
                self._replace_in_tree(column, [ABOVE])
            self._columns.append(column)
            found += roots
        return found

    def specialize(self, replaced: Sequence[CutCandidate]) -> list[list[CutCandidate]]:
        """Replace intervals by their children; return, for each, the children that have children of their own."""
        children: dict[CutCandidate, list[CutCandidate]] = {}
        in_order = sorted(replaced, key=lambda each: each.rank)
        for quasi, of_one in groupby(in_order, attrgetter("quasi")):
            self._specialized.add(quasi)
            column, left = self._columns[quasi], list(of_one)
            for at in range(0, len(left), AT_ONCE):
                batch = left[at : at + AT_ONCE]
                if isinstance(column, TreeColumn):
                    self._replace_in_tree(column, [each.part for each in batch])
                    children.update((e, self._children.get((quasi, e.part), [])) for e in batch)
                else:
                    children.update(self._split(column, batch))
        return [children[each] for each in replaced]

    def _split(
        self, line: LineColumn, replaced: Sequence[CutCandidate]
    ) -> dict[CutCandidate, list[CutCandidate]]:
        halves = {each: _halves(each) for each in replaced}
        all_ = [half for pair in halves.values() for half in pair]
        found = line.best_splits(all_)
        self._replace_in_line(line.quasi, all_, found)
        by_part = {each.part: each for each in found}
        return {
            each: [by_part[low] for low, _ in pair if low in by_part]
            for each, pair in halves.items()
        }

    def _replace_in_tree(self, tree: TreeColumn, nodes: Sequence[int]) -> None:
        after = self._scratch.create(
            f"cut_{tree.quasi}",
            specialize_tree,
            self._cuts[tree.quasi],
            tree.ancestors,
            nodes=nodes,
            depth=tree.depth,
        )
        self._replace_cut(tree.quasi, after)

    def _replace_in_line(
        self, quasi: int, halves: Sequence[tuple[int, int]], found: Sequence[CutCandidate]
    ) -> None:
        pieces = []
        splits = {each.part: each for each in found if each.gain > 0}
        for low, high in halves:
            if each := splits.get(low):
                pieces += [Piece(*half, part=low, child=half[0]) for half in _halves(each)]
            else:
                pieces.append(Piece(low, high, part=low, child=None))
        after = self._scratch.create(f"cut_{quasi}", specialize_line, self._cuts[quasi], pieces)
        self._replace_cut(quasi, after)

    def _replace_cut(self, quasi: int, cut: exp.Table) -> None:
        self._scratch.drop(self._cuts[quasi])
        self._cuts[quasi] = cut

    def smallest_after(
        self, within: Sequence[CutCandidate], pairs: Sequence[Pair]
    ) -> list[SmallestAfter]:
        """Count the smallest class after each candidate, for pairs of a requirement and a column.

        With `within`, only the tuples within these intervals are counted. Of their own columns, candidates elsewhere
        are then left out. For candidates of other columns, the size is that of the smallest class with a part within.
        """
        # A column that is one interval, and has to stay it, distinguishes no classes.
        dividing = self._specialized | {quasi for _, quasi in pairs}
        columns = [
            [quasi for quasi in self._source.requirements[number].columns if quasi in dividing]
            for number, _ in pairs
        ]
        intervals = [(each.quasi, each.low, each.high) for each in within]
        classes = self._scratch.create(
            "classes",
            candidate_classes,
            self._tuples,
            {quasi: self._cuts[quasi] for quasi in sorted({q for of in columns for q in of})},
            split={quasi for _, quasi in pairs},
            within=intervals if len(intervals) <= AT_ONCE else (),
            carried=self._source.carried,
        )
        rows = self._engine.fetch(
            smallest_after(
                classes,
                [(*pair, of) for pair, of in zip(pairs, columns, strict=True)],
                self._source.counted("l"),
            )
        )
        self._scratch.drop(classes)
        return [SmallestAfter(*(int(str(each)) for each in row)) for row in rows]

    def late(self) -> bool:
        return is_past(self._deadline)

    def intervals(self) -> exp.Table:
        """Create the table of all intervals: quasi, part, low and high, numbered from 0 by low."""
        return self._scratch.create("intervals", intervals, self._cuts)


def _halves(candidate: CutCandidate) -> list[tuple[int, int]]:
    """Return the halves of an interval: number and last coordinate. The lower keeps the interval's number."""
    if candidate.split is None:
        return []
    return [(candidate.part, candidate.split), (candidate.split + 1, candidate.high)]


def cut_top_down(request: CutRequest) -> CutFound:
    """Cut the columns top-down. The search has no state, and so cannot be resumed."""
    problem, options = CutProblem.open(request), request.run.policy.search.of(TopDown)
    score = options.criterion
    source = problem.source_by_loss if score is Score.LOSS else problem.source
    table = TopDownTable(source, deadline=request.deadline)
    found = top_down(
        table, problem.requirements, problem.names, score=score, average=options.average
    )
    return problem.solved_by_steps(table, found)


@dataclass
class _Candidate:
    """A candidate, and the smallest class within it that each requirement would have after it."""

    cut: CutCandidate
    after: dict[int, int] = field(default_factory=dict)
    children: list[_Candidate] | None = None
    """The candidates among its children, once it is specialized in the table."""

    @property
    def key(self) -> tuple[int, int]:
        return self.cut.quasi, self.cut.part


class _Scored(NamedTuple):
    """A valid candidate's score; the least is the best."""

    negated_score: Fraction
    rank: tuple[int, int]
    loss: Fraction
    smallest: tuple[int, ...]


def top_down(
    table: TopDownTable,
    requirements: Sequence[AnonymityRequirement],
    names: Sequence[str],
    *,
    score: Score = Score.GAIN_PER_LOSS,
    average: Average = Average.AFFECTED,
) -> Cuts | None:
    """Specialize while a candidate is valid and beneficial; None if even whole columns are too small.

    Ties go to the first column, then to the lowest coordinate. The cut itself stays in the table.
    """
    search = _Search(table, requirements, score, average)
    if not search.begin():
        return None
    steps = []
    while best := search.take_best():
        candidate, scored = best
        steps.append(
            CutStep.of(
                candidate.cut,
                names[candidate.cut.quasi],
                anonymity=scored.loss,
                score=-scored.negated_score,
                smallest=scored.smallest,
                by_loss=score is Score.LOSS,
            )
        )
        search.specialize(candidate, scored)
    return Cuts(tuple(steps), search.smallest, cut_short=search.cut_short)


class _Search:
    """The candidates that are left, and the smallest class of each requirement."""

    def __init__(
        self,
        table: TopDownTable,
        requirements: Sequence[AnonymityRequirement],
        score: Score,
        average: Average,
    ) -> None:
        self.smallest: tuple[int, ...] = ()
        self.cut_short = False
        self._table = table
        self._requirements = requirements
        self._score = score
        self._average = average
        self._candidates: dict[tuple[int, int], _Candidate] = {}
        self._queue: list[tuple[_Scored, tuple[int, int]]] = []

    def begin(self) -> bool:
        """Count the table with whole columns; return False if its classes are too small."""
        candidates = _beneficial(self._table.begin())
        self.smallest = self._table.smallest()
        pairs = zip(self.smallest, self._requirements, strict=True)
        if any(size < each.at_least for size, each in pairs):
            return False
        self._add(candidates)
        self._count((), self._candidates, self._pairs_affected(None))
        self._order()
        return True

    def take_best(self) -> tuple[_Candidate, _Scored] | None:
        """Take the valid candidate of the highest score; after the deadline, only one already specialized."""
        while self._queue:
            scored, key = heappop(self._queue)
            candidate = self._candidates.pop(key)
            if candidate.children is not None or not self.cut_short:
                return candidate, scored
        return None

    def specialize(self, best: _Candidate, scored: _Scored) -> None:
        """Replace an interval by its children, which become candidates."""
        changed = scored.smallest != self.smallest
        self.smallest = scored.smallest
        if best.children is None:
            self.cut_short = self._table.late()
            (children,) = self._table.specialize([best.cut])
            self._add(_beneficial(children))
            self._count((best.cut,), self._candidates, self._pairs_affected(best.cut.quasi))
            self._order()
            return
        self._add(best.children)
        if changed:
            self._order()
        else:
            for each in filter(self._valid, best.children):
                heappush(self._queue, (self._scored(each), each.key))

    def _add(self, fresh: Iterable[_Candidate]) -> None:
        self._candidates.update((each.key, each) for each in fresh)

    def _pairs(self, columns: set[int], replaced: int | None = None) -> list[Pair]:
        """Return the pairs of a requirement and one of `columns` in it; it must have the column `replaced`."""
        return [
            (number, quasi)
            for number, requirement in enumerate(self._requirements)
            if replaced is None or replaced in requirement.columns
            for quasi in requirement.columns
            if quasi in columns
        ]

    def _pairs_affected(self, replaced: int | None) -> list[Pair]:
        """Return the pairs that a step may have changed: of requirements with its column; without one, all."""
        return self._pairs({quasi for quasi, _ in self._candidates}, replaced)

    def _count(
        self,
        within: Sequence[CutCandidate],
        candidates: Mapping[tuple[int, int], _Candidate],
        pairs: Sequence[Pair],
    ) -> None:
        """Count the smallest classes after candidates, now that some intervals have been replaced."""
        if not pairs:
            return
        for number, quasi, part, size in self._table.smallest_after(within, pairs):
            if candidate := candidates.get((quasi, part)):
                # Classes that were counted before are the same, or were split into some of these.
                candidate.after[number] = min(size, candidate.after.get(number, size))

    def _order(self) -> None:
        """Order the valid candidates by their scores, and forget the others."""
        self._candidates = {
            key: each for key, each in self._candidates.items() if self._valid(each)
        }
        if not self.cut_short and self._independent():
            self._specialize_all()
        self._queue = [(self._scored(each), key) for key, each in self._candidates.items()]
        heapify(self._queue)

    def _valid(self, candidate: _Candidate) -> bool:
        return all(size >= self._requirements[n].at_least for n, size in candidate.after.items())

    def _scored(self, candidate: _Candidate) -> _Scored:
        """Score a candidate by its gain and its AnonyLoss, the mean loss of the smallest classes."""
        after = tuple(
            min(size, candidate.after.get(n, size)) for n, size in enumerate(self.smallest)
        )
        averaged = len(after) if self._average is Average.ALL else len(candidate.after)
        lost = sum(self.smallest) - sum(after)
        loss = Fraction(lost, averaged) if averaged else Fraction(0)
        score = self._score.of(candidate.cut.gain, loss)
        return _Scored(-score, candidate.cut.rank, loss, after)

    def _independent(self) -> bool:
        """Whether no requirement has candidates in two of its columns."""
        columns = {quasi for quasi, _ in self._candidates}
        return all(len(columns & {*each.columns}) <= 1 for each in self._requirements)

    def _specialize_all(self) -> None:
        """Specialize all valid candidates in the table, before their scores give their order."""
        generation = [each for each in self._candidates.values() if each.children is None]
        while generation and not self.cut_short:
            self.cut_short = self._table.late()
            cuts = [each.cut for each in generation]
            for each, children in zip(generation, self._table.specialize(cuts), strict=True):
                each.children = _beneficial(children)
            fresh = {child.key: child for each in generation for child in each.children or ()}
            self._count(cuts, fresh, self._pairs({quasi for quasi, _ in fresh}))
            generation = [each for each in fresh.values() if self._valid(each)]


def _beneficial(candidates: Iterable[CutCandidate]) -> list[_Candidate]:
    return [_Candidate(each) for each in candidates if each.gain > 0]
