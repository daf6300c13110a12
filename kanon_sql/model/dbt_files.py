"""The files that a plan becomes in a dbt project, as texts: macro, model, properties, test, seeds."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from kanon_sql.errors import Fault, InputError
from kanon_sql.model.hierarchy import (
    DateHierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    SuppressHierarchy,
)
from kanon_sql.model.policy import Action, Output, Role
from kanon_sql.model.privacy import demands
from kanon_sql.model.recoding import FullDomain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.model.dbt_project import Asked
    from kanon_sql.model.hierarchy import HierarchySpec
    from kanon_sql.model.plan import Plan
    from kanon_sql.model.policy import Column, Policy

MARK = "made by kanon-sql"
"""What every file begins with, in a comment, that may be replaced when the plan is made again."""

BY_RULE = (MaskHierarchy, IntervalHierarchy, DateHierarchy, SuppressHierarchy)
TEXT = "{{ 'string' if target.type in ('bigquery', 'databricks', 'spark') else 'varchar' }}"
"""The type of texts as a seed's properties may say it: macros are not known there."""

LONGEST_NAME = 63
"""Bytes of a name on PostgreSQL."""


@dataclass(frozen=True, slots=True)
class Laid:
    """One column of the source in the release: what it becomes, and by which relation.

    `reference` names the hierarchy's model or seed, or is None where none is joined.
    """

    column: Column
    becomes: str
    level: int = 0
    height: int = 0
    reference: str | None = None
    alias: str = ""
    seeded: bool = False

    def document(self) -> dict[str, object]:
        """Give it as the macros read it."""
        told: dict[str, object] = {"name": self.column.name, "becomes": self.becomes}
        if self.becomes != "nothing":
            told["released"] = list(self.column.released_as)
        if self.column.role is Role.QUASI:
            told["quasi"] = True
        if self.becomes == "label":
            told["label"] = root_of(self.column.hierarchy)
        if self.reference is not None:
            told |= {
                "level": self.level,
                "height": self.height,
                "hierarchy": self.reference,
                "alias": self.alias,
                "by_text": not isinstance(self.column.hierarchy, BY_RULE),
                "seeded": self.seeded,
            }
        return told


def lay_out(asked: Asked, policy: Policy, plan: Plan) -> list[Laid]:
    """Say what every column becomes, in the policy's order. Raises InputError for what dbt cannot do."""
    faults = list(_faults(asked, policy, plan))
    if faults:
        raise InputError(asked.relation.name, faults)
    names, aliases = _Names(f"kanon_{asked.release}_"), _Names("")
    laid = []
    for column in policy.columns:
        match column.role:
            case Role.QUASI:
                at = {"level": plan.levels[column.name], "height": plan.heights[column.name]}
                laid.append(_quasi(asked, column, **at, names=names, aliases=aliases))
            case Role.IDENTIFYING:
                becomes = "null" if column.action is Action.NULL else "nothing"
                laid.append(Laid(column, becomes))
            case _:
                laid.append(Laid(column, "value"))
    return laid


def _quasi(
    asked: Asked, column: Column, *, level: int, height: int, names: _Names, aliases: _Names
) -> Laid:
    bounds = column.output is Output.BOUNDS
    if level == 0:
        return Laid(column, "value twice" if bounds else "value")
    if level == height and (bounds or isinstance(column.hierarchy, BY_RULE)):
        return Laid(column, "null" if bounds else "label")
    given = asked.given.get(column.name)
    own = f"ref('{names.of(column.name)}')" if given is None else given.reference
    alias = f"{aliases.of(column.name)}_labels"
    seeded = given is None and not isinstance(column.hierarchy, BY_RULE)
    return Laid(column, "bounds" if bounds else "labels", level, height, own, alias, seeded)


def root_of(spec: HierarchySpec | None) -> str:
    """Give the label that a hierarchy by rule ends in."""
    return spec.character * spec.length if isinstance(spec, MaskHierarchy) else "*"


