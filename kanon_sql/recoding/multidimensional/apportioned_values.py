"""Choose what regions show in columns with `output: apportioned`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted, joined
from kanon_sql.errors import InfeasibleError, InternalError
from kanon_sql.policy.model import Rare
from kanon_sql.privacy.demands import requirements
from kanon_sql.recoding.multidimensional.apportioned_sql import (
    Apportioned,
    columns_with_values,
    leave_out_rare,
)
from kanon_sql.recoding.rare_bounds import rare_places
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.multidimensional.regions_sql import ReleasedValues
    from kanon_sql.run.session import Session


def apportion(
    run: Session,
    values: Mapping[int, ReleasedValues],
    found: Mapping[int, exp.Table],
    tuples: exp.Table,
    hidden: exp.Table | None,
) -> None:
    """Create the tables `found` of the value that each region shows, by the number of its column.

    Unless the column says `rare: show`, no value is shown that is in `hidden`, as fewer than k rows or people have it.
    Raises InfeasibleError where a column has no other.
    """
    numbers = sorted(values)
    statements = Apportioned(numbers, tuples, run.scratch.table)
    counts = run.scratch.table("apportioned_counts")
    run.engine.execute(statements.count(counts))
    common = counts
    if hidden_columns := _hiding(run.policy, numbers):
        if hidden is None:
            raise InternalError("rare values were not counted")
        common = _without_rare(run, hidden_columns, hidden, counts)
    spots = run.scratch.table("apportioned_spots")
    run.engine.execute(statements.number(spots, counts))
    regions = run.engine.fetch_count(source_sql.count_rows(spots))
    for step in statements.choose(found, values, spots, common, regions=regions):
        run.engine.execute(step.statement)
        for table in step.spent:
            run.scratch.drop(table)


def untrue_rows(run: Session, hidden: exp.Table | None) -> Iterator[str]:
    """Warn that columns show values whose counts are right, and rows that are not true; and of values that are not shown."""
    names = [each.name for each in run.policy.quasi if each.output.together]
    if not names:
        return
    many = 0 if hidden is None else run.engine.fetch_count(source_sql.count_rows(hidden))
    left_out = ""
    if many:
        k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity
        who = "rows" if entity is None else f"values of {entity}"
        left_out = f"; {counted(many, 'value')} that fewer than {k:,} {who} have {'is' if many == 1 else 'are'} not shown"
    yield (
        f"columns.{names[0]}: {joined(names)} show{'s' if len(names) == 1 else ''} values whose counts are right: "
        f"a row does not show what is true of it, but a value that stands for its class{left_out}"
    )


def find_hidden(run: Session, tuples: exp.Table) -> exp.Table | None:
    """Create the table of values that fewer than k rows or people have, of columns that do not show them; None if none is.

    `tuples` have the entities, where people are counted.
    """
    numbers = _hiding(run.policy, range(len(run.policy.quasi)))
    if not numbers:
        return None
    hidden = run.scratch.table("hidden")
    k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity is not None
    run.engine.execute(rare_places(hidden, tuples, numbers, entity=entity, least=k))
    return hidden


def _hiding(policy: Policy, numbers: Iterable[int]) -> list[int]:
    """Return the numbers of the columns, of these, that show no rare value."""
    quasi = policy.quasi
    return [n for n in numbers if quasi[n].output.together and quasi[n].rare is Rare.NEAREST]


def _without_rare(
    run: Session, numbers: list[int], hidden: exp.Table, counts: exp.Table
) -> exp.Table:
    k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity
    common = run.scratch.table("apportioned_common")
    run.engine.execute(leave_out_rare(common, counts, hidden))
    able = {row[0] for row in run.engine.fetch(columns_with_values(counts, common))}
    lacking = [run.policy.quasi[n].name for n in numbers if n not in able]
    if lacking:
        who = "rows" if entity is None else f"values of {entity}"
        raise InfeasibleError(
            f"no recoding satisfies the policy: output: apportioned shows values that at least {k:,} {who} have, and "
            f"{joined(lacking)} {'has' if len(lacking) == 1 else 'have'} none; make it coarser by snap: or in a query, or "
            "say rare: show in its entry"
        )
    return common
