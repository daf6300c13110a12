"""What is told of a K-Optimize search as it goes: how good the best is, and how much better any can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kanon_sql.recoding.single_dimensional.cut_state import CutReport

APART = 3.0
"""Seconds of the search between two lines at least."""


class News:
    """Tells a line when the best cost or the bound is another: the first at once, the others a while apart."""

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        self._tell = tell
        self._told: tuple[int, int] | None = None
        self._next = 0.0

    def __call__(self, report: CutReport) -> None:
        """Hear of a step."""
        news = report.cost, report.bound
        if self._tell is None or news == self._told:
            return
        if report.seconds >= self._next or report.proven:
            self._told, self._next = news, report.seconds + APART
            self._tell(told(report))


def told(report: CutReport) -> str:
    """Say how far a search is, on one line.

    >>> from kanon_sql.recoding.single_dimensional.cut_state import CutReport
    >>> told(CutReport(cost=1_600, bound=1_200, heads=50, seconds=12.3, proven=False))
    'after 12 s: best cost 1,600, none below 1,200 (gap 25.0%), 50 heads costed'
    """
    gap = 100 * (report.cost - report.bound) / report.cost if report.cost else 0.0
    return (
        f"after {report.seconds:.0f} s: best cost {report.cost:,}, none below {report.bound:,} "
        f"(gap {gap:.1f}%), {report.heads:,} heads costed"
    )
