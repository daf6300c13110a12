"""Writes SQL that runs without this program: a plan as a script or a model of SQLMesh, and macros that check a table.

Scripts are for the policy's own database or another one, macros for DuckDB and PostgreSQL.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.dbt.build_project_files import hash_of, promise
from kanon_sql.base.documents.text import printable
from kanon_sql.base.sql.quoting import literal, name, table
from kanon_sql.base.sql.templates import template_root
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.errors import Fault, InputError, InternalError
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.policy.privacy.demands import demands
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
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
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


MARK = "-- made by kanon-sql"
"""The beginning of a file of ours, which may be replaced."""
AUDITS = "audits/kanon.sql"
NOT_RUN = "-- NOT RUN in SQLMesh by the tests of kanon-sql: there they have DuckDB alone."
CHANGED = (Role.IDENTIFYING, Role.QUASI)
JINJA = re.compile(r"\{[{%#]|[}%#]\}")
"""Matches text that SQLMesh takes for Jinja anywhere in a model's file, even in quotes."""


def audits_file() -> str:
    """Return the audits that our models name, for the folder `audits` of a project."""
    return (template_root() / "sqlmesh" / AUDITS).read_text(encoding="utf-8")


def example() -> dict[str, str]:
    """Return the files of a small example project: texts by path, before anything is planned.

    Its patients are those of the example project of dbt.
    """
    own, patients = (
        template_root() / "sqlmesh" / "example",
        template_root() / "dbt" / "integration_tests",
    )
    names = (
        ".gitignore",
        "config.yaml",
        "models/raw_patients.sql",
        "models/stg_patients.sql",
        "patients.yml",
    )
    shared = ("hierarchies/jobs.csv", "seeds/raw_patients.csv")
    return {
        **{each: (own / each).read_text(encoding="utf-8") for each in names},
        **{each: (patients / each).read_text(encoding="utf-8") for each in shared},
        AUDITS: audits_file(),
    }


def model_file(
    run: Session, plan: Plan, columns: Sequence[ColumnType], target: ScriptTarget
) -> str:
    """Write the file of the model: SQL that is made once and committed, so that no Python runs with the project.

    The query counts the classes where it runs, suppresses no more rows than the limit, and raises an error rather
    than return rows that violate a model. Raises InputError with all names that cannot be written safely.
    """
    if faults := list(_of_names(run, target)):
        raise InputError(run.policy.subject, faults)
    statement, warehouse = release_statement(run, plan, columns, target)
    query = written(statement, warehouse, query=True)
    return f"{_header(run, plan, columns, target)}\n\n{query};\n"


def _of_names(run: Session, target: ScriptTarget) -> Iterator[Fault]:
    """Yield faults for names that SQLMesh would replace or run as Jinja, and for a model that reads itself."""
    for column in run.policy.columns:
        if JINJA.search(column.name):
            what = "would be run by SQLMesh as Jinja; rename it in a model before"
            yield run.policy.fault(f"columns.{column.name}", what)
        if "@" in column.name:
            what = "holds @, by which SQLMesh knows its variables, in names too; rename it in a model before"
            yield run.policy.fault(f"columns.{column.name}", what)
    texts = [text for each in run.policy.columns for text in run.policy.missing_of(each.name)]
    texts += [text for each in run.policy.columns if each.format for text in each.format.texts]
    if any(JINJA.search(text) or "@" in text for text in texts):
        what = "has a text that SQLMesh would replace, or run as Jinja; read it as NULL in a model before"
        yield run.policy.fault("source.missing", what)
    for each in (target.source, target.release):
        if each is not None and any("@" in part.name for part in each.parts):
            yield Fault("sqlmesh", "a model's name and its source's hold no @")
        if each is not None and any(JINJA.search(part.name) for part in each.parts):
            yield Fault("sqlmesh", "a model's name and its source's hold no Jinja")
    if target.source == target.release:
        yield Fault("sqlmesh", "the model would be its own source; name it otherwise")


def _header(run: Session, plan: Plan, columns: Sequence[ColumnType], target: ScriptTarget) -> str:
    """Write the header of the model, which names its audits."""
    name_of = _model_text(target, target.release)
    audits = ",\n".join(f"    {each}" for each in _audits(run, plan, columns, target))
    note = "" if target.warehouse is not None and target.warehouse.runs_models else f"{NOT_RUN}\n"
    return f"""{MARK} compile --sqlmesh, plan {hash_of(plan)[:12]}: make it again, and do not edit it
{note}MODEL (
  name {name_of},
  kind FULL,
  dialect {target.dialect},
  description {_model_text(target, literal(printable(promise(run.policy))))},
  audits (
{audits}
  )
);"""


def _audits(
    run: Session, plan: Plan, columns: Sequence[ColumnType], target: ScriptTarget
) -> Iterator[str]:
    """Yield the audits of the release, each with its arguments.

    They count entities only if the entity's column is released unchanged, else rows.
    """
    policy = run.policy
    kept = [
        each.name
        for each in columns
        for own in policy.columns
        if own.name == each.name and not own.is_dropped
    ]
    nulls = "" if policy.nulls is Nulls.CATEGORY else ", nulls := 'refuse'"
    as_is = [each.name for each in policy.columns if each.role not in CHANGED and each.name in kept]
    counted = (
        f", entity := {_model_text(target, name(policy.entity))}" if policy.entity in as_is else ""
    )
    (demand,) = demands(policy.privacy)
    over = _names(target, [each.name for each in policy.quasi])
    for each in demand.requirements:
        measure = each.measure
        if measure.sensitive is None and not each.binding:
            continue
        arguments = "".join(
            f", {key} := {_model_text(target, name(value)) if isinstance(value, str) else value}"
            for key, value in measure.audit_arguments(each.bound).items()
        )
        counts_null = measure.sensitive is not None and measure.sensitive.counts_null
        own = counted if measure.sensitive is None else ""
        read = ", sensitive_nulls := 'value'" if counts_null else ""
        yield f"kanon_{measure.audit}(columns := {over}{arguments}{own}{nulls}{read})"
    if policy.source.where is None:  # else the source's rows are not those that might be released
        of = _model_text(target, target.source)
        share = policy.suppression.share is not None
        most = f"'{policy.suppression.percent(places=4)}'" if share else plan.max_suppressed
        yield f"kanon_suppression(source := {of}, at_most := {most})"
    if (there := target.warehouse) is not None and there.lists_columns:
        listed = f", listed_in := {there.listed_in}" if there.listed_in else ""
        yield f"kanon_classified(columns := {_names(target, kept)}{listed})"


def _names(target: ScriptTarget, names: Sequence[str]) -> str:
    return f"({', '.join(_model_text(target, name(each)) for each in names)})"


def _model_text(target: ScriptTarget, leaf: exp.Expr | None) -> str:
    """Write a name or a literal in the model's dialect."""
    if leaf is None:
        raise InternalError("a model was to be written that nothing is known of")
    return leaf.sql(dialect=target.dialect, identify=True)
