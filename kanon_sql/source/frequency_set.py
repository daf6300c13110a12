"""The frequency set that a warehouse counts of a source: which columns it has, and what it lacks for a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import joined
from kanon_sql.privacy.demands import (
    beside_others,
    demands,
    requirements,
    requirements_of_release,
    sensitive_attributes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.errors import Fault
    from kanon_sql.policy.model import Policy

COUNT = "kanon_rows"
"""The column of a frequency set that counts the rows of each tuple, where no column of the policy has its name."""


def count_column(policy: Policy) -> str:
    """Name the column that counts the rows of each tuple."""
    taken, name, number = {each.name.casefold() for each in policy.columns}, COUNT, 1
    while name in taken:
        number += 1
        name = f"{COUNT}_{number}"
    return name


def counted_columns(policy: Policy) -> tuple[str, ...]:
    """Name the columns that a frequency set has to have, in the policy's order.

    They are the quasi-identifiers, and what else is counted: sensitive values that models read, people, a target.
    """
    models = policy.privacy
    needed = {each.name for each in policy.quasi}
    required = (*requirements(models), *requirements_of_release(models))
    needed |= {each.column for each in sensitive_attributes(required)}
    needed |= set(beside_others(demands(models)))
    needed |= {each for each in (policy.entity, policy.search.target) if each is not None}
    return tuple(each.name for each in policy.columns if each.name in needed)


def uncounted_columns(policy: Policy, there: Sequence[ColumnType]) -> list[str]:
    """Name the columns of the policy that a frequency set does not have, and need not have."""
    found = {each.name for each in there}
    return [each.name for each in policy.columns if each.name not in found]


def frequency_set_problems(policy: Policy, there: Sequence[ColumnType]) -> Iterator[Fault]:
    """List what a frequency set lacks, and what it has that no policy classifies."""
    found, count = {each.name for each in there}, count_column(policy)
    lacking = [each for each in (*counted_columns(policy), count) if each not in found]
    if lacking:
        what = (
            f"the frequency set has no column {joined(lacking)}; names are case-sensitive: export what "
            f"kanon-sql frequency-query prints for this policy"
        )
        yield policy.fault("source.frequency_set", what)
    for name in found - {each.name for each in policy.columns} - {count}:
        what = f"the frequency set has a column {name}, which the policy does not classify"
        yield policy.fault("source.frequency_set", what)


def frequency_set_note(policy: Policy, there: Sequence[ColumnType]) -> str:
    """Say what a plan of a frequency set could not look at."""
    lacking = uncounted_columns(policy, there)
    if not lacking:
        return ""
    are = "is" if len(lacking) == 1 else "are"
    return (
        f"{joined(lacking)} {are} not in the frequency set: whether values of it identify people or link their "
        f"rows was not looked at"
    )
