"""Two plans read and put beside each other; needs no database, and writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.plan_diff.plan_diff import PlanDiff
from kanon_sql.planning.open_plan import read_plan
from kanon_sql.run.arguments import checked

if TYPE_CHECKING:
    from pathlib import Path

    from kanon_sql.plans.plan import Plan


@checked
def diff(old: str | Path | Plan, new: str | Path | Plan) -> PlanDiff:
    """Put a plan beside an older one: what is asked, recoded and suppressed, risk and utility.

    Each is a plan or the path of its file. Guarantee: neither the value's Markdown nor its
    document holds a value of the data. Raises InputError where one is no plan.
    """
    return PlanDiff(read_plan(old), read_plan(new))
