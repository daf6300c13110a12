"""Writes what a dbt project needs beside its models: hierarchies as seeds or models, the source, the keys of pseudonyms.

dbt writes variables and the environment into compiled models, logs and artifacts. So no file and no variable of a
project has a key: the padded keys of HMAC are in a table, which dbt makes empty and keeps, and which
`kanon-sql dbt keys` fills. The plan has the first digits of a hash under each key, by which a build notices a wrong
key before it writes anything.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from kanon_sql.apps.dbt import build_project_files
from kanon_sql.apps.dbt.model_layout import DBTS_OWN, NO_ADAPTER
from kanon_sql.apps.dbt.project import key_table
from kanon_sql.base.sql.quoting import table
from kanon_sql.counting.hierarchies.read_paths import hierarchy_of
from kanon_sql.counting.source.column_problems import WHICH_KEY, key_check, pseudonym_secret
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.counting.source.text_files import formats_elsewhere, texts_query
from kanon_sql.engines.capabilities import DUCKDB, POSTGRES
from kanon_sql.errors import Fault, HierarchyError, InputError, InternalError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.recoding.query import key_names
from kanon_sql.release.warehouse_sql import WAREHOUSES, rule, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.apps.dbt.model_layout import ReleasedColumn
    from kanon_sql.apps.dbt.project import ReleaseRequest
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.text_files import ReadColumn
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Policy


DIALECTS = {"duckdb": ("duckdb",), "postgres": ("postgres",), "spark": ("spark", "databricks")}
"""The types of targets that a hierarchy by rule has a query for, by the dialect it is written in."""

ADAPTERS = {"sqlserver": "tsql"}
"""The dialects of adapters that have another name."""

SOURCE = "kanon_source_of_this_hierarchy"
SOURCE_SAID = re.compile(rf"[\"`\[]?{SOURCE}[\"`\]]?")
MOST_SEED = 100_000
"""The most entries of a hierarchy in a seed, which goes to git."""


def check_given(run: Session, mapped: Mapped, name: str) -> None:
    """Raise HierarchyError for a model or seed of the project whose columns are not those that the macros read."""
    kind = hierarchy_of(mapped.column)
    if kind.table is None:
        raise InternalError("a hierarchy that is a model is no table")
    there = [column.name for column in run.engine.columns(find_table(run.engine, kind.table))]
    wanted = ["value", *(mapping_sql.level(n) for n in range(1, len(there)))]
    if there != wanted:
        what = f"is a model whose columns are not {', '.join(wanted)}"
        raise HierarchyError(
            run.policy.subject, [run.policy.fault(f"columns.{name}.hierarchy", what)]
        )


def check_one_root(run: Session, mapped: Mapped) -> None:
    """Raise HierarchyError for a hierarchy of several roots: in the macros, its NULLs would lie under none of them."""
    if mapped.hierarchy.several_roots:
        level = mapped.hierarchy.height
        what = (
            f"ends in several labels, and a model of dbt needs one: add a level of one label, and say "
            f"levels: {{most: {level}}}; or is the first line of a file a header? A hierarchy has none"
        )
        where = f"columns.{mapped.column.name}.hierarchy"
        raise HierarchyError(run.policy.subject, [run.policy.fault(where, what)])


def seed(run: Session, mapped: Mapped) -> str:
    """Write the entries of a given hierarchy as a seed. Raises HierarchyError if a seed cannot hold them."""
    height, paths = mapped.hierarchy.height, mapped.paths
    if mapped.above is not None:
        height, paths = mapped.above.height, mapped.above.table
    rows = list(run.engine.fetch(mapping_sql.entries(paths, height, MOST_SEED + 1)))
    if all(value is not None for value, *_ in rows):  # values of later rows may be NULL
        rows.append((*[None] * height, rows[0][-1]))
    fault = None
    if len(rows) > MOST_SEED:
        fault = f"has more than {MOST_SEED} entries, too many for a seed"
    text = build_project_files.seed_file(
        height, sorted(rows, key=lambda row: [str(c or "") for c in row])
    )
    if text is None:
        fault = "has an empty text, or the text null or None, which a seed would read as NULL"
    if fault is not None or text is None:
        what = f"{fault}; make it a model of the project, and say hierarchy: {{ref: MODEL}}"
        where = f"columns.{mapped.column.name}.hierarchy"
        raise HierarchyError(run.policy.subject, [run.policy.fault(where, what)])
    return text


def rule_model(
    run: Session, request: ReleaseRequest, sharing: Sequence[Mapped], columns: Sequence[ColumnType]
) -> str:
    """Write a hierarchy by rule, in each dialect, as a model of the values of all columns that share it."""
    mapped, names = sharing[0], [each.column.name for each in sharing]
    column = mapped.column
    (own,) = (each for each in columns if each.name == column.name)
    statement = mapping_sql.paths_of_columns(
        table(SOURCE), names, hierarchy_of(column), bounded=column.output.bounded
    )
    texts = {types: statement.render(dialect) for dialect, types in DIALECTS.items()}
    for adapter in request.adapters:
        texts[adapter,] = _elsewhere(run, mapped, own.family, adapter)
    return build_project_files.rule_model(request, names, _reading(request, texts))


def source_model(run: Session, request: ReleaseRequest, columns_read: Sequence[ReadColumn]) -> str:
    """Write the model, in each dialect, of a relation's rows with texts as the policy reads them.

    Raises InputError where dbt would run such a text, or a name, as its own language.
    """
    source = table(SOURCE)
    statement = texts_query(source, columns_read)
    texts = {types: statement.render(dialect) for dialect, types in DIALECTS.items()}
    for adapter in request.adapters:
        warehouse = WAREHOUSES.get(ADAPTERS.get(adapter, adapter))
        if warehouse is None:
            what = f"cannot be written for {adapter}: what statements mean there is not known"
            raise InputError(run.policy.subject, [run.policy.fault("source.missing", what)])
        if faults := list(formats_elsewhere(run.policy, warehouse.title)):
            raise InputError(run.policy.subject, faults)
        of_all = texts_query(source, columns_read, points=True, as_bytes=warehouse.bytes)
        texts[adapter,] = written(of_all, warehouse, query=True)
    if any(DBTS_OWN.search(text) for text in texts.values()):
        what = "has a text or a name that dbt would read as its own language"
        raise InputError(run.policy.subject, [run.policy.fault("source.missing", what)])
    about = (
        f"the rows of {request.relation.name}, with NULL for texts that stand for a missing value"
    )
    what = "the texts of a missing value are not written for this target"
    return build_project_files.model_by_target(request, about, _reading(request, texts), what=what)


def _reading(
    request: ReleaseRequest, texts: Mapping[tuple[str, ...], str]
) -> dict[tuple[str, ...], str]:
    """Replace the placeholder of the source in each query by the relation of the request."""
    relation, reading = f"{{{{ {request.relation.reference} }}}}", {}
    for types, text in texts.items():
        found = SOURCE_SAID.findall(text)
        if len(set(found)) != 1:
            raise InternalError("the source of a model is not where it was expected")
        reading[types] = text.replace(found[0], relation)
    return reading


def _elsewhere(run: Session, mapped: Mapped, kind: str, adapter: str) -> str:
    """Write the query for the dialect of another adapter. Raises HierarchyError if it cannot be written."""
    warehouse = WAREHOUSES.get(ADAPTERS.get(adapter, adapter))
    column, height = mapped.column, mapped.hierarchy.height
    spec = hierarchy_of(column)
    why: str | None = None
    if warehouse is None:
        why = "what statements mean there is not known"
    elif column.output.no_adapter is not None:
        why = column.output.no_adapter
    else:
        at = {"characters": warehouse.characters}
        whys = (spec.why_no_rule(n, kind, **at) for n in range(1, height))
        why = next(filter(None, whys), None)
    if warehouse is None or why is not None:
        what = f"cannot be written for {adapter}: {why}; make it a model: {{ref: MODEL}}"
        where = f"columns.{column.name}.hierarchy"
        raise HierarchyError(run.policy.subject, [run.policy.fault(where, what)])
    rules = [each for n in range(1, height + 1) if (each := spec.rule(n)) is not None]
    plain = ["value", *(mapping_sql.level(n) for n in range(1, height + 1))]
    text = written(rule(table(SOURCE), column.name, rules), warehouse, plain=plain)
    return f"-- written by sqlglot; no test of kanon-sql runs it on {warehouse.title}\n{text}"


def masks_test(request: ReleaseRequest, columns: Sequence[ReleasedColumn]) -> str | None:
    """Write the test that no value is longer than its mask, where values are released as they are; None if none are.

    Such a value is left out, and no model of a hierarchy is there whose test would say so.
    """
    longest = {each.column.name: each.longest for each in columns if each.longest}
    if not longest:
        return None
    asked = (
        f"kanon.fit_masks({request.relation.reference}, {json.dumps(longest, ensure_ascii=False)})"
    )
    config = f"{{{{ config(severity='{request.without_entry}') }}}}"
    return build_project_files.made(request, f"{config}\n\n{{{{ {asked} }}}}\n")


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
