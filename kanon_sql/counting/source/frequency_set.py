"""Frequency sets that a warehouse exports in place of a source: their columns and problems."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import joined
from kanon_sql.counting.source.exposed_rows import count_unique_rows
from kanon_sql.engines.base import ColumnType
from kanon_sql.policy.privacy.demands import (
    beside_others,
    demands,
    requirements,
    requirements_of_release,
    sensitive_attributes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.errors import Fault
    from kanon_sql.policy.model import Policy

WHOLE = re.compile(r"(DECIMAL|NUMERIC)\(\d+, *0\)", re.IGNORECASE)
COUNT = "kanon_rows"
"""The column of a frequency set with the count of rows of each tuple, unless the policy has that name."""


def count_column(policy: Policy) -> str:
    """Return the name of the column with the count of rows of each tuple."""
    taken, name, number = {each.name.casefold() for each in policy.columns}, COUNT, 1
    while name in taken:
        number += 1
        name = f"{COUNT}_{number}"
    return name


def counted_columns(policy: Policy) -> tuple[str, ...]:
    """Return the columns that a frequency set has to have, in the policy's order.

    They are the quasi-identifiers, the sensitive columns that models read, the entity and the target.
    """
    models = policy.privacy
    needed = {each.name for each in policy.quasi}
    required = (*requirements(models), *requirements_of_release(models))
    needed |= {each.column for each in sensitive_attributes(required)}
    needed |= set(beside_others(demands(models)))
    needed |= {each for each in (policy.entity, policy.search.target) if each is not None}
    return tuple(each.name for each in policy.columns if each.name in needed)


def columns_of_policy(policy: Policy, there: Sequence[ColumnType]) -> tuple[ColumnType, ...]:
    """Return every column of the policy, in order. Columns outside the frequency set get a text type.

    Warehouses export whole numbers as decimals without decimal places, so these are described as whole numbers.
    """
    types = {each.name: each for each in there}
    found = (types.get(each.name, ColumnType(each.name, "VARCHAR")) for each in policy.columns)
    return tuple(
        replace(each, type="HUGEINT") if WHOLE.fullmatch(each.type) else each for each in found
    )


def frequency_set_problems(policy: Policy, there: Sequence[ColumnType]) -> Iterator[Fault]:
    """List the columns that a frequency set lacks, and those that the policy does not classify."""
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


def repeated_tuples(run: Session, table: exp.Table, there: Sequence[ColumnType]) -> Iterator[Fault]:
    """List a fault if tuples repeat, as after two exports into one folder: their rows would count double."""
    names = [each.name for each in there if each.name != count_column(run.policy)]
    found = count_unique_rows(run.engine, table, names)
    if repeats := found.rows - found.unique:
        what = (
            f"{repeats:,} of {found.rows:,} tuples are there more than once, so that their rows would be counted more than "
            f"once: was the query exported twice into one folder? Export it once, to a new place"
        )
        yield run.policy.fault("source.frequency_set", what)


def frequency_set_notes(policy: Policy) -> Iterator[str]:
    """Note the released columns that a plan could not check, because its frequency set lacks them."""
    needed = counted_columns(policy)
    lacking = [
        each.name for each in policy.columns if each.name not in needed and not each.is_dropped
    ]
    if policy.source.frequency_set is not None and lacking:
        yield (
            f"{joined(lacking)}: released, and no part of the frequency set: whether such values identify people, or "
            f"link their rows, was not looked at"
        )
