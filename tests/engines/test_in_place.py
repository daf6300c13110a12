"""Releases in place on DuckDB and PostgreSQL: what is carried, what is refused, what a kill leaves.

Those on Spark are in test_spark.py.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner
from in_place import (
    AGE,
    HELD,
    KEPT,
    MADE,
    NOTE,
    NUMBER,
    ROWS,
    TABLE,
    ZIP,
    A,
    N,
    T,
    W,
    Z,
    ask,
    in_files,
    kill_at_each_step,
    own_postgres,
    policy,
    refused,
    run,
    say,
)  # fmt: skip

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.engines.locations import Destination, Format, InPlace

SOLID = f"CREATE MATERIALIZED VIEW solid AS SELECT {Z} AS z FROM {T}"


@contextmanager
def own_duckdb(places, folder):
    """A database file that holds the raw table."""
    place = type(places("duckdb"))(duckdb.connect(str(folder / "own.duckdb")))
    place.address = str(folder / "own.duckdb")
    say(place, *MADE)
    yield place
    place.connection.close()


@pytest.fixture(params=["duckdb", "postgres"])
def db(request):
    """A test that asks for this holds on both."""
    return request.getfixturevalue("duck" if request.param == "duckdb" else "pg")


@pytest.fixture
def duck(places, tmp_path):
    with own_duckdb(places, tmp_path) as place:
        yield place


@pytest.fixture
def pg(postgres):
    with own_postgres(postgres) as place:
        yield place


def test_the_release_has_the_name_and_the_original_the_name_it_was_given(db):
    raw, left = Counter(db.read(TABLE)), db.left()
    elsewhere = kanon_sql.anonymize({**policy(), "release": "elsewhere"}, connection=db.connection)
    made = run(db, policy(original={"keep_original": f'"{KEPT}"'}))
    assert made.place == TABLE
    assert Counter(db.read(TABLE)) == Counter(db.read("elsewhere"))
    assert db.names(TABLE) == [ZIP, AGE, NOTE, NUMBER]
    assert Counter(db.read(KEPT)) == raw
    assert sorted({*db.left()} - {"elsewhere"}) == sorted([*left, KEPT])
    found = kanon_sql.verify(T, quasi=[ZIP, AGE], k=15, connection=db.connection)
    assert found.rows == elsewhere.verification.rows > 390
    assert found.passed


def test_the_original_is_dropped_where_that_is_said(db):
    left = db.left()
    run(db, policy())
    assert db.left() == left
    assert not any("canary" in str(row) for row in db.read(TABLE))


def test_rows_at_several_nodes_take_the_place_of_the_raw_ones(db):
    search = {"metric": "height", "recoding": "cells"}
    several = {"search": search, "suppression": "90%", "privacy": {"k": 10}}
    elsewhere = kanon_sql.anonymize(
        {**policy(**several), "release": "elsewhere"}, connection=db.connection
    )
    made = run(db, policy(**several))
    assert len(made.plan.recoding.released_nodes) > 1
    assert {layer.node.levels[1] for layer in made.plan.recoding.released_nodes} >= {0, 1, 3}
    assert Counter(db.read(TABLE)) == Counter(db.read("elsewhere"))
    assert db.names(TABLE) == [ZIP, AGE, NOTE, NUMBER]
    assert made.verification == elsewhere.verification
    assert made.verification.classes == made.plan.classes


def test_a_name_that_is_taken_keeps_no_original(db):
    say(db, f'CREATE TABLE "{KEPT}" (a INTEGER)')
    assert refused(db, policy(original={"keep_original": f'"{KEPT}"'})) == {"release.keep_original"}


def test_what_still_fits_is_carried(db):
    comment = "COMMENT ON"
    say(
        db,
        f'CREATE INDEX "i; --" ON {T} ({Z}, {N})',
        f"CREATE UNIQUE INDEX uni ON {T} ({N})",
        f"CREATE VIEW seen AS SELECT {N} AS n FROM {T} WHERE {Z} IS NOT NULL",
        f"{comment} TABLE {T} IS 'it''s'",
        f"{comment} COLUMN {T}.{Z} IS 'of zip'",
    )
    run(db, policy())
    rows = len(db.read(TABLE))
    assert len(db.read("seen")) == rows
    where = (
        "duckdb_indexes() WHERE table_name" if db.name == "duckdb" else "pg_indexes WHERE tablename"
    )
    name = "index_name" if db.name == "duckdb" else "indexname"
    assert ask(db, f"SELECT {name} FROM {where} = '{TABLE}' ORDER BY 1") == [("i; --",), ("uni",)]
    for broken in ("NULL", "10000"):
        with pytest.raises(Exception, match=r"(?i)constraint"):
            say(db, f"INSERT INTO {T} ({A}, {N}) VALUES ('a', {broken})")
    with pytest.raises(Exception, match=r"(?i)constraint"):  # the index is unique still
        say(db, f"INSERT INTO {T} ({A}, {N}) SELECT 'a', {N} FROM {T}")
    say(db, f"INSERT INTO {T} ({A}) VALUES ('a')")  # the default
    if db.name == "duckdb":
        said = "SELECT comment FROM duckdb_tables() UNION ALL SELECT comment FROM duckdb_columns() WHERE comment IS NOT NULL"
    else:
        said = f"SELECT description FROM pg_description WHERE objoid = '{T}'::regclass ORDER BY objsubid"
    assert ask(db, said) == [("it's",), ("of zip",)]


LOSSES = {
    "duckdb": (
        (f"ALTER TABLE {T} ALTER {A} SET DEFAULT 3", f"default of {AGE}"),
        (f"CREATE UNIQUE INDEX iu ON {T} ({W}, {Z})", "index iu"),
        (f"CREATE INDEX ie ON {T} ((lower({Z})))", "index ie"),
        (f"CREATE VIEW starred AS SELECT * FROM {T}", "view main.starred"),
        (f"CREATE VIEW \"aged; --\" AS SELECT {A} AS a FROM main.{T}", "view main.aged; --"),
    ),
    "postgres": (
        (f"ALTER TABLE {T} ALTER {A} SET DEFAULT 3", 'default of "select"'),
        (f"CREATE INDEX iw ON {T} ({W}, {N})", "index public.iw"),
        (f"CREATE INDEX ie ON {T} (lower({Z}))", "index public.ie"),
        (f"ALTER TABLE {T} ADD CONSTRAINT \"u c\" UNIQUE ({Z}, {N})", 'constraint "u c"'),
        (f"CREATE VIEW \"aged; --\" AS SELECT {A} AS a FROM {T}", 'view public."aged; --"'),
        ('CREATE VIEW above AS SELECT a FROM "aged; --"', "view public.above"),
        ('CREATE MATERIALIZED VIEW solid AS SELECT a FROM above', "materialized view public.solid"),
        (f"CREATE POLICY pol ON {T} USING ({A} > 3)", "policy pol"),
        (f"CREATE RULE ru AS ON DELETE TO {T} DO ALSO SELECT 1", "rule ru"),
        ((f"CREATE TRIGGER \"t g\" BEFORE UPDATE ON {T} FOR EACH ROW EXECUTE FUNCTION "
         "suppress_redundant_updates_trigger()"), 'trigger "t g"'),
        (f"CREATE PUBLICATION pub FOR TABLE {T}", "publication pub"),
        (f"CREATE STATISTICS sta (mcv) ON {W}, {Z} FROM {T}", "statistics public.sta"),
        (f"ALTER TABLE {T} ADD key INTEGER GENERATED ALWAYS AS ({N} + 1) STORED", "generation of key"),
        (f"CREATE UNIQUE INDEX un ON {T} ({N}); CREATE TABLE points (a BIGINT REFERENCES {T} ({N}))",
         "foreign key public.points points_a_fkey"),
    ),
}  # fmt: skip


def test_what_would_be_lost_is_listed_and_goes_only_when_accepted(db):
    say(db, *(statement for statement, _ in LOSSES[db.name]))
    expected = {name for _, name in LOSSES[db.name]}
    columns = policy()["columns"]
    if db.name == "postgres":
        columns["key"] = {"role": "insensitive"}
    assert refused(db, policy(columns=columns)) == expected
    some = sorted(expected)[1:]
    typo = "view main.typo"
    assert refused(db, policy(columns=columns, accept=[*some, typo])) == {min(expected), typo}
    run(db, policy(columns=columns, accept=expected))
    assert kanon_sql.verify(T, quasi=[ZIP, AGE], k=15, connection=db.connection).passed
    assert "solid" not in db.left()


def test_a_type_that_lists_the_values_of_a_column_is_told(db):
    """What it lists stays when the rows are gone, be the column of the type released or dropped."""
    say(db, """CREATE TYPE "n'm" AS ENUM ('canary', 'it''s', ',')""",
        "CREATE TYPE other AS ENUM ('canary', ',')",
        f"""ALTER TABLE {T} ADD one "n'm" DEFAULT ','""", f"""ALTER TABLE {T} ADD two "n'm"[]""")  # fmt: skip
    columns = {**policy()["columns"], "one": {"role": "insensitive"}}
    columns["two"] = {"role": "identifying", "action": "drop"}
    name = "type main.n'm" if db.name == "duckdb" else """type public."n'm\""""
    names = {name, "default of one"}
    assert refused(db, policy(columns=columns)) == names
    run(db, policy(columns=columns, accept=names))
    assert db.names(TABLE) == [ZIP, AGE, NOTE, NUMBER, "one"]
    say(db, """DROP TYPE "n'm\"""")
    assert {row[-1] for row in db.read(TABLE)} == {","}


