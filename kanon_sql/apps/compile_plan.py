"""Writes a plan as a script, for the policy's own database or for another."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.sqlmesh.sqlmesh_model import model_file
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.recoding.new_rows.boundaries import boundaries_file, boundaries_of, check_boundaries
from kanon_sql.recoding.planning.open_plan import check_plan, name_plan
from kanon_sql.release.script import release_script
from kanon_sql.release.script_entries import check_entries, dialect_named, target_of
from kanon_sql.release.stage import check_executor
from kanon_sql.release.warehouse_script import warehouse_script

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
