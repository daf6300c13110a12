"""Choose what regions show in columns with `output: apportioned`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.errors import InputError
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
    from collections.abc import Mapping

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import ReleasedValues
    from kanon_sql.run.session import Session


def apportion(
    run: Session,
    values: Mapping[int, ReleasedValues],
    found: Mapping[int, exp.Table],
    tuples: exp.Table,
) -> None:
    """Create the tables `found` of the value that each region shows, by the number of its column.

    Unless the column says `rare: show`, no value is shown that fewer than k rows or people have. Raises InputError where
    a column has no other.
    """
    numbers = sorted(values)
    statements = Apportioned(numbers, tuples, run.scratch.table)
    counts = run.scratch.table("apportioned_counts")
    run.engine.execute(statements.count(counts))
    common = counts
    if hidden := [n for n in numbers if run.policy.quasi[n].rare is Rare.NEAREST]:
        common = _without_rare(run, hidden, tuples, counts)
    spots = run.scratch.table("apportioned_spots")
    run.engine.execute(statements.number(spots, counts))
    regions = run.engine.fetch_count(source_sql.count_rows(spots))
    for step in statements.choose(found, values, spots, common, regions=regions):
        run.engine.execute(step.statement)
        for table in step.spent:
            run.scratch.drop(table)


def _without_rare(
    run: Session, numbers: list[int], tuples: exp.Table, counts: exp.Table
) -> exp.Table:
    k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity
    rare, common = run.scratch.table("rare"), run.scratch.table("apportioned_common")
    run.engine.execute(rare_places(rare, tuples, numbers, entity=entity is not None, least=k))
    run.engine.execute(leave_out_rare(common, counts, rare))
    able = {row[0] for row in run.engine.fetch(columns_with_values(counts, common))}
    who = "rows" if entity is None else f"values of {entity}"
    what = f"shows values that at least {k} {who} have, and none of this column is; make it coarser by snap: or in a query, or say rare: show"
    lacking = [run.policy.quasi[n] for n in numbers if n not in able]
    if lacking:
        where = [f"columns.{each.name}.output" for each in lacking]
        raise InputError(run.policy.subject, [run.policy.fault(each, what) for each in where])
    return common
