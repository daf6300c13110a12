"""Names that break SQL, YAML, templates or shells: each survives in every place a name can stand."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
from collections import Counter

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql
from kanon_sql.base.documents.text import list_text, split_list
from kanon_sql.engines.locations import Destination, Format

pytestmark = pytest.mark.sampled(5)

NAMES = [
    "two words", "a.b", "a.b.c.d", 'a"b', '"', "it's", "''", "x; DROP TABLE people; --", "select",
    "FROM", "group by", "table", "order", "value", "values", "key_1", "s", "q0", "t", "f", "d", "p",
    "u", "label", "code", "class_0", "class_rows", "class_size", "row_count", "entity", "entities",
    "level_1", "least_1", "_kanon_entity", "source", "staged", "rows", "100%", "%s", "%(x)s",
    "{{ x }}", "{% for x in y %}", "{# x #}", "{x}", "?", "$1", ":a", "@a", "a\nb", "a\tb", "\\",
    "\\n", "a\\'b", "--", "/*", "😀", "naïve", "e\u0301", "\u202eabc", " lead", "trail ", " ", "a,b",
    "a;b", "a=b", "a:b", "a: b", "#a", "- a", "&a", "*a", "!a", "|", ">", "[a]", "null", "true", "1",
    "1.5", "~", "<<", "on", "x" * 300, "ß", "İ", "\u0085", "\u2028", "random", "columns", "rowid",
]  # fmt: skip
POISON = [
    "{{ x }}",
    'a"b',
    "it's",
    "x; DROP TABLE people; --",
    "a\nb",
    "😀",
    "x" * 200,
    "100%",
    "?",
]


def rows_of(names, count=24):
    """Rows of six columns: direct, quasi (a query), quasi (by rule), quasi, sensitive, other."""
    return [
        (f"p{i}", f"v{i % 3}", 20 + i % 2, "z" if i % 2 else None, f"d{i % 4}", i)
        for i in range(count)
    ]


def policy_of(names, **changes):
    direct, first, second, third, spread, other = names
    quoted = "SELECT * FROM (VALUES ('v0', 'low', '*'), ('v1', 'low', '*'), ('v2', 'high', '*')) AS h(v, a, b)"
    columns = {
        direct: {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"},
        first: {"role": "quasi", "hierarchy": {"query": quoted}},
        second: {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "output": "bounds"},
        third: {"role": "quasi", "hierarchy": "suppress"},
        spread: {"role": "sensitive"},
        other: {"role": "insensitive", "linkable": "accept"},
    }
    privacy = [{"k": 4}, {"distinct_l": {"column": spread, "l": 2}}]
    return {"version": 1, "source": {"table": "people"}, "entity": other, "columns": columns,
            "privacy": privacy, **changes}  # fmt: skip


def frame_of(names):
    return pa.table(dict(zip(names, map(list, zip(*rows_of(names), strict=True)), strict=True)))


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "0123456789abcdef")


@pytest.mark.parametrize("start", range(0, len(NAMES), 2))
def test_a_column_s_name_survives_in_every_role(start):
    """Six names at a time; each name comes in three of the six roles."""
    names = [NAMES[(start + step) % len(NAMES)] for step in range(6)]
    with kanon_sql.anonymize(policy_of(names), frame_of(names)) as release:
        low, high = f"{names[2]}_low", f"{names[2]}_high"
        assert list(release.columns) == [*names[:2], low, high, *names[3:]]
        assert release.relation.columns == list(release.columns)
        assert len(release.relation.fetchall()) == release.verification.rows == 24


@pytest.mark.parametrize("name", ["row", "ROW"])
def test_row_is_a_name_where_a_column_counts(name):
    names = ["c1", name, "c2", "c3", "c4", "c5"]
    with kanon_sql.anonymize(policy_of(names), frame_of(names)) as release:
        assert name in release.columns


def test_row_as_a_column_and_as_the_entity_is_refused():
    names = ["c1", "row", "c2", "c3", "c4", "c5"]
    with pytest.raises(kanon_sql.PolicyError, match="row"):
        kanon_sql.anonymize(policy_of(names, entity="row"), frame_of(names))


@pytest.mark.parametrize("hidden", ["entity", "_kanon_entity", "a b"])
def test_a_hidden_entity_meets_no_other_name(hidden):
    """The staged table holds the entity under a name of ours."""
    columns = {
        hidden: {"role": "identifying", "action": "drop"},
        "_kanon_entity" if hidden != "_kanon_entity" else "entity": {"role": "insensitive"},
        "q": {"role": "quasi", "hierarchy": "suppress"},
    }
    frame = pa.table({c: [1, 2, 3, 4] for c in columns})
    policy = {
        "version": 1,
        "source": "x",
        "entity": hidden,
        "columns": columns,
        "privacy": {"k": 2},
    }
    with kanon_sql.anonymize(policy, frame) as release:
        assert len(release.relation.fetchall()) == 4
        assert hidden not in release.columns


@pytest.mark.parametrize("name", [" lead", "trail ", "\u00a0lead", "a\rb"])
def test_a_name_that_a_csv_header_does_not_hold_is_refused_before_anything_is_read(lab, name):
    query = f"SELECT name, zip, sex, age, disease AS \"{name}\" FROM 'people.csv'"
    columns = {"disease": None, name: {"role": "sensitive"}}
    policy = lab.policy(columns, source={"query": query}, release="release.csv")
    for command in ("lint", "plan", "anonymize"):
        assert "readers of CSV change or refuse" in lab.refused(command, policy)
    columns[name] = {"role": "identifying", "action": "drop"}
    lab.done("anonymize", lab.policy(columns, source={"query": query}, release="release.csv"))
    columns[name] = {"role": "sensitive"}
    lab.done("anonymize", lab.policy(columns, source={"query": query}), "--no-plan")


def test_columns_names_survive_files(lab):
    """From a CSV file through a policy in YAML, a plan file and a Parquet file."""
    # DuckDB trims a header's names, and finds no dialect in a header of two lines
    names = [name for name in NAMES if name == name.strip() and "\n" not in name]
    with (lab.folder / "in.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, quoting=csv.QUOTE_ALL)
        out.writerow(names)
        out.writerows([f"v{i % 2}"] * len(names) for i in range(6))
    columns = {name: {"role": "insensitive"} for name in names}
    assert len({name.casefold() for name in names}) == len(names)
    columns |= {
        name: {"role": "quasi", "hierarchy": "suppress"} for name in POISON if name in names
    }
    policy = {
        "version": 1,
        "source": "in.csv",
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 2},
        "release": "out.parquet",
    }
    lab.write("p.yml", json.dumps(policy))
    lab.done("plan", "p.yml")
    lab.done("apply", "p.plan.yml")
    released = duckdb.read_parquet(str(lab.folder / "out.parquet"))
    assert sorted(released.columns) == sorted(names)
    assert len(released) == 6


def test_the_first_policy_names_every_column_as_it_is(lab):
    frame = pa.table({name: ["a", "a", "b"] * 4 for name in NAMES})
    assert frame.num_rows
    duckdb.sql("FROM frame").write_parquet(str(lab.folder / "in.parquet"))
    lab.done("init", "in.parquet", "-o", "first.yml")
    policy = kanon_sql.read_policy(lab.folder / "first.yml")
    assert [c.name for c in policy.columns] == NAMES
    assert policy.search.algorithm == "mondrian"
    lab.done("lint", "first.yml")


def test_names_survive_in_the_lists_of_options():
    assert split_list(list_text(NAMES)) == NAMES


@pytest.mark.parametrize("name", ['disease, "the"', "disease, or select", '"disease"', " disease"])
def test_init_takes_the_names_that_it_prints(lab, name):
    """What a question took by default is what its option reads, whatever the columns are named."""
    rows = [{"age": n % 30, name: "xyz"[n % 7 % 3]} for n in range(60)]
    people = pa.Table.from_pylist(rows)
    assert people.num_rows == 60
    duckdb.sql("FROM people").write_parquet(str(lab.folder / "in.parquet"))
    printed = lab.done("init", "in.parquet", "-o", "first.yml")
    (taken,) = re.findall(r"taken: --sensitive (.+)", printed)
    assert split_list(taken) == [name]
    said = ("--sensitive", taken, "--known", list_text(["age"]))
    lab.done("init", "in.parquet", "-o", "again.yml", *said)
    first, again = (
        {each.name: each.role for each in kanon_sql.read_policy(lab.folder / file).columns}
        for file in ("first.yml", "again.yml")
    )
    assert again == first == {"age": "quasi", name: "sensitive"}


@pytest.mark.parametrize("name", NAMES[1::2], ids=ascii)
def test_a_table_s_name_survives(name):
    names = ["c0", "c1", "c2", "c3", "c4", "c5"]
    with duckdb.connect() as connection:
        frame = frame_of(names)
        assert frame.num_rows
        quoted = '"' + name.replace('"', '""') + '"'
        connection.execute(f"CREATE TABLE {quoted} AS FROM frame").fetchall()
        policy = policy_of(names, source={"table": name})
        # dots in a release's name part it; quotes keep it whole
        out = '"' + (name + " out").replace('"', '""') + '"'
        kanon_sql.anonymize(policy, connection=connection, release=Destination(Format.TABLE, out))
        assert len(connection.execute(f"FROM {out}").fetchall()) == 24
        tables = {t for (t,) in connection.execute("SHOW TABLES").fetchall()}
        assert tables == {name, name + " out"}


@pytest.mark.parametrize("name", NAMES[::2], ids=ascii)
def test_a_hierarchy_table_s_and_its_columns_names_survive(name):
    quoted = '"' + name.replace('"', '""') + '"'
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE {quoted} ({quoted} VARCHAR, l1 VARCHAR, l2 VARCHAR)"
        ).fetchall()
        connection.execute(
            f"INSERT INTO {quoted} VALUES ('a', 'x', '*'), ('b', 'x', '*')"
        ).fetchall()
        policy = {
            "version": 1,
            "source": {"query": "SELECT unnest(['a', 'b', 'b', 'a']) AS q, 1 AS o"},
            "entity": "row",
            "columns": {
                "q": {"role": "quasi", "hierarchy": {"table": name}},
                "o": {"role": "insensitive"},
            },
            "privacy": {"k": 3},
        }
        with kanon_sql.anonymize(policy, connection=connection) as release:
            assert release.relation.fetchall() == [("x", 1)] * 4


FILES = [
    "two words.csv", "it's.csv", 'a"b.csv', "a;b.csv", "a[1].csv", "[abc].csv", "a*b.csv", "a?b.csv",
    "a{b,c}.csv", "{{ x }}.csv", "100%.csv", "%20.csv", "#a.csv", "a\nb.csv", "a\\b.csv", "😀.csv",
    "$HOME.csv", "-a.csv", "--replace.csv", "~a.csv", ".hidden.csv", "a'; DROP TABLE x; --.csv",
    "x" * 200 + ".csv", "select.csv", " lead.csv", "a.csv .csv", "a:b.csv", "a=b.csv",
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_s_name_survives(lab, name):
    """As source, hierarchy and release; the policy that names them has a plain name."""
    for taken in ("aXb.csv", "a1.csv", "ab.csv", "ac.csv", "1.csv"):
        lab.write(taken, "q,o\nother,1\n")  # what a pattern of the same letters would read
    lab.write(name, "q,o\n" + "a,1\nb,2\n" * 3)
    lab.write("h-" + name, "a;*\nb;*\n")
    columns = {
        "q": {"role": "quasi", "hierarchy": {"csv": "h-" + name}},
        "o": {"role": "insensitive"},
    }
    policy = {
        "version": 1,
        "source": {"path": name},
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 3},
        "release": {"csv": "r-" + name},
    }
    lab.write("policy.yml", json.dumps(policy))
    lab.done("anonymize", "policy.yml")
    with (lab.folder / ("r-" + name)).open(newline="") as file:
        rows = Counter(map(tuple, csv.reader(file)))
    assert rows == {("q", "o"): 1, ("a", "1"): 3, ("b", "2"): 3}


@pytest.mark.parametrize("name", ["a [v2]", "a*", "it's", "{{ x }}", "a b", "100%", "😀"])
def test_a_folder_s_name_survives(lab, name):
    (lab.folder / name).mkdir()
    (lab.folder / "a v").mkdir()
    for file in ("people.csv", "sex.csv"):
        lab.write(f"{name}/{file}", (lab.folder / file).read_text())
    lab.policy()
    (lab.folder / "policy.yml").replace(lab.folder / name / "policy.yml")
    lab.done("plan", f"{name}/policy.yml")
    lab.done("apply", f"{name}/policy.plan.yml")
    assert (lab.folder / name / "release.parquet").is_file()


@pytest.mark.parametrize("name", ["po licy.yml", "{{ x }}.yml", "a'b", "x.yaml", "😀.yml", ".yml"])
def test_a_policy_s_name_survives(lab, name):
    lab.write(name, json.dumps(lab.mapping()))
    lab.done("plan", name, "-o", "a [1]'.plan.yml")
    lab.done("apply", "a [1]'.plan.yml")


@pytest.mark.parametrize("text", POISON)
def test_names_in_a_tree_and_labels_survive(text):
    policy = {
        "version": 1,
        "source": "x",
        "entity": "row",
        "columns": {"q": {"role": "quasi", "hierarchy": {"tree": {"*": {text: ["a", "b"]}}}},
                    "o": {"role": "insensitive"}},
        "privacy": {"k": 3},
    }  # fmt: skip
    frame = pa.table({"q": ["a", "b", "b", "a"], "o": [1, 1, 1, 1]})
    with kanon_sql.anonymize(policy, frame) as release:
        assert release.relation.fetchall() == [(text, 1)] * 4


def test_two_keys_that_differ_in_case_stay_two(monkeypatch):
    import hashlib
    import hmac

    keys = {"KANON_a": "a" * 16, "KANON_A": "b" * 16}
    for name, secret in keys.items():
        monkeypatch.setenv(name, secret)
    columns = {
        name: {
            "role": "identifying",
            "action": "hash",
            "key_env": f"KANON_{name}",
            "linkable": "accept",
        }
        for name in ("a", "A")
    }
    columns = {
        "x": columns["a"],
        "y": columns["A"],
        "q": {"role": "quasi", "hierarchy": "suppress"},
    }
    policy = {"version": 1, "source": "x", "entity": "row", "columns": columns, "privacy": {"k": 2}}
    frame = pa.table({"x": ["p", "p"], "y": ["p", "p"], "q": [1, 1]})
    with kanon_sql.anonymize(policy, frame) as release:
        wanted = tuple(
            hmac.new(k.encode(), b"p", hashlib.sha256).hexdigest() for k in keys.values()
        )
        assert release.relation.fetchall() == [(*wanted, 1)] * 2


@examples(12)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=20),
        min_size=6, max_size=6, unique_by=str.casefold,
    )
)  # fmt: skip
def test_any_column_name_survives(names):
    folded = [n.casefold() for n in names]
    taken = {f"{names[2]}_{end}".casefold() for end in ("low", "high")}
    if taken & set(folded) or "row" in folded:
        return
    policy = policy_of(names)
    frame = frame_of(names)
    if pa.table(frame).num_columns != 6:
        return
    os.environ["KANON_TEST_KEY"] = "0123456789abcdef"
    with kanon_sql.anonymize(policy, frame) as release:
        kept = [n for n in release.columns if not n.endswith(("_low", "_high")) or n in names]
        assert kept == [n for n in names if n != names[2]]
        assert len(release.relation.fetchall()) == 24


@pytest.mark.parametrize("name", ["*", "g.h", 'd"q', ".x", "..", "COLUMNS(*)", '"', "t.*"])
def test_a_relation_has_the_released_columns_and_no_other(name):
    """The table behind it holds the entity too, which a star would show."""
    columns = {name: {"role": "quasi", "hierarchy": "suppress"},
               "ssn": {"role": "identifying", "action": "drop"}}  # fmt: skip
    policy = {"version": 1, "entity": "ssn", "columns": columns, "privacy": {"k": 2}}
    frame = pa.table({name: ["1", "1"], "ssn": ["SSN-1", "SSN-2"]})
    with kanon_sql.anonymize(policy, frame) as release:
        assert release.relation.columns == [name]
        assert release.relation.fetchall() == [("1",), ("1",)]


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "x" * 5000, "~nobody/a.csv"])
def test_a_name_that_no_file_can_have_is_an_error(lab, name):
    for key in ("source", "release"):
        lab.refused("anonymize", lab.policy(**{key: {"csv" if key == "release" else "path": name}}))
    lab.refused("anonymize", lab.policy({"sex": {"role": "quasi", "hierarchy": {"csv": name}}}))


def test_a_destination_of_no_known_format_is_refused(lab):
    """A format given as text must not turn a table into a file of that name."""
    release = kanon_sql.Destination("table", str(lab.folder / "out"))
    frame = frame_of(["c0", "c1", "c2", "c3", "c4", "c5"])
    with duckdb.connect() as connection, contextlib.suppress(ValueError, TypeError):
        kanon_sql.anonymize(
            policy_of(["c0", "c1", "c2", "c3", "c4", "c5"]),
            frame,
            release=release,
            connection=connection,
        )
    assert not (lab.folder / "out").exists()
