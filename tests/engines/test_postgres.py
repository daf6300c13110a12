"""PostgreSQL: rights, transactions, kills, limits; what only a server has."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql import Destination, Format
from kanon_sql.engines.commands_sql import padded_keys

psycopg = pytest.importorskip("psycopg", reason="no driver: install kanon-sql[postgres]")


@pytest.fixture
def pg(postgres):
    place = postgres
    place.put("people", people(200))
    before = place.left()
    yield place
    place.drop("people_k5")
    assert place.left() == before
    place.drop("people")


def people(count):
    return pa.table(
        {
            "id": pa.array(range(count), pa.int64()),
            "zip": pa.array([f"021{i % 40:02}" for i in range(count)]),
            "age": pa.array([20 + i * i % 60 for i in range(count)], pa.int64()),
        }
    )


def policy(**changes):
    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "id": {"role": "identifying", "action": "drop"},
            "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        },
        "privacy": {"k": 5},
        "suppression": "5%",
        **changes,
    }


def written(pg, folder, **changes):
    path = folder / "policy.yml"
    given = policy(database=pg.address, release="people_k5", **changes)
    path.write_text(json.dumps(given), encoding="utf-8")
    return path


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "kanon_sql", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_command_line_works_on_a_server(pg, tmp_path):
    path = written(pg, tmp_path)
    for words in (("lint", path), ("plan", path), ("apply", tmp_path / "policy.plan.yml")):
        done = command(*words)
        assert done.returncode == 0, done.stderr
    assert len(pg.read("people_k5")) >= 190
    words = ("verify", "people_k5", "--quasi", "zip,age", "-k", "5", "--database", pg.address)
    assert "PASS" in command(*words).stdout
    refused = command("anonymize", path)
    assert refused.returncode == 1
    assert "already" in refused.stderr


def test_a_password_in_a_policy_is_refused(tmp_path):
    for address in ("postgresql://a:secret@localhost/x", "postgresql:///x?password=secret"):
        with pytest.raises(kanon_sql.PolicyError, match="contains a password") as caught:
            kanon_sql.plan(policy(database=address))
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("postgresql://127.0.0.1:1/x", "no server answers there"),
        ("postgresql://127.0.0.1:1/x?nothing=1", "no address of libpq"),
        ("postgresql://nowhere.invalid/x", "no such host"),
    ],
)
def test_a_server_that_is_not_there_is_one_clear_error(address, why):
    with pytest.raises(kanon_sql.SourceError, match=f"^database: .* cannot be reached: .*{why}"):
        kanon_sql.plan(policy(database=address))


def test_a_database_and_a_role_that_are_not_there_are_told_apart(pg):
    info = pg.connection.info
    for name, role, why in (("none", info.user, "database"), (info.dbname, "none", "role")):
        address = f"postgresql://{role}@/{name}?host={info.host}&port={info.port}"
        with pytest.raises(kanon_sql.SourceError, match=f"no such {why}$"):
            kanon_sql.plan(policy(database=address))


def test_a_file_is_no_source_and_no_release_here(pg):
    with pytest.raises(kanon_sql.SourceError, match="reads tables and queries"):
        kanon_sql.plan(policy(source="people.csv"), connection=pg.connection)
    with pytest.raises(kanon_sql.ReleaseError, match="releases to tables"):
        kanon_sql.anonymize(policy(), connection=pg.connection, release="people.parquet")
    with pytest.raises(kanon_sql.ReleaseError, match="releases to a table"):
        kanon_sql.anonymize(policy(), connection=pg.connection)
    with pytest.raises(kanon_sql.SourceError, match="tables and queries of its own"):
        kanon_sql.plan(policy(), people(50), connection=pg.connection)


def test_names_that_would_be_cut_are_refused(pg):
    query = {"query": f'SELECT id, zip, age AS "{"a" * 60}" FROM people'}
    columns = policy()["columns"]
    bounds = {**columns.pop("age"), "output": "bounds"}
    with pytest.raises(kanon_sql.SourceError, match="cuts names at 63 bytes"):
        kanon_sql.plan(
            policy(source=query, columns={**columns, "a" * 60: bounds}), connection=pg.connection
        )


def as_role(pg, *rights):
    """A connection of a role that has these rights and no others."""
    pg.connection.execute("DROP OWNED BY kanon_reader; DROP ROLE kanon_reader") if (
        pg.connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'kanon_reader'").fetchone()
    ) else None
    pg.connection.execute("CREATE ROLE kanon_reader LOGIN")
    pg.connection.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
    for right in rights:
        pg.connection.execute(f"GRANT {right} TO kanon_reader".encode())
    return psycopg.connect(pg.address, user="kanon_reader", autocommit=True)


def test_a_missing_right_is_named(pg):
    with as_role(pg) as reader, pytest.raises(kanon_sql.MissingRightError, match="SELECT, on what"):
        kanon_sql.plan(policy(), connection=reader)
    with (
        as_role(pg, "SELECT ON people") as reader,
        pytest.raises(kanon_sql.MissingRightError, match="--scratch-schema"),
    ):
        kanon_sql.plan(policy(), connection=reader)
    rights = ("SELECT ON people", "TEMPORARY ON DATABASE postgres")
    with (
        as_role(pg, *rights) as reader,
        pytest.raises(kanon_sql.MissingRightError, match="CREATE, on the schema of the release"),
    ):
        kanon_sql.anonymize(policy(), connection=reader, release="people_k5")


def test_scratch_tables_may_stand_in_a_schema(pg):
    pg.connection.execute("CREATE SCHEMA scratch")
    try:
        rights = ("SELECT ON people", "CREATE, USAGE ON SCHEMA scratch")
        settings = kanon_sql.Settings(scratch_schema="scratch")
        with as_role(pg, *rights) as reader:
            plan = kanon_sql.plan(policy(), connection=reader, settings=settings)
            made = kanon_sql.apply(
                plan, policy=policy(), connection=reader, settings=settings, release="scratch.k5"
            )
        assert made.verification.passed
        left = pg.connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'scratch'::regnamespace"
        ).fetchall()
        assert left == [("k5",)]
    finally:
        pg.connection.execute("DROP SCHEMA scratch CASCADE")


def test_a_transaction_of_the_caller_goes_on(pg):
    with psycopg.connect(pg.address) as own:
        own.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        own.execute("CREATE TABLE mine (a INTEGER)")
        kanon_sql.anonymize(policy(), connection=own, release="people_k5")
        with pytest.raises(kanon_sql.ReleaseError):
            kanon_sql.anonymize(policy(), connection=own, release="people_k5")
        assert own.execute("SELECT COUNT(*) FROM mine").fetchone() == (0,)
        assert len(own.execute("SELECT * FROM people_k5").fetchall()) >= 190
        own.rollback()
    assert "people_k5" not in pg.left()
    assert "mine" not in pg.left()


def test_a_transaction_without_a_snapshot_of_its_own_is_refused(pg):
    with psycopg.connect(pg.address) as own:
        own.execute("CREATE TABLE mine (a INTEGER)")
        with pytest.raises(kanon_sql.InputError, match="begin it as repeatable read"):
            kanon_sql.plan(policy(), connection=own)
        assert own.execute("SELECT COUNT(*) FROM mine").fetchone() == (0,)
        with pytest.raises(psycopg.Error):
            own.execute("SELECT nothing")
        with pytest.raises(kanon_sql.InputError, match="roll it back first"):
            kanon_sql.plan(policy(), connection=own)
        own.rollback()
        assert kanon_sql.plan(policy(), connection=own).source_rows == 200
    with pytest.raises(kanon_sql.InputError, match="no open connection"):
        kanon_sql.plan(policy(), connection=own)


ODD = {
    "TimeZone": "Asia/Tokyo",
    "DateStyle": "German, DMY",
    "IntervalStyle": "iso_8601",
    "bytea_output": "escape",
    "extra_float_digits": "-5",
    "standard_conforming_strings": "off",
    "transform_null_equals": "on",
}


def test_settings_of_a_session_change_nothing_and_are_put_back(pg):
    """In a transaction of the caller too, where what is set locally would stay."""
    query = (
        "SELECT id, zip, age, DATE '2020-02-29' + age::int AS born, "
        "TIMESTAMPTZ '2020-03-01 00:00:00Z' + age * INTERVAL '1 hour' AS seen FROM people"
    )
    columns = {
        **policy()["columns"],
        "zip": {"role": "quasi", "hierarchy": {"mask": {"length": 5, "character": "\\"}}},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}},
        "seen": {"role": "insensitive"},
    }
    given = policy(source={"query": query}, columns=columns)
    wanted = kanon_sql.plan(given, connection=pg.connection)
    with psycopg.connect(pg.address, row_factory=psycopg.rows.dict_row) as own:
        own.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        for name, value in ODD.items():
            own.execute("SELECT SET_CONFIG(%s, %s, FALSE)", (name, value))
        found = kanon_sql.plan(given, connection=own)
        left = {name: own.execute(f"SHOW {name}".encode()).fetchone() for name in ODD}
        assert [set(row.values()) for row in left.values()] == [{v} for v in ODD.values()]
        own.rollback()
    assert found.to_yaml() == wanted.to_yaml()


def test_a_key_is_in_no_log_of_the_server(pg, monkeypatch):
    """The server is told to write down all that statements hold and all that is bound to them."""
    secret = "a key of the test that no log may hold"
    monkeypatch.setenv("KANON_TEST_KEY", secret)
    given = policy()
    given["columns"]["id"] = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    folder = pg.connection.execute("SHOW data_directory").fetchone()[0]
    with psycopg.connect(pg.address, autocommit=True) as own:
        for name, value in (
            ("log_statement", "all"),
            ("log_min_duration_statement", "0"),
            ("log_parameter_max_length", "-1"),
        ):
            own.execute(f"SET {name} = '{value}'".encode())
        own.execute("SELECT %s", ("what is bound is written down",))
        kanon_sql.anonymize(given, connection=own, release="people_k5")
        left = own.execute("SELECT CURRENT_SETTING(name) FROM pg_settings WHERE name LIKE 'kanon%'")
        assert left.fetchall() in ([], [("",)] * 2)
    log = "".join(
        path.read_text(errors="replace") for path in Path(folder).glob("**/*log*") if path.is_file()
    )
    assert "what is bound is written down" in log
    assert "frequency_set" in log
    for pad in padded_keys("KANON_TEST_KEY", secret.encode()).values():
        assert pad.hex() not in log
    assert secret not in log


@pytest.mark.parametrize(
    ("has", "given"), [("4MB", "64MB"), ("100000kB", "100000kB"), ("1GB", "1GB")]
)
def test_a_run_has_memory_to_hash_classes_and_never_less_than_the_session(
    pg, monkeypatch, has, given
):
    from kanon_sql.engines.postgres.engine import Postgres

    seen, own = set(), Postgres._run

    def noting(self, ready, params):
        if ready.step == "frequency set":
            seen.add(self.connection.execute("SHOW work_mem").fetchone()[0])
        return own(self, ready, params)

    monkeypatch.setattr(Postgres, "_run", noting)
    with psycopg.connect(pg.address, autocommit=True) as mine:
        mine.execute(f"SET work_mem = '{has}'".encode())
        kanon_sql.plan(policy(), connection=mine)
        assert mine.execute("SHOW work_mem").fetchone() == (has,)
    assert seen == {given}


def test_values_are_joined_as_ones_of_which_null_is_one_only_where_it_is(pg, monkeypatch):
    """By arrays, which compare NULLs as equal and cost twice as much; so too where an operator may not be found."""
    from kanon_sql.engines.postgres.engine import Postgres

    said, own = {}, Postgres._run

    def noting(self, ready, params):
        said[ready.step] = ready.text
        return own(self, ready, params)

    monkeypatch.setattr(Postgres, "_run", noting)
    with psycopg.connect(pg.address, autocommit=True) as mine:
        for text in (
            "CREATE SCHEMA far",
            "CREATE DOMAIN far.ward AS INTEGER",
            "ALTER TABLE people ADD COLUMN ward far.ward DEFAULT 1",
            "UPDATE people SET zip = NULL WHERE id < 7",
        ):
            mine.execute(text.encode())
        asked = policy(release="people_k5")
        asked["columns"]["ward"] = {"role": "quasi", "hierarchy": "suppress"}
        # One that is applied counts its classes in the source, where `anonymize` has the search's own set.
        made = kanon_sql.plan(asked, connection=mine)
        kanon_sql.apply(made, policy=asked, connection=mine)
        for step in ("frequency set", "failing classes", "stage"):
            assert 'ON ARRAY["s"."zip"] = ARRAY["q0"."value"]' in said[step]
            assert 'ON "s"."age" = "q1"."value"' in said[step]
            assert 'ON ARRAY["s"."ward"] = ARRAY["q2"."value"]' in said[step]
        count = "SELECT COUNT(*) FROM people_k5 WHERE zip IS NULL"
        assert mine.execute(count.encode()).fetchone()[0] > 0
        mine.execute(b"ALTER TABLE people DROP COLUMN ward")
        mine.execute(b"DROP SCHEMA far CASCADE")


ENUMS = (
    "CREATE TYPE mood AS ENUM ('canary', 'glad')",
    "CREATE DOMAIN tame AS mood",
    "CREATE TYPE pair AS (one tame, two integer)",
)
OF_ENUMS = {"plain": "mood", "listed": "mood[]", "tamed": "tame", "paired": "pair"}


def test_no_type_of_a_release_lists_values(pg):
    """However deep an ENUM lies in a type: it is text in a release, and no column of a view."""
    for statement in ENUMS:
        pg.connection.execute(statement.encode())
    try:
        made = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in OF_ENUMS.items())
        pg.connection.execute(f"CREATE TABLE moods AS SELECT *, {made} FROM people".encode())
        pg.connection.execute("UPDATE moods SET plain = 'glad', paired = ROW('glad', 1)")
        given = policy(source="moods")
        given["columns"] |= {name: {"role": "insensitive"} for name in OF_ENUMS}
        given["columns"]["plain"] = {"role": "quasi", "hierarchy": "suppress"}
        view = Destination(Format.TABLE, "people_k5", view=True)
        with pytest.raises(kanon_sql.ReleaseError, match="4 faults") as caught:
            kanon_sql.anonymize(given, connection=pg.connection, release=view)
        assert "is an ENUM, which lists its values" in str(caught.value)
        kanon_sql.anonymize(given, connection=pg.connection, release="people_k5")
        types = "SELECT DISTINCT {}".format(", ".join(f"pg_typeof({n})::text" for n in OF_ENUMS))
        found = pg.connection.execute(f"{types} FROM people_k5".encode()).fetchall()
        assert found == [("text",) * len(OF_ENUMS)]
        found = pg.connection.execute("SELECT DISTINCT plain, paired FROM people_k5").fetchall()
        assert found == [("glad", "(glad,1)")]
    finally:
        pg.connection.execute("DROP TYPE mood CASCADE")
        pg.drop("people_k5")
        pg.drop("moods")
        pg.connection.execute("DROP TYPE pair")


# ---- a release that is a view ----------------------------------------------------------------


@pytest.fixture
def viewed(pg):
    """A view of people whose sensitive column is their number, and the rows that it hides."""
    given = policy(suppression="20%", privacy={"k": 6})
    given["columns"]["id"] = {"role": "sensitive"}
    view = Destination(Format.TABLE, "people_k5", view=True)
    kanon_sql.anonymize(given, connection=pg.connection, release=view)
    yield {row[0] for row in pg.read("people")} - {row[0] for row in pg.read("people_k5")}
    pg.connection.execute("DROP VIEW people_k5")
    for name in pg.left():
        if name.startswith("people_k5__"):
            pg.drop(name)


def test_a_reader_of_a_view_needs_no_right_to_what_is_under_it(pg, viewed):
    with as_role(pg, "SELECT ON people_k5") as reader:
        assert len(reader.execute("SELECT * FROM people_k5").fetchall()) >= 160
        under = ["people", *(name for name in pg.left() if name.startswith("people_k5__"))]
        assert len(under) == 4
        for name in under:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(f"SELECT * FROM {name}".encode())


def test_default_privileges_give_no_right_to_what_is_under_a_view(pg):
    granted = "ALTER DEFAULT PRIVILEGES {} SELECT ON TABLES {} kanon_reader, PUBLIC"
    view = Destination(Format.TABLE, "people_k5", view=True)
    with as_role(pg) as reader:
        pg.connection.execute(granted.format("GRANT", "TO").encode())
        try:
            kanon_sql.anonymize(policy(), connection=pg.connection, release=view)
            assert len(reader.execute("SELECT * FROM people_k5").fetchall()) >= 190
            under = [name for name in pg.left() if name.startswith("people_k5__")]
            assert len(under) == 3
            for name in under:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    reader.execute(f"SELECT * FROM {name}".encode())
        finally:
            pg.connection.execute(granted.format("REVOKE", "FROM").encode())
    pg.connection.execute("DROP VIEW people_k5")
    for name in under:
        pg.drop(name)


def test_a_function_of_a_reader_never_sees_a_hidden_row(pg, viewed):
    assert viewed
    seen = set()
    with psycopg.connect(pg.address) as reader:
        reader.add_notice_handler(lambda notice: seen.add(int(notice.message_primary)))
        reader.execute(
            "CREATE FUNCTION pg_temp.tell(bigint) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS "
            "'BEGIN RAISE NOTICE ''%'', $1; RETURN TRUE; END'"
        )
        shown = reader.execute("SELECT id FROM people_k5 WHERE pg_temp.tell(id)").fetchall()
    assert seen == {number for (number,) in shown}
    assert not seen & viewed


def test_a_view_says_what_it_is(pg, viewed):
    ((note,),) = pg.connection.execute(
        "SELECT OBJ_DESCRIPTION('people_k5'::regclass, 'pg_class')"
    ).fetchall()
    assert "6-anonymity when it was made" in note
    assert "appear at once" in note


def test_a_view_in_a_transaction_of_the_caller_is_undone_with_it(pg):
    view = Destination(Format.TABLE, "people_k5", view=True)
    before = pg.left()
    with psycopg.connect(pg.address) as own:
        own.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        own.execute("CREATE TABLE mine (a INTEGER)")
        kanon_sql.anonymize(policy(), connection=own, release=view)
        assert len(own.execute("SELECT * FROM people_k5").fetchall()) >= 190
        own.rollback()
    assert pg.left() == before


@pytest.mark.parametrize(
    ("where", "release"),
    [
        ("release", {"table": "ü" * 20, "view": True}),  # its tables have longer names
        ("release", "a" * 64),
        ("release", f"{'a' * 64}.k5"),
        ("release.keep_original", {"in_place": True, "keep_original": "a" * 64}),
    ],
)
def test_a_table_whose_name_would_be_cut_is_refused(pg, where, release):
    left = pg.left()
    for ask in (kanon_sql.plan, kanon_sql.lint, kanon_sql.anonymize):
        with pytest.raises(kanon_sql.ReleaseError, match="cuts names at 63 bytes") as caught:
            ask(policy(release=release), connection=pg.connection)
        assert [fault.where for fault in caught.value.faults] == [where]
    assert pg.left() == left


def test_a_timeout_of_the_server_is_respected(pg):
    options = "-c statement_timeout=1"
    with psycopg.connect(pg.address, autocommit=True, options=options) as hurried:
        pg.put("people", people(60_000))
        with pytest.raises(
            kanon_sql.KanonError,
            match=r"the server cancelled the statement: statement_timeout passed",
        ):
            kanon_sql.anonymize(policy(), connection=hurried, release="people_k5")


def test_two_runs_at_once_do_not_disturb_each_other(pg):
    errors: list[BaseException] = []

    def run(name):
        try:
            with psycopg.connect(pg.address, autocommit=True) as own:
                kanon_sql.anonymize(policy(), connection=own, release=name)
        except BaseException as error:  # noqa: BLE001  told below
            errors.append(error)

    names = [f"people_k5_{n}" for n in range(4)]
    threads = [threading.Thread(target=run, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    counts = {len(pg.read(name)) for name in names}
    for name in names:
        pg.drop(name)
    assert len(counts) == 1


def test_rows_that_come_in_while_a_run_reads_are_not_seen(pg, monkeypatch):
    """Every statement of a run sees one state of the table, whatever is committed meanwhile."""
    import kanon_sql.apps.python.anonymize as flow

    stage = flow.stage

    def late(*args, **kwargs):
        with psycopg.connect(pg.address, autocommit=True) as other:
            other.execute("INSERT INTO people VALUES (1, '99999', 7)")
        return stage(*args, **kwargs)

    monkeypatch.setattr(flow, "stage", late)
    made = kanon_sql.anonymize(policy(database=pg.address), release="people_k5")
    assert made.verification.rows + made.plan.suppressed_rows == 200
    assert pg.connection.execute("SELECT COUNT(*) FROM people").fetchone() == (201,)


@pytest.fixture
def scratch_schema(pg):
    """A schema whose tables outlive their session, once they are committed."""
    pg.connection.execute("CREATE SCHEMA scratch")
    yield ("--scratch-schema", "scratch")
    pg.connection.execute("DROP SCHEMA scratch")


@pytest.mark.parametrize("delay", [0.3, 0.6, 0.9, 1.2, 1.5])
def test_a_run_that_is_killed_leaves_nothing(pg, tmp_path, delay, scratch_schema):
    """`clean` has nothing to do here: even a schema for scratch tables is as it was."""
    pg.put("people", people(60_000))
    before = set(pg.left())
    run = subprocess.Popen(
        [
            *(sys.executable, "-m", "kanon_sql", "anonymize", str(written(pg, tmp_path))),
            *(scratch_schema if delay > 0.7 else ()),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(delay)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    for _ in range(100):  # the server notices that its client is gone
        left = set(pg.left()) - before
        if not any(name.startswith("_kanon") for name in left):
            break
        time.sleep(0.1)
    assert left in (set(), {"people_k5"})
    if left:
        found = kanon_sql.verify("people_k5", quasi=["zip", "age"], k=5, connection=pg.connection)
        assert found.passed


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("statement_timeout=1ms", "statement_timeout passed, or somebody cancelled it"),
        ("default_transaction_read_only=on", "read-only: kanon-sql makes scratch tables, so it cannot run on a replica"),
    ],
)  # fmt: skip
def test_a_cause_without_data_is_named_with_what_to_do(postgres, monkeypatch, setting, told):
    """Of a timeout, a replica and a full disk only the class was told."""
    postgres.connection.execute(
        "CREATE TABLE many AS SELECT i AS n FROM generate_series(1, 200000) AS g(i)"
    )
    try:
        monkeypatch.setenv("PGOPTIONS", f"-c {setting} -c work_mem=64kB")
        given = {
            "version": 1, "source": {"table": "many"}, "database": postgres.address, "entity": "row", "suppression": 0,
            "columns": {"n": {"role": "quasi", "hierarchy": {"intervals": [1000, 100000]}}}, "privacy": {"k": 5},
        }  # fmt: skip
        with pytest.raises(kanon_sql.KanonError, match=told):
            kanon_sql.plan(given)
    finally:
        monkeypatch.delenv("PGOPTIONS")
        postgres.connection.execute("DROP TABLE many")


@pytest.mark.parametrize("state", ["40001", "40P01", "53100", "53200", "53400", "57P01"])
def test_the_meaning_follows_from_the_state(postgres, state):
    """The server raises it itself; its own words, which may quote data, are in no message."""
    import psycopg

    from kanon_sql.base.sql.quoting import table
    from kanon_sql.engines.commands_sql import command
    from kanon_sql.engines.postgres.engine import CAUSES, use_postgres

    postgres.connection.execute(
        f"CREATE FUNCTION raised() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION 'canary' USING ERRCODE = '{state}'; END $$"
    )
    postgres.connection.execute("CREATE TABLE raising (n INT)")
    postgres.connection.execute(
        "CREATE TRIGGER t BEFORE TRUNCATE ON raising EXECUTE FUNCTION raised()"
    )
    try:
        with (
            pytest.raises(kanon_sql.StatementError) as caught,
            use_postgres(postgres.connection) as engine,
        ):
            engine.execute(command("truncate", table("raising")))
        assert str(caught.value) == f"truncate: {CAUSES[state]}"
        assert isinstance(caught.value.cause, psycopg.Error)
    finally:
        postgres.connection.execute("DROP TABLE raising")
        postgres.connection.execute("DROP FUNCTION raised")
