"""The state of a K-Optimize search, all that is needed to resume it, and the report of its progress.

The stack has all that is open: it is at most as deep as there are letters, and about `batch` nodes wide.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.recoding.single_dimensional.k_optimize.seeds import Seed

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
