"""The JSON Schema of policies for editors: with a description and examples of every key, as SchemaStore takes it."""

from __future__ import annotations

import copy
from typing import Any

import yaml

from kanon_sql.base.sql.templates import template_root
from kanon_sql.policy.read_policy import policy_schema

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The draft that SchemaStore's tests and most editors read; the schema uses nothing of later ones."""


def editor_schema() -> dict[str, object]:
    """Return the schema of `policy_schema` with the words of `templates/schema/policy_keys.yml`."""
    text = (template_root() / "schema" / "policy_keys.yml").read_text(encoding="utf-8")
    schema: dict[str, Any] = {
        **copy.deepcopy(policy_schema()),  # shapes keep parts of it
        "$schema": DRAFT,
        "description": "What kanon-sql protects in a table, and how it is released.",
    }
    _describe(schema, "", yaml.safe_load(text))
    return schema


def _describe(schema: Any, parent: str, words: dict[str, list[object]]) -> None:  # noqa: ANN401  a tree of JSON
    """Add the words of each key, those of the key inside `parent` first, to the schema in place."""
    if isinstance(schema, list):
        for each in schema:
            _describe(each, parent, words)
    if not isinstance(schema, dict):
        return
    for name, below in schema.get("properties", {}).items():
        found = words.get(f"{parent}.{name}", words.get(name))
        if found is not None:
            below["description"] = found[0]
            if found[1:]:
                below["examples"] = found[1:]
        _describe(below, name, words)
    for key, below in schema.items():
        if key != "properties":
            _describe(below, parent, words)