def test_a_plan_is_carried_out_once(db):
    plan = kanon_sql.plan(policy(), connection=db.connection)
    arguments = {"policy": policy(), "connection": db.connection}
    made = kanon_sql.apply(plan, **arguments)
    assert made.verification.rows == len(db.read(TABLE))
    for again in (lambda: kanon_sql.apply(plan, **arguments), lambda: run(db, policy())):
        with pytest.raises(kanon_sql.ReleaseError, match="seems to be in place already"):
            again()
    columns = {n: c for n, c in policy()["columns"].items() if n in (ZIP, AGE, NUMBER)}
    columns[NOTE] = {"role": "insensitive"}  # no column goes: only the rows can tell
    with pytest.raises(kanon_sql.StalePlanError):
        kanon_sql.apply(plan, policy=policy(columns=columns), connection=db.connection)


def test_lint_and_plan_say_how_long_writers_wait(db):
    told = [
        kanon_sql.lint(policy(), connection=db.connection),
        list(kanon_sql.plan(policy(), connection=db.connection).notes),
    ]
    for notes in told:
        waits = [each for each in notes if each.startswith("release.in_place: others can read")]
        assert len(waits) == (db.name == "postgres"), notes


def test_lint_lists_what_hangs_on_the_table(db):
    statement, name = LOSSES[db.name][0]
    say(db, statement)
    with pytest.raises(kanon_sql.ReleaseError, match="of "):
        kanon_sql.lint(policy(), connection=db.connection)
    assert kanon_sql.lint(policy(accept=[name]), connection=db.connection) is not None


