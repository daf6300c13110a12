"""K-Optimize: the cuts of least cost of all possible cuts, by Bayardo and Agrawal (ICDE 2005).

Every set of letters is a head once in the set-enumeration tree: a node is a head H and a tail T, and its subtree are
the heads between H and the allset A = H with T. The tree is walked depth first, on a stack. Pruning (their section 4)
removes a letter from the tail where no head beneath can gain from it, where all halves of the classes that it splits
are too small, or where every head with it costs as much as the best one that is known. The allset then distinguishes
less, which raises the bounds.

The lower bound of a node. A head X of the subtree refines H and is refined by A. The rows that H suppresses are
suppressed by X too, as its classes are smaller. Let E be a class of H that fits, of n rows.

* *Discernibility* (theirs): a row of E whose class at A is F lies in a class of X that is no smaller
  than F, and no smaller than k if it fits; else it costs all |D| rows. So E costs no less than the sum
  of |F| max(|F|, k).
* *Discernibility* (ours): X parts E into at most m = n div k classes that fit. So if no row is suppressed,
  E costs no less than h(n), the sum of squares of m parts that are as even as they can be. Each row less
  lowers h by no more than 2 b + 1, where b = n div m, and a suppressed row costs |D|. So where |D| is no less
  than 2 b + 1, which holds wherever k is small against |D|, E costs no less than h(n). In integers, h(n) is
  b (n + n mod m) + n mod m. The greater of the two bounds holds, class by class.
* *Classification*: a class of X that fits costs the rows that are not of its most frequent value. It has as
  many rows of a value as its F together, so it costs no less than the sum over its F of what each costs by
  itself. A class that does not fit costs all of its rows, which is no less either.

Where not all rows may be suppressed, a head that exceeds the suppression limit has no feasible descendant: its
descendants suppress no fewer rows.

Guarantee: every head is costed or pruned by the rules above, so when the stack is empty no feasible head costs less
than the best. Of heads that cost the same the one found first is returned, which is the same on every engine, and in a
search that was stopped and resumed. Before that, the least bound on the stack holds for all that is open. Cost: about
one statement for each head that is opened, for all of its children at once; memory is the depth of the tree times the
alphabet.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, assert_never

from kanon_sql.errors import InfeasibleError, InputError
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.search_options import KOptimize, Minimize
from kanon_sql.recoding.single_dimensional import heads
from kanon_sql.recoding.single_dimensional.column_cuts import CutProblem
from kanon_sql.recoding.single_dimensional.heads import Alphabet, HeadStatements
from kanon_sql.recoding.single_dimensional.k_optimize_table import (
    BestHead,
    Branch,
    CostedNode,
    CutSearchState,
    KOptimizeTable,
    Progress,
)
from kanon_sql.recoding.single_dimensional.saved_search import (
    Seed,
    Seeds,
    resumed_state,
    saved_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kanon_sql.recoding.rare_bounds import CutFound, CutRequest
    from kanon_sql.recoding.single_dimensional.heads import Child, HeadCosts
    from kanon_sql.recoding.single_dimensional.k_optimize_table import SearchReport

MOST_LETTERS = 1000
"""Most coordinates at which a head may cut: each is a part of its statements."""

MOST_TARGETS = 64
"""Most values of a target: each is counted by itself."""


def cut_k_optimize(request: CutRequest) -> CutFound:
    """Cut the columns at least cost, and report the progress of the search."""
    run, opened, problem = request.run, request.opened, CutProblem.open(request)
    statements = _statements(problem)
    table = KOptimizeTable(
        run.engine,
        run.scratch,
        statements,
        problem.tuples,
        max_suppressed=opened.max_suppressed(run.policy.suppression),
        deadline=request.deadline,
    )
    state = begin(table) if request.resumed is None else resumed_state(request.resumed, table)
    if state is None or state.best.suppressed == statements.rows:
        raise InfeasibleError("no recoding satisfies the policy: the search keeps no class")
    left_out = opened.left_out * statements.charge
    report = k_optimize(table, state, Progress(run.engine.journal.on_step)).report()
    return problem.solved(
        table.intervals(state.best.head),
        required=requirements(run.policy.privacy),
        checks_in_time=None if report.proven else report.heads,
        cost=(float(report.cost + left_out),),
        proven=report.proven,
        lower_bound=report.bound + left_out,
        state=saved_state(run.policy, state, table),
    )


def _statements(problem: CutProblem) -> HeadStatements:
    """Build the statements from the table's alphabet and the policy's requirements. Raises InputError."""
    run, search = problem.run, problem.run.policy.search.of(KOptimize)
    (counted,) = run.engine.fetch(
        heads.count_targets(problem.tuples, targeted=search.target is not None)
    )
    rows, targets = (int(str(cell)) for cell in counted)
    (ends,) = run.engine.fetch(heads.place_ranges(problem.tuples, len(problem.names)))
    numbers = [int(str(cell)) for cell in ends]
    alphabet = Alphabet(
        tuple(zip(numbers[::2], numbers[1::2], strict=True)), run.engine.capabilities.key_bits
    )
    by_target = search.minimize is Minimize.CLASSIFICATION
    if len(alphabet.letters) > MOST_LETTERS:
        what = (
            f"k_optimize has {len(alphabet.letters)} places to cut at, of which it can hold "
            f"{MOST_LETTERS}; make values coarser, or use another algorithm"
        )
        raise InputError(run.policy.subject, [run.policy.fault("search.algorithm", what)])
    if targets > MOST_TARGETS and by_target:
        what = f"has {targets} values, more than the {MOST_TARGETS} that can be counted separately"
        raise InputError(run.policy.subject, [run.policy.fault("search.target", what)])
    return HeadStatements(
        alphabet,
        requirements(run.policy.privacy),
        rows=rows + problem.opened.left_out,
        entity=problem.by_entity,
        targets=targets if by_target else 0,
    )


def begin(table: KOptimizeTable) -> CutSearchState | None:
    """Begin a search; None when no head is feasible."""
    whole = sum(table.columns)
    (costs,) = table.cost([0], whole)
    if costs.suppressed > table.max_suppressed:
        return None
    best = BestHead(0, costs.cost, costs.suppressed)
    if not whole:
        return CutSearchState(best, None, heads=1)
    return CutSearchState(best, Seed(0), [CostedNode(0, whole, costs.bound)], heads=1)


def k_optimize(
    table: KOptimizeTable,
    state: CutSearchState,
    progress: Callable[[SearchReport], None] | None = None,
) -> CutSearchState:
    """Search on until the stack is empty or the time is up; returns the same state, changed.

    The state holds everything between two steps, so that a search may be stopped, written down and resumed.
    """
    search = _Search(table, state)
    began = time.monotonic() - state.seconds
    while not search.ended() and not table.late():
        search.step()
        state.seconds = time.monotonic() - began
        if progress is not None:
            progress(state.report())
    return state


class _Search:
    def __init__(self, table: KOptimizeTable, state: CutSearchState) -> None:
        self.table = table
        self.state = state
        self.seeds = Seeds(table, self.offer)

    def ended(self) -> bool:
        return self.state.seed is None and not self.state.stack

    def step(self) -> None:
        """Take a step of a climb, or open nodes; a better head in the tree begins a climb."""
        state = self.state
        if state.seed is not None:
            state.seed = self.seeds.step(state.seed, state.best.head)
            return
        nodes: list[CostedNode] = []
        while state.stack and len(nodes) < self.table.batch:
            match top := state.stack.pop():
                case CostedNode() as node:
                    nodes.append(node)
                case Branch() as branch:
                    nodes += self.divide(branch)
                case _:
                    assert_never(top)
        best = state.best.head
        self.open([node for node in nodes if not self.hopeless(node.bound)])
        if state.best.head != best:
            state.seed = self.seeds.near(state.best.head)

    def offer(self, head: int, costs: HeadCosts) -> None:
        """Keep a feasible head that costs less than the best; of heads that cost the same the first stays."""
        self.state.heads += 1
        if costs.suppressed <= self.table.max_suppressed and costs.cost < self.state.best.cost:
            self.state.best = BestHead(head, costs.cost, costs.suppressed)

    def hopeless(self, bound: int) -> bool:
        return bound >= self.state.best.cost

    def divide(self, branch: Branch) -> list[CostedNode]:
        """Divide a branch into the node with its next letter, and the node without that letter.

        The node without it is bounded anew: where the letter is what makes heads good, little is often left there.
        """
        left = [each for each in branch.left if not self.hopeless(each[1])]
        if not left:
            return []
        letter, bound = left.pop()
        tail = sum(1 << n for n, _ in left)
        nodes = [CostedNode(branch.head | 1 << letter, tail, bound)] if left else []
        if len(left) > 1:
            nodes.append(CostedNode(branch.head, tail, min(bound for _, bound in left)))
        return nodes

    def open(self, nodes: list[CostedNode]) -> None:
        opened = self.table.open([(node.head, node.tail) for node in nodes])
        found: list[Branch] = []
        for node, (costs, children) in zip(nodes, opened, strict=True):
            for child in children:
                self.offer(node.head | 1 << child.letter, child.costs)
            if self.hopeless(costs.bound):
                continue
            left = sorted(filter(self.may_help, children), key=self.rank)
            if len(left) > 1:
                pairs = tuple((c.letter, c.costs.bound) for c in left)
                found.append(Branch(node.head, pairs))
        self.state.stack += reversed(found)

    def may_help(self, child: Child) -> bool:
        """Whether a better head may have the letter; its own cost has been offered already."""
        return (
            not child.useless
            and child.costs.suppressed <= self.table.max_suppressed
            and not self.hopeless(child.costs.bound)
        )

    def rank(self, child: Child) -> tuple[int, int]:
        return -child.costs.cost, child.letter
