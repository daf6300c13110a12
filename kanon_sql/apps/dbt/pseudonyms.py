"""Pseudonyms in a dbt project: the files of the table of their keys, and the plan's check of each key.

dbt writes variables and the environment into compiled models, logs and artifacts. So no file and no variable of a
project has a key: the padded keys of HMAC are in a table, which dbt makes empty and keeps, and which
`kanon-sql dbt keys` fills. The plan has the first digits of a hash under each key, by which a build notices a wrong
key before it writes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.apps.dbt import build_project_files
from kanon_sql.apps.dbt.model_layout import NO_ADAPTER
from kanon_sql.apps.dbt.project import key_table
from kanon_sql.counting.source.column_problems import WHICH_KEY, key_check, pseudonym_secret
from kanon_sql.engines.capabilities import DUCKDB, POSTGRES
from kanon_sql.errors import Fault, InputError
from kanon_sql.recoding.query import key_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.apps.dbt.project import ReleaseRequest
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Policy

PLAIN = {"text", "integer", "decimal", "boolean"}
"""The families of types whose texts no setting of a session changes."""

NOBODY = "{{ {} if target.type == 'duckdb' else {'select': []} }}"


def key_faults(request: ReleaseRequest, policy: Policy) -> Iterator[Fault]:
    """List the keys that are not set, and those that are not the keys of the committed plan."""
    for name in key_names(policy):
        if pseudonym_secret(name) is None:
            yield Fault(name, "must hold a key of 16 bytes or more")
        elif name not in request.key_checks:
            what = f"is a key that no plan of {request.release} says; run: kanon-sql dbt plan, and then dbt parse"
            yield Fault(name, what)
        elif request.key_checks[name] != key_check(name):
            what = f"is another key than that of the plan of {request.release}; set that one, or plan again"
            yield Fault(name, what)


def planned_keys(request: ReleaseRequest, policy: Policy) -> dict[str, object]:
    """Return the table of keys and the check of each key, for the macros; empty without pseudonyms."""
    checks = {name: key_check(name) for name in key_names(policy)}
    if not checks:
        return {}
    return {
        "reference": f"ref('{key_table(request.release)}')",
        "said": WHICH_KEY,
        "checks": checks,
    }


def check_pseudonyms(run: Session, columns: Sequence[ColumnType]) -> None:
    """Raise InputError for pseudonyms that dbt would make differently from `apply`, or not at all."""
    faults = list(_faults(run, columns))
    if faults:
        raise InputError(run.policy.subject, faults)


def _faults(run: Session, columns: Sequence[ColumnType]) -> Iterator[Fault]:
    types = {column.name: column for column in columns}
    reached = run.engine.capabilities.name
    for column in run.policy.columns:
        where = f"columns.{column.name}.action"
        if not column.pseudonym:
            continue
        if reached not in {DUCKDB.name, POSTGRES.name}:
            what = f"{NO_ADAPTER}, as of {reached} no test shows that nobody reads the key"
            yield run.policy.fault(where, f"{what}; hash the column before dbt reads it")
        kind = types[column.name]
        if kind.family not in PLAIN and kind.type.lower() != "uuid":
            what = f"is of the type {kind.type.lower()}, whose text may follow from settings of dbt's session"
            yield run.policy.fault(where, f"{what}; cast it to a text in the model")


def key_files(request: ReleaseRequest, keys: Mapping[str, object], folder: str) -> dict[str, str]:
    """Write the model of the table of keys, and its properties, which leave no right on it but the owner's."""
    if not keys:
        return {}
    name = key_table(request.release)
    entry = {
        "name": name,
        "description": f"The keys of the pseudonyms in {request.release}, which kanon-sql dbt keys puts there.",
        "config": {"grants": NOBODY, "meta": {"kanon_keys": keys["checks"]}},
    }
    options = "materialized='incremental', incremental_strategy='append', full_refresh=false"
    return {
        f"{folder}/{name}.sql": build_project_files.made(
            request, f"{{{{ config({options}) }}}}\n\n{{{{ kanon.no_keys() }}}}\n"
        ),
        f"{folder}/{name}.yml": build_project_files.properties(request, "models", entry),
    }
