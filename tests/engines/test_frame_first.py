"""A frame and the roles of its columns in place of a policy: suggested where it can be, asked for where it must."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import yaml

import kanon_sql

ROWS = 240
COLUMNS = {
    "name": [f"person {i}" for i in range(ROWS)],
    "age": [20 + i * 7 % 50 for i in range(ROWS)],
    "zip": [f"021{i * 3 % 40:02d}" for i in range(ROWS)],
    "stay": [i % 9 for i in range(ROWS)],
    "disease": [f"d{i % 5}" for i in range(ROWS)],
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "Arrow": pa.table}
ROLES = {"quasi": ["age", "zip"], "sensitive": "disease", "keep": ["stay"], "drop": "name"}


def classes_of(rows):
    """The sensitive values of each class, counted in Python."""
    found = defaultdict(list)
    for age, zip_, disease in zip(rows["age"], rows["zip"], rows["disease"], strict=True):
        found[age, zip_].append(disease)
    return found


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_needs_no_policy(kind):
    frame = FRAMES[kind](COLUMNS)
    release = kanon_sql.anonymize(frame, **ROLES, k=8, l=3)
    assert isinstance(release.frame(), type(frame))
    rows = release.to_arrow().to_pydict()
    assert list(rows) == ["age", "zip", "stay", "disease"]
    classes = classes_of(rows)
    assert len(classes) > 1
    assert min(map(len, classes.values())) >= 8
    assert min(len(set(each)) for each in classes.values()) >= 3
    assert ROWS * 0.99 <= len(rows["age"]) <= ROWS
    pairs = Counter(zip(COLUMNS["stay"], COLUMNS["disease"], strict=True))
    assert Counter(zip(rows["stay"], rows["disease"], strict=True)) <= pairs


def test_the_defaults_are_those_of_a_first_policy():
    plan = kanon_sql.plan(pl.DataFrame(COLUMNS), **ROLES)
    assert plan.privacy == ("5-anonymity", "distinct 2-diversity of disease")
    assert plan.max_suppressed == ROWS // 100
    suggested = kanon_sql.suggest(pl.DataFrame(COLUMNS), **ROLES)
    assert kanon_sql.plan(suggested, pl.DataFrame(COLUMNS)).levels == plan.levels


def test_what_a_call_says_is_in_the_policy():
    suggested = kanon_sql.suggest(
        pl.DataFrame(COLUMNS),
        **ROLES,
        k=7,
        l=2,
        suppression=3,
        entity="name",
        hierarchies={"zip": {"mask": 5}, "age": {"intervals": [10]}},
    )
    assert suggested["entity"] == "name"
    assert suggested["privacy"] == [{"k": 7}, {"distinct_l": {"column": "disease", "l": 2}}]
    assert suggested["suppression"] == 3
    assert suggested.entries["age"] == {"role": "quasi", "hierarchy": {"intervals": [10]}}
    assert suggested.entries["zip"] == {"role": "quasi", "hierarchy": {"mask": 5}}
    assert suggested.entries["stay"] == {"role": "insensitive"}
    assert suggested.entries["name"] == {"role": "identifying", "action": "drop"}
    assert {"source", "release"}.isdisjoint(suggested)
    assert suggested == yaml.safe_load(suggested.text) == suggested.policy
    assert "person 1" not in suggested.text
    suggested["privacy"] = {"k": 9}
    assert yaml.safe_load(suggested.text) == suggested


def test_a_column_whose_role_is_another_by_its_name_gets_a_hierarchy():
    """A disease is sensitive by its name, a stay may be kept; as quasi-identifiers they have hierarchies."""
    found = kanon_sql.suggest(pl.DataFrame(COLUMNS), quasi=["stay", "disease", "name"])
    assert all("hierarchy" in found.entries[name] for name in ("stay", "disease", "name"))


def test_columns_in_no_list_are_named_with_the_arguments_that_take_them_in():
    with pytest.raises(kanon_sql.InputError) as caught:
        kanon_sql.anonymize(pl.DataFrame(COLUMNS), quasi=["age", "zip"])
    where = [fault.where for fault in caught.value.faults]
    assert where == ["columns.name", "columns.stay", "columns.disease", ""]
    assert "suggested: drop=['name']" in str(caught.value)
    _, _, offered = str(caught.value).partition("; add: ")
    added = eval(f"dict({offered})")
    assert sorted(name for names in added.values() for name in names) == ["disease", "name", "stay"]
    assert added["drop"] == ["name"]
    assert added["sensitive"] == ["disease"]
    added["quasi"] = ["age", "zip", *added.get("quasi", ())]
    kanon_sql.anonymize(pl.DataFrame(COLUMNS), **added).close()


WRONG = {
    "a column": {"quasi": ["aeg"]},
    "k": {"k": 0},
    "l": {"l": 0},
    "the suppression limit": {"suppression": "many"},
    "a hierarchy": {"hierarchies": {"age": {"interval": [5]}}},
    "the entity": {"entity": "nobody"},
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_call_ends_before_anything_is_counted(what, monkeypatch):
    def counted(*_, **__):
        pytest.fail("values were counted")

    monkeypatch.setattr("kanon_sql.apps.getting_started.first_policy.profile_columns", counted)
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.anonymize(pl.DataFrame(COLUMNS), **ROLES | WRONG[what])


def test_a_call_counts_only_the_columns_of_which_something_is_proposed(monkeypatch):
    from kanon_sql.apps.getting_started import first_policy

    real, counted = first_policy.profile_columns, []

    def profiled(engine, table, columns):
        counted.extend(each.name for each in columns)
        return real(engine, table, columns)

    monkeypatch.setattr(first_policy, "profile_columns", profiled)
    monkeypatch.setattr(first_policy, "search_column_sets", lambda *_, **__: pytest.fail("searched"))  # fmt: skip
    found = kanon_sql.plan(pl.DataFrame(COLUMNS), **ROLES, hierarchies={"zip": {"mask": 5}})
    assert sorted(set(counted)) == ["age", "disease"]
    monkeypatch.undo()
    suggested = kanon_sql.suggest(pl.DataFrame(COLUMNS), **ROLES, hierarchies={"zip": {"mask": 5}})
    assert kanon_sql.plan(suggested, pl.DataFrame(COLUMNS)).levels == found.levels


@pytest.mark.slow
def test_people_are_counted_where_a_key_repeats():
    frame = pa.table(COLUMNS | {"patient_id": [i // 3 for i in range(ROWS)]})
    with pytest.raises(kanon_sql.InputError, match="suggested: entity='patient_id'"):
        kanon_sql.plan(frame, **ROLES)
    rows = kanon_sql.anonymize(frame, **ROLES, entity="patient_id", k=4).to_arrow()
    assert "patient_id" not in rows.column_names
    dropped = ROLES | {"drop": ["name", "patient_id"]}
    by_itself = kanon_sql.anonymize(frame, **dropped, k=4)
    assert by_itself.verification.smallest_class >= 4
    assert by_itself.plan.levels == kanon_sql.plan(frame, **ROLES, entity="patient_id", k=4).levels
    assert kanon_sql.suggest(frame, **dropped)["entity"] == "patient_id"
    assert kanon_sql.suggest(frame, **dropped, entity="row")["entity"] == "row"


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"quasi": []}, ["quasi"]),
        ({"keep": "age"}, ["keep"]),
        ({"sensitive": None, "keep": ["stay", "disease"], "l": 2}, ["l"]),
        ({"hierarchies": {"stay": "suppress"}}, ["hierarchies"]),
        ({"hierarchies": {"age": object()}}, ["hierarchies"]),
        ({"quasi": ["age", "zip", "agee"]}, ["columns.agee"]),
        ({"entity": "who"}, ["columns.who"]),
        ({"k": 0}, ["privacy[0].k"]),
        ({"suppression": "many"}, ["suppression"]),
        ({"hierarchies": {"zip": {"maks": 5}}}, ["columns.zip.hierarchy.maks", "columns.zip.hierarchy"]),
    ],
)  # fmt: skip
def test_what_a_call_says_wrongly_is_named(said, where):
    with pytest.raises(kanon_sql.InputError) as caught:
        kanon_sql.anonymize(pl.DataFrame(COLUMNS), **(ROLES | said))
    assert [fault.where for fault in caught.value.faults] == where


def test_lists_of_columns_go_with_quasi_alone():
    policy = kanon_sql.suggest(pl.DataFrame(COLUMNS), **ROLES)
    with pytest.raises(kanon_sql.InputError) as caught:
        kanon_sql.anonymize(policy, pl.DataFrame(COLUMNS), k=3, drop="name")
    assert [fault.where for fault in caught.value.faults] == ["drop", "k"]
    with pytest.raises(kanon_sql.InputError, match="source: is the first argument where quasi="):
        kanon_sql.anonymize(policy, pl.DataFrame(COLUMNS), quasi=["age"])
    with pytest.raises(TypeError, match="kwasi"):
        kanon_sql.anonymize(pl.DataFrame(COLUMNS), kwasi=["age"])


@pytest.mark.slow
def test_files_tables_and_readers_are_sources_too(tmp_path):
    wanted = kanon_sql.plan(pa.table(COLUMNS), **ROLES)
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "people.parquet")
    for path in (tmp_path / "people.parquet", str(tmp_path / "people.parquet")):
        assert kanon_sql.plan(path, **ROLES).levels == wanted.levels
    with duckdb.connect() as own:
        own.register("frame", pa.table(COLUMNS))
        own.sql("CREATE TABLE people AS FROM frame")
        assert kanon_sql.plan("people", **ROLES, connection=own).levels == wanted.levels
        kanon_sql.anonymize(own.table("people"), **ROLES, connection=own, release="safe")
        assert len(own.table("safe").fetchall()) == wanted.released_rows
    reader = pa.table(COLUMNS).to_reader()
    assert kanon_sql.anonymize(reader, **ROLES).verification.rows == wanted.released_rows


def test_a_release_is_written_only_where_the_call_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(COLUMNS).write_parquet("people.parquet")
    kanon_sql.anonymize("people.parquet", **ROLES).close()
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]
    kanon_sql.anonymize("people.parquet", **ROLES, release="safe.parquet")
    assert (tmp_path / "safe.parquet").is_file()


def test_an_unclassified_column_of_a_policy_is_offered_with_its_line(tmp_path):
    """What is offered may be pasted as it is, in a file and in a mapping."""
    policy = kanon_sql.suggest(pl.DataFrame(COLUMNS), **ROLES).policy
    left = {name: policy["columns"].pop(name) for name in ("name", "zip", "stay")}
    file = tmp_path / "policy.yml"
    file.write_text(yaml.safe_dump(policy))
    for given in (policy, file):
        for function in (kanon_sql.plan, kanon_sql.anonymize, kanon_sql.lint, kanon_sql.compare):
            with pytest.raises(kanon_sql.SourceError) as caught:
                function(given, pl.DataFrame(COLUMNS))
            faults = caught.value.faults
            assert [fault.where for fault in faults] == [f"columns.{name}" for name in left]
            offered = [fault.what.partition("; add under columns: ")[2] for fault in faults]
            entries = {k: v for line in offered for k, v in yaml.safe_load(line).items()}
            assert entries["name"] == left["name"]
            assert entries["zip"] == left["zip"]
            assert entries["stay"] == left["stay"]
    policy["columns"] |= entries
    kanon_sql.plan(policy, pl.DataFrame(COLUMNS))


def test_hostile_names_of_unclassified_columns_are_quoted():
    names = ['a"b', "c: {d}", "e#f", "no", "<b>"]
    frame = pa.table({name: [1, 2] * 6 for name in ["age", *names]})
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {"age": {"role": "quasi", "hierarchy": "suppress"}},
        "privacy": {"k": 2},
    }
    with pytest.raises(kanon_sql.SourceError) as caught:
        kanon_sql.plan(policy, frame)
    offered = [fault.what.partition("; add under columns: ")[2] for fault in caught.value.faults]
    assert [*(next(iter(yaml.safe_load(line))) for line in offered)] == names


SNIPPET = """
import kanon_sql
from typing import assert_type