@pytest.mark.parametrize("kind", ["view", "query", "frame", "temporary", "nowhere"])
def test_only_a_plain_table_is_released_in_place(db, kind):
    say(
        db,
        f"CREATE VIEW a_view AS SELECT * FROM {T}",
        f"CREATE TEMP TABLE a_temp AS SELECT * FROM {T}",
    )
    given = policy(
        table={"view": "a_view", "temporary": "a_temp", "nowhere": "nowhere"}.get(kind, TABLE)
    )
    left = db.left()
    if kind == "query":
        given["source"] = {"query": f"SELECT * FROM {T}"}
    if kind == "temporary" and db.name == "postgres":
        assert run(db, given).verification.passed
        return
    source = pa.table({ZIP: ["a"]}) if kind == "frame" else None
    with pytest.raises(kanon_sql.InputError, match="table"):
        kanon_sql.anonymize(given, source, connection=db.connection)
    assert db.left() == left


def test_a_step_that_fails_leaves_the_raw_table(db, monkeypatch):
    from kanon_sql.engines.in_place_sql import Swap

    raw, left = Counter(db.read(TABLE)), db.left()

    def short(*_):
        raise kanon_sql.VerificationError("stopped by the test")

    monkeypatch.setattr(Swap, "recount", short)  # after the raw rows are gone from the table
    with pytest.raises(kanon_sql.VerificationError, match="stopped"):
        run(db, policy(original={"keep_original": "kept"}))
    assert (Counter(db.read(TABLE)), db.left()) == (raw, left)


def test_a_transaction_of_the_caller_is_refused(db):
    """It may not see rows that others have committed since it began, and those would be lost."""
    raw = Counter(db.read(TABLE))
    if db.name == "postgres":
        say(db, "BEGIN ISOLATION LEVEL REPEATABLE READ", "CREATE TABLE mine (a INTEGER)")
    else:
        say(db, "BEGIN", "CREATE TABLE mine (a INTEGER)")
    with pytest.raises(kanon_sql.InputError, match="commit it first"):
        run(db, policy())
    say(db, "INSERT INTO mine VALUES (1)")  # it goes on
    say(db, "ROLLBACK")
    assert Counter(db.read(TABLE)) == raw
    assert "mine" not in db.left()


def test_rows_that_a_condition_leaves_out_would_be_lost(db):
    raw = Counter(db.read(TABLE))
    given = {**policy(), "source": {"table": TABLE, "where": f"{A} < 40"}}
    out = given.pop("release")
    with pytest.raises(kanon_sql.InputError, match="the condition leaves out would be removed"):
        run(db, {**given, "release": out})
    place = Destination(Format.TABLE, "", in_place=InPlace(None, ()))
    with pytest.raises(kanon_sql.ReleaseError, match="the condition leaves out would be removed"):
        kanon_sql.anonymize(given, connection=db.connection, release=place)
    assert Counter(db.read(TABLE)) == raw


def test_a_temporary_table_that_hides_the_raw_one_is_refused(duck):
    raw = Counter(duck.read(TABLE))
    say(duck, f"CREATE TEMP TABLE {T} AS SELECT * FROM {T} LIMIT 9")
    with pytest.raises(kanon_sql.ReleaseError, match="a temporary one of that name hides it"):
        run(duck, policy())
    say(duck, f"DROP TABLE {T}")
    assert Counter(duck.read(TABLE)) == raw


def test_the_table_of_another_database_is_not_taken_for_our_own(duck, tmp_path):
    """Of one name, with one schema, in a database that is attached: neither is touched."""
    other = str(tmp_path / "other.duckdb")
    with duckdb.connect(other) as connection:
        connection.execute(MADE[0])
        connection.execute(MADE[1])
    say(duck, f"ATTACH '{other}' AS other")
    raw = Counter(duck.read(TABLE))
    for name in (f"other.main.{T}", f"other.{T}"):
        with pytest.raises(
            kanon_sql.ReleaseError, match="its kind: is not a plain table of the dat"
        ):
            run(duck, policy(table=name))
        assert Counter(duck.read(TABLE)) == raw
        assert len(ask(duck, f"SELECT * FROM other.main.{T}")) == ROWS


def meanwhile(monkeypatch, act):
    """Let something happen between the plan of a run and its staging."""
    import kanon_sql.apps.python.anonymize as flow

    stage, told = flow.stage, []

    def late(*args, **kwargs):
        try:
            told.append(act())
        except Exception as error:  # noqa: BLE001  what it is depends on the driver
            told.append(error)
        return stage(*args, **kwargs)

    monkeypatch.setattr(flow, "stage", late)
    return told


@pytest.mark.skipif(not HELD, reason="DuckDB before 2.0 stops nobody, and says so")
def test_nobody_adds_a_row_that_would_be_lost(db, monkeypatch):
    added = f"INSERT INTO {T} VALUES ('late', '0213', 27, '', 7)"
    if db.name == "duckdb":
        other = db.connection.cursor()
        told = meanwhile(monkeypatch, lambda: other.execute(added))
        run(db, policy())
        assert isinstance(told[0], duckdb.TransactionException)
    else:
        import psycopg

        with psycopg.connect(db.address, autocommit=True) as other:
            other.execute("SET lock_timeout = 50")
            told = meanwhile(monkeypatch, lambda: other.execute(added).rowcount)
            made = run(db, policy())
        # Nobody waits at first; as a row was written, the run begins again and lets nobody write.
        assert told[0] == 1
        assert isinstance(told[1], psycopg.errors.LockNotAvailable)
        assert made.plan.source_rows == ROWS + 1


