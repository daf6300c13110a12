"""Macros of DuckDB and functions of PostgreSQL against plain Python, and a plan that they carry out against `apply`."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from shells import psql

from kanon_sql.apps.cli.command_line import main

COLUMNS = ['se\'x "x"', "group", "a,ge"]
"""Names that careless quoting breaks."""
TABLE = 'the "people" of $$'
POLICY = {
    "version": 1,
    "entity": "row",
    "columns": {
        COLUMNS[0]: {"role": "quasi", "hierarchy": "suppress"},
        COLUMNS[1]: {"role": "quasi", "hierarchy": {"mask": {"length": 7, "steps": [1, 3]}}},
        COLUMNS[2]: {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        "ill": {"role": "sensitive"},
        "na me": {"role": "identifying", "action": "drop"},
    },
    "privacy": [{"k": 4}, {"distinct_l": {"column": "ill", "l": 2}}],
    "suppression": "20%",
    "search": {"algorithm": "optimal"},
}


def rows_of(seed=7, many=240):
    draw = random.Random(seed)
    return [
        (
            draw.choice(["f", "m", "F", None]),
            draw.choice(["a%b'", "a%b", "", "$kanon$", None]),
            draw.choice([None, *range(20, 60)]),
            draw.choice(["flu", "cold", "canary's", None]),
            f"Canary {i}",
        )
        for i in range(many)
    ]


def sizes(rows, at):
    return Counter(tuple(row[i] for i in at) for row in rows)


def script(*words):
    done = CliRunner().invoke(main, ["macros", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


class InDuckDB:
    """A connection with the macros."""

    dialect = "duckdb"

    def __init__(self):
        self.connection = duckdb.connect()

    def fetch(self, text):
        return self.connection.execute(text).fetchall()

    def load(self, text):
        self.connection.execute(text)

    def listed(self, names):
        return "[" + ", ".join("'" + each.replace("'", "''") + "'" for each in names) + "]"


class InPostgres:
    """A server with the functions."""

    dialect = "postgres"

    def __init__(self, place):
        self.connection = place.connection

    def fetch(self, text):
        cursor = self.connection.execute(text.encode())
        while cursor.nextset():  # the last of several statements
            pass
        return cursor.fetchall()

    def load(self, text):
        self.connection.execute(text.encode())

    def listed(self, names):
        return "ARRAY" + InDuckDB.listed(self, names) + "::text[]"


def put(db, rows, table=TABLE):
    quoted = table.replace('"', '""')
    names = ", ".join(
        '"' + each.replace('"', '""') + '" ' + ("INTEGER" if each == "a,ge" else "TEXT")
        for each in [*COLUMNS, "ill", "na me"]
    )
    db.fetch(f'DROP TABLE IF EXISTS "{quoted}"; CREATE TABLE "{quoted}" ({names}); SELECT 1')
    if rows:
        mark = "?" if db.dialect == "duckdb" else "%s"
        insert = f'INSERT INTO "{quoted}" VALUES ({", ".join([mark] * 5)})'
        (db.connection if db.dialect == "duckdb" else db.connection.cursor()).executemany(
            insert, rows
        )
    return f'"{quoted}"'


@pytest.fixture(params=["duckdb", "postgres"])
def db(request):
    if request.param == "duckdb":
        yield InDuckDB()
        return
    found = InPostgres(request.getfixturevalue("postgres"))
    yield found
    found.load('DROP TABLE IF EXISTS "the ""people"" of $$", safe, "sa fe"')


@pytest.mark.parametrize("many", [0, 1, 240])
def test_checks_and_risks_are_those_of_plain_counting(db, many):
    rows = rows_of(many=many)
    named = put(db, rows).replace("'", "''")
    db.load(script("--dialect", db.dialect))
    for at in ([0], [0, 1], [2, 0, 1]):
        cols = db.listed([COLUMNS[i] for i in at])
        found = sizes(rows, at)
        least = min(found.values(), default=None)
        assert db.fetch(f"SELECT kanon_k('{named}', {cols})") == [(least,)]
        for k in (1, 3, 40):
            short = [n for n in found.values() if n < k]
            assert db.fetch(f"SELECT * FROM kanon_check('{named}', {cols}, {k})") == [
                (bool(rows) and not short, len(rows), len(found), least, len(short), sum(short))
            ]
        ((total, classes, unique, highest, average),) = db.fetch(
            f"SELECT * FROM kanon_risk('{named}', {cols})"
        )
        assert (total, classes) == (len(rows), len(found))
        assert unique == sum(n == 1 for n in found.values())
        assert highest == (pytest.approx(1 / least) if rows else None)
        assert average == (pytest.approx(len(found) / len(rows)) if rows else None)


def test_a_column_that_is_not_there_and_no_column_are_errors(db):
    named = put(db, rows_of())
    db.load(script("--dialect", db.dialect))
    for names in (["no such"], [COLUMNS[0], "nix"], []):
        with pytest.raises(Exception, match=r"no such|nix|column|GROUP|syntax|argument"):
            db.fetch(f"SELECT * FROM kanon_check('{named}', {db.listed(names)}, 2)")


def test_texts_that_a_collation_takes_for_equal_are_different_classes():
    db = InDuckDB()
    db.load("CREATE TABLE t (a TEXT COLLATE NOCASE); INSERT INTO t VALUES ('a'), ('A'), ('A')")
    db.load(script())
    assert db.fetch("SELECT kanon_k('t', ['a'])") == [(1,)]


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """A plan of the rows in a Parquet file, its release by `apply`, and the rows."""
    monkeypatch.chdir(tmp_path)
    rows = rows_of()
    with duckdb.connect() as connection:
        own = InDuckDB()
        own.connection = connection
        put(own, rows)
        quoted = TABLE.replace('"', '""')
        connection.execute(f"COPY \"{quoted}\" TO 'people.parquet'")
    policy = {**POLICY, "source": "people.parquet", "release": "release.parquet"}
    (tmp_path / "policy.yml").write_text(yaml.safe_dump(policy, sort_keys=False))
    for words in (["plan", "policy.yml"], ["apply", "policy.plan.yml"]):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
    return rows, duckdb.sql("FROM 'release.parquet'").fetchall()


def applied(db, named):
    named = named.replace("'", "''")
    if db.dialect == "duckdb":
        db.load(f"CREATE OR REPLACE TABLE safe AS FROM kanon_apply('{named}')")
    else:
        db.load(f"DROP TABLE IF EXISTS safe; SELECT kanon_apply('{named}', 'safe')")
    return db.fetch("SELECT * FROM safe")


def test_a_plan_releases_what_apply_does(db, planned):
    rows, released = planned
    named = put(db, rows)
    db.load(script("policy.plan.yml", "--dialect", db.dialect))
    made = applied(db, named)
    assert Counter(made) == Counter(released)
    classes = sizes(made, (0, 1, 2))
    assert min(classes.values()) >= 4
    assert db.fetch(f"SELECT kanon_k('safe', {db.listed(COLUMNS)})") == [(min(classes.values()),)]
    assert made != sorted(made, key=repr)  # in no order of the source


def test_what_violates_the_policy_is_an_error_and_no_table(db, planned):
    db.load(script("policy.plan.yml", "--dialect", db.dialect))
    named = put(db, rows_of(seed=8, many=12))
    with pytest.raises(
        Exception, match=r"suppressed than the policy allows; rows: \d+|recount"
    ) as caught:
        applied(db, named)
    assert "anary" not in str(caught.value)
    with pytest.raises(Exception, match="safe"):
        db.fetch("SELECT * FROM safe")


def test_psql_loads_the_functions(planned, postgres, tmp_path):
    rows, released = planned
    named = put(InPostgres(postgres), rows).replace("'", "''")
    text = script("policy.plan.yml", "--dialect", "postgres")
    done = psql(
        f"{text}\nSELECT kanon_apply('{named}', '\"sa fe\"'); SELECT count(*) AS n FROM \"sa fe\";",
        postgres.address,
        tmp_path,
    )
    assert str(len(released)) in str(done)
    postgres.connection.execute(b'DROP TABLE "sa fe"')


def test_duckdb_s_shell_reads_the_file(planned, tmp_path):
    shell = shutil.which("duckdb")
    if shell is None:
        pytest.skip("no shell of DuckDB")
    (tmp_path / "kanon.sql").write_text(script("policy.plan.yml"))
    text = ".read kanon.sql\n.mode json\nCREATE TABLE safe AS FROM kanon_apply('''people.parquet''');\nSELECT count(*) AS n FROM safe;\n"
    done = subprocess.run(
        [shell], input=text, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [{"n": len(planned[1])}], done.stderr


def test_what_no_single_query_can_carry_out_is_refused(planned, tmp_path):
    policy = {
        **POLICY,
        "source": "people.parquet",
        "release": "release.parquet",
        "search": {"algorithm": "mondrian"},
    }
    Path("regions.yml").write_text(yaml.safe_dump(policy, sort_keys=False))
    assert CliRunner().invoke(main, ["plan", "regions.yml"]).exit_code == 0
    done = CliRunner().invoke(main, ["macros", "regions.plan.yml"])
    assert done.exit_code == 1
    assert "a macro cannot release rows in regions" in done.stderr
    assert done.stdout == ""
    (told,) = re.findall(r"plan (--algorithm \w+)", done.stderr)
    words = ["plan", "regions.yml", *told.split(), "-o", "node.plan.yml"]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert "kanon_apply" in script("node.plan.yml")