frame: object = None
policy: dict[str, object] = {}
assert_type(kanon_sql.anonymize("policy.yml", frame, release="r.parquet"), kanon_sql.Release)
assert_type(kanon_sql.anonymize(policy=policy, source=frame), kanon_sql.Release)
assert_type(kanon_sql.anonymize(frame, quasi=["a"], sensitive="b", k=5, l=2), kanon_sql.Release)
assert_type(kanon_sql.plan(policy, frame, resume="old.plan.yml"), kanon_sql.Plan)
assert_type(kanon_sql.plan(frame, quasi="a", keep=["b"], suppression="2%"), kanon_sql.Plan)
assert_type(kanon_sql.plan(kanon_sql.suggest(frame, k=3), frame), kanon_sql.Plan)
kanon_sql.anonymize(frame)  # wrong
kanon_sql.anonymize(frame, quasi=["a"], sensitiv="b")  # wrong
kanon_sql.anonymize(policy, frame, k=5)  # wrong
kanon_sql.plan(frame, quasi=[1.5])  # wrong
"""


@pytest.mark.slow
def test_both_forms_are_typed(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "snippet.py").write_text(SNIPPET)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", tmp_path / "snippet.py"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line}
    wrong = [n for n, line in enumerate(SNIPPET.splitlines(), 1) if line.endswith("# wrong")]
    assert sorted(found) == wrong, done.stdout


def test_a_table_of_any_engine_needs_no_policy(place):
    """What is released is read again from where it is, but on PostgreSQL, which says where."""
    place.put("people_of_the_test", pa.table(COLUMNS))
    made = kanon_sql.anonymize(
        "people_of_the_test", **ROLES, k=8, l=3, connection=place.connection, release="safe_people"
    )
    rows = [dict(zip(["age", "zip", "stay", "disease"], row, strict=True)) for row in place.read("safe_people")]  # fmt: skip
    classes = classes_of({name: [row[name] for row in rows] for name in rows[0]})
    assert min(map(len, classes.values())) >= 8
    assert min(len(set(each)) for each in classes.values()) >= 3
    if place.name == "postgres":
        with pytest.raises(kanon_sql.ReleaseError, match="was published; read it from safe_people"):
            made.to_pandas()
    else:
        assert len(made.to_pandas()) == len(rows)
    place.drop("safe_people")


@pytest.mark.parametrize(
    ("source", "quasi", "told"),
    [
        (pd.DataFrame({"age": [1, 2], "sex": ["m", "f"]}), "AGE", "did you mean age"),
        (pd.DataFrame({"age": [1, 2], "sex": ["m", "f"]}), "zzz", "its columns: age, sex"),
        (pd.DataFrame({"sex": ["m", "f"]}, index=pd.Index([1, 2], name="age")), "age", "reset_index"),
        (pd.DataFrame({"age": []}), "age", "^source: has no rows"),
        (pd.DataFrame(), "age", "has no columns"),
        ([{"age": 1}], "age", "a list is nothing .*; pass a frame"),
    ],
)  # fmt: skip
def test_a_source_that_does_not_fit_is_told_what_there_is(source, quasi, told):
    with pytest.raises(kanon_sql.KanonError, match=told):
        kanon_sql.anonymize(source, quasi=quasi)