@pytest.mark.parametrize(
    ("written", "rows"),
    [
        (f"INSERT INTO {T} VALUES ('late', '0210', 30, '', 7)", ROWS + 1),
        (f"DELETE FROM {T} WHERE {N} = 7", ROWS - 1),
        (f"UPDATE {T} SET {Z} = '0213' WHERE {N} = 7", ROWS),
        (f"WITH d AS (DELETE FROM {T} WHERE {N} = 7 RETURNING *) INSERT INTO {T} SELECT * FROM d", ROWS),
        (f"BEGIN\nDELETE FROM {T} WHERE {N} = 7\nROLLBACK\nINSERT INTO {T} VALUES ('late', '0210', 30, '', 7)", ROWS + 1),
    ],
)  # fmt: skip
def test_what_is_written_while_the_release_is_staged_is_in_it(pg, monkeypatch, written, rows):
    """The staged rows are those that are there: a run that missed one begins again under the lock."""
    import psycopg

    with psycopg.connect(pg.address, autocommit=True) as other:
        other.execute("SET lock_timeout = 50")

        def write():
            for each in written.splitlines():
                other.execute(each.encode())

        told = meanwhile(monkeypatch, write)
        made = run(pg, policy())
    assert told[0] is None
    assert isinstance(told[1], psycopg.errors.LockNotAvailable)
    assert made.plan.source_rows == rows
    assert len(pg.read(TABLE)) == made.verification.rows


def test_writers_wait_for_the_swap_alone_and_none_is_lost(pg, monkeypatch):
    """A writer of another table, and of a transaction that is rolled back, is no reason to begin again."""
    import psycopg

    say(pg, "CREATE TABLE beside (n INT)")
    with psycopg.connect(pg.address, autocommit=True) as other:
        other.execute("SET lock_timeout = 50")

        def write():
            other.execute("INSERT INTO beside VALUES (1)")
            other.execute(f"SELECT * FROM {T} LIMIT 1 FOR UPDATE".encode())
            other.execute(b"BEGIN")
            other.execute(f"DELETE FROM {T}".encode())
            other.execute(b"ROLLBACK")

        told = meanwhile(monkeypatch, write)
        made = run(pg, policy())
    assert told == [None]
    assert made.plan.source_rows == ROWS


def test_a_writer_that_never_stops_loses_no_row(pg):
    """Each of its rows is in the release, or was written after it."""
    import psycopg

    say(pg, f"ALTER TABLE {T} ALTER {W} DROP NOT NULL")
    stop, written = threading.Event(), []

    def write():
        with psycopg.connect(pg.address, autocommit=True) as other:
            while not stop.is_set():
                n = 1000 + len(written)
                other.execute(
                    f"INSERT INTO {T} ({Z}, {A}, {quoted_note}, {N}) VALUES ('0210', 30, '', {n})".encode()
                )
                written.append(n)

    quoted_note = f'"{NOTE}"'
    given = policy()
    given["columns"][NOTE] = {"role": "insensitive"}
    thread = threading.Thread(target=write)
    thread.start()
    try:
        while len(written) < 20:
            time.sleep(0.01)
        with psycopg.connect(pg.address, autocommit=True) as own:
            made = kanon_sql.anonymize(
                {**given, "suppression": 0, "privacy": {"k": 2}}, connection=own
            )
        before = len(written)
        while len(written) < before + 5 and thread.is_alive():
            time.sleep(0.01)
    finally:
        stop.set()
        thread.join()
    found = Counter(n for (n,) in ask(pg, f"SELECT {N} FROM {T} WHERE {N} >= 1000"))
    assert found == Counter(written)
    assert ROWS + 20 <= made.verification.rows <= ROWS + len(written)


def test_without_a_second_session_writers_wait_from_the_beginning(pg, monkeypatch):
    import psycopg

    with psycopg.connect(pg.address, autocommit=True) as other:
        other.execute("SET lock_timeout = 50")
        told = meanwhile(monkeypatch, lambda: other.execute(f"DELETE FROM {T}".encode()))

        def refuse(*_, **__):
            raise psycopg.OperationalError

        monkeypatch.setattr(psycopg, "connect", refuse)
        made = run(pg, policy())
    assert isinstance(told[0], psycopg.errors.LockNotAvailable)
    assert made.plan.source_rows == ROWS


@pytest.mark.skipif(not HELD, reason="DuckDB before 2.0 stops nobody, and says so")
def test_a_row_that_is_added_before_the_run_commits_stops_it(duck, monkeypatch):
    """A transaction that wrote before the run began, and commits while it goes on."""
    other = duck.connection.cursor()
    other.execute(f"BEGIN; INSERT INTO {T} VALUES ('late', '02139', 7, '', 7)")
    told = meanwhile(monkeypatch, lambda: other.execute("COMMIT"))
    try:
        run(duck, policy())
        assert isinstance(told[0], duckdb.TransactionException)
    except kanon_sql.ReleaseError as error:
        assert "another connection" in str(error)  # noqa: PT017
        assert ("late", "02139", 7, "", 7) in duck.read(TABLE)


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX")
def test_a_commit_that_a_full_disk_stops_is_told_as_that(duck, monkeypatch):
    import resource

    from kanon_sql.engines.duckdb.engine import DuckDB

    own, (_, most) = DuckDB._run, resource.getrlimit(resource.RLIMIT_FSIZE)

    def full(self, ready, params):
        if ready.step == "commit":
            resource.setrlimit(resource.RLIMIT_FSIZE, (1, most))
        try:
            return own(self, ready, params)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    raw = Counter(duck.read(TABLE))
    monkeypatch.setattr(DuckDB, "_run", full)
    with pytest.raises(kanon_sql.ReleaseError) as caught:
        run(duck, policy())
    assert "cannot be committed" in str(caught.value)
    assert "Nothing was published" in str(caught.value)
    assert Counter(duck.read(TABLE)) == raw


