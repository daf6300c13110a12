"""The public function `frequency_query`: a query to count a frequency set in a database out of reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.base.sql.quoting import column, name, parse_table_name
from kanon_sql.base.sql.quoting import condition as condition_of
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.source.frequency_set import count_column, counted_columns
from kanon_sql.engines.base import ColumnType
from kanon_sql.engines.connect import dialect_of
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.model import Policy
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.release.executors import executor_problems
from kanon_sql.release.script_target import ALIASES, ScriptTarget
from kanon_sql.release.warehouse_dialects import COUNTING, NO_COUNTING, WAREHOUSES
from kanon_sql.release.warehouse_script import read_source
from kanon_sql.release.warehouse_sql import means_the_same, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.run.inputs import PolicyInput
    from kanon_sql.release.warehouse_dialects import Warehouse


def counting(policy: Policy, source: exp.Table | exp.Subquery, warehouse: Warehouse) -> Statement:
    """Count the tuples of a table, as that database tells them apart."""
    where = policy.source.where
    return Statement(
        "release/frequency_query",
        {
            "source": source,
            "columns": [column(each, of="s") for each in counted_columns(policy)],
            "count": name(count_column(policy)),
            "condition": None
            if where is None
            else condition_of(where, dialect=dialect_of(policy.database)),
            "apart": warehouse.apart,
        },
    )


@checked
def frequency_query(policy: PolicyInput, *, dialect: str, table: str | None = None) -> str:
    """Return the query with which a database counts the frequency set that a plan needs; nothing is read.

    `plan` takes its result as `frequency_set`. The result has values of the source: keep it as safe as the source.

    Args:
        policy: The policy; of a plan, where that names no file of one.
        dialect: That of the database that will run the query.
        table: What the query reads; by default the policy's source.

    Returns:
        The text of one SELECT.

    Raises:
        InputError: The policy is wrong, or no script could release the table.

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
    database = _database_named(dialect)
    named = table or read.source.table
    origin = None if named is None else parse_table_name(named)
    scripted = WAREHOUSES.get(database.name)
    faults = list(_faults(read, database, origin))
    if scripted is not None:
        target = ScriptTarget(database.name, True, None, origin, None)  # noqa: FBT003  elsewhere
        faults = [*executor_problems(read, target.executor), *faults]
    elif read.source.weight is not None:
        what = "goes with rows that are counted before; the query counts each row of a table as one"
        faults.insert(0, read.fault("source.weight", what))
    if faults or origin is None:
        raise InputError(read.subject, faults)
    rows: exp.Table | exp.Subquery = origin
    if scripted is not None:
        # Without types every value is compared by its text. Elsewhere the set is read as `missing` says.
        texts = [ColumnType(each, "VARCHAR") for each in counted_columns(read)]
        rows = read_source(read, origin, texts, database)
    return written(counting(read, rows, database), database, query=True)


def _database_named(dialect: str) -> Warehouse:
    """Return the database of a dialect. Raises InputError, with the reason, where it has no query."""
    named = ALIASES.get(dialect, dialect)
    if named in COUNTING:
        return COUNTING[named]
    what = f"has no query that is known to tell texts apart by their bytes; there are queries for: {', '.join(COUNTING)}"
    if named in NO_COUNTING:
        what = f"gets no query, because there {NO_COUNTING[named]}; there are queries for: {', '.join(COUNTING)}"
    raise InputError("dialect", [Fault(dialect, what)])


def _faults(policy: Policy, warehouse: Warehouse, origin: exp.Table | None) -> Iterator[Fault]:
    """Yield a fault for each part of the policy that cannot be read, or means something else there."""
    if origin is None:
        what = f"is no table that {warehouse.title} could read; name one: --table NAME"
        yield policy.fault("source", what)
    for each in counted_columns(policy):
        if any(barred in each for barred in warehouse.barred):
            what = f"holds a character that no column of {warehouse.title} may have in its name"
            yield policy.fault(f"columns.{each}", what)
    where = policy.source.where
    own = dialect_of(policy.database)
    missing = any(policy.missing_of(each) for each in counted_columns(policy))
    missing |= any(each.format is not None for each in policy.columns)
    if where is not None and missing and warehouse.name not in WAREHOUSES:
        what = f"is met there before texts are read as the policy says; make a view of the rows in {warehouse.title}, and name that: --table NAME"
        yield policy.fault("source.where", what)
    if where is None or own == warehouse.name:
        return
    condition = condition_of(where, dialect=own)
    compares = not warehouse.loose or not list(condition.find_all(exp.Literal))
    if not compares or not means_the_same(condition, texts=not warehouse.folds):
        what = f"may mean another thing in {warehouse.title}; make a view of the rows there, and name that: --table NAME"
        yield policy.fault("source.where", what)
