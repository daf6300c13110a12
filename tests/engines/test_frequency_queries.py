"""The query of a frequency set tells texts apart by their bytes, in each database that can be started here."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections import Counter
from pathlib import Path

import duckdb
import pytest
import sqlglot
import yaml

import kanon_sql
from kanon_sql.errors import InputError
from kanon_sql.release.warehouse_sql import COUNTING, NO_COUNTING

TEXTS = ["F", "f", "F ", "é", "É", "", None, "NULL", "1", "01", "a.", "it's", "x\\n"]
ROWS = [(TEXTS[i % 13], None if i % 17 == 0 else 20 + i * 7 % 5, i) for i in range(800)]
WANTED = Counter((text, age) for text, age, _ in ROWS)


def policy(**source):
    return {
        "version": 1,
        "source": {"table": "people", **source},
        "entity": "row",
        "columns": {
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
            "id": {"role": "identifying", "action": "drop"},
        },
        "privacy": {"k": 5},
        "suppression": "20%",
    }


def query(dialect):
    return kanon_sql.frequency_query(policy(), dialect=dialect)


def counted(rows):
    """The tuples with their rows; a tuple that comes twice is an error."""
    found = [(tuple(values), int(count)) for *values, count in rows]
    assert len(dict(found)) == len(found)
    return dict(found)


@pytest.mark.parametrize("collation", ["BINARY", "NOCASE", "RTRIM"])
def test_sqlite_counts_by_bytes(collation, tmp_path, monkeypatch):
    """Its own comparison would count F, f and F with a blank together."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE people (sex TEXT COLLATE {collation}, age INTEGER, id)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
        rows = connection.execute(query("sqlite")).fetchall()
    assert counted(rows) == WANTED
    with Path("counted.csv").open("w", encoding="utf-8", newline="") as file:
        # A text is quoted and NULL is an empty field, as sqlite3 -csv writes them.
        print("sex,age,kanon_rows", file=file)
        for sex, age, count in rows:
            text = "" if sex is None else '"{}"'.format(sex.replace('"', '""'))
            print(f"{text},{'' if age is None else age},{count}", file=file)
    Path("policy.yml").write_text(yaml.safe_dump(policy()), encoding="utf-8")
    there = kanon_sql.plan("policy.yml", frequency_set="counted.csv")
    with duckdb.connect("here.db") as made:
        made.execute("CREATE TABLE people (sex VARCHAR, age INTEGER, id INTEGER)")
        made.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
    here = kanon_sql.plan({**policy(), "database": "here.db"})
    assert there.recoding == here.recoding
    assert there.figures == here.figures


def test_duckdb_counts_by_bytes():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE people (sex VARCHAR COLLATE NOCASE.NOACCENT, age INT, id INT)"
        )
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
        assert counted(connection.execute(query("duckdb")).fetchall()) == WANTED


def test_postgres_counts_by_bytes(postgres):
    """The tests' server has no collation that folds; the query runs there, and says which one it counts by."""
    with postgres.connection.cursor() as cursor:
        cursor.execute("CREATE TABLE people (sex text, age int, id int)")
        cursor.executemany("INSERT INTO people VALUES (%s, %s, %s)", ROWS)
        assert counted(cursor.execute(query("postgres")).fetchall()) == WANTED
        cursor.execute("DROP TABLE people")
    assert 'COLLATE "C"' in query("postgres")


def test_clickhouse_counts_by_bytes():
    """By chdb, ClickHouse as a library of Python, of a Python that has it."""
    python = os.environ.get("KANON_SQL_CHDB")
    if not python:
        pytest.skip("KANON_SQL_CHDB names no Python that has chdb")
    program = (
        "import chdb.session, json, sys; s = chdb.session.Session(); texts, rows, query = json.load(sys.stdin);"
        "s.query('CREATE DATABASE d'); s.query('USE d');"
        "s.query('CREATE TABLE people (sex Nullable(String), age Nullable(Int32), id Int32) ENGINE = Memory');"
        "s.query('INSERT INTO people FORMAT JSONEachRow ' + chr(10).join(map(json.dumps, rows)));"
        "print(s.query(query, 'JSONCompact'))"
    )

    rows = [dict(zip(("sex", "age", "id"), row, strict=True)) for row in ROWS]
    given = json.dumps([TEXTS, rows, query("clickhouse")])
    ran = subprocess.run([python, "-c", program], input=given, capture_output=True, text=True, check=False, timeout=120)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert counted(json.loads(ran.stdout)["data"]) == WANTED


