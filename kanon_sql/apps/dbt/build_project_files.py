"""Writes the texts of a plan's files in a dbt project: macro, models, properties, tests, seeds."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

import yaml

from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.order import Dates, Listed, OrderKind, Steps
from kanon_sql.policy.policy_rules import check_counted
from kanon_sql.policy.privacy.demands import demands, requirements, sensitive_attributes
from kanon_sql.policy.privacy.privacy_model import Channel, SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kanon_sql.apps.dbt.model_layout import ReleasedColumn
    from kanon_sql.apps.dbt.project import ReleaseRequest
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.policy.privacy.demands import Demand


TEXT = "{{ 'string' if target.type in ('bigquery', 'databricks', 'spark') else 'varchar' }}"
"""The type of texts in properties, where macros are not known."""

LABEL = "A label of its hierarchy in place of the value."
TEXTS = {
    "labels": LABEL,
    "label": LABEL,
    "levels": "The value, or a label of its hierarchy in its place.",
    "interval": "The interval or node that the value lies in.",
    "region": "The region that the row lies in, in place of the value.",
    "pseudonym": "A pseudonym in place of the value: its hash under a key.",
}
"""The description of a column that becomes a text, by its kind."""

BOUNDS = {
    "interval": "The bounds of an interval in place of the value.",
    "region": "The bounds of a region in place of the value.",
    "levels": "The value, or the bounds of an interval in its place.",
}
"""The description of a column that becomes two bounds, by its kind."""


def described(*parts: str) -> str:
    """Join descriptions, and escape braces so that dbt does not read them as Jinja again."""
    text = " ".join(
        each if each.endswith((".", "!", "?")) else f"{each}." for each in parts if each
    )
    if not any(mark in text for mark in ("{{", "{%", "{#")):
        return text
    return "".join("{{ '{' }}" if each == "{" else each for each in text)


def released_columns(
    request: ReleaseRequest, columns: Sequence[ReleasedColumn]
) -> list[dict[str, object]]:
    """Return the columns of a release as its properties list them, with the types that are known.

    An incremental release has two more columns, which a contract has to name.
    """
    found = [
        _column(name, description, kind)
        for each in columns
        if each.becomes != "nothing"
        for name, description, kind in _documented(request, each)
    ]
    if request.documented.contract and request.loaded_at is not None:
        until = f"The largest {request.loaded_at} when the row's class was released."
        found.append(
            _column(
                "kanon_released_at", described(until), request.documented.types[request.loaded_at]
            )
        )
        found.append(_column("kanon_plan", "The plan that the row was released by.", TEXT))
    return found


def _column(name: str, description: str, kind: str | None) -> dict[str, object]:
    entry: dict[str, object] = {"name": name, "quote": True}
    if description:
        entry["description"] = description
    return entry if kind is None else {**entry, "data_type": kind}


def _documented(
    request: ReleaseRequest, released: ReleasedColumn
) -> Iterator[tuple[str, str, str | None]]:
    """Yield each released column of one column of the source, with its description and its type."""
    name = released.column.name
    own = request.documented.columns.get(name, "")
    kind = request.documented.types.get(name)
    what = ""
    match released.becomes:
        case "bounds":
            kind, what = _type_of_bounds(released), BOUNDS["interval"]
        case "levels" if released.column.output.bounded and not released.as_text:
            kind, what = _type_of_bounds(released), BOUNDS["levels"]
        case ("interval" | "region") as by if released.column.output.bounded:
            kind, what = _type_of_ends(released, kind), BOUNDS[by]
        case text if text in TEXTS:
            kind, what = TEXT, TEXTS[text]
        case "null":
            what = "Always NULL."
        case "value" | "value twice":
            pass
        case _:
            raise InternalError(f"a column of dbt becomes {released.becomes}")
    for each in released.column.released_as:
        yield each, described(own, what if own else ""), kind


def _type_of_bounds(released: ReleasedColumn) -> str:
    """Return the type to which the hierarchy's model casts bounds."""
    kind = released.column.hierarchy
    if kind is None or not kind.bounded_levels:
        raise InternalError("bounds are of intervals")
    return f"decimal(38,{kind.scale})" if kind.scale else "bigint"


def _type_of_ends(released: ReleasedColumn, own: str | None) -> str | None:
    """Return the type of the bounds of a region: that of the column, or that of the units it is ordered by."""
    match released.column.order:
        case Dates():
            return "date"
        case Steps(scale=scale):
            return f"decimal(38,{scale})" if scale else "bigint"
        case OrderKind() | Listed() | None:
            return own
        case _:
            assert_never(released.column.order)


