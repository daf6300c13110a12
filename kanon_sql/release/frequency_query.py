"""The query that counts the frequency set of a source where it is: for a warehouse that no engine of ours runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.base import ColumnType
from kanon_sql.engines.connect import dialect_of
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.model import Policy
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.release.executors import executor_problems
from kanon_sql.release.frequency_query_sql import counting
from kanon_sql.release.script_target import ScriptTarget, dialect_named
from kanon_sql.release.warehouse_dialects import WAREHOUSES
from kanon_sql.release.warehouse_script import read_source
from kanon_sql.release.warehouse_sql import means_the_same, written
from kanon_sql.run.arguments import checked
from kanon_sql.source.frequency_set import counted_columns
from kanon_sql.sql.quoting import condition as condition_of
from kanon_sql.sql.quoting import parse_table_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.release.warehouse_dialects import Warehouse
    from kanon_sql.run.inputs import PolicyInput


@checked
def frequency_query(policy: PolicyInput, *, dialect: str, table: str | None = None) -> str:
    """Give the query by which a database counts what a plan needs of a source; nothing is read.

    Its result has a row for each tuple of the quasi-identifiers, and of what else is counted (sensitive values that
    models read, people, a target), with the number of its rows: `plan` takes it as `frequency_set`. It has
    values of the source, and is to be kept as the source is.

    Args:
        policy: The policy: the path of its file, a mapping, or a `Policy`.
        dialect: The database of the query.
        table: The table that it reads; by default the policy's.

    Returns:
        The text of one SELECT.

    Raises:
        InputError: An argument or the policy is wrong, or no script could release the table there; all faults are
            listed.

    >>> import kanon_sql
    >>> policy = {
    ...     "version": 1,
    ...     "source": {"table": "CLINIC.PUBLIC.PEOPLE"},
    ...     "columns": {"AGE": {"role": "quasi", "hierarchy": {"intervals": [10]}}, "NAME": {"role": "identifying", "action": "drop"}},
    ...     "entity": "row",
    ...     "privacy": {"k": 5},
    ...     "suppression": 0,
    ... }
    >>> print(kanon_sql.frequency_query(policy, dialect="snowflake"))
    SELECT
      "s"."AGE",
      COUNT(*) AS "kanon_rows"
    FROM "CLINIC"."PUBLIC"."PEOPLE" AS "s"
    GROUP BY
      "s"."AGE"
    """
    read = policy if isinstance(policy, Policy) else read_policy(policy, has_source=table is None)
    chosen = dialect_named(dialect)
    warehouse = WAREHOUSES.get(chosen)
    if warehouse is None:
        what = f"has an engine of its own here: plan where the rows are; queries are for {', '.join(WAREHOUSES)}"
        raise InputError("dialect", [Fault(dialect, what)])
    named = table or read.source.table
    origin = None if named is None else parse_table_name(named)
    target = ScriptTarget(chosen, elsewhere=True, bring=None, source=origin, release=None)
    faults = [*executor_problems(read, target.executor), *_faults(read, warehouse, origin)]
    if faults or origin is None:
        raise InputError(read.subject, faults)
    # Without types every value is compared by its text.
    texts = [ColumnType(each, "VARCHAR") for each in counted_columns(read)]
    return written(
        counting(read, read_source(read, origin, texts, warehouse), warehouse), warehouse
    )


def _faults(policy: Policy, warehouse: Warehouse, origin: exp.Table | None) -> Iterator[Fault]:
    """Find what the query cannot read, or would mean otherwise in that database."""
    if origin is None:
        what = f"is no table that {warehouse.title} could read; name one: --table NAME"
        yield policy.fault("source", what)
    for each in counted_columns(policy):
        if any(barred in each for barred in warehouse.barred):
            what = f"holds a character that no column of {warehouse.title} may have in its name"
            yield policy.fault(f"columns.{each}", what)
    where = policy.source.where
    if where is None:
        return
    condition = condition_of(where, dialect=dialect_of(policy.database))
    if not means_the_same(condition, texts=not warehouse.folds):
        what = f"may mean another thing in {warehouse.title}; make a view of the rows there, and name that: --table NAME"
        yield policy.fault("source.where", what)
