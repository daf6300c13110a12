"""Every masking action in every channel of a release: masked there, or refused with the action's reason."""

from __future__ import annotations

import duckdb
import masked
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql import InputError, PolicyError
from kanon_sql.policy.masks import ALONE, BY_KEY
from kanon_sql.release import stage

RAW = [f"raw {number} 100{number:03}" for number in range(12)]
STATED = {
    "constant": {"value": "gone"},
    "redact": {},
    "partial": {"last": 1},
    "truncate": {"to": 3},
    "round": {"to": 1000},
    "bucket": {"width": 1000},
    "shift_date": {"by": "who", "days": 9},
    "noise": {"up_to": 500},
    "shuffle": {},
    "format": {"linkable": "accept"},
    "fake": {"kind": "city"},
    "expression": {"sql": '\'-\' || LENGTH("the ""raw""")'},
    "hash": {"linkable": "accept"},
    "null": {},
    "drop": {},
    "items": {"items": " ", "known": 1},
}
NUMBERS, DATES = {"round", "bucket", "noise"}, {"shift_date"}
OF_OTHERS = {"noise", "shuffle", "shift_date"}
"""The actions whose cells may be values of other rows."""
NAME = 'the "raw"'
CHANNELS = {
    "table": stage.TABLE,
    "view": stage.VIEW,
    "script": stage.SCRIPT,
    "snowflake": stage.WAREHOUSE_SCRIPT,
    "sqlmesh": stage.SQLMESH_MODEL,
    "dbt": stage.DBT_MODEL,
    "partitions": stage.ADDED_PARTITIONS,
    "in place": stage.IN_PLACE,
    "new rows": stage.NEW_ROWS,
}


def column(action):
    stated = dict(STATED[action])
    if BY_KEY[action].in_lists:
        return {"role": "quasi", **stated}
    keyed = {"key_env": "KANON_TEST_KEY"} if BY_KEY[action].keyed else {}
    return {"role": "identifying", "action": action, **stated, **keyed}


def values(action):
    if action in NUMBERS:
        return pa.array(range(100_001, 100_013), pa.int64())
    if action in DATES:
        return pa.array(range(15_000, 15_012), pa.int32()).cast(pa.date32())
    return pa.array(RAW)


def policy(action, **more):
    return {
        "version": 1,
        "source": {"table": "people"},
        "entity": "row",
        "privacy": {"k": 2},
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "who": {"role": "identifying", "action": "drop"},
            NAME: column(action),
        },
        "release": "released",
        **more,
    }


