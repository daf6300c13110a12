"""The public function `diff`: reads two plans and compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.counting.run.arguments import checked
from kanon_sql.evidence.plan_diff.plan_diff import PlanDiff
from kanon_sql.recoding.planning.open_plan import policy_at_hand, read_plan

if TYPE_CHECKING:
    from pathlib import Path

    from kanon_sql.counting.plans.plan import Plan


@checked
def diff(old: str | Path | Plan, new: str | Path | Plan) -> PlanDiff:
    """Compare a plan with an older one: privacy models, recoding, suppression, risk and utility.

    Where each plan's policy is the file that it names, all columns are compared. Guarantee: neither
    the Markdown nor the document has a value of the data.

    Args:
        old: The older plan.
        new: The newer plan.

    Returns:
        The differences, by privacy, recoding, risk and utility.

    Raises:
        InputError: A file does not exist, or is not a plan.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> old = kanon_sql.plan(policy, people)
    >>> new = kanon_sql.plan(policy, people, overrides={"k": 4})
    >>> kanon_sql.diff(old, new).same
    False
    """
    plans, policies = (read_plan(old), read_plan(new)), (policy_at_hand(old), policy_at_hand(new))
    known = None if policies[0] is None or policies[1] is None else (policies[0], policies[1])
    return PlanDiff(*plans, known)
