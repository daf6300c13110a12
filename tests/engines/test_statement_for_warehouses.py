"""The one statement that scripts for warehouses are, run where an engine is here: the rows of `apply`.

It is written for DuckDB and for PostgreSQL as for a warehouse, by sqlglot from the same tree.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pyarrow as pa
import pytest
from at_node import at_node
from people import SHRINKS, SHRUNK, people, planned_exactly, policy_of_people, shown, shrinking

import kanon_sql
from kanon_sql.release.warehouse_sql import HERE, WAREHOUSES

GROUPS = ["a'b", 'c"d', "naïve 😀", "x;y", "${x}", "%s \\n", ""]
COLUMNS = {
    "na me": {"role": "identifying", "action": "null"},
    "age": {"role": "quasi", "hierarchy": {"intervals": {"widths": [5, 10, 40], "bottom": 20, "top": 60}}},
    "height": {"role": "insensitive"},
    "group": {"role": "quasi", "hierarchy": {"tree": {"*": {"it's": GROUPS[:3], "\\ 😀": GROUPS[3:]}}}},
    "member": {"role": "quasi", "hierarchy": "suppress"},
}  # fmt: skip


def policy_with(columns=None, **changes):
    policy = policy_of_people(suppression="60%", search={"metric": "height"})
    return {**policy, "columns": {**policy["columns"], **COLUMNS, **(columns or {})}, **changes}


def only(*names):
    """Make quasi-identifiers of these alone."""
    known = policy_with()["columns"]
    return {
        name: {"role": "insensitive"}
        for name, each in known.items()
        if each["role"] == "quasi" and name not in names
    }


RAGGED = {"role": "quasi", "hierarchy": {"ragged": "repeat", "tree": {
    "*": {"x": {"y": GROUPS[:2]}, "z": GROUPS[2:5], GROUPS[5]: None, GROUPS[6]: None}}}}  # fmt: skip
UNITS = ["day", "month", "quarter", "year", "decade", "20_years", "century"]
POLICIES = {
    "all": policy_with(),
    "rows": policy_with(only("age", "group"), entity="row", privacy={"k": 4}),
    "dates": policy_with(only("born"), privacy={"k": 2}),
    "ragged": policy_with({**only("group"), "group": RAGGED}, privacy={"k": 2}),
    "where": policy_with(
        only("group", "zip"),
        source={"table": "people_of_the_test", "where": "NOT \"group\" IN ('x;y', '${x}') OR \"group\" IS NULL"},
    ),
    "missing": policy_with(
        {**only("group", "zip"), "age": {"role": "insensitive", "missing": [31, "NA"]}},
        source={"table": "people_of_the_test", "missing": ["x;y", "${x}", ""]},
    ),
}  # fmt: skip
for level, unit in enumerate(UNITS):
    dates = {"role": "quasi", "hierarchy": {"dates": UNITS[level:]}}
    POLICIES[f"dates by {unit}"] = policy_with({**only("born"), "born": dates}, privacy={"k": 2})
FORTY = {"role": "quasi", "hierarchy": {"dates": ["40_years"]}}
POLICIES["dates by 40_years"] = policy_with({**only("born"), "born": FORTY}, privacy={"k": 2})


@pytest.fixture(params=["duckdb", "postgres"])
def server(request, places, monkeypatch):
    """A database that is taken for a warehouse."""
    place = places(request.param)
    monkeypatch.setitem(WAREHOUSES, place.name, HERE[place.name])
    place.put("people_of_the_test", people())
    yield place
    for name in ("people_of_the_test", "made", "applied"):
        place.drop(name)


def script_of(place, policy, plan, **changes):
    given = {"dialect": place.name, "release": "made", "connection": place.connection, **changes}
    return kanon_sql.compile_sql(plan, policy=policy, table="people_of_the_test", **given)


def say(place, script):
    """Say all of a script; psycopg takes one text."""
    place.connection.execute(script.encode() if place.name == "postgres" else script)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_the_statement_gives_the_rows_of_apply(server, policy):
    plan = kanon_sql.plan(policy, connection=server.connection)
    kanon_sql.apply(plan, policy=policy, connection=server.connection, release="applied")
    script = script_of(server, policy, plan)
    assert script.count(";\n") == 1
    say(server, script)
    assert server.names("made") == server.names("applied")
    assert shown(server.read("made")) == shown(server.read("applied"))


def test_the_query_of_a_sqlmesh_model_gives_the_rows_of_apply(server):
    policy = POLICIES["all"]
    plan = kanon_sql.plan(policy, connection=server.connection)
    kanon_sql.apply(plan, policy=policy, connection=server.connection, release="applied")
    text = script_of(server, policy, plan, dialect=None, release=None, sqlmesh="own.made")
    _, query = text.split("\n);\n\n")
    say(server, f"CREATE TABLE made AS {query}")
    assert server.names("made") == server.names("applied")
    assert shown(server.read("made")) == shown(server.read("applied"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["age", "zip", "group", "born", "member"])
def test_every_level_gives_the_rows_of_apply(server, name):
    policy = policy_with(only(name), entity="row", privacy={"k": 1}, suppression=0)
    plan = kanon_sql.plan(policy, connection=server.connection)
    for level in range(plan.heights[name] + 1):
        at = at_node(plan, policy, people(), (level,))
        given = {"policy": policy, "connection": server.connection}
        kanon_sql.apply(at, release="applied", replace=True, **given)
        say(server, script_of(server, policy, at))
        assert shown(server.read("made")) == shown(server.read("applied")), level
        server.drop("made")


def test_a_text_that_is_no_day_makes_no_table_at_level_0_either(server):
    """Its own rule reads days in the texts: another text is no value of the column, and may be anything."""
    texts = people()
    born = texts.column_names.index("born")
    days = [None if each is None else str(each) for each in texts["born"].to_pylist()]
    server.put("people_of_the_test", texts.set_column(born, "born", pa.array(days)))
    policy = policy_with(only("born"), entity="row", privacy={"k": 1}, suppression=0)
    plan = kanon_sql.plan(policy, connection=server.connection)
    assert plan.levels == {"born": 0}
    say(server, script_of(server, policy, plan))
    at = server.names("made").index("born")
    assert sorted(str(row[at]) for row in server.read("made")) == sorted(map(str, days))
    server.drop("made")
    days[0] = "Mrs Keller"
    server.put("people_of_the_test", texts.set_column(born, "born", pa.array(days)))
    with pytest.raises(Exception):  # noqa: B017, PT011  each database has errors of its own
        say(server, script_of(server, policy, plan))


def test_texts_may_be_told_apart_by_their_bytes(places, monkeypatch):
    """As T-SQL has to: by casts to bytes."""
    place = places("duckdb")
    monkeypatch.setitem(WAREHOUSES, "duckdb", replace(HERE["duckdb"], bytes=True))
    place.put("people_of_the_test", people())
    policy = policy_with(
        only("age", "zip", "member"), privacy={"k": 2}
    )  # no \\: DuckDB reads it as an escape
    plan = kanon_sql.plan(policy, connection=place.connection)
    with kanon_sql.apply(plan, policy=policy, connection=place.connection) as release:
        wanted = shown(release.relation.fetchall())
    script = script_of(place, policy, plan)
    assert "AS BLOB" in script
    say(place, script)
    assert shown(place.read("made")) == wanted
    place.drop("made")


BORN = dt.date(2000, 2, 29)
ALONE = {"who": 9000, "na me": "canary", "zip": "02110", "age": 21, "height": None, "born": BORN,
         "group": "a'b", "member": True, "disease": "canary"}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"group": "canary"}, "without a place in the hierarchies; rows: 1"),
        ({"zip": "canary-canary"}, "without a place in the hierarchies; rows: 1"),
        ({"born": dt.date(1650, 1, 1), "age": 99}, "more rows would be suppressed than the policy allows"),
    ],
)  # fmt: skip
def test_what_does_not_fit_makes_no_table(server, row, told):
    policy, plan = planned_exactly(policy_with(), server.connection)
    script = script_of(server, policy, plan)
    more = [{**ALONE, **row}]
    server.put(
        "people_of_the_test",
        pa.concat_tables([people(), pa.Table.from_pylist(more, people().schema)]),
    )
    with pytest.raises(Exception, match=told) as raised:
        say(server, script)
    assert "canary" not in str(raised.value)
    assert server.left() == ["people_of_the_test"]


def test_a_statement_that_forgot_to_suppress_is_stopped_by_its_recount(server):
    policy = policy_with(only("age", "zip"), privacy={"k": 40}, suppression="90%", entity="row")
    plan = kanon_sql.plan(policy, connection=server.connection)
    script = script_of(server, policy, plan)
    forgot = script.replace("COUNT(*) >= 40", "COUNT(*) >= 1")
    assert forgot != script
    say(server, script)
    server.drop("made")
    with pytest.raises(Exception, match="fail their recount"):
        say(server, forgot)
    assert server.left() == ["people_of_the_test"]


def test_a_source_without_rows_makes_no_table(server):
    policy = policy_with(only("age"))
    plan = kanon_sql.plan(policy, connection=server.connection)
    script = script_of(server, policy, plan)
    server.put("people_of_the_test", people().slice(0, 0))
    with pytest.raises(Exception, match="fail their recount"):
        say(server, script)
    assert server.left() == ["people_of_the_test"]


def test_a_share_of_suppression_is_one_of_the_rows_that_there_are(server):
    server.drop("people_of_the_test")
    server.put("people_of_the_test", shrinking())
    plan = kanon_sql.plan(SHRINKS, connection=server.connection)
    assert plan.suppressed_rows == plan.max_suppressed == 18
    script = script_of(server, SHRINKS, plan)
    say(server, script)
    assert len(server.read("made")) == 42
    server.drop("made")
    say(server, SHRUNK)
    with pytest.raises(Exception, match="more rows would be suppressed than the policy allows"):
        say(server, script)
    assert server.left() == ["people_of_the_test"]


def test_a_value_longer_than_its_mask_is_refused_also_where_values_are_released_as_they_are(server):
    policy = policy_with(only("zip"), privacy={"k": 1}, suppression=0, entity="row")
    policy["columns"]["zip"]["levels"] = {"most": 0}
    plan = kanon_sql.plan(policy, connection=server.connection)
    assert plan.levels == {"zip": 0}
    script = script_of(server, policy, plan)
    more = [{**ALONE, "zip": "02110-1234"}] * 6
    server.put(
        "people_of_the_test",
        pa.concat_tables([people(), pa.Table.from_pylist(more, people().schema)]),
    )
    with pytest.raises(Exception, match="without a place in the hierarchies; rows: 6"):
        say(server, script)
    assert server.left() == ["people_of_the_test"]