class _Names:
    """Names in lower case, of letters, digits and underscores, each once."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._taken: set[str] = set()

    def of(self, column: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_") or "column"
        name = f"{self._start}{plain}"[: LONGEST_NAME - 10]
        if not name[0].isalpha():
            name = f"c_{name}"
        if name in self._taken:
            name = f"{name}_{hashlib.md5(column.encode()).hexdigest()[:8]}"  # noqa: S324  no secret
        self._taken.add(name)
        return name


def _faults(asked: Asked, policy: Policy, plan: Plan) -> Iterable[Fault]:
    if not isinstance(plan.recoding, FullDomain):
        what = f"releases {plan.recoding}; a dbt model releases rows at one node: say full_domain"
        yield Fault("search", what)
    if asked.loaded_at is not None and len([d for d in demands(policy.privacy) if d.binding]) > 1:
        what = "does not go with several sets of quasi-identifiers; leave out over:, or this"
        yield Fault("loaded_at", what)
    for column in policy.columns:
        where = f"columns.{column.name}"
        if re.search(r"\{[{%#]|[%#}]\}", column.name):
            yield Fault(where, "has a name that dbt would read as its own language")
        if column.name.lower().startswith("kanon_"):
            yield Fault(where, "has a name that begins as those that the macros give")
        if isinstance(column.hierarchy, MaskHierarchy) and column.hierarchy.character in "{}%#":
            what = "masks by a character that dbt would read as its own language"
            yield Fault(f"{where}.hierarchy", what)
        if column.role is Role.IDENTIFYING and column.action is Action.HASH:
            what = "would have its key in compiled SQL; drop it, or hash it before dbt reads it"
            yield Fault(f"{where}.action", what)


def plan_macro(asked: Asked, policy: Policy, plan: Plan, laid: Sequence[Laid]) -> str:
    """Write the macro that returns the plan."""
    released = [
        name for each in laid if each.becomes != "nothing" for name in each.column.released_as
    ]
    told: dict[str, object] = {
        "hash": hash_of(plan),
        "promise": promise(policy),
        **({} if policy.entity is None else {"entity": policy.entity}),
        "nulls": policy.nulls.value,
        "passes": max(plan.recoding.passes if isinstance(plan.recoding, FullDomain) else 1, 1),
        "models": [
            {
                "over": [n for c in _of(policy, demand.columns) for n in c.released_as],
                "k": demand.class_size,
                "distinct_l": demand.diversities,
            }
            for demand in demands(policy.privacy)
            if demand.binding
        ],
        "released": released,
        "columns": [each.document() for each in laid],
    }
    text = _jinja(told)
    name = f"kanon_plan__{asked.release}"
    return (
        f"{{# {_mark(asked)} #}}\n"
        f"{{% macro {name}() %}}\n{{{{ return({text}) }}}}\n{{% endmacro %}}\n"
    )


def hash_of(plan: Plan) -> str:
    """Hash the plan file."""
    return hashlib.sha256(plan.to_yaml().encode()).hexdigest()


def promise(policy: Policy) -> str:
    """Say what the privacy models promise, and of whom."""
    names = ", ".join(column.name for column in policy.quasi)
    of = "" if policy.entity is None else f", counted by {policy.entity}"
    asked = [
        str(model) if " over " in str(model) else f"{model} over {names}"
        for model in policy.privacy
    ]
    return " ".join(f"{'; '.join(asked)}{of}".split())


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


def _mark(asked: Asked) -> str:
    return f"{mark_of(asked.release)}: make it again, and do not edit it"


def mark_of(release: str) -> str:
    """Say in a file's first line which plan it was made from."""
    return f"{MARK} plan --dbt, from kanon/{release}.plan.yml"


def release_model(asked: Asked) -> str:
    """Write the model of the release; it is the user's own from then on."""
    options, more = "materialized='table'", ""
    if asked.loaded_at is not None:
        options = "materialized='incremental', incremental_strategy='append', full_refresh=false"
        more = f", loaded_at={_text(asked.loaded_at)}"
    return (
        f"{{{{ config({options}) }}}}\n\n"
        f"{{{{ kanon.anonymize({asked.relation.reference}, plan='{asked.release}'{more}) }}}}\n"
    )


def held_back_model(asked: Asked) -> str:
    """Write the model that counts what an incremental release holds back."""
    return (
        f"{{# {_mark(asked)} #}}\n"
        f"{{{{ kanon.held_back({asked.relation.reference}, ref('{asked.release}')) }}}}\n"
    )


def _text(value: str) -> str:
    """Write a text as a literal of Jinja."""
    return json.dumps(value, ensure_ascii=False)


def source_test(asked: Asked, policy: Policy) -> str:
    """Write the test that the source has no other columns than those that were classified."""
    names = _jinja([column.name for column in policy.columns])
    return (
        f"{{# {_mark(asked)} #}}\n{{{{ kanon.classified({asked.relation.reference}, {names}) }}}}\n"
    )


