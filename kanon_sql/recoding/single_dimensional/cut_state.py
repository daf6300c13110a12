"""How far a K-Optimize search is: all that is needed to go on with it.

What is open is the stack, which is at most as deep as there are letters, and some `batch` wide.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.recoding.single_dimensional.cut_seeds import Seed


class CutReport(NamedTuple):
    """How far a search is: no feasible head costs less than `bound`, or the search is at an end."""

    cost: int
    bound: int
    heads: int
    seconds: float
    proven: bool


@dataclass(frozen=True, slots=True)
class BestHead:
    """The best head so far."""

    head: int
    cost: int
    suppressed: int


@dataclass(frozen=True, slots=True)
class CostedNode:
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
class CutSearchState:
    """All that is needed to go on with a search: the stack's last is next.

    No feasible head costs less than the `floor`, as was found before what is open was made coarser.
    """

    best: BestHead
    seed: Seed | None
    stack: list[CostedNode | Branch] = field(default_factory=list)
    heads: int = 0
    floor: int = 0
    seconds: float = 0.0

    def report(self) -> CutReport:
        """Say how far the search is. A head that costs what the best does may still be open."""
        bounds = (bound for each in self.stack for bound in _open(each))
        bound = min(self.best.cost, max(self.floor, min(bounds, default=self.best.cost)))
        ended = self.seed is None and not self.stack
        return CutReport(self.best.cost, bound, self.heads, self.seconds, ended)


def _open(each: CostedNode | Branch) -> Iterator[int]:
    """Give bounds of the descendants of a node that have not been costed."""
    if isinstance(each, CostedNode):
        yield each.bound
    else:
        yield from (bound for _, bound in each.left[1:])