def test_a_table_that_others_point_to_is_refused(duck):
    say(duck, f"CREATE UNIQUE INDEX u ON {T} ({N})")
    say(duck, "CREATE TABLE a (b BIGINT PRIMARY KEY, c VARCHAR, d INTEGER)",
        "CREATE TABLE p (q BIGINT REFERENCES a (b))")  # fmt: skip
    say(duck, "INSERT INTO a SELECT i, 'x', 5 FROM range(20) AS r(i)")
    columns = {"b": {"role": "insensitive"}, "c": {"role": "quasi", "hierarchy": "suppress"},
               "d": {"role": "identifying", "action": "drop"}}  # fmt: skip
    given = policy(table="a", columns=columns, accept=["foreign key main.p (q)"])
    assert refused(duck, given) == {"foreign key main.p (q)"}


def test_purge_leaves_no_raw_value_in_the_file(duck):
    path = Path(duck.address)
    say(duck, f"INSERT INTO {T} SELECT 'canary' || i || repeat('x', 40), '021', 30, 'canary', i FROM range(9000) AS r(i)",
        "CREATE VIEW v AS SELECT 1 AS a", "CREATE MACRO m(x) AS x + 1", "CREATE SCHEMA s",
        "CREATE TABLE s.t (a INTEGER PRIMARY KEY)", "COMMENT ON TABLE s.t IS 'kept'", "CHECKPOINT")  # fmt: skip
    with pytest.raises(kanon_sql.ReleaseError, match="instead of a connection"):
        kanon_sql.anonymize(policy(), connection=duck.connection, purge=True)
    duck.connection.close()
    before = path.read_bytes()
    given = policy(database=str(path))
    kanon_sql.anonymize(given)
    assert b"canary" in before
    assert b"canary" in path.read_bytes(), "without purging the file keeps what was dropped"
    path.write_bytes(before)
    path.chmod(0o640)
    file = path.with_name("policy.yml")
    file.write_text(json.dumps(given), encoding="utf-8")
    done = CliRunner().invoke(main, ["anonymize", str(file), "--purge", "--no-plan"])
    assert done.exit_code == 0, done.output
    file.unlink()
    assert b"canary" not in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    with duckdb.connect(str(path)) as again:
        names = again.execute(
            "SELECT table_name, comment FROM duckdb_tables() ORDER BY 1"
        ).fetchall()
        assert names == [(TABLE, None), ("t", "kept")]
        assert again.execute("SELECT m(a) FROM v").fetchall() == [(2,)]


def test_a_killed_purge_leaves_a_copy_for_us_alone_which_clean_takes(duck, killer, tmp_path):
    folder, file = Path(duck.address).parent, tmp_path / "policy.yml"
    file.write_text(json.dumps(policy(database=duck.address)), encoding="utf-8")
    duck.connection.close()
    with killer("duckdb", within="purge") as run_until:
        assert run_until(file, 4) == signal.SIGKILL
    left = {each for each in folder.iterdir() if each.name.startswith(".own.duckdb.")}
    copies = {each for each in left if not each.name.endswith(".lock")}
    assert copies
    assert {stat.S_IMODE(each.stat().st_mode) & 0o077 for each in copies} == {0}
    assert {Path(each.place) for each in kanon_sql.clean(folder)} >= left
    assert not any(each.exists() for each in left)
    assert b"canary" in Path(duck.address).read_bytes()
    done = CliRunner().invoke(main, ["clean", "--database", duck.address, "--purge"])
    assert done.exit_code == 0, done.output
    assert b"canary" not in Path(duck.address).read_bytes()
    with duckdb.connect(duck.address) as again:
        assert again.execute(f"SELECT COUNT(*) FROM {T}").fetchone()[0] > 0


FULL = """
import resource, sys
from pathlib import Path
from kanon_sql.apps.cli import main
size = Path(sys.argv[1]).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
sys.argv[1:] = ["anonymize", sys.argv[2], "--purge"]
main()
"""


