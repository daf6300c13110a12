"""The population that models compare classes with: a register's quasi-identifiers, a row per person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, SourceError
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.privacy.populations import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.locations import Source
    from kanon_sql.policy.model import Policy


@dataclass(frozen=True, slots=True)
class OpenPopulation:
    """A population as the run reads it: only its quasi-identifiers."""

    of: Source
    table: exp.Table
    rows: int


def population_fault(policy: Policy, population: Source, what: str) -> Fault:
    """Return a fault of the policy's population."""
    return policy.fault("privacy", f"the population {name_of(population)} {what}")


def population_changed(run: Session, opened: OpenPopulation, then: int) -> Fault:
    """Return the fault of a population that changes while it is read."""
    what = f"has {opened.rows:,} rows, but {then:,} when it was read again; it must not change"
    return population_fault(run.policy, opened.of, what)


def column_faults(
    policy: Policy, population: Source, there: Sequence[ColumnType], columns: Sequence[ColumnType]
) -> Iterator[Fault]:
    """List the quasi-identifiers that a population lacks, or has of another type than the source."""
    of_source = {each.name: each for each in columns}
    found = {each.name: each for each in there}
    for quasi in policy.quasi:
        own, other = of_source.get(quasi.name), found.get(quasi.name)
        if other is None:
            what = f"has no column {quasi.name}, which is a quasi-identifier; name it so in a query"
            yield population_fault(policy, population, what)
        elif own is not None and _kind(own) != _kind(other):
            what = (
                f"has {quasi.name} as {other.type.split('(')[0]}, and the source as "
                f"{own.type.split('(')[0]}; cast it in a query"
            )
            yield population_fault(policy, population, what)


def _kind(column: ColumnType) -> str:
    """Return the kind of a column's type: values of different kinds cannot be compared. An ENUM is text."""
    if column.enum:
        return "text"
    return column.type if column.family == "other" else column.family


def check_rows(run: Session, opened: OpenPopulation) -> None:
    """Raise SourceError if a population has no rows, or a NULL that the policy refuses."""
    faults = []
    if not opened.rows:
        faults.append(population_fault(run.policy, opened.of, "has no rows"))
    elif run.policy.nulls is Nulls.REFUSE:
        for quasi in run.policy.quasi:
            statement = source_sql.count_missing(opened.table, quasi.name, rows=opened.rows)
            if nulls := run.engine.fetch_count(statement):
                what = f"has {nulls} rows that are NULL in {quasi.name}, and the policy has nulls: refuse"
                faults.append(population_fault(run.policy, opened.of, what))
    if faults:
        raise SourceError(run.policy.subject, faults)
