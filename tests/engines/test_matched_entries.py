"""Entries of a hierarchy that a policy matches with values after trim, in one case, or as numbers: alike in every channel."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.release.warehouse_sql import HERE, WAREHOUSES

WARDS = {"north": ("a1", " A1", "A1 ", "b2"), "south": ("C3", "c3", " d4 ")}
ENTRIES = {"A1": "north", "b2": "north", "c3 ": "south", "D4": "south", "e5": "south"}
AGES = {"30s": ("34", "034", "34.0", "+34", "39"), "40s": ("4.1e1", "41", "41.50", "old")}
NUMBERS = {"34.00": "30s", "039": "30s", "41": "40s", "041.5": "40s", "old": "40s"}
LABELS = {value: label for of in (WARDS, AGES) for label, values in of.items() for value in values}


def rows(*more):
    wards, ages = ([each for values in of.values() for each in values] for of in (WARDS, AGES))
    made = [(wards[n % len(wards)], ages[n % len(ages)], n) for n in range(126)]
    return [*made, (None, None, 126), (None, None, 127), *more]


def frame(rows):
    types = (pa.string(), pa.string(), pa.int64())
    columns = zip(("ward", "age", "n"), zip(*rows, strict=True), types, strict=True)
    return pa.table({name: pa.array(cells, kind) for name, cells, kind in columns})


def asked(folder, match=("trim", "fold"), entries=ENTRIES, kind="csv", **more):
    (folder / "wards.csv").write_text("".join(f"{v};{label};*\n" for v, label in entries.items()))
    (folder / "ages.csv").write_text("".join(f"{v};{label};*\n" for v, label in NUMBERS.items()))
    labels = sorted(set(entries.values()))
    spec = {
        "csv": {"csv": str(folder / "wards.csv")},
        "tree": {"tree": {"*": {x: [v for v, own in entries.items() if own == x] for x in labels}}},
        "table": {"table": "ward_entries"},
        "query": {"query": "SELECT * FROM ward_entries"},
    }[kind]
    ages = {"csv": str(folder / "ages.csv"), "match": "number"}
    levels = {"least": 1, "most": 1}
    return {
        "version": 1,
        "source": {"table": "matched_rows"},
        "entity": "row",
        "columns": {
            "ward": {
                "role": "quasi", "levels": levels,
                "hierarchy": {**spec, **({"match": list(match)} if match else {})},
            },
            "age": {"role": "quasi", "levels": levels, "hierarchy": ages},
            "n": {"role": "insensitive"},
        },
        "privacy": {"k": 2},
        "suppression": 0,
        "search": {"algorithm": "optimal"},
        **more,
    }  # fmt: skip


def meant(rows):
    """What is released, in plain Python: each value has the label of the entry that is it but for its spelling."""
    labels = {None: "*", **LABELS}
    return sorted((n, labels[ward], labels[age]) for ward, age, n in rows)


def released(place):
    names = place.names("matched_out")
    at = [names.index(each) for each in ("n", "ward", "age")]
    found = [tuple(row[i] for i in at) for row in place.read("matched_out")]
    place.drop("matched_out")
    return sorted((n, *("*" if each is None else each for each in of)) for n, *of in found)


def put_entries(place, entries):
    names, lines = ("value", "level_1", "level_2"), [(*each, "*") for each in entries]
    columns = zip(names, zip(*lines, strict=True), strict=True)
    place.put("ward_entries", pa.table({name: pa.array(cells) for name, cells in columns}))


@pytest.fixture
def people(place):
    place.put("matched_rows", frame(rows()))
    put_entries(place, ENTRIES.items())
    yield place
    for name in ("matched_out", "matched_rows", "ward_entries", "matched_later"):
        place.drop(name)


@pytest.mark.parametrize("kind", ["csv", "tree", "table", "query"])
def test_a_plan_and_its_release_match_them(people, tmp_path, kind):
    policy = asked(tmp_path, kind=kind)
    given = {"policy": policy, "connection": people.connection}
    kanon_sql.apply(kanon_sql.plan(policy, connection=people.connection), release="matched_out", **given)  # fmt: skip
    assert released(people) == meant(rows())
    with pytest.raises(kanon_sql.HierarchyError, match=r"say match: \[trim, fold\]"):
        kanon_sql.plan(asked(tmp_path, (), kind=kind), connection=people.connection)


@pytest.mark.parametrize("kind", ["csv", "table", "query"])
def test_a_script_matches_them(people, tmp_path, kind):
    policy = asked(tmp_path, kind=kind, release="matched_out")
    made = kanon_sql.plan(policy, connection=people.connection)
    say(people, kanon_sql.compile_sql(made, policy=policy, connection=people.connection))
    assert released(people) == meant(rows())
    people.empty()


def say(place, script):
    if place.name != "spark":
        place.connection.execute(script.encode() if place.name == "postgres" else script)
        return
    for each in script.split(";\n"):
        text = "\n".join(line for line in each.split("\n") if not line.startswith("--")).strip()
        if text:
            place.execute(text)


def test_a_script_of_a_warehouse_and_a_model_of_sqlmesh_match_them(people, tmp_path, monkeypatch):
    if people.name == "spark":
        pytest.skip("no warehouse is taken for Spark")
    monkeypatch.setitem(WAREHOUSES, people.name, HERE[people.name])
    policy = asked(tmp_path)
    given = {"policy": policy, "connection": people.connection, "table": "matched_rows"}
    made = kanon_sql.plan(policy, connection=people.connection)
    there = {**given, "dialect": people.name, "release": "matched_out"}
    say(people, kanon_sql.compile_sql(made, **there))
    assert released(people) == meant(rows())
    _, query = kanon_sql.compile_sql(made, sqlmesh="own.made", **given).split("\n);\n\n")
    say(people, f"CREATE TABLE matched_out AS {query}")
    assert released(people) == meant(rows())
    with pytest.raises(kanon_sql.InputError, match="say --hierarchies inline"):
        kanon_sql.compile_sql(made, **there, hierarchies="tables")


def test_a_view_and_later_rows_match_them(people, tmp_path):
    policy = asked(tmp_path, kind="table")
    made = kanon_sql.plan(policy, connection=people.connection)
    # Spellings that the plan's rows do not have; the last row has no entry and is withheld.
    later = [(" B2", "39.0", 1), ("D4", "041", 2), ("c3", "41.5", 3)]
    people.put("matched_later", frame([*later, *later, ("f6", "34", 4)]))
    given = {"policy": policy, "connection": people.connection, "release": "matched_out"}
    found = kanon_sql.apply(made, source="matched_later", to_new_rows=True, **given)
    assert (found.new.rows, found.new.withheld) == (7, 1)
    labels = [(1, "north", "30s"), (2, "south", "40s"), (3, "south", "40s")]
    assert released(people) == sorted(2 * labels)
    if people.name != "spark":  # its tables of tests are views of a session, which no view outlives
        viewed = {**policy, "release": {"table": "matched_out", "view": True}}
        kanon_sql.apply(
            kanon_sql.plan(viewed, connection=people.connection),
            policy=viewed,
            connection=people.connection,
        )
        names = people.names("matched_out")
        seen = [dict(zip(names, row, strict=True)) for row in people.read("matched_out")]
        found = [(each["n"], each["ward"] or "*", each["age"] or "*") for each in seen]
        assert sorted(found) == meant(rows())
        people.execute("DROP VIEW matched_out")
        if people.name == "postgres":
            people.connection.commit()


def test_a_plan_is_stale_where_the_entries_or_the_words_are_others(people, tmp_path):
    policy = asked(tmp_path, kind="table")
    made = kanon_sql.plan(policy, connection=people.connection)
    other = asked(tmp_path, ("trim", "fold", "number"), kind="table")
    for stale in (other, asked(tmp_path, kind="table")):
        given = {"policy": stale, "connection": people.connection, "release": "matched_out"}
        with pytest.raises(kanon_sql.StalePlanError):
            kanon_sql.apply(made, **given)
        put_entries(people, [each for each in ENTRIES.items() if each[0] != "e5"])


def test_entries_that_become_one_and_have_other_labels_are_refused(people, tmp_path):
    entries = {**ENTRIES, "a1 ": "south"}
    with pytest.raises(kanon_sql.HierarchyError) as refused:
        kanon_sql.plan(asked(tmp_path, entries=entries), connection=people.connection)
    told = str(refused.value)
    assert "entries that match: [trim, fold] makes one have other labels" in told
    assert not any(value in told for value in ("a1", "A1", "south"))
    # No row needs them here; a later one might.
    entries = {**ENTRIES, "E5 ": "north"}
    with pytest.raises(kanon_sql.HierarchyError, match="makes one have other labels"):
        kanon_sql.plan(asked(tmp_path, entries=entries), connection=people.connection)
    same = {**ENTRIES, "a1 ": "north"}
    kanon_sql.plan(asked(tmp_path, entries=same), connection=people.connection)


@pytest.mark.parametrize("kind", ["csv", "table"])
def test_a_line_that_is_there_twice_is_one(people, tmp_path, kind):
    exact = {value: label for label, values in WARDS.items() for value in values}
    put_entries(people, [*exact.items(), *exact.items()])
    policy = asked(tmp_path, (), entries=exact, kind=kind)
    twice = tmp_path / "wards.csv"
    twice.write_text(twice.read_text() * 2)
    kanon_sql.anonymize(policy, connection=people.connection, release="matched_out")
    assert released(people) == meant(rows())