def test_a_purge_without_room_says_that_the_release_is_there_and_raw_rows_are_too(duck, tmp_path):
    file, name = tmp_path / "policy.yml", "wide"
    duck.connection.execute(
        f"CREATE TABLE {name} AS SELECT i % 3 AS a, 'canary' || repeat(md5(i::VARCHAR), 20) AS b "
        "FROM range(20000) AS r(i)"
    )
    duck.connection.close()
    columns = {"a": {"role": "quasi", "hierarchy": "suppress"},
               "b": {"role": "identifying", "action": "drop"}}  # fmt: skip
    asked = policy(database=duck.address, source=name, columns=columns)
    file.write_text(json.dumps(asked), encoding="utf-8")
    ran = [sys.executable, "-c", FULL, duck.address, str(file)]
    done = subprocess.run(ran, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the release is in place, but" in done.stderr
    assert "still holds the raw rows" in done.stderr
    with duckdb.connect(duck.address) as again:
        assert again.execute(f"SELECT column_name FROM (DESCRIBE {name})").fetchall() == [("a",)]


@pytest.mark.parametrize(("at", "left"), [("swap", "old"), ("purge", "new")])
def test_an_interrupt_says_what_may_be_there(duck, monkeypatch, at, left):
    from kanon_sql.engines.duckdb.engine import DuckDB

    def interrupted(*_):
        raise KeyboardInterrupt

    raw = Counter(duck.read(TABLE))
    duck.connection.close()
    file = Path(duck.address).with_name("policy.yml")
    file.write_text(json.dumps(policy(database=duck.address)), encoding="utf-8")
    monkeypatch.setattr(DuckDB, at, interrupted)
    done = CliRunner().invoke(main, ["anonymize", str(file), "--purge"])
    assert done.exit_code == 130
    assert "is released whole, or as it was before" in done.output
    assert ("--purge did not end" in done.output) is (at == "purge")
    with duckdb.connect(duck.address) as again:
        found = Counter(again.execute(f"SELECT * FROM {T}").fetchall())
    assert (found == raw) is (left == "old")


def test_purge_is_refused_where_it_means_nothing(db):
    for given in (policy(original={"keep_original": "kept"}), {**policy(), "release": "elsewhere"}):
        with pytest.raises(kanon_sql.ReleaseError, match="--purge"):
            kanon_sql.anonymize(given, connection=db.connection, purge=True)


def test_purge_says_why_a_transaction_is_in_its_way(pg):
    import psycopg

    with psycopg.connect(pg.address) as own, pytest.raises(kanon_sql.ReleaseError) as caught:
        kanon_sql.anonymize(policy(), connection=own, purge=True)
    assert "catalogs of the server" in str(caught.value)


def test_a_copy_that_lacks_a_row_does_not_take_the_file_s_place(duck, monkeypatch):
    from kanon_sql.engines.duckdb.engine import DuckDB

    said = DuckDB.execute

    def losing(self, statement, params=()):
        said(self, statement, params)
        if statement.name == "copy_database":
            ((name,),) = self.connection.execute(
                "SELECT database_name FROM duckdb_databases() WHERE database_name LIKE 'kanon_%'"
            ).fetchall()
            self.connection.execute(f"DELETE FROM {name}.kept WHERE a = 1")

    say(duck, "CREATE TABLE kept AS SELECT 1 AS a UNION ALL SELECT 2")
    duck.connection.close()
    monkeypatch.setattr(DuckDB, "execute", losing)
    with pytest.raises(kanon_sql.ReleaseError, match="could not be written anew"):
        kanon_sql.clean(database=duck.address, purge=True)
    with duckdb.connect(duck.address) as again:
        assert again.execute("SELECT COUNT(*) FROM kept").fetchone() == (2,)


def test_a_purge_of_its_own_is_refused_where_it_means_nothing(db):
    for given in ({"connection": db.connection}, {"database": db.address, "dry_run": True}, {}):
        with pytest.raises(kanon_sql.InputError, match="purge: goes with a database by its name"):
            kanon_sql.clean(purge=True, **given)


def test_purge_leaves_no_raw_value_in_a_servers_tables(pg):
    say(pg, f"ANALYZE {T}", f"ALTER TABLE {T} ADD late TEXT DEFAULT 'canary'",
        f"ALTER TABLE {T} ALTER late DROP DEFAULT")  # fmt: skip
    assert in_files(pg)
    columns = {**policy()["columns"], "late": {"role": "identifying", "action": "null"}}
    kanon_sql.anonymize(policy(columns=columns), connection=pg.connection, purge=True)
    assert in_files(pg) == []


def test_what_an_added_column_held_before_it_was_written_is_forgotten(pg):
    say(
        pg,
        f"ALTER TABLE {T} ADD late TEXT DEFAULT 'canary'",
        f"CREATE VIEW seen AS SELECT late FROM {T}",
    )
    columns = {**policy()["columns"], "late": {"role": "insensitive"}}
    columns[AGE] = {"role": "identifying", "action": "drop"}  # no type changes
    run(pg, policy(columns=columns))
    of = f"FROM pg_attribute WHERE attrelid = '{T}'::regclass AND atthasmissing"
    assert ask(pg, f"SELECT attname, attmissingval {of}") == []
    assert set(pg.read("seen")) == {("canary",)}
    assert pg.names(TABLE) == [ZIP, NOTE, NUMBER, "late"]


def test_statistics_and_materialized_views_are_computed_again(pg):
    say(pg, f"CREATE MATERIALIZED VIEW solid AS SELECT {Z} AS z FROM {T}",
        "CREATE MATERIALIZED VIEW upper AS SELECT z FROM solid",
        f"CREATE STATISTICS sta (mcv) ON {Z}, {A} FROM {T}", f"ANALYZE {T}", "ANALYZE")  # fmt: skip
    run(pg, policy())
    released = {row[0] for row in pg.read(TABLE)}
    for view in ("solid", "upper"):
        assert {row[0] for row in pg.read(view)} == released
    held = ask(
        pg,
        f"SELECT most_common_vals::text FROM pg_stats WHERE attname = '{AGE}' AND tablename = '{TABLE}'",
    )
    assert "[" in str(held[0][0])
    both = "SELECT unnest(most_common_vals) FROM pg_stats_ext WHERE statistics_name = 'sta'"
    commonest = {value for (value,) in ask(pg, both)}
    assert commonest
    assert not commonest & {str(age) for age in range(20, 70)}


@pytest.mark.parametrize(
    "statements",
    [
        (f"{SOLID} WHERE {N} = 9000", "ANALYZE solid"),
        (f"CREATE INDEX part ON {T} (({N} + 0)) WHERE {N} = 9000", f"ANALYZE {T}"),
    ],
    ids=["view", "index"],
)
def test_statistics_that_nothing_computes_again_stop_a_run(pg, statements):
    """No row is left that they could be computed from, which only the release can tell."""
    say(pg, f"INSERT INTO {T} VALUES ('canary', '9999', 99, '', 9000)", *statements)
    raw, left = Counter(pg.read(TABLE)), pg.left()
    with pytest.raises(kanon_sql.VerificationError, match="old statistics of"):
        run(pg, policy())
    assert (Counter(pg.read(TABLE)), pg.left()) == (raw, left)


def test_views_over_functions_are_computed_again(pg):
    say(pg, f"CREATE FUNCTION f() RETURNS SETOF bigint BEGIN ATOMIC SELECT {N} FROM {T}; END",
        "CREATE VIEW between AS SELECT g AS n FROM f() AS g",
        "CREATE FUNCTION h(integer, integer) RETURNS bigint BEGIN ATOMIC SELECT max(n) FROM between; END",
        "CREATE OPERATOR ### (leftarg = integer, rightarg = integer, function = h)",
        f"INSERT INTO {T} VALUES ('canary', '9999', 99, '', 9000)",
        "CREATE MATERIALIZED VIEW solid AS SELECT n FROM between",
        "CREATE MATERIALIZED VIEW greatest AS SELECT 1 ### 1 AS n")  # fmt: skip
    run(pg, policy())
    released = {row[-1] for row in pg.read(TABLE)}
    assert 9000 not in released
    assert {row[0] for row in pg.read("solid")} == released
    assert pg.read("greatest") == [(max(released),)]


def test_a_function_over_a_view_that_goes_is_refused(pg):
    say(pg, f"CREATE VIEW aged AS SELECT {A} AS a FROM {T}",
        "CREATE FUNCTION f() RETURNS BIGINT BEGIN ATOMIC SELECT max(a) FROM aged; END",
        "CREATE VIEW above AS SELECT f() AS a")  # fmt: skip
    names = {"view public.aged", "function public.f()", "view public.above"}
    assert refused(pg, policy()) == names
    assert refused(pg, policy(accept=names)) == {"function public.f()"}


def test_grants_stay_and_a_kept_original_has_none(pg):
    say(pg, "DROP ROLE IF EXISTS analyst", "CREATE ROLE analyst",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO analyst, PUBLIC",
        f"GRANT SELECT ON {T} TO analyst", f"GRANT UPDATE ({Z}) ON {T} TO analyst")  # fmt: skip
    try:
        run(pg, policy(original={"keep_original": "kept"}))
        may = "SELECT has_table_privilege('analyst', '{}', 'SELECT')"
        assert ask(pg, may.format(T)) == [(True,)]
        assert ask(pg, f"SELECT has_column_privilege('analyst', '{T}', '{ZIP}', 'UPDATE')") == [
            (True,)
        ]
        assert ask(pg, may.format("kept")) == [(False,)]
    finally:
        say(pg, "ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM analyst, PUBLIC",
            "DROP OWNED BY analyst", "DROP ROLE analyst")  # fmt: skip


def test_bounds_identities_and_sequences(pg):
    say(pg, f"ALTER TABLE {T} ADD always BIGINT GENERATED ALWAYS AS IDENTITY", f"GRANT SELECT ({A}) ON {T} TO PUBLIC",
        f"ALTER TABLE {T} ADD serial SERIAL")  # fmt: skip
    columns = policy()["columns"]
    columns[AGE]["output"] = "bounds"
    columns |= {"always": {"role": "insensitive"}, "serial": {"role": "insensitive"}}
    assert refused(pg, policy(columns=columns)) == {'grants on "select"', "column order"}
    run(pg, policy(columns=columns, accept=['grants on "select"', "column order"]))
    assert pg.names(TABLE) == [ZIP, NOTE, NUMBER, "always", "serial", f"{AGE}_low", f"{AGE}_high"]
    say(pg, f"INSERT INTO {T} ({N}) VALUES (5)")
    assert ask(pg, f"SELECT always, serial FROM {T} WHERE {N} = 5 AND {Z} IS NULL") == [
        (ROWS + 1, ROWS + 1)
    ]


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        ((f"CREATE TABLE part () INHERITS ({T})",), "inheritance"),
        ((f"CREATE FUNCTION f() RETURNS BIGINT BEGIN ATOMIC SELECT count({A}) FROM {T}; END",), "function public.f()"),
        ((f"ALTER TABLE {T} ALTER {Z} SET STATISTICS 0",), f'statistics target of "{ZIP}"'),
        ((f"CREATE TABLE part () INHERITS ({T})", f"ANALYZE {T}", "DROP TABLE part"), "inherited statistics"),
        ((f"CREATE STATISTICS sta (mcv) ON {Z}, {N} FROM {T}", f"ANALYZE {T}", "ALTER STATISTICS sta SET STATISTICS 0"),
         "statistics target of public.sta"),
        ((f"CREATE INDEX xi ON {T} (({N} + 1))", f"ANALYZE {T}", "ALTER INDEX xi ALTER COLUMN 1 SET STATISTICS 0"),
         "statistics target of expr of xi"),
        ((f"{SOLID} WHERE TRUE", "ANALYZE solid", "ALTER MATERIALIZED VIEW solid ALTER z SET STATISTICS 0"),
         "statistics target of z of solid"),
        ((f"{SOLID} WHERE TRUE", "ANALYZE solid", "REFRESH MATERIALIZED VIEW solid WITH NO DATA"),
         "statistics of public.solid"),
        ((f"CREATE TABLE typed (whole {T})",), "column whole of typed, of its row type"),
    ],
)  # fmt: skip
def test_what_cannot_be_accepted_is_refused(pg, statements, name):
    say(pg, *statements)
    assert refused(pg, policy(accept=[name])) == {name}


