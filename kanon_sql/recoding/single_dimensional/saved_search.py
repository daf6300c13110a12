"""How a K-Optimize search begins: from good heads, or from the state that a plan keeps of a stopped search.

To resume a search, what it searched must be unchanged. Letters are coordinates: no value is written. A head is a
hexadecimal number with the bits of its letters. Each open node or branch is a line, the last one next, and the lines
together have at most `MOST_CHARACTERS`: a longer stack is made coarser. That is sound, as a node stands for all heads
between its head and its allset, and so does any node with a smaller head and a larger allset; some heads are then
searched again. A stack that was not made coarser goes on as if the search had never stopped.

Without a head that is near the best, the bounds prune little, so climbs find one first. A climb from the most general
head adds the letter that lowers the cost most, or several of the best letters where they lower it more together, until
none does. Then single letters are removed, or moved within their column, where that helps most. If nothing helps any
more, the best head is kicked (some of its letters go, or one column gets other letters) and the next climb begins
there. Every second climb allows no suppressed row. Every other climb is free at first: it allows any number of
suppressed rows, at their price, until nothing helps any more. That leads to other heads, often better ones. The climbs
end after `VAIN` from one head that found no better one.

Ties go to the least head. A kick follows from its number alone, and every step is a value: a search that is stopped
between two steps goes on as if it had not been stopped.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import read_mapping
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Parsed, Refused, Text, Whole
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.open_view import source_name
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.recoding.single_dimensional.heads import members
from kanon_sql.recoding.single_dimensional.k_optimize_table import (
    BestHead,
    Branch,
    CostedNode,
    CutSearchState,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.single_dimensional.heads import HeadCosts
    from kanon_sql.recoding.single_dimensional.k_optimize_table import KOptimizeTable


STRIDES = (1, 2, 4, 8, 16)
"""The distances, in coordinates, by which a letter may move at once."""

TOGETHER = 17
"""Most letters that are added at once."""

APART = 3
"""The least distance, in coordinates, of letters of one column that are added at once."""

AT_ONCE = 64
"""Heads that are costed between two looks at the clock."""

VAIN = 32
"""Most climbs from one head that find no better one; fewer if there are fewer letters."""

LAST = -1
"""The number of a climb that no other follows."""

SHARES = (80, 60, 40, 20)
"""In a kick, the percentage of letters that stay, or are added."""


class _TooLateError(Exception):
    """The time limit passed within a step."""


@dataclass(frozen=True, slots=True)
class Seed:
    """The state of the climbs: the present head; `full` if it is known that no further letter helps.

    The climb of this `number` began when `origin` was the best head, and `vain` climbs from that head found no better
    one. The first two begin without letters. An even one allows no suppressed row, and an odd one is `free` at first.
    """

    head: int
    full: bool = False
    free: bool = False
    number: int = 0
    origin: int = 0
    vain: int = 0


class Seeds:
    """Takes the steps of climbs; `offer` is called with every head that is costed."""

    def __init__(self, table: KOptimizeTable, offer: Callable[[int, HeadCosts], None]) -> None:
        self._table = table
        self._offer = offer
        self._whole = sum(table.columns)

    def near(self, best: int) -> Seed:
        """Return the climb from a head that the tree search found; no other climb follows it."""
        return Seed(best, number=LAST)

    def step(self, seed: Seed, best: int) -> Seed | None:
        """Take one step; `best` is the best head before it. None when there is nothing left to try.

        A step that the time limit interrupts returns the seed unchanged, so that it is taken again.
        """
        try:
            better = (self._move if seed.full else self._climb)(seed)
        except _TooLateError:
            return seed
        if better is not None:
            return replace(seed, head=better, full=False)
        if not seed.full:
            return replace(seed, full=True)
        return replace(seed, free=False, full=False) if seed.free else self._again(seed, best)

    def _climb(self, seed: Seed) -> int | None:
        """Return the best head with one letter more, or with several of the best, if it is better."""
        head = seed.head
        ((here, children),) = self._table.open([(head, self._whole & ~head)])
        found = [(head | 1 << child.letter, child.costs) for child in children]
        better, costs = self._better(seed, head, here, found)
        if better == head:
            return None
        helpful = sorted(
            (*self._rank(seed, child.costs), child.letter)
            for child in children
            if self._rank(seed, child.costs) < self._rank(seed, here)
        )
        more = list(self._together(head, [letter for *_, letter in helpful]))
        if more:
            found = list(zip(more, self._table.cost(more, more[-1]), strict=True))
            better, _ = self._better(seed, better, costs, found)
        return better

    def _together(self, head: int, letters: Sequence[int]) -> Iterator[int]:
        """Yield the head with the first two letters, three, and so on that lie apart: close ones help alike."""
        taken: list[int] = []
        for letter in letters:
            column = next(each for each in self._table.columns if each >> letter & 1)
            if any(column >> other & 1 and abs(letter - other) < APART for other in taken):
                continue
            taken.append(letter)
            head |= 1 << letter
            if len(taken) > 1:
                yield head
            if len(taken) == TOGETHER:
                return

    def _move(self, seed: Seed) -> int | None:
        """Take out or move, column after column, the letter that helps most; None if none does."""
        head = seed.head
        (here,) = self._table.cost([head], head)
        for letters in self._table.columns:
            heads = list(dict.fromkeys(_neighbours(head, letters)))
            allset = reduce(or_, heads, 0)
            costs: list[HeadCosts] = []
            while len(costs) < len(heads):
                if self._table.late():
                    raise _TooLateError
                batch = heads[len(costs) : len(costs) + AT_ONCE]
                costs += self._table.cost(batch, allset)
            found = list(zip(heads, costs, strict=True))
            head, here = self._better(seed, head, here, found)
        return None if head == seed.head else head

    def _better(
        self, seed: Seed, head: int, here: HeadCosts, found: list[tuple[int, HeadCosts]]
    ) -> tuple[int, HeadCosts]:
        """Return the best of the heads found, or `head` if none is better, by rows too many, then by cost."""
        for other, costs in found:
            self._offer(other, costs)
        least = min(((*self._rank(seed, f), other, f) for other, f in found), default=None)
        if least is None or least[:2] >= self._rank(seed, here):
            return head, here
        return least[2:]

    def _rank(self, seed: Seed, costs: HeadCosts) -> tuple[int, int]:
        """Order heads by the rows too many that they suppress, then by cost; a free climb by cost alone."""
        limit = self._table.max_suppressed if seed.number % 2 else 0
        return 0 if seed.free else max(0, costs.suppressed - limit), costs.cost

    def _again(self, seed: Seed, best: int) -> Seed | None:
        """Begin the next climb, from another head than the best."""
        if seed.number == LAST:
            return None
        if not seed.number:
            return Seed(0, free=True, number=1)
        number, vain = seed.number, seed.vain if best == seed.origin else 0
        while vain < min(VAIN, self._whole.bit_count()):
            number, vain = number + 1, vain + 1
            head = self._kicked(best, number)
            if head != best:
                return Seed(head, free=bool(number % 2), number=number, origin=best, vain=vain)
        return None

    def _kicked(self, best: int, number: int) -> int:
        """Take letters out of all columns, or give one column other letters in place of its own."""
        share = SHARES[number // 4 % len(SHARES)]
        if number // 2 % 2:
            return sum(1 << n for n in members(best) if _drawn(number, n) < share)
        columns = self._table.columns
        column = columns[_drawn(number, self._whole.bit_length()) % len(columns)]
        return best & ~column | sum(1 << n for n in members(column) if _drawn(number, n) < share)


def _drawn(number: int, letter: int) -> int:
    """Draw from 0 to 99: the same on every machine, in every run (Steele et al.'s SplitMix64)."""
    mixed = (number * 1_000_003 + letter + 1) * 0x9E3779B97F4A7C15 % 2**64
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
    return (mixed ^ mixed >> 31) % 100


def _neighbours(head: int, letters: int) -> Iterator[int]:
    """Yield the heads without one of a column's letters, and with another letter in its place."""
    for letter in members(head & letters):
        without = head & ~(1 << letter)
        yield without
        for stride in STRIDES:
            for other in (letter - stride, letter + stride):
                if other >= 0 and letters >> other & 1 and not head >> other & 1:
                    yield without | 1 << other


MOST_CHARACTERS = 200_000
"""Most characters of the lines of open nodes; where heads are longer, a single line is written."""

AGAIN = "begin a search anew"


def saved_state(
    policy: Policy, state: CutSearchState, table: KOptimizeTable
) -> dict[str, object] | None:
    """Return a search's document with the hash of its policy; None where the search is at its end."""
    if state.report().proven:
        return None
    return {"policy": _digest(policy), **state_document(state, table.columns)}


def _digest(policy: Policy) -> str:
    return replace(policy, search=replace(policy.search, time_limit=None)).digest


def check_resumable(
    run: Session, opened: OpenSource, chosen: Plan, found: str
) -> Mapping[str, object]:
    """Return the state of a plan's search; `found` is the source's hash.

    The policy's hash covers the orders of its columns' values. Raises InputError where there is no state, and
    StalePlanError where the policy or the source is another.
    """
    if chosen.state is None:
        what = "has no search to go on with: it is proven, or of an algorithm that ends by itself"
        raise InputError("plan", [Fault("state", what)])
    faults = []
    if chosen.state.get("policy") != _digest(run.policy):
        faults.append(Fault("policy", "is not the one whose search was left"))
    if (opened.source_rows, found) != (chosen.source_rows, chosen.source_fingerprint):
        what = "changed since the search was left, or was hashed by another database or under another key"
        faults.append(Fault(f"source {source_name(run.policy.source)}", what))
    if faults:
        raise StalePlanError("plan", [*faults, Fault("", AGAIN)])
    return chosen.state


def resumed_state(document: Mapping[str, object], table: KOptimizeTable) -> CutSearchState:
    """Read a search from its plan, and cost its best head again. Raises StalePlanError."""
    try:
        state = read_state(document, table.columns)
    except ValueError as error:
        raise StalePlanError("plan", [Fault("state", str(error)), Fault("", AGAIN)]) from error
    (costs,) = table.cost([state.best.head], state.best.head)
    if (costs.cost, costs.suppressed) != (state.best.cost, state.best.suppressed):
        what = "says of its best head what the source does not"
        raise StalePlanError("plan", [Fault("state.best", what), Fault("", AGAIN)])
    return state


HEAD = Parsed(
    Text(pattern="[0-9a-f]+"), lambda text: int(text, 16), unparse=lambda head: f"{head:x}"
)
Head = Annotated[int, HEAD]
Figure = Annotated[int, Whole(0, most=10**30)]


def _best(*, head: Head, cost: Figure, suppressed: Figure) -> BestHead:
    return BestHead(head, cost, suppressed)


def _seed(
    *,
    head: Head,
    full: bool,
    free: bool,
    number: Annotated[int, Whole()],
    origin: Head,
    vain: Figure,
) -> Seed:
    return Seed(head, full, free, number, origin, vain)


@dataclass(frozen=True, slots=True)
class LeftSearch:
    """The document of a stopped search."""

    letters: tuple[int, ...]
    best: Annotated[BestHead, Record(_best)]
    seed: Annotated[Seed | None, Record(_seed)]
    heads: Figure
    bound: Figure
    open: Annotated[str, Text(any=True)]


LEFT = Record(LeftSearch)


def state_document(
    state: CutSearchState, columns: Sequence[int], *, most: int = MOST_CHARACTERS
) -> dict[str, object]:
    """Return a search's document; `columns` are those of its table."""
    letters = tuple(letters.bit_count() for letters in columns)
    lines = "\n".join(_lines(state.stack, most))
    bound = state.report().bound
    return LEFT.write(LeftSearch(letters, state.best, state.seed, state.heads, bound, lines), {})


def read_state(document: Mapping[str, object], columns: Sequence[int]) -> CutSearchState:
    """Read a search's document. Raises ValueError where no search over these columns has written it."""
    item = read_mapping({key: each for key, each in document.items() if key in LEFT.keys})
    if document.get("letters") != [letters.bit_count() for letters in columns]:
        raise ValueError("is a search over other columns, or other values of them")
    try:
        return _state(LEFT.read(item), sum(columns), item.faults)
    except (Refused, ValueError) as error:
        raise ValueError("is not how a search was left") from error


def _state(left: LeftSearch, whole_head: int, faults: Sequence[Fault]) -> CutSearchState:
    heads = [left.best.head, *([] if left.seed is None else [left.seed.head, left.seed.origin])]
    stack = [_read_line(line, whole_head) for line in left.open.splitlines()]
    state = CutSearchState(left.best, left.seed, stack, left.heads, left.bound)
    if faults or any(head & ~whole_head for head in heads):
        raise ValueError("no such letters")
    if state.report().proven or state.floor > state.best.cost:
        raise ValueError("nothing is open")
    return state


def _line(each: CostedNode | Branch) -> str:
    if isinstance(each, CostedNode):
        return f"node {each.head:x} {each.tail:x} {each.bound}"
    return " ".join(
        [f"branch {each.head:x}", *(f"{letter} {bound}" for letter, bound in each.left)]
    )


def _read_line(line: str, whole_head: int) -> CostedNode | Branch:
    what, head, *rest = line.split(" ")
    if what == "node":
        tail, bound = rest
        node = CostedNode(_head(head, whole_head), _head(tail, whole_head), _count(bound))
        if node.head & node.tail:
            raise ValueError("letters stand twice")
        return node
    left = [
        (_count(letter), _count(bound)) for letter, bound in zip(rest[::2], rest[1::2], strict=True)
    ]
    branch = Branch(_head(head, whole_head), tuple(left))
    letters = [letter for letter, _ in left]
    if what != "branch" or not left or len({*letters}) != len(letters):
        raise ValueError("no such line")
    if not all((whole_head & ~branch.head) >> letter & 1 for letter in letters):
        raise ValueError("no such letters")
    return branch


def _count(written: str) -> int:
    if (found := int(written)) < 0:
        raise ValueError("no count is negative")
    return found


def _head(written: str, whole_head: int) -> int:
    """Read a head. Raises ValueError for a letter that the columns do not have."""
    head = int(written, 16)
    if head < 0 or head & ~whole_head:
        raise ValueError("no such letters")
    return head


def _lines(stack: Sequence[CostedNode | Branch], most: int) -> list[str]:
    """Return the stack's lines; it is made coarser until they have `most` characters, or are one line."""
    lines = list(map(_line, stack))
    if _length(lines) <= most:
        return lines
    nodes = [_as_node(each) for each in stack]
    lines = list(map(_line, nodes))
    while _length(lines) > most and len(nodes) > 1:
        nodes = _fewer(nodes, len(nodes) // 2)
        lines = list(map(_line, nodes))
    return lines


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines)


def _as_node(each: CostedNode | Branch) -> CostedNode:
    """Return a branch as one node, whose children are costed again when it is opened."""
    if isinstance(each, CostedNode):
        return each
    tail = sum(1 << letter for letter, _ in each.left)
    return CostedNode(each.head, tail, min(bound for _, bound in each.left))


def _fewer(nodes: Sequence[CostedNode], most: int) -> list[CostedNode]:
    """Join neighbors on the stack until at most `most` are left, those of the smallest tails first."""
    left = list(nodes)
    while len(left) > most:
        joined = [_joined(one, other) for one, other in pairwise(left)]
        smallest = sorted(range(len(joined)), key=lambda n: (joined[n].tail.bit_count(), n))
        taken: set[int] = set()
        for n in smallest:
            if len(left) - len(taken) == most:
                break
            if not {n - 1, n + 1} & taken:
                taken.add(n)
        found: list[CostedNode] = []
        at = 0
        while at < len(left):
            found.append(joined[at] if at in taken else left[at])
            at += 2 if at in taken else 1
        left = found
    return left


def _joined(one: CostedNode, other: CostedNode) -> CostedNode:
    """Return a node that has all heads of both."""
    head = one.head & other.head
    allset = one.head | one.tail | other.head | other.tail
    return CostedNode(head, allset & ~head, min(one.bound, other.bound))
