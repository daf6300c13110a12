"""A K-Optimize search as plain values, for its plan: letters are places, and no value is among them.

A head is written as a hexadecimal number that has the bits of its letters. What is open is a line
each, the last one next, and they are `ROOM` characters together at most: what is more is made
coarser. That is sound, as a node stands for all heads between its own and its allset, and so does
any with a smaller head and a larger tail; what is beneath is only searched again. Where nothing has
to be made coarser the search goes on as if it had never been left.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from kanon_sql.documents.lines import read_mapping
from kanon_sql.documents.records import Record
from kanon_sql.documents.shapes import Parsed, Refused, Text, Whole
from kanon_sql.recoding.single_dimensional.cut_seeds import Seed
from kanon_sql.recoding.single_dimensional.cut_state import (
    BestHead,
    Branch,
    CostedNode,
    CutSearchState,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.errors import Fault

ROOM = 200_000
"""Characters that what is open is written in at most, or a line each where heads are longer."""


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
    """A search as it is written down."""

    letters: tuple[int, ...]
    best: Annotated[BestHead, Record(_best)]
    seed: Annotated[Seed | None, Record(_seed)]
    heads: Figure
    bound: Figure
    open: Annotated[str, Text(any=True)]


LEFT = Record(LeftSearch)


def state_document(
    state: CutSearchState, columns: Sequence[int], *, room: int = ROOM
) -> dict[str, object]:
    """Write a search down; `columns` are those of its cutter."""
    letters = tuple(letters.bit_count() for letters in columns)
    lines = "\n".join(_fitting(state.stack, room))
    bound = state.report().bound
    return LEFT.write(LeftSearch(letters, state.best, state.seed, state.heads, bound, lines), {})


def read_state(document: Mapping[str, object], columns: Sequence[int]) -> CutSearchState:
    """Read what was written down. Raises ValueError where no search over these columns is left so."""
    item = read_mapping({key: each for key, each in document.items() if key in LEFT.keys})
    if document.get("letters") != [letters.bit_count() for letters in columns]:
        raise ValueError("is a search over other columns, or other values of them")
    try:
        return _state(LEFT.read(item), sum(columns), item.faults)
    except (Refused, ValueError) as error:
        raise ValueError("is not how a search was left") from error


def _state(left: LeftSearch, whole_head: int, faults: Sequence[Fault]) -> CutSearchState:
    heads = [left.best.head, *([] if left.seed is None else [left.seed.head, left.seed.origin])]
    stack = [_read(line, whole_head) for line in left.open.splitlines()]
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


def _read(line: str, whole_head: int) -> CostedNode | Branch:
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
    """Read a head; it has no other letters than there are."""
    head = int(written, 16)
    if head < 0 or head & ~whole_head:
        raise ValueError("no such letters")
    return head


def _fitting(stack: Sequence[CostedNode | Branch], room: int) -> list[str]:
    """Write what is open, made coarser until there is room for it, or it is a line."""
    lines = list(map(_line, stack))
    if _length(lines) <= room:
        return lines
    nodes = [_costed_again(each) for each in stack]
    lines = list(map(_line, nodes))
    while _length(lines) > room and len(nodes) > 1:
        nodes = _fewer(nodes, len(nodes) // 2)
        lines = list(map(_line, nodes))
    return lines


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines)


def _costed_again(each: CostedNode | Branch) -> CostedNode:
    """Give the node whose children a branch is: they are costed again when it is opened."""
    if isinstance(each, CostedNode):
        return each
    tail = sum(1 << letter for letter, _ in each.left)
    return CostedNode(each.head, tail, min(bound for _, bound in each.left))


def _fewer(nodes: Sequence[CostedNode], most: int) -> list[CostedNode]:
    """Join neighbours on the stack until no more than so many are left: the smallest tails first."""
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
    """Give a node that has all heads of both."""
    head = one.head & other.head
    allset = one.head | one.tail | other.head | other.tail
    return CostedNode(head, allset & ~head, min(one.bound, other.bound))