def test_mariadb_counts_by_bytes(tmp_path):
    """The program of the server carries out statements as it does when its tables are made."""
    server = os.environ.get("KANON_SQL_MARIADBD") or shutil.which("mariadbd")
    if not server:
        pytest.skip("there is no mariadbd, and KANON_SQL_MARIADBD names none")
    (tmp_path / "data").mkdir()

    def text(value):
        return "NULL" if value is None else f"X'{value.encode().hex()}'"

    values = ",".join(
        f"({text(sex)}, {'NULL' if age is None else age}, {i})" for sex, age, i in ROWS
    )
    asked = " ".join(query("mysql").split())
    lines = [
        "CREATE DATABASE d;",
        "USE d;",
        "SET sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES';",
        "CREATE TABLE people (sex VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, age INT, id INT);",
        f"INSERT INTO people VALUES {values};",
        f"SELECT HEX(sex), age, kanon_rows FROM ({asked}) AS q INTO OUTFILE '{tmp_path}/out';",
        f"SELECT COUNT(DISTINCT sex) FROM people INTO OUTFILE '{tmp_path}/folded';",
    ]
    messages = Path(server).parent.parent / "share" / "mysql"
    ran = subprocess.run(
        [
            server, "--no-defaults", "--bootstrap", f"--datadir={tmp_path}/data", "--user=root", "--skip-log-bin",
            *([f"--lc-messages-dir={messages}"] if messages.is_dir() else []),
        ],
        input="\n".join(lines).encode(), capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert int((tmp_path / "folded").read_text()) < len(TEXTS) - 1
    found = [line.split("\t") for line in (tmp_path / "out").read_text().splitlines()]
    assert counted(
        (
            None if sex == r"\N" else bytes.fromhex(sex).decode(),
            None if age == r"\N" else int(age),
            count,
        )
        for sex, age, count in found
    ) == WANTED  # fmt: skip


@pytest.mark.parametrize("dialect", COUNTING, ids="to {}".format)
def test_each_query_is_one_that_its_dialect_parses(dialect):
    (read,) = sqlglot.parse(query(dialect), read=dialect)
    assert [each.alias_or_name for each in read.selects] == ["sex", "age", "kanon_rows"]


@pytest.mark.parametrize(
    ("dialect", "where", "told"),
    [
        ("mysql", "sex <> 'F'", "may mean another thing in MySQL"),
        ("mysql", "age = 1", "may mean another thing in MySQL"),
        ("sqlite", "age = 1", "may mean another thing in SQLite"),
        ("oracle", "sex = ''", "may mean another thing in Oracle"),
        ("postgres", "sex = 'F'", "may mean another thing in PostgreSQL"),
    ],
)
def test_a_condition_that_may_mean_another_thing_is_refused(dialect, where, told):
    with pytest.raises(InputError, match=told):
        kanon_sql.frequency_query(policy(where=where), dialect=dialect)


def test_a_condition_without_values_and_one_of_the_own_dialect_are_written():
    for dialect in COUNTING:
        text = kanon_sql.frequency_query(policy(where="sex IS NULL"), dialect=dialect)
        assert " IS NULL" in text
    assert "= 'F'" in kanon_sql.frequency_query(policy(where="sex = 'F'"), dialect="duckdb")


@pytest.mark.parametrize("dialect", [*NO_COUNTING, "hive", "nothing"])
def test_other_dialects_are_refused_with_the_reason(dialect):
    with pytest.raises(InputError, match=r"there are queries for: .*sqlite, mysql, clickhouse"):
        query(dialect)


def test_scripts_are_no_reason_against_a_query():
    """A hashed column is refused by the script of a warehouse; a query counts beside it."""
    hashed = {
        **policy()["columns"],
        "id": {"role": "identifying", "action": "hash", "key_env": "KEY"},
    }
    asked = {**policy(), "columns": hashed}
    assert "`s`.`sex`" in kanon_sql.frequency_query(asked, dialect="mysql")
    with pytest.raises(InputError, match="a hashed column"):
        kanon_sql.frequency_query(asked, dialect="snowflake")


def test_the_weight_of_a_text_file_is_read_as_a_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head = "sex,age,id,n,kanon_rows\n"
    Path("rows.csv").write_text(head + "F,1,x,10,10\nM,2,y,12.0,12.0\n")
    Path("wrong.csv").write_text(head + "F,1,x,10,10\nM,2,y,12.5,12.5\nM,3,y,many,\nM,3,y,0,-1\n")

    dropped = {"role": "identifying", "action": "drop"}

    def source(name):
        columns = {**policy()["columns"], "kanon_rows": dropped}
        return {**policy(), "source": {"path": name, "weight": "n"}, "columns": columns}

    assert kanon_sql.plan(source("rows.csv")).source_rows == 22
    with pytest.raises(InputError, match="n is no whole number of at least 1 in 3 tuples"):
        kanon_sql.plan(source("wrong.csv"))
    classified = policy()
    classified["columns"] |= {"n": dropped}
    assert kanon_sql.plan(classified, frequency_set="rows.csv").source_rows == 22
    with pytest.raises(InputError, match="kanon_rows is no whole number of at least 1 in 3 tuples"):
        kanon_sql.plan(classified, frequency_set="wrong.csv")
