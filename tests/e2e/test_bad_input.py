"""Bad input ends in one clear error, with nothing written and no data value told."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import duckdb
import pytest

pytestmark = pytest.mark.sampled(5)

QUASI = {"role": "quasi", "hierarchy": "suppress"}

# what is wrong, the changes to a good policy, and words that the message must hold
FAULTY_POLICIES = [
    ("missing file", {"source": "nowhere.csv"}, ["nowhere.csv", "no such file"]),
    ("missing glob", {"source": "none-*.csv"}, ["none-*.csv", "matches none"]),
    ("missing table", {"source": "nowhere"}, ["nowhere", "no such table"]),
    ("missing table in a schema", {"source": {"table": "a.b.c"}}, ["a.b.c", "no such table"]),
    ("no source", {"source": None}, ["source", "is missing"]),
    ("two sources", {"source": {"path": "a", "table": "b"}}, ["exactly one"]),
    ("query that writes", {"source": {"query": "DROP TABLE x"}}, ["query"]),
    ("query that is two", {"source": {"query": "SELECT 1; SELECT 2"}}, ["query"]),
    ("query that is none", {"source": {"query": "SELECT FROM WHERE ((("}}, ["query"]),
    ("k of zero", {"privacy": {"k": 0}}, ["privacy.k", "at least 1"]),
    ("negative k", {"privacy": {"k": -5}}, ["privacy.k", "at least 1"]),
    ("k as text", {"privacy": {"k": "many"}}, ["privacy.k", "whole number"]),
    ("broken k", {"privacy": {"k": 2.5}}, ["privacy.k", "whole number"]),
    ("k as truth", {"privacy": {"k": True}}, ["privacy.k", "whole number"]),
    ("k as nothing", {"privacy": {"k": []}}, ["privacy.k", "whole number"]),
    ("no privacy", {"privacy": None}, ["privacy", "is missing"]),
    ("empty privacy", {"privacy": {}}, ["privacy", "is empty"]),
    ("privacy list", {"privacy": []}, ["privacy", "is empty"]),
    ("fewer rows than k", {"privacy": {"k": 41}}, ["k is 41", "40 rows"]),
    ("MaxSup above all", {"suppression": "101%"}, ["suppression", "between 0% and 100%"]),
    ("negative MaxSup", {"suppression": -1}, ["suppression", "negative"]),
    ("negative share", {"suppression": "-4%"}, ["suppression"]),
    ("broken MaxSup", {"suppression": 0.04}, ["suppression", "4%"]),
    ("more MaxSup than rows", {"suppression": 41}, ["suppression", "41", "only 40"]),
    ("no entity", {"entity": None}, ["entity", "is missing"]),
    ("unknown entity", {"entity": "person"}, ["entity", "columns"]),
    ("entity is a quasi-identifier", {"entity": "zip"}, ["entity", "quasi-identifier"]),
    ("unknown key", {"supression": "4%"}, ["supression", "did you mean suppression"]),
    ("unknown version", {"version": 3}, ["version", "must be 1"]),
    ("unknown metric", {"search": {"metric": "beauty"}}, ["search.metric", "height"]),
    ("unknown algorithm", {"search": {"algorithm": "magic"}}, ["search.algorithm", "samarati"]),
    ("no time at all", {"search": {"time_limit": "0s"}}, ["search.time_limit"]),
    ("unknown nulls", {"nulls": "guess"}, ["nulls", "category"]),
    ("release to two places", {"release": {"csv": "a", "table": "b"}}, ["release"]),
    (
        "release beside nothing",
        {"release": "no/such/folder/a.parquet"},
        ["folder", "does not exist"],
    ),
    ("release in a file", {"release": "people.csv/a.parquet"}, ["folder", "does not exist"]),
    ("release to a sheet", {"release": "a.ods"}, ["release", "another kind"]),
    ("release to a folder", {"release": "out/"}, ["release", "another kind"]),
    (
        "partition by what is not there",
        {"release": {"parquet": "out", "partition_by": ["name"]}},
        ["partition_by", "columns that are released"],
    ),
    (
        "partition by all",
        {"release": {"parquet": "out", "partition_by": ["zip", "sex", "disease", "age"]}},
        ["partition_by", "must leave a column"],
    ),
    (
        "over another column",
        {"privacy": {"k": 3, "over": ["zip", "agee"]}},
        ["line", "privacy.over", "agee is not a quasi-identifier", "did you mean age?"],
    ),
    (
        "over what is not quasi",
        {"privacy": [{"k": 3, "over": "disease"}]},
        ["privacy", "disease is not"],
    ),
    ("over without a model", {"privacy": {"over": ["zip"]}}, ["privacy", "names no privacy model"]),
    (
        "where in a query",
        {"source": {"query": "SELECT 1", "where": "zip = '1'"}},
        ["source.where", "put the condition into the query"],
    ),
    (
        "where of two columns",
        {"source": {"path": "people.csv", "where": "Zip = '1' AND aeg > '2'"}},
        [
            "2 faults",
            "source.where",
            "Zip is not a column",
            "did you mean zip?",
            "did you mean age?",
        ],
    ),
    (
        "where that writes",
        {"source": {"path": "people.csv", "where": "zip = '1'; DROP TABLE x"}},
        ["source.where", "one SQL condition"],
    ),
    (
        "where that asks elsewhere",
        {"source": {"path": "people.csv", "where": "zip IN (SELECT 1)"}},
        ["source.where", "may only hold", "select"],
    ),
    (
        "where of other types",
        {"source": {"path": "people.csv", "where": "sex > 3"}},
        ["source.where", "refused by the database", "types"],
    ),
    (
        "where no row is",
        {"source": {"path": "people.csv", "where": "sex = 'nobody'"}},
        ["source people.csv", "no rows that meet source.where"],
    ),
    ("release to an address", {"release": "no://a/b.parquet"}, ["no://", "cannot be reached"]),
]
FAULTY_COLUMNS = [
    ("no quasi-identifier", {"zip": {"role": "insensitive"}, "sex": {"role": "insensitive"},
                             "age": {"role": "insensitive"}}, ["columns", "no column has role quasi"]),
    ("two roles", {"age": {"role": ["quasi", "sensitive"]}}, ["columns.age.role", "one of"]),
    ("no role", {"age": {}}, ["columns.age", "no role"]),
    ("unknown role", {"age": {"role": "secret"}}, ["columns.age.role", "one of"]),
    ("no hierarchy", {"age": {"role": "quasi"}}, ["columns.age", "hierarchy"]),
    ("no action", {"name": {"role": "identifying"}}, ["columns.name", "action"]),
    ("hash without a key", {"name": {"role": "identifying", "action": "hash"}}, ["key_env"]),
    ("key that is not there", {"name": {"role": "identifying", "action": "hash",
                                        "key_env": "KANON_NOT_SET"}}, ["KANON_NOT_SET", "16 bytes"]),
    ("unclassified", {"age": None}, ["columns.age", "does not classify"]),
    ("not there", {"weight": QUASI}, ["columns.weight", "not a column of the source"]),
    ("other case", {"age": None, "Age": QUASI}, ["columns.Age", "did you mean age?"]),
    ("case twice", {"AGE": QUASI}, ["columns.AGE", "only in case"]),
    ("a slip", {"age": None, "aeg": QUASI}, ["columns.aeg", "did you mean age?"]),
    ("missing hierarchy", {"sex": {"role": "quasi", "hierarchy": {"csv": "no.csv"}}},
     ["policy.yml: line", "columns.sex.hierarchy", "no such file", "no.csv"]),
    ("hierarchy that is a folder", {"sex": {"role": "quasi", "hierarchy": {"csv": "."}}},
     ["columns.sex.hierarchy", "no such file"]),
    ("missing hierarchy table", {"sex": {"role": "quasi", "hierarchy": {"table": "no"}}},
     ["columns.sex.hierarchy", "no such table"]),
    ("far too long a mask", {"zip": {"role": "quasi", "hierarchy": {"mask": 1500}}},
     ["columns.zip.hierarchy", "1500 levels, more than 64"]),
    ("short mask", {"zip": {"role": "quasi", "hierarchy": {"mask": 4}}},
     ["columns.zip.hierarchy", "3 distinct values", "longer than the mask"]),
    ("no numbers", {"sex": {"role": "quasi", "hierarchy": {"intervals": [5]}}},
     ["columns.sex.hierarchy", "2 distinct values", "not numbers"]),
    ("no dates", {"sex": {"role": "quasi", "hierarchy": {"dates": ["year"]}}},
     ["columns.sex.hierarchy", "2 distinct values", "dates"]),
    ("tree that misses values", {"sex": {"role": "quasi", "hierarchy": {"tree": {"*": ["canary-m"]}}}},
     ["columns.sex.hierarchy", "1 distinct value in 20 rows"]),
    ("tree of another type", {"age": {"role": "quasi", "hierarchy": {"tree": {"*": ["canary"]}}}},
     ["columns.age.hierarchy", "no value has an entry"]),
    ("tree with a leaf twice", {"sex": {"role": "quasi", "hierarchy": {
        "tree": {"*": {"canary-a": ["canary-m"], "canary-b": ["canary-m", "canary-f"]}}}}},
     ["columns.sex.hierarchy.tree", "1 leaves twice"]),
    ("tree of values alone", {"sex": {"role": "quasi", "hierarchy": {
        "tree": {"canary-m": None, "canary-f": None}}}},
     ["columns.sex.hierarchy.tree", "values alone"]),
    ("ragged tree", {"sex": {"role": "quasi", "hierarchy": {
        "tree": {"*": {"canary-a": ["canary-m"], "canary-f": None}}}}},
     ["columns.sex.hierarchy.tree", "different depths", "ragged: repeat"]),
]  # fmt: skip
FAULTY_HIERARCHIES = [
    ("misses values", "canary-m;*\n", ["1 distinct value in 20 rows has no entry"]),
    ("misses all", "canary-a;*\ncanary-b;*\n", ["no value has an entry"]),
    ("value twice otherwise", "canary-m;canary-a;*\ncanary-f;canary-a;*\ncanary-m;canary-b;*\n",
     ["1 entry repeats"]),
    ("no function", "canary-m;canary-a;canary-p;*\ncanary-f;canary-a;canary-q;*\n",
     ["1 label of level 1 has more than one parent at level 2"]),
    ("ragged", "canary-m;canary-a;*\ncanary-f;*\n", ["1 entry has fewer than 2 levels", "ragged: repeat"]),
    ("empty", "", ["empty"]),
    ("one field", "canary-m\ncanary-f\n", ["one field a line"]),
    ("an open quote", 'canary-m;"canary-a;*\ncanary-f;*\n', ["columns.sex.hierarchy"]),
    ("not text", b"\xff\xfe\x00canary", ["not UTF-8"]),
    ("binary", bytes(range(256)), ["columns.sex.hierarchy"]),
]  # fmt: skip
FAULTY_FILES = [
    ("empty", "", "is empty"),
    ("only a comment", "# canary\n", "is empty"),
    ("a list", "- canary\n- b\n", "must be a mapping"),
    ("a text", "canary\n", "must be a mapping"),
    ("a number", "7391\n", "must be a mapping"),
    ("two documents", "version: 1\n---\nversion: 1\n", "is not YAML"),
    ("an open bracket", "version: [1\n", "is not YAML"),
    ("a tab", "version:\n\t- 1\n", "is not YAML"),
    ("an unknown alias", "version: *other\n", "is not YAML"),
    ("binary", b"\x00\x01\xff\xfe canary", "UTF-8"),
    ("a NUL", "version: \x00\n", "is not YAML"),
    ("Parquet", b"PAR1\x15\x04\x80\x81PAR1", "UTF-8"),
]


@pytest.mark.parametrize("command", ["lint", "plan", "anonymize"])
@pytest.mark.parametrize(
    ("changes", "told"), [c[1:] for c in FAULTY_POLICIES], ids=[c[0] for c in FAULTY_POLICIES]
)
def test_a_faulty_policy_is_refused(lab, command, changes, told):
    said = lab.refused(command, lab.policy(**changes))
    assert all(word in said for word in told), said


@pytest.mark.parametrize("command", ["lint", "anonymize"])
@pytest.mark.parametrize(
    ("columns", "told"), [c[1:] for c in FAULTY_COLUMNS], ids=[c[0] for c in FAULTY_COLUMNS]
)
def test_a_faulty_column_is_refused(lab, command, columns, told):
    said = lab.refused(command, lab.policy(columns))
    assert all(word in said for word in told), said


@pytest.mark.parametrize("command", ["plan", "anonymize"])
@pytest.mark.parametrize(
    ("text", "told"), [c[1:] for c in FAULTY_HIERARCHIES], ids=[c[0] for c in FAULTY_HIERARCHIES]
)
def test_a_faulty_hierarchy_is_refused(lab, command, text, told):
    lab.write("sex.csv", text)
    said = lab.refused(command, lab.policy())
    assert "columns.sex.hierarchy" in said
    assert all(word in said for word in told), said


@pytest.mark.parametrize("command", ["lint", "plan", "anonymize"])
@pytest.mark.parametrize(
    ("text", "told"), [c[1:] for c in FAULTY_FILES], ids=[c[0] for c in FAULTY_FILES]
)
def test_what_is_no_policy_is_refused(lab, command, text, told):
    path = lab.write("policy.yml", text)
    said = lab.refused(command, path)
    assert told in said, said
    assert "policy.yml" in said


def test_a_plan_is_no_policy_and_a_policy_no_plan(planned):
    assert "is a plan, not a policy" in planned.refused("lint", "policy.plan.yml")
    assert "kanon-sql plan policy.yml" in planned.refused("apply", "policy.yml")


@pytest.mark.parametrize("name", ["people.csv", "rows.parquet", "clinic.duckdb"])
def test_a_table_as_a_policy_is_answered_with_init(lab, name):
    lab.write(name, b"PAR1\xff" if name != "people.csv" else "sex,age\nf,30\n")
    for command in ("lint", "plan", "anonymize"):
        assert f"kanon-sql init {name}" in lab.refused(command, name)
    assert "does not exist" in lab.refused("plan", "none.csv")


def test_faults_of_the_source_and_of_hierarchies_have_their_line(lab):
    lab.write("sex.csv", "canary-m;canary-1;*\ncanary-f;canary-1;canary-2\n")
    path = lab.policy()
    lines = (lab.folder / "policy.yml").read_text().splitlines()
    at = next(n for n, line in enumerate(lines, start=1) if '"sex.csv"' in line)
    said = lab.refused("lint", path)
    assert f"policy.yml: line {at - 1}: columns.sex.hierarchy: " in said
    lab.policy({"weight": QUASI, "disease": None})
    lines = (lab.folder / "policy.yml").read_text().splitlines()
    weight = next(n for n, line in enumerate(lines, start=1) if '"weight"' in line)
    columns = next(n for n, line in enumerate(lines, start=1) if '"columns"' in line)
    said = lab.refused("lint", path)
    assert f"line {weight}: columns.weight: is not a column" in said
    assert f"line {columns}: columns.disease: is a column of the source" in said


def test_partitions_are_named_as_they_are_released(lab):
    columns = {"age": {"role": "quasi", "hierarchy": {"intervals": [5]}, "output": "bounds"}}
    release = {"parquet": "out", "partition_by": ["age"]}
    said = lab.refused("anonymize", lab.policy(columns, release=release))
    assert "age is released as age_low and age_high" in said


def test_debug_shows_the_database_s_own_words(lab, monkeypatch):
    columns = {"sex": {"role": "quasi", "hierarchy": {"query": "SELECT * FROM nowhere_at_all"}}}
    assert "KANON_SQL_DEBUG=1" in lab.refused("plan", lab.policy(columns))
    monkeypatch.setenv("KANON_SQL_DEBUG", "1")
    assert "nowhere_at_all" in lab.refused("plan", lab.policy(columns), told=())


def test_a_name_of_a_file_that_cannot_be_read_is_told_as_one(lab):
    lab.write("people.docx", b"canary")
    assert "its ending is none of" in lab.refused("plan", lab.policy(source="people.docx"))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["verify", "memory://nothing/there", "--quasi", "a", "-k", 2],
            "holds no file that can be",
        ),
        (["verify", "sheet.doc", "--quasi", "a", "-k", 2], "is no Parquet file, and its ending is"),
        (["risk", "policy.yml", "--quasi", "a"], "is YAML and no table"),
        (["init", "none.duckdb", "-o", "a.yml"], "source: there is no such file"),
        (["lint", "policy.yml", "--memory-limit", "lots"], "memory_limit: is no size"),
        (["lint", "policy.yml", "--memory-limit", "-5"], "memory_limit: is no size"),
        (["clean", "--database", "none.duckdb"], "none.duckdb: database: there is no such file"),
        (["clean", "--schema", "other"], "schema: goes with a database"),
    ],
    ids=lambda each: " ".join(map(str, each)) if isinstance(each, list) else "",
)
def test_an_error_says_what_is_wrong_with_what_was_given(lab, arguments, told):
    pytest.importorskip("fsspec")
    lab.policy()
    lab.write("sheet.doc", "no table")
    assert told in lab.refused(*arguments)


def test_a_folder_with_a_broken_file_of_parquet_says_how_many_are(lab):
    (lab.folder / "lake").mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{lab.folder / 'lake/whole.parquet'}'")
    whole = (lab.folder / "lake/whole.parquet").read_bytes()
    assert "wrote" in lab.done("init", "lake", "-o", "a.yml")
    lab.write("lake/cut.parquet", whole[:-9])
    lab.write("lake/empty.parquet", b"")
    said = lab.refused("init", "lake", "-o", "b.yml")
    assert "2 of its 3 files are no Parquet file, such as cut.parquet: empty, cut off" in said
    assert "cut.parquet is no Parquet file: " in lab.refused(
        "init", "lake/cut.parquet", "-o", "b.yml"
    )


def test_a_policy_that_is_not_there_is_refused(lab):
    assert "does not exist" in lab.refused("anonymize", "none.yml")
    assert "none.yml" in lab.refused("lint", "none.yml")


def test_a_folder_as_a_policy_is_refused(lab):
    lab.refused("anonymize", ".")
    lab.refused("plan", "")


def test_every_fault_of_a_policy_is_listed_with_its_line(lab):
    lab.write(
        "policy.yml",
        "version: 3\n"
        "source: people.csv\n"
        "entity: nobody\n"
        "columns:\n"
        "  name: {role: identifying}\n"
        "  zip: {role: quasi, hierarchy: {mask: 0}}\n"
        "  age:\n"
        "    role: quasi\n"
        "    hierarchy: {intervals: [5, 7]}\n"
        "  age: {role: sensitive}\n"
        "  sex: {role: [quasi, sensitive]}\n"
        "  SEX: {role: insensitive}\n"
        "privacy: {k: none}\n"
        "suppression: 400%\n"
        "colour: red\n",
    )
    said = lab.refused("lint", "policy.yml")
    told = [line for line in said.splitlines() if line.startswith("  - line ")]
    lines = [int(line.split()[2].rstrip(":")) for line in told]
    assert lines == sorted(lines)
    assert set(lines) == {1, 3, 5, 6, 9, 10, 11, 12, 13, 14, 15}
    assert f"{len(told)} faults" in said
    answer = json.loads(lab.run("lint", "policy.yml", "--json").stdout)
    assert answer["status"] == "error"
    assert [fault["line"] for fault in answer["faults"]] == lines


def test_every_fault_of_the_columns_is_listed(lab):
    columns = {"age": None, "disease": None, "height": QUASI, "Zip": QUASI, "zip": None}
    said = lab.refused("plan", lab.policy(columns))
    for name in ("age", "disease", "height", "Zip", "zip"):
        assert f"columns.{name}" in said


def test_the_faults_of_all_hierarchies_are_listed(lab):
    lab.write("sex.csv", "canary-m;canary-1;*\ncanary-m;canary-1;canary-2\n")
    columns = {"zip": {"role": "quasi", "hierarchy": {"mask": 2}}}
    said = lab.refused("plan", lab.policy(columns))
    assert "columns.zip.hierarchy" in said
    assert said.count("columns.sex.hierarchy") >= 3


def test_an_empty_table_is_refused(lab):
    lab.write("people.csv", "name,zip,sex,age,disease\n")
    assert "no rows" in lab.refused("anonymize", lab.policy())


def test_an_empty_parquet_file_is_refused(lab):
    path = lab.folder / "people.parquet"
    query = "SELECT '' AS name, '' AS zip, '' AS sex, 1 AS age, '' AS disease WHERE FALSE"
    duckdb.sql(query).write_parquet(str(path))
    assert "no rows" in lab.refused("anonymize", lab.policy(source="people.parquet"))


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "people.json"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff canary \x00", b"a;b\n1,2,3\n\n7"])
def test_a_source_that_is_broken_is_refused(lab, name, content):
    lab.write(name, content)
    lab.refused("anonymize", lab.policy(source=name))


def test_a_broken_source_is_named(lab):
    lab.write("people.parquet", b"canary")
    assert "people.parquet" in lab.refused("anonymize", lab.policy(source="people.parquet"))


def test_files_of_a_glob_with_other_columns_are_refused(lab):
    lab.write("b1.csv", "name,zip,sex,age,disease\ncanary,73911,canary-m,20,canary\n")
    lab.write("b2.csv", "disease,weight\ncanary,1\n")
    lab.refused("anonymize", lab.policy(source="b*.csv"))


def test_an_infeasible_policy_says_the_least_relaxation(lab):
    columns = {"age": {"role": "sensitive"}}
    privacy = [{"k": 3}, {"distinct_l": {"column": "disease", "l": 9}}]
    said = lab.refused("anonymize", lab.policy(columns, privacy=privacy), code=3)
    assert "at most 5" in said


@pytest.mark.parametrize("repair", ["none", "records"])
def test_what_mu_argus_leaves_is_told_in_counts(lab, repair):
    """No release, no value, the number of rows, and whether the policy allows to suppress them."""
    search = {"algorithm": "mu_argus", "repair": repair}
    path = lab.policy(suppression=0, search=search, privacy={"k": 4})
    said = lab.refused("anonymize", path, code=3)
    assert "fall short of 4-anonymity" in said
    assert "suppression of 0 rows does not allow" in said


def test_an_entity_that_is_too_rare_is_infeasible(lab):
    columns = {"disease": {"role": "insensitive", "linkable": "accept"}}
    policy = lab.policy(columns, entity="disease", privacy={"k": 6}, suppression=0)
    assert "at most 5" in lab.refused("anonymize", policy, code=3)


@pytest.mark.parametrize("column", ["zip", "sex", "age"])
def test_nulls_can_be_refused_among_quasi_identifiers(lab, column):
    place = ["name", "zip", "sex", "age", "disease"].index(column)
    lines = (lab.folder / "people.csv").read_text().splitlines()
    for n in (3, 9):
        cells = lines[n].split(",")
        cells[place] = ""
        lines[n] = ",".join(cells)
    lab.write("people.csv", "\n".join(lines) + "\n")
    said = lab.refused("anonymize", lab.policy(nulls="refuse"))
    assert f"columns.{column}.hierarchy" in said
    assert "2 rows are NULL" in said
    lab.done("anonymize", lab.policy(nulls="category", suppression="50%"))


@pytest.mark.parametrize("role", ["identifying", "sensitive", "insensitive"])
def test_a_person_who_is_null_cannot_be_counted(lab, role):
    extra = {"action": "drop"} if role == "identifying" else {"linkable": "accept"}
    lab.write("people.csv", (lab.folder / "people.csv").read_text() + ",73911,canary-m,20,canary\n")
    columns = {"name": {"role": role, **extra}}
    said = lab.refused("anonymize", lab.policy(columns, entity="name"))
    assert "1 row has no name" in said


def test_an_enumeration_is_not_written_out_in_a_message(lab):
    database = lab.folder / "people.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('canary-1', 'canary-2')")
        connection.execute(
            "CREATE TABLE people AS SELECT 'canary-1'::mood AS mood FROM range(9) AS r(i)"
        )
    columns = dict.fromkeys(("name", "zip", "sex", "age", "disease"))
    columns["mood"] = {"role": "quasi", "hierarchy": {"tree": {"*": ["a", "b"]}}}
    changes = {"source": "people", "database": "people.duckdb"}
    said = lab.refused("plan", lab.policy(columns, **changes))
    assert "no value has an entry" in said


def test_a_value_twice_in_a_written_tree_is_not_told(lab):
    text = json.dumps(lab.mapping())
    tree = '{"tree": {"*": {"canary-m": null, "canary-m": null, "canary-f": null}}}'
    lab.write("policy.yml", text.replace('{"csv": "sex.csv"}', tree))
    assert "columns.sex.hierarchy.tree" in lab.refused("lint", "policy.yml")


# ---- plans -------------------------------------------------------------------------------


@pytest.fixture
def planned(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    return lab


def test_an_unchanged_plan_is_carried_out(planned):
    planned.done("apply", "policy.plan.yml")
    assert (planned.folder / "release.parquet").is_file()


def test_no_value_stands_in_a_plan(lab):
    lab.policy()
    said = lab.done("plan", "policy.yml", "--no-rows") + lab.done("plan", "policy.yml", "--json")
    said += (lab.folder / "policy.plan.yml").read_text()
    assert "anary" not in said
    said = said.replace(json.loads(lab.done("plan", "policy.yml", "--json"))["plan"], "")
    assert "7391" not in re.sub(r"\b[0-9a-f]{32,}\b", "", said)  # a hash may have these digits


@pytest.mark.parametrize("command", ["apply", "compile"])
def test_a_plan_whose_policy_changed_is_refused(planned, command):
    planned.policy(privacy={"k": 2})
    said = planned.refused(command, "policy.plan.yml")
    assert "policy" in said
    assert "changed since the plan was made" in said


@pytest.mark.parametrize("command", ["apply", "compile"])
def test_a_plan_whose_policy_is_gone_is_refused(planned, command):
    (planned.folder / "policy.yml").unlink()
    assert "does not exist" in planned.refused(command, "policy.plan.yml")


def test_a_plan_whose_hierarchy_changed_is_refused(planned):
    planned.write("sex.csv", "canary-m;canary-y;*\ncanary-f;canary-y;*\n")
    said = planned.refused("apply", "policy.plan.yml")
    assert "columns.sex.hierarchy: changed since the plan was made" in said


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "Canary-40,73911,canary-m,21,canary-1\n",
        lambda text: text.replace("Canary-7,", "Canary-99,"),
        lambda text: text.rsplit("\n", 2)[0] + "\n",
    ],
    ids=["a row more", "another value", "a row less"],
)
def test_a_plan_whose_source_changed_is_refused(planned, change):
    text = (planned.folder / "people.csv").read_text()
    planned.write("people.csv", change(text))
    assert "changed since the plan was made" in planned.refused("apply", "policy.plan.yml")


def test_a_plan_whose_source_was_only_reordered_holds(planned):
    head, *rows = (planned.folder / "people.csv").read_text().splitlines()
    planned.write("people.csv", "\n".join([head, *reversed(rows)]) + "\n")
    planned.done("apply", "policy.plan.yml")


@pytest.mark.parametrize("command", ["apply", "compile"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"- a\n",
        b"kanon_sql_plan: 1\n",
        b"kanon_sql_plan: 2\n",
        b"\xff\xfe",
        b"{",
        b"a: !!int ''",
    ],
    ids=["empty", "list", "head only", "other version", "binary", "no YAML", "odd scalar"],
)
def test_a_broken_plan_is_refused(planned, command, content):
    planned.write("policy.plan.yml", content)
    assert "policy.plan.yml" in planned.refused(command, "policy.plan.yml")


def test_a_plan_that_is_not_there_is_refused(lab):
    assert "no such plan" in lab.refused("apply", "none.plan.yml")


def test_half_a_plan_is_refused(planned):
    text = (planned.folder / "policy.plan.yml").read_text()
    for share in (3, 5, 6):
        planned.write("policy.plan.yml", text[: len(text) * share // 10])
        planned.refused("apply", "policy.plan.yml")


@pytest.mark.parametrize("command", ["apply", "compile"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    age: 1\n", "    age: 9\n"),
        ("    age: 1\n", "    age: -1\n"),
        ("    age: 1\n", "    years: 1\n"),
        ("    age: 1\n", ""),
    ],
    ids=["too high", "negative", "another name", "one missing"],
)
def test_a_plan_with_levels_that_do_not_exist_is_refused(planned, command, old, new):
    text = (planned.folder / "policy.plan.yml").read_text()
    head, levels, rest = text.partition("  levels:\n")
    body, heights, tail = rest.partition("  highest_levels:\n")
    lines = [
        "    age: 1\n" if line.startswith("    age:") else line for line in body.splitlines(True)
    ]
    body = "".join(lines)
    assert old in body
    planned.write("policy.plan.yml", head + levels + body.replace(old, new) + heights + tail)
    planned.refused(command, "policy.plan.yml")


def test_a_plan_whose_sql_is_not_what_would_run_is_refused(planned):
    """The SQL in a plan is what its reviewer reads."""
    text = (planned.folder / "policy.plan.yml").read_text()
    assert "ORDER BY random()" in text
    planned.write("policy.plan.yml", text.replace("ORDER BY random()", "LIMIT 10"))
    planned.refused("apply", "policy.plan.yml")


def test_a_plan_that_asks_for_finer_levels_publishes_nothing(planned):
    text = (planned.folder / "policy.plan.yml").read_text()
    head, levels, rest = text.partition("  levels:\n")
    body, heights, tail = rest.partition("  highest_levels:\n")
    body = "".join(f"    {name}: 0\n" for name in ("zip", "sex", "age"))
    planned.write("policy.plan.yml", head + levels + body + heights + tail)
    planned.refused("apply", "policy.plan.yml")


# ---- destinations ------------------------------------------------------------------------


def test_a_destination_that_exists_is_refused_unless_told(lab):
    lab.write("release.parquet", "canary")
    lab.policy()
    assert "--replace" in lab.refused("anonymize", "policy.yml")
    lab.done("anonymize", "policy.yml", "--replace")
    assert duckdb.read_parquet(str(lab.folder / "release.parquet")).shape[0] >= 36


def test_a_folder_where_a_file_is_to_go_is_refused(lab):
    (lab.folder / "release.parquet").mkdir()
    lab.policy()
    lab.refused("anonymize", "policy.yml")
    lab.refused("anonymize", "policy.yml", "--replace")


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege on Windows")
def test_a_dangling_link_is_no_free_place(lab):
    (lab.folder / "release.parquet").symlink_to(lab.folder / "elsewhere.parquet")
    lab.policy()
    lab.refused("anonymize", "policy.yml")


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege on Windows")
@pytest.mark.parametrize(
    "name", ["people.csv", "./people.csv", "../lab/people.csv", "link.csv", "linked/people.csv"]
)
def test_the_source_is_never_the_destination(lab, name):
    (lab.folder / "link.csv").symlink_to(lab.folder / "people.csv")
    (lab.folder / "linked").symlink_to(lab.folder)
    for replace in ((), ("--replace",)):
        policy = lab.policy(release=name)
        assert "is the source itself" in lab.refused("anonymize", policy, *replace)
        policy = lab.policy()
        said = lab.refused("anonymize", policy, "--release", name, *replace)
        assert "is the source itself" in said
        lab.refused("anonymize", policy, "--source", "people.csv", "--release", name, *replace)


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege on Windows")
@pytest.mark.parametrize("source", ["p*.csv", "**/people.csv", "link.csv", "people.*"])
def test_a_source_by_pattern_is_never_the_destination(lab, source):
    (lab.folder / "link.csv").symlink_to(lab.folder / "people.csv")
    policy = lab.policy(source=source, release="people.csv")
    assert "is the source itself" in lab.refused("anonymize", policy, "--replace")


def test_a_folder_that_holds_the_source_is_never_the_destination(lab):
    (lab.folder / "data").mkdir()
    duckdb.read_csv(str(lab.folder / "people.csv"), all_varchar=True).write_parquet(
        str(lab.folder / "data" / "a.parquet")
    )
    release = {"parquet": "data", "partition_by": ["sex"]}
    policy = lab.policy(source="data/a.parquet", release=release)
    assert "is the source itself" in lab.refused("anonymize", policy, "--replace")
    policy = lab.policy(source="./data", release="data/a.parquet")
    assert "is the source itself" in lab.refused("anonymize", policy, "--replace")


@pytest.mark.parametrize(
    "release", [{"csv": "out.dat"}, {"csv": "out"}, {"parquet": "out.pq"}, {"parquet": "out.csv"}]
)
def test_a_file_may_have_any_ending(lab, release):
    lab.done("anonymize", lab.policy(release=release))
    ((kind, name),) = release.items()
    read = duckdb.read_csv if kind == "csv" else duckdb.read_parquet
    assert read(str(lab.folder / name)).shape[0] >= 36


def test_a_file_that_the_source_s_pattern_would_read_is_no_destination(lab):
    """The next run would read its own release."""
    lab.refused("anonymize", lab.policy(source="*.csv", release="new.csv"))


@pytest.mark.parametrize("name", ["sex.csv", "policy.yml", "people.duckdb"])
def test_what_a_run_reads_is_never_its_destination(lab, name):
    duckdb.connect(str(lab.folder / "people.duckdb")).close()
    policy = lab.policy(release={"csv": name}, database="people.duckdb")
    lab.refused("anonymize", policy, "--replace")


@pytest.fixture
def database(lab):
    with duckdb.connect(str(lab.folder / "people.duckdb")) as connection:
        file = str(lab.folder / "people.csv")
        connection.read_csv(file, all_varchar=True).create("people")
        connection.execute("CREATE VIEW seen AS SELECT * FROM people")
        connection.execute("CREATE SCHEMA other")
    return lab


def rows_of_people(lab):
    with duckdb.connect(str(lab.folder / "people.duckdb"), read_only=True) as connection:
        return sorted(connection.table("people").fetchall())


@pytest.mark.parametrize(
    ("source", "release"),
    [
        ("people", "people"),
        ("people", "PEOPLE"),
        ("people", '"people"'),
        ("people", "main.people"),
        ("main.people", "people"),
        ("people", "people.main.people"),
        ("seen", "people"),
        ({"query": "SELECT * FROM people"}, "people"),
        ({"query": "WITH p AS (FROM main.people) FROM p"}, "People"),
    ],
)
def test_a_source_table_is_never_the_destination(database, source, release):
    before = rows_of_people(database)
    policy = database.policy(source=source, database="people.duckdb", release={"table": release})
    result = database.run("anonymize", policy, "--replace")
    assert rows_of_people(database) == before
    assert result.exit_code == 1


@pytest.mark.parametrize("release", ["other.people", "released", '"a.b"'])
def test_another_table_of_the_database_is_a_destination(database, release):
    before = rows_of_people(database)
    policy = database.policy(source="people", database="people.duckdb", release={"table": release})
    database.done("anonymize", policy)
    assert rows_of_people(database) == before
    database.refused("anonymize", policy)
    database.done("anonymize", policy, "--replace")


@pytest.mark.parametrize("release", ["seen", "nowhere.people", "a.b.c"])
def test_a_table_that_cannot_be_made_is_refused_in_clear_words(database, release):
    policy = database.policy(source="people", database="people.duckdb", release={"table": release})
    assert "release" in database.refused("anonymize", policy, "--replace")


def test_a_table_without_a_database_is_no_destination_of_the_command_line(lab):
    """It would be made in memory and be gone when the command ends."""
    policy = lab.policy(release={"table": "released"})
    assert "database" in lab.refused("anonymize", policy)


@pytest.mark.parametrize("command", ["lint", "plan"])
def test_planning_refuses_a_release_that_could_not_be_carried_out(database, command):
    """All but what is there already: the plan may be for --replace."""
    held = {"source": "people", "database": "people.duckdb"}
    kept = {"in_place": True, "keep_original": "people", "accept": []}
    for changes, told in (
        ({"release": {"table": "t"}}, ["no database is named"]),
        ({"release": "nowhere/out.csv"}, ["its folder does not exist"]),
        ({"release": "people.csv"}, ["is the source itself"]),
        ({"release": "people", **held}, ["is the source itself"]),
        ({"release": kept, **held}, ["keep_original", "view main.seen"]),
    ):
        said = database.refused(command, database.policy(**changes))
        assert [words for words in told if words not in said] == []
    database.done(command, database.policy(release={"table": "seen"}, **held))
    database.write("there.csv", "")
    database.done(command, database.policy(release="there.csv"))


def test_another_place_keeps_what_the_policy_says_of_its_release(database):
    held = {"source": "people", "database": "people.duckdb"}
    lake = {"parquet": "lake", "partition_by": ["sex"]}
    database.done("anonymize", database.policy(release=lake), "--release", "again/")
    assert sorted(p.name[:10] for p in (database.folder / "again").iterdir()) == ["sex=canary"] * 2
    view = {"table": "shown", "view": True}
    database.done("anonymize", database.policy(**held, release=view), "--release", "shown_v2")
    with duckdb.connect(str(database.folder / "people.duckdb"), read_only=True) as connection:
        views = connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    assert ("shown_v2",) in views
    in_place = {"in_place": True, "drop_original": True, "accept": ["view main.seen"]}
    for release, place, told in (
        (in_place, "other", "releases in place"),
        (view, "a.csv", "is a view, which no csv is"),
        (lake, "people_k5", "is Parquet with partition_by, which no table is (a path would be"),
        (lake, "a.csv", "which no csv is"),
        ({"table": "t"}, "folder/", "is a path without an ending"),
        ("a.parquet", "folder/", "is a folder; without partition_by"),
    ):
        policy = database.policy(**held, release=release)
        assert told in database.refused("anonymize", policy, "--release", place)
    for release, place in (("a.parquet", "b.csv"), ({"table": "t"}, "c.csv"), ("a.csv", "t2")):
        database.done("anonymize", database.policy(**held, release=release), "--release", place)


def test_a_database_that_is_not_there_is_not_made(lab):
    policy = lab.policy(source="people", database="none.duckdb")
    assert "none.duckdb" in lab.refused("anonymize", policy)
    lab.refused("plan", policy)
    lab.refused("verify", "people", "--database", "none.duckdb", "--quasi", "a", "-k", 2)
    lab.refused("init", "people", "--database", "none.duckdb")


def test_a_file_that_is_no_database_is_refused(lab):
    lab.write("none.duckdb", "canary" * 5000)
    policy = lab.policy(source="people", database="none.duckdb")
    assert "none.duckdb" in lab.refused("anonymize", policy)


def test_reading_a_database_does_not_change_its_bytes(database):
    before = (database.folder / "people.duckdb").read_bytes()
    policy = database.policy(source="people", database="people.duckdb")
    database.done("plan", policy)
    database.done("anonymize", policy)
    assert (database.folder / "people.duckdb").read_bytes() == before


def test_a_plan_never_overwrites_what_it_was_made_from(lab):
    policy = lab.policy()
    for name in ("policy.yml", "people.csv", "sex.csv"):
        before = (lab.folder / name).read_bytes()
        result = lab.run("plan", policy, "-o", name)
        assert (lab.folder / name).read_bytes() == before
        assert result.exit_code == 1


@pytest.mark.parametrize("name", ["", ".", "/", "no/folder/plan.yml", "people.csv/plan.yml"])
def test_a_plan_that_cannot_be_written_is_an_error(lab, name):
    lab.refused("plan", lab.policy(), "-o", name)


@pytest.mark.skipif(os.name != "posix", reason="pipes with a name are POSIX")
def test_a_pipe_or_device_is_no_file_to_write_to(lab):
    os.mkfifo(lab.folder / "pipe")  # whoever reads it waits for a writer
    policy = lab.policy()
    for arguments in (("plan", policy, "-o"), ("init", "people.csv", "--replace", "-o")):
        for name in ("pipe", "/dev/full", "/dev/null"):
            assert "a device or a pipe" in lab.refused(*arguments, name)


@pytest.mark.skipif(os.name != "posix", reason="users are POSIX")
def test_a_folder_that_cannot_be_written_to_is_refused(lab):
    """Root may write anywhere, so a process of another user tries."""
    lab.policy(release="shut/release.parquet")
    shut = lab.folder / "shut"
    shut.mkdir(mode=0o555)
    before = lab.files()
    if os.geteuid() == 0:
        for folder in (lab.folder, *lab.folder.parents):
            if not folder.stat().st_mode & 0o001:
                folder.chmod(folder.stat().st_mode | 0o011)
    code = (
        "import os, sys\n"
        "from kanon_sql.apps.cli.command_line import main\n"
        "main(['lint', sys.argv[1]], standalone_mode=False)\n"
        "main.commands['anonymize']\n"  # with its modules; --json needs no other
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "main(['anonymize', sys.argv[1], '--json'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(lab.folder / "policy.yml")],
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "cannot be written" in done.stderr
    assert lab.files() == before