MARK = "made by kanon-sql"
"""The start of the first comment in each file that may be replaced when the plan is made again."""

READERS = "{{ {} if target.type == 'duckdb' else {'select': var('kanon_private_readers', [])} }}"
"""The grants on relations with raw values. They replace the grants of the project, and revoke existing ones.

DuckDB has no grants, and dbt warns of any that it finds.
"""


def plan_macro(
    request: ReleaseRequest,
    policy: Policy,
    plan: Plan,
    columns: Sequence[ReleasedColumn],
    *,
    regions: str | None = None,
    by_buckets: bool = False,
    keys: Mapping[str, object] | None = None,
    source: str | None = None,
) -> str:
    """Write the macro that returns the plan, with the checks of the `keys` of pseudonyms.

    `source` is the private model that the release must read, if the plan has one. `regions` names the model of the
    regions that rows are assigned to. With `by_buckets`, classes may be counted by hashes of their values.
    """
    check_counted(policy, Channel.DBT)
    every = demands(policy.privacy)
    # Macros count the classes of at least one set, also where no bound excludes any class.
    binding = [each for each in every if each.binding] or every[:1]
    document: dict[str, object] = {
        "hash": hash_of(plan, keys),
        "promise": promise(policy),
        **({} if source is None else {"source": source}),
        **({} if policy.entity is None else {"entity": policy.entity}),
        **({} if request.loaded_at is None else {"loaded_at": request.loaded_at}),
        **({"by_buckets": True} if by_buckets else {}),
        "nulls": policy.nulls.value,
        "sensitive_nulls": _sensitive_nulls(policy).value,
        "passes": max(plan.recoding.passes, 1),
        "models": [
            {
                "over": [n for c in _of(policy, demand.columns) for n in c.released_as],
                **_counted(demand),
            }
            for demand in binding
        ],
        **({"pseudonyms": keys} if keys else {}),
        "released": _names(columns),
        **({"nodes": len(plan.recoding.nodes)} if len(plan.recoding.nodes) > 1 else {}),
        **({} if regions is None else {"regions": f"ref('{regions}')"}),
        "columns": [each.document() for each in columns],
    }
    text = _jinja(document)
    name = f"kanon_plan__{request.release}"
    return (
        f"{{# {_mark(request)} #}}\n"
        f"{{% macro {name}() %}}\n{{{{ return({text}) }}}}\n{{% endmacro %}}\n"
    )


def _sensitive_nulls(policy: Policy) -> SensitiveNulls:
    """Return how NULL in sensitive columns is counted, which a policy states once for all of them."""
    request = sensitive_attributes(requirements(policy.privacy))
    found = {each.nulls for each in request} or {SensitiveNulls.NOT_COUNTED}
    if len(found) > 1:
        raise InternalError("a policy reads NULL in sensitive columns in two ways")
    return found.pop()


def _counted(demand: Demand) -> dict[str, object]:
    """Return the bounds on classes that the macros count: on their size, and on the values of sensitive columns."""
    values: dict[str, int] = {}
    shares: dict[str, int] = {}
    for each in demand.requirements:
        match each.measure.audit:
            case "k_anonymity":
                pass
            case "l_diversity" if each.measure.sensitive is not None:
                values[each.measure.sensitive.column] = each.bound
            case "alpha" if each.measure.sensitive is not None:
                shares[each.measure.sensitive.column] = each.bound
            case _:
                raise InternalError(f"the macros of dbt do not count {each.measure}")
    own = {"k": demand.class_size, "distinct_l": values}
    return {**own, "alpha": shares} if shares else own


def hash_of(plan: Plan, keys: Mapping[str, object] | None = None) -> str:
    """Hash the plan file and the checks of its keys: under another key of pseudonyms, it is another release."""
    text = replace(plan, policy_file=None).to_yaml() + (json.dumps(keys) if keys else "")
    return hashlib.sha256(text.encode()).hexdigest()


def promise(policy: Policy) -> str:
    """Describe what the privacy models guarantee, and for whom."""
    names = ", ".join(column.name for column in policy.quasi)
    of = "" if policy.entity is None else f", counted by {policy.entity}"
    promised = [
        str(model) if " over " in str(model) else f"{model} over {names}"
        for model in policy.privacy
    ]
    return " ".join(f"{'; '.join(promised)}{of}".split())


def _of(policy: Policy, columns: Sequence[str]) -> list[Column]:
    return [column for column in policy.quasi if not columns or column.name in columns]


