"""The policy of a schema: what is read, and every fault at once with its line."""

from __future__ import annotations

import json

import pytest
from hospitals import BILLS, DIAGNOSES, PATIENTS, STAFF, VISITS, policy

from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.schema_policy import CHOICES, protection_of
from kanon_sql.errors import PolicyError
from kanon_sql.policy.read_policy import is_schema_policy, read_policy


def faults_of(text, tmp_path):
    path = tmp_path / "schema.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError) as refused:
        read_schema_policy(path)
    return [str(each) for each in refused.value.faults]


def test_ways_to_people_follow_the_keys():
    read = read_schema_policy(policy())
    assert [str(step) for step in read.tables[DIAGNOSES].path] == [
        f"{DIAGNOSES}.visit -> {VISITS}.id",
        f"{VISITS}.pa.tient -> {PATIENTS}.id",
    ]
    assert [len(read.tables[each].path) for each in (PATIENTS, VISITS, BILLS, STAFF)] == [
        0,
        1,
        1,
        0,
    ]


def test_keys_of_people_are_pseudonyms_and_a_cut_table_has_none():
    read = read_schema_policy(policy())
    actions = {
        (name, each.name): str(each.action)
        for name, table in read.tables.items()
        for each in table.policy.columns
        if str(each.role) == "identifying"
    }
    assert actions[PATIENTS, "id"] == actions[VISITS, "doctor"] == actions[STAFF, "head"] == "hash"
    assert actions[DIAGNOSES, "visit"] == "drop"


def test_columns_of_people_are_made_of_folded_tables():
    read = read_schema_policy(policy())
    folded = {each.name: each for each in read.tables[PATIENTS].policy.quasi}
    assert folded.keys() == {"select", "born", "bills", "years"}
    assert str(folded["bills"].hierarchy.key) == "suppress"


def test_all_faults_are_listed_with_their_lines(tmp_path):
    text = """version: 2
keys:
  p: {key_env: K, columns: [a.id, b.a, zz.x]}
tables:
  a: {entity: p, columns: {x: {role: quasi}}, privacy: {k: 2}}
  b: {of: p, protect: events, columns: {}}
  c: {of: q, protect: none}
  d: {}
  e: {copy: true, protect: none}
subset: {q: x > 1}
foo: 1
"""
    found = faults_of(text, tmp_path)
    assert (
        "line 3: keys.p.columns[2]: must be TABLE.COLUMN, with a table that is listed under tables"
        in found
    )
    assert (
        "line 5: tables.a.columns.x: is a quasi-identifier without a hierarchy; the simplest is hierarchy: suppress"
        in found
    )
    assert (
        "line 6: tables.b: has no known: say how many events of a person somebody may know" in found
    )
    assert "line 7: tables.c.of: is the name of no key under keys" in found
    assert any(each.startswith("line 8: tables.d: says nothing of people") for each in found)
    assert (
        "line 9: tables.e.copy: releases rows as they are: leave one of copy and protect out"
        in found
    )
    assert any(each.startswith("line 11: foo: unknown key") for each in found)


@pytest.mark.parametrize(
    ("name", "entry", "says"),
    [
        (VISITS, {"of": "patient", "protect": "none", "columns": {"ward": {"role": "quasi", "hierarchy": "suppress"}}}, "counts no classes"),
        (VISITS, {"of": "patient", "protect": "none", "columns": {"id": {"role": "insensitive"}}}, "belongs to keys.visit"),
        (VISITS, {"of": "patient", "protect": "none", "columns": {}, "privacy": {"k": 3}}, "goes with a table that is counted"),
        (VISITS, {"of": "patient", "protect": "summary"}, "has no into"),
        (BILLS, {"of": "patient", "protect": "summary", "into": {"n": {"count": True, "top": 0}}}, "must be"),
        (BILLS, {"of": "patient", "protect": "none", "columns": {}, "into": {"n": {"count": True}}}, "goes with protect: summary"),
        (BILLS, {"of": "staff", "protect": "none", "columns": {}}, "no table has entity: staff"),
        (BILLS, {"protect": "none", "columns": {}}, "goes with of: KEY"),
        (DIAGNOSES, {"of": "patient", "protect": "signature", "columns": {}}, "has no column of role quasi"),
        (STAFF, {"copy": True, "of": "patient"}, "these are of people"),
        (PATIENTS, {"entity": "visit", "columns": {"born": {"role": "quasi", "hierarchy": "suppress"}}, "privacy": {"k": 2}}, "list the column of this table first"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_released_is_refused(name, entry, says):
    with pytest.raises(PolicyError, match=says):
        read_schema_policy(policy(tables={name: entry}))


def test_a_joined_table_cannot_hang_on_a_table_without_keys():
    cut = policy()["tables"][DIAGNOSES] | {
        "columns": {
            "day": {"role": "quasi", "hierarchy": "suppress"},
            "ward": {"role": "sensitive"},
        }
    }
    none = {"of": "patient", "protect": "none", "columns": {}}
    with pytest.raises(PolicyError, match="is joined to people by visits, which is protect: cut"):
        read_schema_policy(policy(tables={VISITS: cut, DIAGNOSES: none}))


def test_a_table_without_a_way_to_its_people_is_refused():
    changed = policy(tables={"lone": {"of": "patient", "protect": "none", "columns": {}}})
    with pytest.raises(PolicyError, match="has no way to the people of patient"):
        read_schema_policy(changed)


def test_limits_are_of_people():
    with pytest.raises(PolicyError, match="is for a table of people"):
        read_schema_policy(policy(subset={VISITS: {"limit": "5%"}}))
    with pytest.raises(PolicyError, match="must be a share such as 5%"):
        read_schema_policy(policy(subset={PATIENTS: {"limit": 7}}))


def test_the_hash_follows_what_decides_the_rows():
    first = read_schema_policy(policy()).digest
    assert first == read_schema_policy(policy(release={"schema": "elsewhere"})).digest
    assert first != read_schema_policy(policy(subset={PATIENTS: "born > 1950"})).digest
    assert (
        first
        != read_schema_policy(
            policy(tables={BILLS: {"of": "patient", "protect": "none", "columns": {}}})
        ).digest
    )


def test_a_reader_of_one_table_says_who_takes_a_schema(tmp_path):
    path = tmp_path / "schema.yml"
    path.write_text(json.dumps(policy()), encoding="utf-8")
    with pytest.raises(PolicyError, match="is the policy of a schema of tables"):
        read_policy(path)
    assert is_schema_policy(path)
    for text, is_one in (
        ("version: 2  # of a schema\n", True),
        ("version: 1\nsource:\n  version: 2\n", False),
        ('{"version": 1}', False),
    ):
        path.write_text(text, encoding="utf-8")
        assert is_schema_policy(path) is is_one
    assert not is_schema_policy(tmp_path / "missing.yml")


def test_every_protection_says_what_it_promises():
    for each in CHOICES:
        assert protection_of(each.key) is each
        assert each.promise