def rule_model(asked: Asked, column: str, texts: Mapping[tuple[str, ...], str]) -> str:
    """Write the model of a hierarchy by rule: its query in each dialect, by the types of targets."""
    told = " ".join(column.split())
    parts = [
        f"{{# {_mark(asked)} #}}",
        "",
        f"-- the values of {told}, and their labels level by level",
    ]
    word = "if"
    for types, text in texts.items():
        listed = ", ".join(f"'{each}'" for each in types)
        parts += [f"{{% {word} target.type in ({listed},) %}}", text]
        word = "elif"
    what = "a hierarchy by rule is not written for this target; make it a model, and say hierarchy: {ref: MODEL}: "
    parts += [
        "{% else %}",
        f'{{{{ exceptions.raise_compiler_error("{what}" ~ target.type) }}}}',
        "{% endif %}",
        "",
    ]
    return "\n".join(parts)


def seed_file(height: int, rows: Iterable[Sequence[object]]) -> str | None:
    """Write a hierarchy as a seed; None where dbt would read one of its texts as NULL.

    It does so of empty texts and of null; and its Spark session writes NULL as the text None.
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


def release_properties(asked: Asked, policy: Policy, plan: Plan, laid: Sequence[Laid]) -> str:
    """Write the properties of the release: what it promises, its columns, and every test of it.

    The hash of the plan is among them, so that dbt's partial parsing and state:modified see that the
    model is another when the plan is.
    """
    promised = promise(policy)
    own = {
        "name": asked.release,
        "description": f"{promised}. Released by the plan kanon/{asked.release}.plan.yml.",
        "config": {"meta": {"kanon_plan": hash_of(plan)}},
        "columns": [
            {"name": name, "quote": True}
            for each in laid
            if each.becomes != "nothing"
            for name in each.column.released_as
        ],
        "data_tests": _release_tests(asked, policy, laid),
    }
    return _properties(asked, "models", own)


def hierarchy_properties(asked: Asked, laid: Laid) -> str:
    """Write the properties of a hierarchy: its tests, and the types of a seed's columns.

    Each has a file of its own: where several share one, dbt's partial parsing finds their tests twice
    when one comes to them.
    """
    by_text = not isinstance(laid.column.hierarchy, BY_RULE)
    covers = {
        "source": asked.relation.reference,
        "column": laid.column.name,
        "by_text": by_text,
    }
    height = {"arguments": {"height": laid.height}}
    own: dict[str, object] = {
        "name": own_name(laid),
        "description": f"The hierarchy of {laid.column.name}: its values, and their labels level by level.",
        "data_tests": [
            {"kanon.covers": {"arguments": covers}},
            "kanon.one_entry",
            {"kanon.one_root": height},
            {"kanon.nested_levels": height},
        ],
    }
    if not by_text:
        return _properties(asked, "models", own)
    names = ("value", *(f"level_{n}" for n in range(1, laid.height + 1)))
    own["config"] = {"column_types": dict.fromkeys(names, TEXT)}
    return _properties(asked, "seeds", own)


def _properties(asked: Asked, kind: str, own: Mapping[str, object]) -> str:
    told = {"version": 2, kind: [own]}
    text = yaml.dump(told, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=100)
    return f"# {_mark(asked)}\n{text}"


class _Plain(yaml.SafeDumper):
    """Writes a list again where it stands again."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def own_name(laid: Laid) -> str | None:
    """Name the model or seed that a hierarchy of ours is."""
    return None if laid.reference is None else laid.reference.split("'")[1]


def _release_tests(asked_: Asked, policy: Policy, laid: Sequence[Laid]) -> list[object]:
    released = [n for each in laid if each.becomes != "nothing" for n in each.column.released_as]
    nulls = {} if policy.nulls.value == "category" else {"nulls": policy.nulls.value}
    entity = (
        {} if policy.entity is None or policy.entity not in released else {"entity": policy.entity}
    )
    tests: list[object] = []
    for demand in demands(policy.privacy):
        columns = [n for c in _of(policy, demand.columns) for n in c.released_as]
        if demand.class_size > 1:
            asked = {"columns": columns, "k": demand.class_size, **entity, **nulls}
            tests.append({"kanon.k_anonymity": {"arguments": asked}})
        for sensitive, least in demand.diversities.items():
            asked = {"columns": columns, "sensitive": sensitive, "l": least, **nulls}
            tests.append({"kanon.l_diversity": {"arguments": asked}})
    allowed = policy.suppression
    most: object = allowed.rows
    if allowed.share is not None:
        most = f"{float(allowed.share * 100):g}%"
    suppression = {"source": asked_.relation.reference, "at_most": most}
    if asked_.loaded_at is None:  # what an incremental release holds back is still to come
        tests.append({"kanon.suppression": {"arguments": suppression}})
    tests.append({"kanon.classified": {"arguments": {"columns": released}}})
    return tests
