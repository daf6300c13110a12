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
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.cut_steps import Average, Cuts, CutStep, Score
from kanon_sql.policy.search_options import TopDown
from kanon_sql.recoding.single_dimensional.column_cuts import CutProblem
from kanon_sql.recoding.single_dimensional.top_down_table import TopDownTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate
    from kanon_sql.recoding.cuts import CutFound, CutRequest
    from kanon_sql.recoding.single_dimensional.top_down_table import Pair


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
