"""How far a K-Optimize search is: all that is needed to go on with it, and its document."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from kanon_sql.search.cut_seeds import Seed
from kanon_sql.sql.heads import members

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Report(NamedTuple):
    """How far a search is: no feasible head costs less than `bound`, or the search is at an end."""

    cost: int
    bound: int
    heads: int
    seconds: float
    proven: bool


@dataclass(frozen=True, slots=True)
class Best:
    """The best head so far."""

    head: int
    cost: int
    suppressed: int


@dataclass(frozen=True, slots=True)
class Node:
    """A node that has been costed, but not its descendants, of which a bound is known."""

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
class State:
    """All that is needed to go on with a search: the stack's last is next."""

    best: Best
    seed: Seed | None
    stack: list[Node | Branch] = field(default_factory=list)
    heads: int = 0
    seconds: float = 0.0

    def report(self) -> Report:
        """Say how far the search is. A head that costs what the best does may still be open."""
        bounds = [bound for each in self.stack for bound in _open(each)]
        bound = min([self.best.cost, *bounds])
        ended = self.seed is None and not self.stack
        return Report(self.best.cost, bound, self.heads, self.seconds, ended)

    def document(self, columns: Sequence[int]) -> dict[str, object]:
        """Write it down in lists and numbers; `columns` are those of the cutter."""
        return {
            "letters": [letters.bit_count() for letters in columns],
            "best": {**asdict(self.best), "head": list(members(self.best.head))},
            "seed": None
            if self.seed is None
            else {
                **asdict(self.seed),
                "head": list(members(self.seed.head)),
                "origin": list(members(self.seed.origin)),
            },
            "stack": [_written(each) for each in self.stack],
            "heads": self.heads,
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def read(cls, document: Mapping[str, Any], columns: Sequence[int]) -> State:
        """Read what was written down. Raises ValueError where it is no search over these columns."""
        if document.get("letters") != [letters.bit_count() for letters in columns]:
            raise ValueError("is a search over other columns, or other values of them")
        letters = sum(columns).bit_length()
        try:
            best, seed = document["best"], document["seed"]
            return cls(
                Best(_head(best["head"], letters), int(best["cost"]), int(best["suppressed"])),
                None
                if seed is None
                else Seed(
                    _head(seed["head"], letters),
                    full=bool(seed["full"]),
                    number=int(seed["number"]),
                    origin=_head(seed["origin"], letters),
                    vain=int(seed["vain"]),
                ),
                [_read(each, letters) for each in document["stack"]],
                int(document["heads"]),
                float(document["seconds"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("is not how a search was left") from error


def _open(each: Node | Branch) -> Iterator[int]:
    """Give bounds of the descendants of a node that have not been costed."""
    if isinstance(each, Node):
        yield each.bound
    else:
        yield from (bound for _, bound in each.left[1:])


def _written(each: Node | Branch) -> dict[str, object]:
    head = list(members(each.head))
    if isinstance(each, Node):
        return {"head": head, "tail": list(members(each.tail)), "bound": each.bound}
    return {"head": head, "left": [list(pair) for pair in each.left]}


def _read(each: Mapping[str, Any], letters: int) -> Node | Branch:
    head = _head(each["head"], letters)
    if "tail" in each:
        return Node(head, _head(each["tail"], letters), int(each["bound"]))
    left = [(int(letter), int(bound)) for letter, bound in each["left"]]
    _head([letter for letter, _ in left], letters)
    return Branch(head, tuple(left))


def _head(numbers: Sequence[int], letters: int) -> int:
    """Put letters together; each is there once, and there are no others."""
    if len(set(numbers)) != len(numbers) or not all(0 <= number < letters for number in numbers):
        raise ValueError("no such letters")
    return sum(1 << number for number in numbers)
