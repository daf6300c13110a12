"""The re-identification risks that a comparison of two plans shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.metrics.registry import AVERAGE_RISK, HIGHEST_RISK, SHARE_ABOVE, UNIQUE_ROWS
from kanon_sql.plan_diff.change_row import text_of
from kanon_sql.privacy.attackers import STATED

if TYPE_CHECKING:
    from collections.abc import Callable

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
