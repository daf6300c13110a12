"""The policy's shape as a JSON Schema (2020-12), for editors that complete and check YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.documents.lines import MOST
from kanon_sql.hierarchies.order import CALENDAR, OrderKind
from kanon_sql.hierarchies.specs import LONGEST_MASK, DateUnit
from kanon_sql.metrics.column_metrics import Aggregate
from kanon_sql.metrics.registry import NAMES
from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.policy.model import (
    Action,
    Algorithm,
    Among,
    At,
    Choose,
    Compression,
    Dealing,
    Linkable,
    Minimize,
    Nulls,
    Output,
    Per,
    Preference,
    Recode,
    Repair,
    Role,
    Variant,
)
from kanon_sql.privacy.declared_models import MODELS
from kanon_sql.privacy.privacy_model import ParameterKind, SensitiveNulls

if TYPE_CHECKING:
    from enum import StrEnum

    from kanon_sql.privacy.privacy_model import DeclaredModel

TEXT = {"type": "string", "minLength": 1}
CHARACTER = {"type": "string", "minLength": 1, "maxLength": 1}
COUNT = {"type": "integer", "minimum": 1, "maximum": MOST}
MASK = {**COUNT, "maximum": LONGEST_MASK}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}


def _of(choices: type[StrEnum]) -> dict[str, object]:
    return {"enum": [member.value for member in choices]}


def _object(required: list[str], **properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _list_or_one(item: dict[str, object]) -> dict[str, object]:
    return {"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]}


def _model(model: type[DeclaredModel]) -> dict[str, object]:
    """Give the schema of a privacy model by the keys that it declares."""
    own = {each.name: _parameter(each.kind) for each in model.parameters}
    if len(own) == 1:
        return next(iter(own.values()))
    return _object([each.name for each in model.parameters if not each.optional], **own)


def _parameter(kind: ParameterKind | tuple[str, ...]) -> dict[str, object]:
    match kind:
        case ParameterKind.WHOLE:
            return COUNT
        case ParameterKind.FRACTION:
            return {"type": "number", "minimum": 0, "maximum": 1}
        case ParameterKind.SENSITIVE:
            return TEXT
        case tuple():
            return {"enum": [*kind]}
        case _:
            assert_never(kind)


def _hierarchy() -> dict[str, object]:
    ragged = {"enum": ["repeat"]}
    mask = _object(
        ["length"],
        length=MASK,
        steps=_list_or_one(COUNT),
        character=CHARACTER,
    )
    intervals = _object(
        ["widths"],
        widths=_list_or_one(POSITIVE),
        offset={"type": "number"},
        bottom={"type": "number"},
        top={"type": "number"},
    )
    return {
        "anyOf": [
            {"enum": ["suppress"]},
            _object(["csv"], csv=TEXT, delimiter=CHARACTER, ragged=ragged),
            _object(["table"], table=TEXT, ragged=ragged),
            _object(["query"], query=TEXT, ragged=ragged),
            _object(
                ["tree"],
                tree={"type": "object", "minProperties": 1, "maxProperties": 1},
                ragged=ragged,
            ),
            _object(["mask"], mask={"anyOf": [MASK, mask]}),
            _object(["intervals"], intervals={"anyOf": [_list_or_one(POSITIVE), intervals]}),
            _object(["dates"], dates=_list_or_one(_of(DateUnit))),
            _object(["suppress"], suppress={"const": True}),
        ]
    }


def _column() -> dict[str, object]:
    return {
        "anyOf": [
            {
                **_object(
                    ["role"],
                    role={"const": Role.QUASI.value},
                    hierarchy=_hierarchy(),
                    order={
                        "anyOf": [
                            {"enum": [each for each in OrderKind if each is not OrderKind.LIST]},
                            {"type": "array", "items": TEXT, "minItems": 1},
                        ]
                    },
                    snap={"anyOf": [{"enum": list(CALENDAR)}, POSITIVE]},
                    output=_of(Output),
                ),
                "anyOf": [{"required": ["hierarchy"]}, {"required": ["order"]}],
            },
            _object(
                ["role", "action"],
                role={"const": Role.IDENTIFYING.value},
                action={"enum": [*(member.value for member in Action), None]},
                key_env=TEXT,
                linkable=_of(Linkable),
            ),
            _object(["role"], role={"enum": [Role.SENSITIVE.value, Role.INSENSITIVE.value]}),
        ]
    }


def policy_schema() -> dict[str, object]:
    """Give the schema; what it accepts the reader accepts, but for what only the reader can know."""
    models: dict[str, object] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **{model.key: _model(model) for model in MODELS},
            "over": _list_or_one(dict(TEXT)),
        },
        "anyOf": [{"required": [model.key]} for model in MODELS],
    }
    source = {
        "anyOf": [
            TEXT,
            _object(
                ["path"],
                path=TEXT,
                delimiter=CHARACTER,
                union_by_name={"type": "boolean"},
                skip={**COUNT, "minimum": 0},
                where=TEXT,
            ),
            _object(["table"], table=TEXT, where=TEXT),
            _object(["query"], query=TEXT),
        ]
    }
    yes = {"const": True}
    accept = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
    release = {
        "anyOf": [
            TEXT,
            _object(["table"], table=TEXT, view={"type": "boolean"}),
            _object(
                ["parquet"],
                parquet=TEXT,
                partition_by=_list_or_one(dict(TEXT)),
                compression=_of(Compression),
                row_group_rows=COUNT,
            ),
            _object(["csv"], csv=TEXT),
            _object(
                ["in_place", "keep_original"],
                in_place=yes,
                keep_original=TEXT,
                accept=accept,
            ),
            _object(
                ["in_place", "drop_original"],
                in_place=yes,
                drop_original=yes,
                accept=accept,
            ),
        ]
    }
    search = _object(
        [],
        algorithm=_of(Algorithm),
        metric={"enum": list(NAMES)},
        aggregate=_of(Aggregate),
        suppressed={"enum": ["counted", "ignored"]},
        preference=_of(Preference),
        among=_of(Among),
        variant=_of(Variant),
        order=_list_or_one(TEXT),
        per=_of(Per),
        sets={
            **_object(
                [], identifying=_list_or_one(TEXT), more=_list_or_one(TEXT), most=_list_or_one(TEXT)
            ),
            "anyOf": [{"required": ["more"]}, {"required": ["most"]}],
        },
        generalize={
            "type": "object",
            "additionalProperties": {**COUNT, "minimum": 0},
        },
        repair=_of(Repair),
        choose=_of(Choose),
        at=_of(At),
        cuts=_of(Dealing),
        target=TEXT,
        minimize=_of(Minimize),
        score=_of(Score),
        average=_of(Average),
        weights={"type": "object", "additionalProperties": {**POSITIVE, "exclusiveMaximum": 10**6}},
        recoding=_of(Recode),
        layers={**COUNT, "minimum": 2},
        time_limit={
            "anyOf": [POSITIVE, {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)?\s*$"}]
        },
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kanon-sql policy",
        **_object(
            ["version", "source", "entity", "columns", "privacy"],
            version={"const": 1},
            source=source,
            database=TEXT,
            attach={"type": "object", "additionalProperties": TEXT},
            entity={**TEXT, "description": "row, or the column that identifies a person"},
            columns={"type": "object", "minProperties": 1, "additionalProperties": _column()},
            privacy=_list_or_one(models),
            suppression={
                "anyOf": [
                    {**COUNT, "minimum": 0},
                    {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*%?\s*$"},
                ]
            },
            nulls=_of(Nulls),
            sensitive_nulls=_of(SensitiveNulls),
            search=search,
            release=release,
        ),
    }