def _jinja(value: object, indent: int = 0) -> str:
    """Write a plain value as a literal of Jinja, short lists on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= 100 or not isinstance(value, dict | list):
        return flat
    pad, end = "  " * (indent // 2 + 1), "  " * (indent // 2)
    if isinstance(value, dict):
        parts = [
            f"{pad}{json.dumps(k, ensure_ascii=False)}: {_jinja(v, indent + 2)}"
            for k, v in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{end}}}"
    return "[\n" + ",\n".join(f"{pad}{_jinja(v, indent + 2)}" for v in value) + f"\n{end}]"


def _mark(request: ReleaseRequest) -> str:
    return f"{marks_of(request.release)[0]}: make it again, and do not edit it"


def marks_of(release: str) -> tuple[str, str]:
    """Return the two marks, of this version and of 0.1, in the first line of a file: they name the file's plan."""
    plan = f"from kanon/{release}.plan.yml"
    return f"{MARK} dbt plan, {plan}", f"{MARK} plan --dbt, {plan}"


def release_model(request: ReleaseRequest) -> str:
    """Write the model of the release, which is written only once: the user may edit it from then on."""
    options, more = "materialized='table'", ""
    if request.loaded_at is not None:
        options = "materialized='incremental', incremental_strategy='append', full_refresh=false"
        more = f", loaded_at={_text(request.loaded_at)}"
    return (
        f"{{{{ config({options}) }}}}\n\n"
        f"{{{{ kanon.anonymize({request.relation.reference}, plan='{request.release}'{more}) }}}}\n"
    )


def made(request: ReleaseRequest, text: str) -> str:
    """Mark the text of a model or test as one that is made again with the plan."""
    return f"{{# {_mark(request)} #}}\n{text}"


def held_back_model(request: ReleaseRequest) -> str:
    """Write the model that counts the withheld rows of an incremental release."""
    counted = f"kanon.held_back({request.relation.reference}, ref('{request.release}'))"
    return made(request, f"{{{{ {counted} }}}}\n")


def first_load_model(request: ReleaseRequest, columns: Sequence[ReleasedColumn]) -> str:
    """Write the view of the first load of an incremental release, whose rows and columns are those of its plan."""
    read = f"kanon.first_load(ref('{request.release}'), {_jinja(_names(columns))})"
    options = "{{ config(materialized='view') }}"
    return made(request, f"{options}\n\n{{{{ {read} }}}}\n")


def policy_file(request: ReleaseRequest, database: str | None) -> str:
    """Write the policy in a model's meta as a file, by which others read the plan and check a certificate."""
    policy = dict(request.policy)
    stated = policy.pop("source", None)
    source: object = request.relation.dotted
    if isinstance(stated, dict):
        source = {"table": source, **stated}
    placed = {} if database is None else {"database": database}
    text = yaml.dump(
        {"version": policy.pop("version"), "source": source, **placed, **policy},
        Dumper=_Plain,
        sort_keys=False,
        allow_unicode=True,
        width=100,
    )
    return f"# {_mark(request)}\n{text}"


def held_back_test(request: ReleaseRequest) -> str:
    """Write the test that the release has no more rows than the source: more mean that the source deleted rows."""
    counted = f"kanon.none_deleted(ref('{request.release}_held_back'))"
    return made(request, f"{{{{ {counted} }}}}\n")


def _text(value: str) -> str:
    """Write a text as a literal of Jinja."""
    return json.dumps(value, ensure_ascii=False)


def source_test(request: ReleaseRequest, policy: Policy) -> str:
    """Write the test that the source has no columns beside those that the policy classifies."""
    names = _jinja([column.name for column in policy.columns])
    return made(request, f"{{{{ kanon.classified({request.relation.reference}, {names}) }}}}\n")


def rule_model(
    request: ReleaseRequest, columns: Sequence[str], texts: Mapping[tuple[str, ...], str]
) -> str:
    """Write the model of a hierarchy by rule: its query in each dialect, by the types of targets."""
    return model_by_target(
        request,
        f"the values of {', '.join(columns)}, and their labels level by level",
        texts,
        what="a hierarchy by rule is not written for this target; make it a model, and say hierarchy: {ref: MODEL}",
    )


def model_by_target(
    request: ReleaseRequest, about: str, texts: Mapping[tuple[str, ...], str], *, what: str
) -> str:
    """Write a model with a query for each group of target types; `what` is the error on other targets."""
    parts = [f"{{# {_mark(request)} #}}", "", f"-- {' '.join(about.split())}"]
    word = "if"
    for types, text in texts.items():
        listed = ", ".join(f"'{each}'" for each in types)
        parts += [f"{{% {word} target.type in ({listed},) %}}", text.strip()]
        word = "elif"
    parts += [
        "{% else %}",
        f'{{{{ exceptions.raise_compiler_error("{what}: " ~ target.type) }}}}',
        "{% endif %}",
        "",
    ]
    return "\n".join(parts)


