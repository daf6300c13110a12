"""Writes SQL that runs without this program: a plan as a script, and macros that check a table or apply a plan.

Scripts are for the policy's own database or another one, macros for DuckDB and PostgreSQL.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.sqlmesh_model import model_file
from kanon_sql.base.sql.quoting import table
from kanon_sql.base.sql.templates import template_root
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.errors import Fault, InputError
from kanon_sql.recoding.new_rows.boundaries import boundaries_file, boundaries_of, check_boundaries
from kanon_sql.recoding.planning.open_plan import check_plan, name_plan
from kanon_sql.release.script import release_script
from kanon_sql.release.script_entries import (
    Bring,
    ScriptTarget,
    check_entries,
    dialect_named,
    target_of,
)
from kanon_sql.release.stage import check_executor
from kanon_sql.release.warehouse_script import release_statement, warehouse_script
from kanon_sql.release.warehouse_sql import written

if TYPE_CHECKING:
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.engines.connect import Settings


@checked
def compile_sql(
    plan: str | Path | Plan,
    source: str | None = None,
    *,
    policy: PolicyInput | None = None,
    boundaries: str | None = None,
    dialect: str | None = None,
    hierarchies: str | None = None,
    table: str | None = None,
    release: str | None = None,
    sqlmesh: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> str:
    """Write the whole release as a script for a database's own shell; nothing of it is run.

    Scripts for DuckDB, PostgreSQL and Spark SQL are tested by running them; those for other
    dialects say that they are not.

    Args:
        plan: The plan, or the path of its file.
        source: A path or a table's name; by default the policy's own source.
        policy: The policy; of a plan, where that names no file of one.
        boundaries: The file of the boundaries of regions and intervals; by default beside the plan's.
        dialect: The script's dialect; by default that of the policy's database.
        hierarchies: `inline`, or from the `tables` that the script names.
        table: What the script of another database reads.
        release: The table that it makes.
        sqlmesh: The model that the result is then a file of.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The text of the script.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     people.to_parquet(Path(folder) / "people.parquet")
    ...     policy |= {"source": f"{folder}/people.parquet", "release": f"{folder}/safe.parquet"}
    ...     script = kanon_sql.compile_sql(kanon_sql.plan(policy), policy=policy)
    >>> "COPY" in script
    True
    """
    named = name_plan(plan, policy)
    chosen = named.plan
    boundaries = boundaries or boundaries_of(plan)
    other = None if dialect is None else dialect_named(dialect)
    with ExitStack() as stack:
        run, _ = open_run(
            stack,
            named.policy,
            source,
            connection=connection,
            settings=settings,
            overrides=chosen.overrides,
            writes=False,
        )
        columns = check_plan(run, named, with_source=True)
        target = target_of(
            run,
            dialect=other,
            hierarchies=hierarchies,
            source=table,
            release=release,
            sqlmesh=sqlmesh,
        )
        check_entries(run, chosen)
        if target.sqlmesh:
            return model_file(run, chosen, columns, target)
        if target.warehouse is not None:
            return warehouse_script(run, chosen, columns, target)
        check_executor(run.policy, target.executor, chosen.recoding)
        path = None
        if chosen.recoding.has_boundaries:
            path = str(Path(boundaries_file(run, chosen.recoding, boundaries)).absolute())
            check_boundaries(run, chosen.recoding, run.scratch.table("like"), path)
        return release_script(
            run,
            chosen.recoding,
            chosen.heights,
            columns,
            target=target,
            suppresses=chosen.suppressed_rows > 0,
            boundaries=path,
            types=chosen.types,
        )


DIALECTS = ("duckdb", "postgres")
MARKS = ("$kanon_query$", "$kanon_of_plan$")
"""What ends a text of a function of PostgreSQL."""


def macros(dialect: str, plan: str | None = None, settings: Settings | None = None) -> str:
    """Return the script that defines them; with a plan it also has `kanon_apply`, which releases by that plan.

    That is the one query which a model of SQLMesh runs: it recodes, suppresses, recounts, and raises an error rather than
    return rows that violate a model. Raises InputError for a plan that no single query can carry out, with the reasons.
    """
    text = _text(dialect)
    if plan is None:
        return text
    query = _query(dialect, plan, settings)
    return f"{text}\n{_text(f'apply_{dialect}').replace('$query', query)}"


def _query(dialect: str, plan: str, settings: Settings | None) -> str:
    """Return the plan's query of the table `kanon_input`, without its first word."""
    named = name_plan(plan, None)
    chosen = named.plan
    with ExitStack() as stack:
        run, _ = open_run(
            stack, named.policy, None, settings=settings, overrides=chosen.overrides, writes=False
        )
        columns = check_plan(run, named, with_source=True)
        check_entries(run, chosen)
        reads, makes = table("kanon_input"), table("kanon_apply")
        target = ScriptTarget(
            dialect,
            elsewhere=True,
            bring=Bring.INLINE,
            source=reads,
            release=makes,
            sqlmesh=True,
            macro=True,
        )
        statement, warehouse = release_statement(run, chosen, columns, target)
        query = written(statement, warehouse, query=True)
    if any(mark in query for mark in MARKS):
        what = f"has a text that holds {' or '.join(MARKS)}, which ends a function's text"
        raise InputError(plan, [Fault("policy", what)])
    return query.partition(" ")[2]


def _text(name: str) -> str:
    return (template_root() / "macros" / f"{name}.sql").read_text(encoding="utf-8")
