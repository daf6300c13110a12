"""`compile --dialect` for databases that are not here: parsed in their dialects, labelled, or refused."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from kanon_sql.release.warehouse_sql import OWN, WAREHOUSES, WHY_NOT

pytestmark = pytest.mark.sampled(3)

TARGET = ("--table", "src.people", "--release", "out.people_k3")


def planned(lab, *changes, **more):
    lab.policy(*changes, **more)
    lab.done("plan", "policy.yml")
    return "policy.plan.yml"


def compiled(lab, dialect, *options, plan="policy.plan.yml"):
    return lab.done("compile", plan, "--dialect", dialect, *TARGET, *options)


def statements(script, dialect):
    return [each for each in sqlglot.parse(script, read=dialect) if each is not None]


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_the_script_parses_in_its_dialect_and_says_that_it_was_not_run(lab, dialect):
    planned(lab)
    script = compiled(lab, dialect)
    second = script.splitlines()[1]
    assert second.startswith("-- NOT RUN by the tests of kanon-sql")
    made = [s for s in statements(script, dialect) if s.find(exp.With)]
    (release,) = made
    tables = {table.name for table in release.find_all(exp.Table)}
    assert {"people", "people_k3"} <= tables
    assert not release.find(exp.Window, exp.Order, exp.Div, exp.Rand)
    assert "Canary-" not in script
    assert "7391" not in script


@pytest.mark.parametrize("dialect", OWN)
def test_scripts_that_the_tests_run_say_so(lab, dialect):
    planned(lab)
    assert "The tests of kanon-sql run such scripts" in compiled(lab, dialect).splitlines()[1]


def test_the_entries_of_hierarchies_are_in_the_script_or_in_tables_that_it_names(lab):
    planned(lab)
    inline = compiled(lab, "snowflake")
    assert "'canary-m'" in inline
    tables = compiled(lab, "snowflake", "--hierarchies", "tables")
    assert "canary" not in tables
    (made,) = [
        line for line in tables.splitlines() if "CREATE TABLE" in line and line.startswith("--")
    ]
    (create,) = statements(made.removeprefix("-- "), "snowflake")
    names = [column.name for column in create.find_all(exp.ColumnDef)]
    assert names == ["value", "level_1", "level_2"]
    table = create.find(exp.Table).name
    assert f'"{table}"' in tables.split("CREATE TABLE", 2)[2]
    assert "from sex.csv" in tables


def test_no_texts_of_a_condition_are_compared_where_others_are_equal(lab):
    """In T-SQL whatever their case, in Redshift whatever blanks are at their end."""
    planned(lab, source={"path": "people.csv", "where": "sex = 'canary-m'"}, suppression="90%")
    compiled(lab, "snowflake")
    error = lab.refused(
        "compile", "policy.plan.yml", "--dialect", "tsql", *TARGET, told=("Canary-",)
    )
    assert "compare columns with numbers" in error
    assert "NVARCHAR(MAX)" in _entries_table(lab, planned(lab))


def _entries_table(lab, plan):
    script = compiled(lab, "tsql", "--hierarchies", "tables", plan=plan)
    (made,) = [line for line in script.splitlines() if line.startswith("-- CREATE TABLE")]
    return made


def test_t_sql_has_texts_of_unicode_and_a_transaction(lab):
    planned(lab)
    script = compiled(lab, "tsql")
    words = [
        "SET XACT_ABORT ON;",
        "ISOLATION LEVEL SERIALIZABLE;",
        "BEGIN TRANSACTION;",
        "COMMIT TRANSACTION;",
    ]
    places = [script.index(word) for word in words]
    assert places == sorted(places)
    trees = statements(script, "tsql")
    for tree in trees:
        assert not [each for each in tree.find_all(exp.Literal) if each.is_string]
        # sqlglot reads a LEN as one of a text cast to its own type, which the script does not say.
        read = [
            each
            for each in tree.find_all(exp.DataType)
            if not isinstance(each.parent.parent, exp.Length)
        ]
        kinds = {each.sql("tsql") for each in read}
        assert kinds <= {"NVARCHAR(MAX)", "VARBINARY(MAX)", "BIGINT", "INTEGER"}
    assert " VARCHAR(" not in script


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_blanks_at_the_end_of_a_value_count_for_its_mask(lab, dialect):
    """LEN of T-SQL leaves them out, so that a value longer than its mask would be released as it is."""
    as_it_is = {"role": "quasi", "hierarchy": {"mask": 5}, "levels": {"most": 0}}
    columns = {"zip": as_it_is, "age": {"role": "insensitive"}}
    planned(lab, columns, privacy={"k": 2}, suppression="60%")
    trees = statements(compiled(lab, dialect), dialect)
    counted = [each.this.sql() for tree in trees for each in tree.find_all(exp.Length)]
    assert counted
    assert all("'.'" in each for each in counted)


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a key that is long enough; it's")


NUMBERS = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [30.5]}},
    "zip": {"role": "insensitive"},
    "sex": {"role": "insensitive"},
}
OUTPUT = {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "output": "bounds"}
HASHED = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
RAGGED = {"role": "quasi", "hierarchy": {"csv": "sex.csv", "ragged": "repeat"}}
WEEKS = {"role": "quasi", "hierarchy": {"dates": ["week"]}}


@pytest.mark.parametrize(
    ("columns", "changes", "options", "told"),
    [
        ({"name": HASHED}, {}, (), "no safe place for the key of a pseudonym"),
        ({"age": OUTPUT}, {}, (), "bounds, whose types are each database's own"),
        (NUMBERS, {"suppression": 0}, (), "intervals of numbers that are not whole"),
        ({"sex": RAGGED}, {}, ("--hierarchies", "tables"), "a ragged hierarchy"),
        ({}, {"privacy": [{"k": 2}, {"k": 3, "over": ["sex"]}]}, (), "over one set of quasi-identifiers"),
        ({}, {"search": {"recoding": "cells", "metric": "height"}, "suppression": "60%"}, (), "cannot release rows at several nodes"),
        ({}, {"search": {"algorithm": "mondrian"}}, (), "cannot release rows in regions"),
        ({}, {"source": {"path": "people.csv", "where": "age > '20'"}}, (), "may mean another thing in Snowflake"),
        ({}, {"source": {"path": "people.csv", "where": "zip LIKE '7%'"}}, (), "may mean another thing"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("key")
def test_what_may_mean_another_thing_is_refused(lab, columns, changes, options, told):
    planned(lab, columns, **changes)
    error = lab.refused("compile", "policy.plan.yml", "--dialect", "snowflake", *TARGET, *options)
    assert told in error


def test_all_faults_are_told_at_once(lab):
    planned(
        lab,
        {"age": OUTPUT},
        source={"path": "people.csv", "where": "sex = 'canary-m'"},
        suppression="90%",
    )
    error = lab.refused("compile", "policy.plan.yml", "--dialect", "trino")
    assert "--table NAME" in error
    assert "--release NAME" in error


def test_weeks_and_masks_are_refused_where_they_differ(lab):
    text = "day,n\n" + "".join(f"2020-01-0{1 + i % 3},{i}\n" for i in range(30))
    lab.write("days.csv", text)
    columns = {"day": WEEKS, "n": {"role": "insensitive"}}
    columns |= dict.fromkeys(("name", "zip", "sex", "age", "disease"))
    planned(lab, columns, source="days.csv", privacy={"k": 11}, suppression=0)
    assert "in weeks" in lab.refused("compile", "policy.plan.yml", "--dialect", "bigquery", *TARGET)
    planned(lab, {"age": {"role": "insensitive"}}, privacy={"k": 14}, suppression=0)
    assert "masked by characters" in lab.refused(
        "compile", "policy.plan.yml", "--dialect", "tsql", *TARGET
    )


@pytest.mark.parametrize(
    ("dialect", "why"), [*WHY_NOT.items(), ("drill", ""), ("", ""), ("duck", "")]
)
def test_dialects_without_a_script_say_why(lab, dialect, why):
    planned(lab)
    error = lab.refused("compile", "policy.plan.yml", "--dialect", dialect, *TARGET)
    assert why in error
    assert "snowflake" in error


def test_every_dialect_is_known_to_sqlglot_and_in_one_list():
    known = {str(each.value) for each in sqlglot.Dialects}
    assert {*WAREHOUSES, *WHY_NOT, *OWN} <= known
    assert not {*WAREHOUSES} & {*WHY_NOT, *OWN}


@pytest.mark.parametrize(
    ("name", "dialect", "told"),
    [
        ("a" * 200, "redshift", "longer than the 127 bytes"),
        ("ä" * 40, "postgres", "cuts names at 63 bytes"),
        ("a.b", "bigquery", "no column of BigQuery may have"),
        ("a b", "databricks", "no column of Databricks SQL may have"),
        ("a\nGO\nb", "tsql", "control characters"),
        ("$(x)", "tsql", "which shells of that database replace"),
    ],
)
def test_names_that_are_others_there_are_refused(lab, name, dialect, told):
    rows = "".join(f"x,{i},d\n" for i in range(12))
    lab.write("odd.csv", f'"{name}",n,disease\n{rows}')
    columns = {name: {"role": "quasi", "hierarchy": "suppress"}, "n": {"role": "insensitive"}}
    columns |= dict.fromkeys(("name", "zip", "sex", "age"))
    lab.policy(columns, source="odd.csv")
    lab.done("plan", "policy.yml")
    error = lab.refused("compile", "policy.plan.yml", "--dialect", dialect, *TARGET)
    assert told in error


@pytest.mark.parametrize("options", [(), ("--hierarchies", "tables")])
def test_entries_that_changed_since_the_plan_are_refused(lab, options):
    planned(lab)
    lab.write("sex.csv", "canary-m;canary-y;*\ncanary-f;canary-y;*\n")
    for dialect in ("snowflake", "postgres"):
        error = lab.refused("compile", "policy.plan.yml", "--dialect", dialect, *TARGET, *options)
        assert "columns.sex.hierarchy: changed since the plan was made" in error


@pytest.mark.parametrize("option", ["--table", "--release"])
@pytest.mark.parametrize("dialect", ["postgres", "tsql"])
def test_tables_whose_names_would_be_cut_are_refused(lab, dialect, option):
    planned(lab)
    given = {"--table": "people", "--release": "made", option: f"public.{'ä' * 70}"}
    words = [word for pair in given.items() for word in pair]
    error = lab.refused("compile", "policy.plan.yml", "--dialect", dialect, *words)
    assert f"{option}: is longer than the" in error
