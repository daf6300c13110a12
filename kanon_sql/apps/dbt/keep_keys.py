"""Puts the keys of a dbt project's pseudonyms into its warehouse, or removes them from there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.dbt.plan_models import read_requests, request_policy, warehouse
from kanon_sql.apps.dbt.project import key_table
from kanon_sql.apps.dbt.project_hierarchies import key_faults
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.lineage import find_table, has_table
from kanon_sql.engines import commands_sql
from kanon_sql.engines.connect import open_engine
from kanon_sql.errors import Fault, InputError
from kanon_sql.recoding.query import key_names
from kanon_sql.recoding.recode import keys_in_session

if TYPE_CHECKING:
    from kanon_sql.apps.dbt.project import ProjectRelation, ReleaseRequest
    from kanon_sql.counting.run.inputs import Connection
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.model import Policy


@checked
def keep_dbt_keys(
    project: str,
    *,
    select: str | None = None,
    target: str | None = None,
    profiles_dir: str | None = None,
    connection: Connection | None = None,
    forget: bool = False,
) -> list[str]:
    """Put the keys of a dbt project's pseudonyms into its warehouse, where a build reads them.

    The rights of all but the table's owner are revoked before the keys are replaced in one transaction.

    Args:
        project: The folder of the dbt project.
        select: A relation, or its release; by default all.
        target: The target of the profile.
        profiles_dir: The folder of dbt's profiles.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        forget: Whether to remove them.

    Returns:
        The tables into which keys were put, or from which they were removed.

    Raises:
        InputError: A key is missing or wrong, or a table is.
    """
    root = Path(project)
    dbt_project, requests = read_requests(root, select)
    asked = [(each, request_policy(each)) for each in requests]
    with_keys = [(each, policy) for each, policy in asked if key_names(policy)]
    faults = [] if with_keys else [Fault("", "has no release with pseudonyms")]
    if not forget:
        faults += [fault for each, policy in with_keys for fault in key_faults(each, policy)]
    if faults:
        raise InputError(project, faults)
    with (
        warehouse(root, dbt_project, target, profiles_dir, connection) as reached,
        open_engine(
            reached.connection, reached.database, None, writes=True, attach=dict(reached.attach)
        ) as engine,
    ):
        tables = [
            (_table_of_keys(engine, request, project), policy) for request, policy in with_keys
        ]
        for relation, policy in tables:
            _keep(engine, policy, relation, forget=forget)
    return [relation.dotted for relation, _ in tables]


def _keep(engine: Engine, policy: Policy, relation: ProjectRelation, *, forget: bool) -> None:
    table = find_table(engine, relation.dotted)
    needed = replace(policy, columns=()) if forget else policy
    with session(engine, needed) as run, keys_in_session(run), engine.transaction():
        engine.keep_private(table)
        engine.execute(commands_sql.delete_keys(table))
        for name in key_names(needed):
            engine.execute(commands_sql.insert_key(table, name))


def _table_of_keys(engine: Engine, request: ReleaseRequest, project: str) -> ProjectRelation:
    name = key_table(request.release)
    if request.keys is None or not has_table(engine, request.keys.dotted):
        what = f"is not there yet; run: dbt run --select {name}"
        raise InputError(project, [Fault(name, what)])
    return request.keys