@pytest.fixture
def connection(monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", masked.KEY)
    with duckdb.connect() as made:
        yield made


def people(connection, action):
    ages = [20 + number // 6 for number in range(12)]
    table = pa.table({"age": ages, "who": list(range(12)), NAME: values(action)})
    connection.register("given", table)
    connection.execute("CREATE TABLE people AS FROM given")
    return {str(each) for each in table[NAME].to_pylist()}


def shown(connection):
    found = connection.execute("FROM released")
    at = [each[0] for each in found.description]
    return [row[at.index(NAME)] for row in found.fetchall()] if NAME in at else []


def test_every_action_is_stated_here():
    assert STATED.keys() == BY_KEY.keys()


@pytest.mark.parametrize("action", BY_KEY)
def test_a_table_shows_no_value(connection, action):
    raw = people(connection, action)
    kanon_sql.anonymize(policy(action), connection=connection)
    cells = shown(connection)
    assert len(cells) == (0 if BY_KEY[action].is_dropped else 12)
    if action == "shuffle":
        assert {*cells} == raw
    elif action not in OF_OTHERS:
        assert not raw & {*map(str, cells)}


@pytest.mark.parametrize("action", BY_KEY)
def test_a_view_shows_no_value_or_refuses(connection, action):
    raw = people(connection, action)
    release = {"view": True, "table": "released"}
    mask = BY_KEY[action]
    if mask.keyed or mask.no_view:
        with pytest.raises(InputError, match=mask.no_view or "would need the key"):
            kanon_sql.anonymize(policy(action, release=release), connection=connection)
        return
    kanon_sql.anonymize(policy(action, release=release), connection=connection)
    assert not raw & {*map(str, shown(connection))}


@pytest.mark.parametrize("action", BY_KEY)
def test_rows_in_place_show_no_value(connection, action):
    raw = people(connection, action)
    release = {"in_place": True, "drop_original": True}
    kanon_sql.anonymize(policy(action, release=release), connection=connection)
    connection.execute("CREATE VIEW released AS FROM people")
    if action not in OF_OTHERS:
        assert not raw & {*map(str, shown(connection))}


@pytest.mark.parametrize("action", BY_KEY)
def test_a_series_shows_no_value_in_any_release_or_refuses(connection, action):
    raw = people(connection, action)
    rule = {"ledger": {"table": "ledger"}, "key_env": "KANON_TEST_KEY", "row": "who"}
    stated = policy(action, series=rule)
    if BY_KEY[action].no_new_rows:
        with pytest.raises(InputError, match=BY_KEY[action].no_new_rows):
            kanon_sql.plan(stated, connection=connection)
        return
    plan = kanon_sql.plan(stated, connection=connection)
    for _ in range(2):
        kanon_sql.apply(plan, policy=stated, connection=connection)
        if action not in OF_OTHERS:
            assert not raw & {*map(str, shown(connection))}
    assert len(shown(connection)) == (0 if BY_KEY[action].is_dropped else 12)


@pytest.mark.parametrize("action", BY_KEY)
@pytest.mark.parametrize("protection", ["none", "copy", "cut", "entity"])
def test_a_table_of_a_schema_shows_no_value_or_refuses(connection, action, protection):
    raw = people(connection, action)
    connection.execute("CREATE TABLE persons AS SELECT who, age FROM people")
    persons, key = policy("drop"), ["persons.who", "people.who"]
    own = {"privacy": {"k": 2}, "columns": {"age": persons["columns"]["age"], NAME: column(action)}}
    if protection in {"none", "copy"}:
        own = {"columns": {**own["columns"], "age": {"role": "insensitive"}}}
    if protection == "copy":
        own, key = {**own, "copy": True}, key[:1]
        own["columns"]["who"] = {"role": "identifying", "action": "drop"}
    elif protection == "entity":
        own, key = {**own, "entity": "person"}, key[1:]
    else:
        own |= {"of": "person", "protect": protection}
    table = {"entity": "person", "privacy": {"k": 2}, "columns": {"age": persons["columns"]["age"]}}
    stated = {
        "version": 2,
        "keys": {"person": {"key_env": "KANON_TEST_KEY", "columns": key}},
        "tables": {**({} if protection == "entity" else {"persons": table}), "people": own},
        "release": {"schema": "anon"},
    }
    if protection in {"none", "copy"} and action in {"noise", "shuffle", "items"}:
        with pytest.raises(PolicyError, match=f"has action: {action}.*counts no classes"):
            kanon_sql.plan_schema(stated, connection=connection)
        return
    plan = kanon_sql.plan_schema(stated, connection=connection)
    kanon_sql.apply_schema(plan, policy=stated, connection=connection)
    connection.execute("CREATE VIEW released AS FROM anon.people")
    assert len(shown(connection)) == (0 if BY_KEY[action].is_dropped else 12)
    if action not in OF_OTHERS:
        assert not raw & {*map(str, shown(connection))}


def test_a_mask_of_a_table_that_is_not_counted_is_checked_as_any_other():
    own = {"sql": "LENGTH(age)", "role": "identifying", "action": "expression"}
    stated = {"version": 2, "tables": {"people": {"copy": True, "columns": {NAME: own}}}}
    with pytest.raises(PolicyError, match="reads another column"):
        kanon_sql.plan_schema(stated)


@pytest.mark.parametrize("action", BY_KEY)
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_that_cannot_mask_says_why(action, channel):
    mask, executor = BY_KEY[action], CHANNELS[channel]
    refused = bool(mask.keyed and executor.no_pseudonym) or bool(executor.why_no_mask(mask))
    read = kanon_sql.policy.read_policy.read_policy(policy(action))
    found = [each for each in stage.executor_problems(read, executor) if NAME in each.where]
    assert bool(found) is refused
    after = mask.drawn_by is not None or mask.in_lists
    written = after or mask.fragment is not None
    if written and channel in {"snowflake", "sqlmesh", "dbt"}:
        assert refused, "no expression of it was tried there"
    if after and channel in {"script", "view", "partitions"}:
        assert refused, "these stage no rows that could be masked afterwards"


def test_actions_alone_identify():
    assert ALONE.keys() == {"drop", "hash", "null"}