def test_a_role_that_does_not_own_the_table_is_refused(pg):
    import psycopg

    say(pg, "DROP ROLE IF EXISTS writer", "CREATE ROLE writer LOGIN", f"GRANT ALL ON {T} TO writer",
        f"ALTER TABLE {T} ENABLE ROW LEVEL SECURITY")  # fmt: skip
    try:
        with (
            psycopg.connect(pg.address, user="writer", autocommit=True) as own,
            pytest.raises(kanon_sql.ReleaseError) as caught,
        ):
            kanon_sql.anonymize(policy(), connection=own)
        assert {fault.where for fault in caught.value.faults} == {"its owner", "row security"}
    finally:
        say(pg, "DROP OWNED BY writer", "DROP ROLE writer")


def test_a_lock_timeout_of_the_user_is_respected(pg):
    import psycopg

    with psycopg.connect(pg.address) as other:
        other.execute(f"INSERT INTO {T} VALUES ('late', '02139', 7, '', 7)".encode())
        with (
            psycopg.connect(pg.address, autocommit=True, options="-c lock_timeout=50") as own,
            pytest.raises(kanon_sql.KanonError, match="longer than lock_timeout"),
        ):
            kanon_sql.anonymize(policy(), connection=own)
        other.rollback()


def test_a_row_that_is_committed_while_the_run_waits_is_seen(pg):
    """The lock comes before the snapshot; the other way round, the row would be lost."""
    import psycopg

    with psycopg.connect(pg.address) as other:
        other.execute(f"INSERT INTO {T} VALUES ('late', '0210', 30, '', 7)".encode())
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted"

        def let_go():
            while not ask(pg, waiting):
                time.sleep(0.01)
            other.commit()

        thread = threading.Thread(target=let_go)
        thread.start()
        made = kanon_sql.anonymize(policy(database=pg.address))
        thread.join()
    assert made.plan.source_rows == ROWS + 1
    assert len(pg.read(TABLE)) == made.verification.rows