def seed_file(height: int, rows: Iterable[Sequence[object]]) -> str | None:
    """Write a hierarchy as a seed; None where dbt would read one of its texts as NULL.

    dbt does so for empty texts and for null, and its Spark session writes NULL as the text None.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["value", *(f"level_{n}" for n in range(1, height + 1))])
    for row in rows:
        texts = [str(cell) for cell in row if cell is not None]
        if any(text.strip().lower() in {"", "null"} or text == "None" for text in texts):
            return None
        writer.writerow(["" if cell is None else str(cell) for cell in row])
    return out.getvalue()


def release_properties(
    request: ReleaseRequest,
    policy: Policy,
    plan: Plan,
    columns: Sequence[ReleasedColumn],
    *,
    keys: Mapping[str, object] | None = None,
) -> str:
    """Write the properties of the release: its guarantee, its columns, and all its tests.

    The hash of the plan is among them, so that dbt's partial parsing and state:modified notice that a changed
    plan changes the model.
    """
    plan_file = f"kanon/{request.release}.plan.yml"
    promised = f"{promise(policy)}. Released by the plan {plan_file}."
    config: dict[str, object] = {"meta": {"kanon_plan": hash_of(plan, keys)}}
    if request.documented.contract:
        config["contract"] = {"enforced": True}
        if request.loaded_at is not None:  # dbt asks it of an incremental model with a contract
            config["on_schema_change"] = "fail"
    entry = {
        "name": request.release,
        "description": described(request.documented.description, promised),
        "config": config,
        "columns": released_columns(request, columns),
        "data_tests": _release_tests(request, policy, columns),
    }
    return properties(request, "models", entry)


def hierarchy_properties(request: ReleaseRequest, sharing: Sequence[ReleasedColumn]) -> str:
    """Write the properties of a hierarchy that columns share: its tests, its readers, and the types of a seed.

    A value without an entry is a warning, unless the project wants an error: its rows are left out, and the test of
    the release's suppression counts them. Each hierarchy has a separate file: in a shared file, dbt's partial
    parsing finds the tests twice when a hierarchy is added.
    """
    released = sharing[0]
    severity = {"severity": request.without_entry}
    covers: list[object] = [
        {
            "kanon.covers": {
                "arguments": {
                    "source": request.relation.reference,
                    "column": each.column.name,
                    "by_text": each.by_text,
                    "height": each.height,
                },
                "config": severity,
            }
        }
        for each in sharing
    ]
    listed = ", ".join(each.column.name for each in sharing)
    height = {"arguments": {"height": released.height}}
    entry: dict[str, object] = {
        "name": released.name,
        "description": f"The hierarchy of {listed}: raw values, and their labels level by level.",
        "data_tests": [
            *covers,
            "kanon.one_entry",
            {"kanon.one_root": height},
            {"kanon.nested_levels": height},
        ],
    }
    if not released.by_text:
        entry["config"] = {"materialized": "table", "grants": READERS}
        return properties(request, "models", entry)
    names = ("value", *(f"level_{n}" for n in range(1, released.height + 1)))
    entry["config"] = {"column_types": dict.fromkeys(names, TEXT), "grants": READERS}
    return properties(request, "seeds", entry)


def private_properties(
    request: ReleaseRequest,
    kind: str,
    name: str,
    description: str,
    types: Mapping[str, object] | None = None,
) -> str:
    """Write the properties of a private model or seed without tests: its readers and its types."""
    config: dict[str, object] = {"materialized": "view"}
    if types is not None:
        config = {"column_types": dict(types)}
    entry = {"name": name, "description": description, "config": {**config, "grants": READERS}}
    return properties(request, kind, entry)


def intervals_properties(request: ReleaseRequest, released: ReleasedColumn) -> str:
    """Write the properties of the model of a column's intervals: its readers, and tests that each value lies in one."""
    name = released.column.name
    arguments = {"source": request.relation.reference, "column": name, "by_text": False}
    covers = {"arguments": arguments, "config": {"severity": request.without_entry}}
    entry: dict[str, object] = {
        "name": released.intervals,
        "description": f"The values of {name}, and the intervals or nodes that they are released as.",
        "data_tests": [{"kanon.covers": covers}, "kanon.one_entry"],
        "config": {"materialized": "table", "grants": READERS},
    }
    return properties(request, "models", entry)


