"""The schema for editors: each key has words and an example that is valid, and nothing else differs from the plain one."""

from __future__ import annotations

import copy
import json

import jsonschema
import pages
import pytest
import yaml
from hospitals import DIAGNOSES, PATIENTS, STAFF, VISITS, policy

from kanon_sql.apps.schema.read_schema import read_schema_policy, schema_of_policies
from kanon_sql.apps.schema.schema_policy import CHOICES
from kanon_sql.base.sql.templates import template_root
from kanon_sql.errors import PolicyError
from kanon_sql.policy.read_policy import DRAFT, editor_schema, policy_schema

WORDS = "templates/schema/policy_keys.yml"


def properties(schema, parent=""):
    """Every key with its parent and its own schema."""
    if isinstance(schema, list):
        for each in schema:
            yield from properties(each, parent)
    if isinstance(schema, dict):
        for name, below in schema.get("properties", {}).items():
            yield parent, name, below
            yield from properties(below, name)
        for key, below in schema.items():
            if key not in {"properties", "examples"}:
                yield from properties(below, parent)


def has_values(schema):
    """Whether a schema lists its values, so that an editor completes them."""
    return "const" in schema or any("enum" in each or "const" in each for each in _all(schema))


def _all(schema):
    yield schema
    for each in schema.get("anyOf", []):
        yield from _all(each)
    if isinstance(schema.get("items"), dict):
        yield from _all(schema["items"])


def test_each_key_has_words_and_values_or_examples():
    lacking = {
        f"{parent}.{name}"
        for parent, name, schema in properties(editor_schema())
        if not schema.get("description", "").strip()
        or not (has_values(schema) or schema.get("examples"))
    }
    assert lacking == set(), f"describe each in {WORDS}"


def test_no_words_are_of_a_key_that_is_not_there():
    words = yaml.safe_load((template_root() / "schema" / "policy_keys.yml").read_text("utf-8"))
    there = {
        each
        for schema, top in ((policy_schema(), ""), (schema_of_policies()["then"], "schema"))
        for parent, name, _ in properties(schema, top)
        for each in (name, f"{parent}.{name}")
    }
    assert set(words) - there == set()
    assert all(each[0].endswith(".") for each in words.values())


def test_each_example_is_valid_where_its_key_stands():
    seen, valid = set(), set()
    for parent, name, schema in properties(editor_schema()):
        for each in schema.get("examples", []):
            shown = (f"{parent}.{name}", json.dumps(each))
            seen.add(shown)
            if jsonschema.Draft7Validator(schema).is_valid(each):
                valid.add(shown)
    assert seen - valid == set()
    assert len(seen) > 100


def test_it_is_a_schema_of_its_draft():
    schema = editor_schema()
    assert schema["$schema"] == DRAFT
    jsonschema.Draft7Validator.check_schema(schema)


def keywords(schema):
    if isinstance(schema, list):
        return {word for each in schema for word in keywords(each)}
    if not isinstance(schema, dict):
        return set()
    inner = {word for each in schema.get("properties", {}).values() for word in keywords(each)}
    others = (
        each
        for key, each in schema.items()
        if key not in {"properties", "examples", "enum", "const"}
    )
    return {*schema} | inner | {word for each in others for word in keywords(each)}


def without_words(schema):
    if isinstance(schema, list):
        return [without_words(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        key: without_words(each)
        for key, each in schema.items()
        if key not in {"description", "examples"}
    }
    if "properties" in schema:
        found["properties"] = {
            name: without_words(each) for name, each in schema["properties"].items()
        }
    return found


def test_it_says_what_the_plain_schema_says_in_words_of_its_draft():
    plain, words = without_words(policy_schema()), without_words(editor_schema())
    assert {**words, "$schema": ""} == {**plain, "$schema": ""}
    known = {
        *jsonschema.Draft7Validator.VALIDATORS,
        "$schema",
        "title",
        "description",
        "examples",
        "default",
        "deprecated",  # of a later draft, and shown by editors; others ignore it
    }
    assert keywords(editor_schema()) - known == set()


def test_it_changes_nothing_of_the_plain_schema():
    before = json.dumps(policy_schema())
    editor_schema()
    assert json.dumps(policy_schema()) == before


SCHEMA = schema_of_policies()
CHECK = jsonschema.Draft7Validator(SCHEMA)
DAY = {"role": "quasi", "hierarchy": {"intervals": [100]}}
EVENTS = {"of": "patient", "protect": "events", "known": 2, "columns": {"day": DAY}}


def test_it_is_of_its_draft_and_takes_one_table_as_before():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert keywords(SCHEMA) - keywords(editor_schema()) <= {
        "if",
        "then",
        "else",
        "const",
        "minProperties",
    }
    one = {
        "version": 1,
        "source": "a.csv",
        "entity": "row",
        "privacy": {"k": 2},
        "columns": {"a": DAY},
    }
    assert CHECK.is_valid(one)
    assert not CHECK.is_valid({**one, "tables": {}})
    assert not CHECK.is_valid({**one, "version": 3})


def test_policies_of_schemas_follow_it():
    written = [
        yaml.safe_load(block.text)
        for page in pages.names()
        for block in pages.blocks_of(page)
        if block.kind == "yaml" and "version: 2" in block.text
    ]
    assert written
    subset = {PATIENTS: {"where": "born > 1950", "limit": "20%"}, STAFF: "id < 3"}
    for each in (*written, policy(subset=subset), policy(tables={VISITS: EVENTS})):
        CHECK.validate(json.loads(json.dumps(each)))


@pytest.mark.parametrize(
    ("table", "entry"),
    [
        (VISITS, {**EVENTS, "known": 4}),
        (VISITS, {**EVENTS, "protect": "none of these"}),
        (VISITS, {**EVENTS, "columns": {"day": {"role": "quasy"}}}),
        (VISITS, {"of": "patient", "protect": "summary", "into": {"n": {"count": True, "top": 0}}}),
        (DIAGNOSES, {**policy()["tables"][DIAGNOSES], "privacy": {"k": 0}}),
        (STAFF, {"copy": False}),
        (STAFF, {"coppy": True}),
    ],
)
def test_it_refuses_what_the_reader_refuses(table, entry):
    given = policy(tables={table: entry})
    assert not CHECK.is_valid(json.loads(json.dumps(given)))
    with pytest.raises(PolicyError):
        read_schema_policy(copy.deepcopy(given))


def test_it_offers_the_protections_that_can_be_chosen():
    shown = SCHEMA["then"]["properties"]["tables"]["additionalProperties"]["properties"]
    assert shown["protect"]["enum"] == [each.key for each in CHOICES]


def test_each_key_of_a_schema_has_words_and_valid_examples():
    found = list(properties(SCHEMA["then"], "schema"))
    lacking = {
        f"{parent}.{name}"
        for parent, name, schema in found
        if not schema.get("description") or not (has_values(schema) or schema.get("examples"))
    }
    assert lacking == set()
    own = {"schema", "keys", "tables", "into", "subset", "release"}
    wrong = {
        f"{parent}.{name}": each
        for parent, name, schema in found
        for each in schema.get("examples", ())
        if parent in own and not jsonschema.Draft7Validator(schema).is_valid(each)
    }
    assert wrong == {}
