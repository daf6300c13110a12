"""A K-Optimize search in its plan: how its state is written, and what must be unchanged to resume it.

Letters are coordinates: no value is written. A head is a hexadecimal number with the bits of its letters. Each open
node or branch is a line, the last one next, and the lines together have at most `MOST_CHARACTERS`: a longer stack is
made coarser. That is sound, as a node stands for all heads between its head and its allset, and so does any node with a
smaller head and a larger allset; some heads are then searched again. A stack that was not made coarser goes on as if
the search had never stopped.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.lines import read_mapping
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Parsed, Refused, Text, Whole
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.open_view import source_name
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.recoding.single_dimensional.k_optimize.search_state import (
    BestHead,
    Branch,
    CostedNode,
    CutSearchState,
)
from kanon_sql.recoding.single_dimensional.k_optimize.seeds import Seed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.single_dimensional.k_optimize.k_optimize_table import KOptimizeTable

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