def regions_properties(
    request: ReleaseRequest, name: str, columns: Sequence[ReleasedColumn]
) -> str:
    """Write the properties of the model of regions: its readers, and tests that each row lies in one.

    A row in no region is a warning, unless the project wants an error, as is a value without an entry in its hierarchy.
    """
    assigned = [each for each in columns if each.becomes == "region"]
    covers = {
        "arguments": {
            "source": request.relation.reference,
            "columns": {each.value: each.column.name for each in assigned},
            "texts": [each.column.name for each in assigned if each.as_text],
        },
        "config": {"severity": request.without_entry},
    }
    listed = ", ".join(each.column.name for each in assigned)
    entry: dict[str, object] = {
        "name": name,
        "description": f"The combinations of {listed} that lie in regions: raw values, and what they are released as.",
        "data_tests": [
            {"kanon.in_regions": covers},
            {"kanon.one_region": {"arguments": {"columns": [each.value for each in assigned]}}},
        ],
        "config": {"materialized": "table", "grants": READERS},
    }
    return properties(request, "models", entry)


def properties(request: ReleaseRequest, kind: str, entry: Mapping[str, object]) -> str:
    """Write a file of properties."""
    document = {"version": 2, kind: [entry]}
    text = yaml.dump(document, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=100)
    return f"# {_mark(request)}\n{text}"


class _Plain(yaml.SafeDumper):
    """A YAML writer that repeats a list in full, without aliases."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _release_tests(
    request: ReleaseRequest, policy: Policy, columns: Sequence[ReleasedColumn]
) -> list[object]:
    check_counted(policy, Channel.DBT)
    nulls = {} if policy.nulls.value == "category" else {"nulls": policy.nulls.value}
    sensitive_nulls = _sensitive_nulls(policy)
    of_values = dict(nulls)
    if sensitive_nulls is SensitiveNulls.VALUE:
        of_values["sensitive_nulls"] = sensitive_nulls.value
    # A column that is released as NULL distinguishes no entities: rows are counted then.
    shown = {each.column.name for each in columns if each.becomes not in {"nothing", "null"}}
    of_entities = {**({"entity": policy.entity} if policy.entity in shown else {}), **nulls}
    tests: list[object] = []
    for demand in demands(policy.privacy):
        over = [n for c in _of(policy, demand.columns) for n in c.released_as]
        for each in demand.requirements:
            counts_entities = each.measure.sensitive is None
            if counts_entities and not each.binding:
                continue
            arguments = {
                "columns": over,
                **each.measure.audit_arguments(each.bound),
                **(of_entities if counts_entities else of_values),
            }
            tests.append({f"kanon.{each.measure.audit}": {"arguments": arguments}})
    allowed = policy.suppression
    most: object = allowed.rows
    if allowed.share is not None:
        most = allowed.percent()
    suppression = {"source": request.relation.reference, "at_most": most}
    if request.loaded_at is None:  # an incremental release has still to release withheld rows
        tests.append({"kanon.suppression": {"arguments": suppression}})
    tests += [
        {"kanon.no_repeats": {"arguments": {"column": each.column.name}}}
        for each in columns
        if each.apart
    ]
    tests.append({"kanon.classified": {"arguments": {"columns": _names(columns)}}})
    return tests


def people_test(request: ReleaseRequest, made_by: str) -> str:
    """Write the test that every class of the release holds k people of its source, whose key it does not show.

    It names its plan by a hash: dbt parses a file again only if its text changes, and another plan may read other models.
    """
    asked = f"kanon.k_people(ref('{request.release}'), {request.relation.reference}, '{request.release}')"
    return made(request, f"{{# plan {made_by[:12]} #}}\n{{{{ {asked} }}}}\n")


def counts_hidden_people(
    request: ReleaseRequest, policy: Policy, columns: Sequence[ReleasedColumn]
) -> bool:
    """Whether a test must join the release with its source to count people, as the release does not show them."""
    shown = {each.column.name for each in columns if each.becomes not in {"nothing", "null"}}
    simple = not any(each.at_nodes or each.becomes == "pseudonym" for each in columns)
    return (
        policy.entity is not None
        and policy.entity not in shown
        and simple
        and request.loaded_at is None
    )


def _names(columns: Sequence[ReleasedColumn]) -> list[str]:
    """Name the columns of the release."""
    return [n for each in columns if each.becomes != "nothing" for n in each.column.released_as]
