"""Macros of DuckDB and functions of PostgreSQL: a table is checked, and a plan applied, in the database's own shell."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import table
from kanon_sql.base.sql.templates import template_root
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.errors import Fault, InputError
from kanon_sql.recoding.planning.open_plan import check_plan, name_plan
from kanon_sql.release.script_entries import Bring, ScriptTarget, check_entries
from kanon_sql.release.warehouse_script import release_statement
from kanon_sql.release.warehouse_sql import written

if TYPE_CHECKING:
    from kanon_sql.engines.connect import Settings

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
