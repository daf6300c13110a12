"""A raw table that is released in place, and what a run, a refusal or a kill leaves of it."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import kanon_sql

TABLE, KEPT = 'pe"ople; --', "raw ${x}.it's"
WHO, ZIP, AGE, NOTE, NUMBER = 'na"me', "zip ${x}", "select", "ключ😀", "n.umber"
ROWS = 400
T, W, Z, A, N = ('"' + text.replace('"', '""') + '"' for text in (TABLE, WHO, ZIP, AGE, NUMBER))
MADE = (
    (f"CREATE TABLE {T} ({W} VARCHAR NOT NULL, {Z} TEXT, {A} INTEGER NOT NULL, "
    f'"{NOTE}" TEXT NOT NULL, {N} BIGINT DEFAULT 9000 NOT NULL CHECK ({N} < 9999))'),
    (f"INSERT INTO {T} SELECT 'canary' || i, '021' || (i * i % 7), 20 + i * i % 50, 'canary', i "
    f"FROM generate_series(0, {ROWS - 1}) AS g(i)"),
)  # fmt: skip

HELD = duckdb.__version__ >= "2"
ALONE = [] if HELD else ["writes of other connections"]


def policy(*, accept=(), table=TABLE, **changes):
    release = {
        "in_place": True,
        "accept": [*accept, *ALONE],
        **changes.pop("original", {"drop_original": True}),
    }
    return {
        "version": 1,
        "source": {"table": table},
        "entity": "row",
        "columns": {
            WHO: {"role": "identifying", "action": "drop"},
            ZIP: {"role": "quasi", "hierarchy": {"mask": 4}},
            AGE: {"role": "quasi", "hierarchy": {"intervals": [10, 40]}},
            NOTE: {"role": "identifying", "action": "null"},
            NUMBER: {"role": "insensitive"},
        },
        "privacy": {"k": 15},
        "suppression": "2%",
        "release": release,
        **changes,
    }  # fmt: skip


def say(place, *statements):
    for each in statements:
        place.connection.execute(each)


def ask(place, statement):
    return place.connection.execute(statement).fetchall()


@contextmanager
def own_postgres(server, made=MADE):
    """A database of the server that holds the raw table."""
    import psycopg

    address = server.address.replace("/postgres?", "/in_place?")
    say(server, "CREATE DATABASE in_place")
    try:
        with psycopg.connect(address, autocommit=True, prepare_threshold=None) as connection:
            place = type(server)(connection, address)
            say(place, *made)
            yield place
    finally:
        say(server, "DROP DATABASE in_place WITH (FORCE)")


def run(place, given):
    return kanon_sql.anonymize(given, connection=place.connection)


def refused(place, given):
    """What a refusal lists, by the names that would be accepted; nothing has changed."""
    before, left = Counter(place.read(given["source"]["table"])), place.left()
    with pytest.raises(kanon_sql.ReleaseError) as caught:
        run(place, given)
    assert "canary" not in str(caught.value)
    assert (Counter(place.read(given["source"]["table"])), place.left()) == (before, left)
    return {fault.where for fault in caught.value.faults}


def in_files(place):
    """How many files of a server hold a raw value."""
    say(place, "CHECKPOINT")
    path = "current_setting('data_directory') || '/base/' || oid"
    ((folder,),) = ask(place, f"SELECT {path} FROM pg_database WHERE datname = current_database()")
    return [f.name for f in Path(folder).iterdir() if f.is_file() and b"canary" in f.read_bytes()]


def kill_at_each_step(db, killer, file, made):
    """SIGKILL after each statement of publishing, and within the next one, until a run goes through.

    Of each step the table is the raw one or the released one; `made` are the statements that made the raw one.
    """
    raw, left = Counter(db.read(TABLE)), db.left()
    given = policy(database=db.address, original={"keep_original": "kept"})
    file.write_text(json.dumps(given), encoding="utf-8")
    copy = None
    if db.name == "duckdb":
        db.connection.close()
        copy = Path(db.address).read_bytes()
    seen, ended, step = Counter(), None, 1
    with killer("duckdb", "psycopg") as run_until:
        while ended != 0:
            for delay in (0.002, 0) if step % 3 == 0 else (0,):
                ended = run_until(file, step, delay)
                assert ended in (0, signal.SIGKILL, signal.SIGALRM)
                state = found(db, raw, left)
                seen[state, ended] += 1
                if state == "new":
                    put_back(db, copy, made)
            step += 1
    assert step > 8
    assert seen["old", signal.SIGKILL] > 6
    assert seen["new", 0] > 0


def found(db, raw, left):
    """Tell which table a killed run left, whole, and that it left nothing else."""
    if db.name == "duckdb":
        db.connection = duckdb.connect(db.address)
    running = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'kanon-sql'"
    while db.name == "postgres" and ask(db, running):
        time.sleep(0.01)  # a server notices later that its client is gone
    if WHO in db.names(TABLE):
        state = "old"
        assert Counter(db.read(TABLE)) == raw
        assert db.left() == left
    else:
        state = "new"
        found = kanon_sql.verify(T, quasi=[ZIP, AGE], k=15, connection=db.connection)
        assert found.passed
        assert found.rows >= ROWS * 0.98
        assert Counter(db.read("kept")) == raw
        assert db.left() == sorted([*left, "kept"])
    if db.name == "duckdb":
        db.connection.close()
    return state


def put_back(db, copy, made):
    if copy is not None:
        Path(db.address).write_bytes(copy)
        return
    say(db, f"DROP TABLE {T}", "DROP TABLE kept", *made)
