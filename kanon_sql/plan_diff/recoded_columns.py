"""Describes how a plan recodes its rows and each column, as values that can be compared and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted
from kanon_sql.late_dataclass import dataclass
from kanon_sql.metrics.registry import AVERAGE_RISK, HIGHEST_RISK, SHARE_ABOVE, UNIQUE_ROWS
from kanon_sql.plan_diff.change_row import ChangeKind, compared, text_of
from kanon_sql.privacy.attackers import STATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from kanon_sql.metrics.metric import QualityMetric
    from kanon_sql.plans.plan import Plan


@dataclass(frozen=True, slots=True)
class RiskRow:
    """A risk metric: its value `of` a plan, None if the plan states none, and its `text`."""

    metric: QualityMetric
    of: Callable[[Plan], float | None]
    text: Callable[[Plan], str]


def _highest(plan: Plan) -> str:
    """Format the prosecutor's highest risk as one over the smallest class, and in percent."""
    risk = plan.highest_risk
    return text_of(None if risk is None else f"1/{plan.smallest_class:,} ({risk:.2%})")


def _average(plan: Plan) -> float | None:
    return None if plan.risk is None else plan.risk.average


def _above(plan: Plan) -> float | None:
    if plan.risk is None:
        return None
    return plan.risk.rows_above.get(STATED, 0) / max(plan.released_rows, 1)


def _unique(plan: Plan) -> float | None:
    return None if plan.risk is None else plan.risk.unique_rows


def _share(of: Callable[[Plan], float | None]) -> Callable[[Plan], str]:
    """Return a function that formats the share `of` a plan in percent."""

    def text(plan: Plan) -> str:
        share = of(plan)
        return text_of(None if share is None else f"{share:.2%}")

    return text


RISKS = (
    RiskRow(HIGHEST_RISK, lambda plan: plan.highest_risk, _highest),
    RiskRow(AVERAGE_RISK, _average, _share(_average)),
    RiskRow(SHARE_ABOVE, _above, _share(_above)),
    RiskRow(UNIQUE_ROWS, _unique, lambda plan: text_of(_unique(plan))),
)


@dataclass(frozen=True, slots=True)
class ColumnRecoding:
    """How a plan recodes a column: at `levels` of its hierarchy, or in intervals that begin at `starts`.

    `mean` is the mean level over released rows, where a suppressed cell counts as the root. Regions have only a height.
    """

    levels: tuple[int, ...]
    height: int
    mean: Fraction | None = None
    suppressed_cells: int = 0
    starts: tuple[int, ...] = ()

    def change(self, new: ColumnRecoding) -> ChangeKind:
        """Compare this recoding with a `new` one under the same hierarchy: same, finer, coarser, or changed."""
        if self == new:
            return ChangeKind.SAME
        found = ChangeKind.SAME
        if self.starts and new.starts:
            ends = len(self.starts), len(new.starts)
            found = compared(*ends, ChangeKind.FINER, ChangeKind.COARSER)
        elif self.mean is not None and new.mean is not None:
            found = compared(self.mean, new.mean, ChangeKind.COARSER, ChangeKind.FINER)
        return ChangeKind.CHANGED if found is ChangeKind.SAME else found


def recoded_columns(plan: Plan) -> dict[str, ColumnRecoding]:
    """Return the recoding of each quasi-identifier by its name."""
    return dict(zip(plan.names, _recoded(plan), strict=True))


def _recoded(plan: Plan) -> Iterator[ColumnRecoding]:
    recoding, rows = plan.recoding, plan.source_rows - plan.suppressed_rows
    for at, height in enumerate(plan.heights.values()):
        levels = recoding.levels_of(at)
        if recoding.by_levels and not recoding.layers:  # not that of suppressed cells
            levels = (recoding.nodes[0].levels[at],)
        yield ColumnRecoding(
            levels,
            height,
            recoding.mean_level(at, height, rows),
            recoding.cells_of(at),
            recoding.starts_of(at),
        )


def column_text(each: ColumnRecoding | None) -> str | None:
    """Return a short text on a column's recoding; None if the column is not a quasi-identifier."""
    if each is None:
        return None
    if each.starts:
        return counted(len(each.starts), "interval")
    if not each.levels:
        return "in regions" if not each.height else f"in regions, hierarchy of {each.height}"
    if len(each.levels) == 1:
        cells = counted(each.suppressed_cells, "cell")
        more = f", {cells} suppressed" if each.suppressed_cells else ""
        return f"level {each.levels[0]} of {each.height}{more}"
    mean = "" if each.mean is None else f", {float(each.mean):.2f} on average"
    return f"levels {', '.join(map(str, each.levels))} of {each.height}{mean}"
