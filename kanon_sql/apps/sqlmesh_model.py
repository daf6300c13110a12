"""A plan as a model of a SQLMesh project: its header, its audits, and one query that fails closed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.apps.dbt.build_project_files import hash_of, promise
from kanon_sql.base.documents.text import printable
from kanon_sql.base.sql.quoting import literal, name
from kanon_sql.base.sql.templates import template_root
from kanon_sql.errors import Fault, InputError, InternalError
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.release.warehouse_script import release_statement
from kanon_sql.release.warehouse_sql import written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.release.script_entries import ScriptTarget


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
    name_of = _text(target, target.release)
    audits = ",\n".join(f"    {each}" for each in _audits(run, plan, columns, target))
    note = "" if target.warehouse is not None and target.warehouse.runs_models else f"{NOT_RUN}\n"
    return f"""{MARK} compile --sqlmesh, plan {hash_of(plan)[:12]}: make it again, and do not edit it
{note}MODEL (
  name {name_of},
  kind FULL,
  dialect {target.dialect},
  description {_text(target, literal(printable(promise(run.policy))))},
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
    counted = f", entity := {_text(target, name(policy.entity))}" if policy.entity in as_is else ""
    (demand,) = demands(policy.privacy)
    over = _names(target, [each.name for each in policy.quasi])
    for each in demand.requirements:
        measure = each.measure
        if measure.sensitive is None and not each.binding:
            continue
        arguments = "".join(
            f", {key} := {_text(target, name(value)) if isinstance(value, str) else value}"
            for key, value in measure.audit_arguments(each.bound).items()
        )
        counts_null = measure.sensitive is not None and measure.sensitive.counts_null
        own = counted if measure.sensitive is None else ""
        read = ", sensitive_nulls := 'value'" if counts_null else ""
        yield f"kanon_{measure.audit}(columns := {over}{arguments}{own}{nulls}{read})"
    if policy.source.where is None:  # else the source's rows are not those that might be released
        of = _text(target, target.source)
        share = policy.suppression.share is not None
        most = f"'{policy.suppression.percent(places=4)}'" if share else plan.max_suppressed
        yield f"kanon_suppression(source := {of}, at_most := {most})"
    if (there := target.warehouse) is not None and there.lists_columns:
        listed = f", listed_in := {there.listed_in}" if there.listed_in else ""
        yield f"kanon_classified(columns := {_names(target, kept)}{listed})"


def _names(target: ScriptTarget, names: Sequence[str]) -> str:
    return f"({', '.join(_text(target, name(each)) for each in names)})"


def _text(target: ScriptTarget, leaf: exp.Expr | None) -> str:
    """Write a name or a literal in the model's dialect."""
    if leaf is None:
        raise InternalError("a model was to be written that nothing is known of")
    return leaf.sql(dialect=target.dialect, identify=True)