def test_no_script_is_printed_for_it(db):
    plan = kanon_sql.plan(policy(), connection=db.connection)
    if db.name == "duckdb":
        db.connection.close()
    with pytest.raises(kanon_sql.InputError, match="script"):
        kanon_sql.compile_sql(plan, policy=policy(database=db.address))


@pytest.mark.rare(on="postgres")
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_kill_at_any_step_leaves_the_old_table_or_the_new_one(db, killer, tmp_path):
    """SIGKILL after each statement of publishing, and within the next one, until a run goes through."""
    kill_at_each_step(db, killer, tmp_path / "policy.yml", MADE)


@contextmanager
def as_owner(pg, *before):
    """The session of a role that owns the raw table, and not what a superuser makes of it by `before`."""
    say(pg, "DROP ROLE IF EXISTS owner_app", "CREATE ROLE owner_app",
        "GRANT CREATE, USAGE ON SCHEMA public TO owner_app", f"ALTER TABLE {T} OWNER TO owner_app", *before,
        "SET ROLE owner_app")  # fmt: skip
    try:
        yield
    finally:
        say(pg, "RESET ROLE", f"ALTER TABLE {T} OWNER TO CURRENT_USER", "DROP OWNED BY owner_app",
            "DROP ROLE owner_app")  # fmt: skip


@pytest.mark.parametrize(
    ("made", "name", "told"),
    [
        ((f"CREATE PUBLICATION sent FOR TABLE {T}",), "publication sent", "leaves it, which only its owner"),
        (("CREATE SCHEMA s", f"CREATE VIEW s.seen AS SELECT {W} AS w FROM {T}",), "view s.seen", "it is dropped, which only its owner"),
        (("CREATE SCHEMA s", f"CREATE MATERIALIZED VIEW s.m AS SELECT {W} AS w FROM {T}",), "materialized view s.m", "it is dropped, which only its owner"),
        (("CREATE SCHEMA s", f"CREATE MATERIALIZED VIEW s.m AS SELECT {N} AS n FROM {T}",), "materialized view s.m", "is refreshed, as it would go on showing raw rows"),
        (("CREATE SCHEMA s", f"CREATE UNIQUE INDEX uni ON {T} ({N})", f"CREATE TABLE s.child (c BIGINT REFERENCES {T} ({N}))",), "foreign key s.child child_c_fkey", "it is dropped, which only its owner"),
        (("CREATE SCHEMA s", f"CREATE STATISTICS s.pair ON {W}, {N} FROM {T}",), "statistics s.pair", "it is dropped, which only its owner"),
    ],
)  # fmt: skip
def test_a_dependent_of_another_owner_is_told_before_the_run_and_cannot_be_accepted(
    pg, made, name, told
):
    """It failed at the end, after writers had waited for the whole run, without its name."""
    with as_owner(pg, "GRANT CREATE ON DATABASE in_place TO owner_app", *made):
        with pytest.raises(kanon_sql.ReleaseError) as caught:
            run(pg, policy(accept=[name]))
        faults = {fault.where: fault.what for fault in caught.value.faults}
        assert told in faults[name]
        assert "the role postgres" in faults[name]
        with pytest.raises(kanon_sql.ReleaseError, match=r"which only its owner|owns it"):
            kanon_sql.lint(policy(accept=[name]), connection=pg.connection)
        say(pg, "RESET ROLE", "GRANT postgres TO owner_app", "SET ROLE owner_app")
        accepts = [name] if "is dropped" in told or "leaves it" in told else []
        assert run(pg, policy(accept=accepts)).verification.classes > 1


def test_dependents_of_the_same_owner_are_accepted_by_a_role_that_is_no_superuser(pg):
    made = [f"CREATE VIEW seen AS SELECT {W} AS w FROM {T}", "ALTER VIEW seen OWNER TO owner_app",
            f"CREATE MATERIALIZED VIEW solid AS SELECT {N} AS n FROM {T}", "ALTER MATERIALIZED VIEW solid OWNER TO owner_app",
            f"CREATE PUBLICATION sent FOR TABLE {T}", "ALTER PUBLICATION sent OWNER TO owner_app"]  # fmt: skip
    with as_owner(pg, "GRANT CREATE ON DATABASE in_place TO owner_app", *made):
        run(pg, policy(accept=["view public.seen", "publication sent"]))
        assert not any("canary" in str(row) for row in pg.read(TABLE))
