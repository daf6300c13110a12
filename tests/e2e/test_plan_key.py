"""What a plan gives away: nothing in it is a test of a guessed row, and its key is kept where no commit finds it."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import duckdb
import pytest
import yaml
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.counting.run.session import key_file
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.errors import KanonError

KEYED = re.compile(r"(?:[a-z]+ [0-9.]+ (?:values )?)?hmac-sha256:[0-9a-f]{8}:[0-9a-f]{64}")
OURS, THEIRS = "the key of the house", "a key of somebody else"
TRUTH, GUESSES = ("Ada Canary", 33, "hiv"), [("Bob Other", 33, "flu"), ("Ada Canary", 34, "hiv")]
SEARCHES = {
    "a node": {},
    "boxes": {"search": {"algorithm": "mondrian"}},
    "parts": {"search": {"algorithm": "top_down", "target": "disease"}, "suppression": 0},
}


def policy(search):
    """Counts by age; the labels of its hierarchy come from a table that is made from the rows."""
    age = {"role": "quasi", "hierarchy": {"table": "ages"}, "order": "number"}
    if search == "boxes":
        del age["hierarchy"]
    columns = {
        "name": {"role": "identifying", "action": "drop"},
        "age": age,
        "disease": {"role": "sensitive"},
    }
    base = {"version": 1, "entity": "row", "columns": columns, "privacy": {"k": 2}}
    return {**base, "suppression": 1, **SEARCHES[search]}


def planned(monkeypatch, key, row, search="a node"):
    """The plan of a table in which all is known but one row, as its file holds it."""
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", key)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (name VARCHAR, age INTEGER, disease VARCHAR)")
        known = [(f"Known {n}", 20 + n // 2 % 20, "flu" if n % 3 else "hiv") for n in range(80)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", [*known, row])
        connection.execute(
            "CREATE TABLE ages AS SELECT DISTINCT age AS value, CAST(age // 10 AS VARCHAR) AS decade, '*' AS root FROM people"
        )
        made = kanon_sql.plan(policy(search), "people", connection=connection)
    return yaml.safe_load(made.to_yaml())


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, f"{path}.{key}")
    else:
        yield path, value


def differing(one, other):
    one, other = dict(leaves(one)), dict(leaves(other))
    return {path for path in {*one, *other} if one.get(path) != other.get(path)}


@pytest.mark.parametrize("search", SEARCHES)
def test_who_knows_all_rows_but_one_cannot_try_values_for_it(monkeypatch, search):
    published = planned(monkeypatch, OURS, TRUTH, search)
    right = differing(published, planned(monkeypatch, THEIRS, TRUTH, search))
    assert right == differing(
        published, planned(monkeypatch, THEIRS, (*GUESSES[0][:1], 33, "hiv"), search)
    )
    assert ".source.fingerprint" in right
    assert all(KEYED.fullmatch(dict(leaves(published))[path]) for path in right)


def test_the_same_rows_and_key_give_the_same_bytes_and_another_row_is_noticed(monkeypatch):
    published = planned(monkeypatch, OURS, TRUTH)
    assert planned(monkeypatch, OURS, TRUTH) == published
    for row in GUESSES:
        assert ".source.fingerprint" in differing(published, planned(monkeypatch, OURS, row))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a source and its policy, and a user without any key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("KANON_SQL_PLAN_KEY", raising=False)
    (tmp_path / "people.csv").write_text("age\n" + "".join(f"{20 + n // 3}\n" for n in range(30)))
    (tmp_path / "policy.yml").write_text(
        "{version: 1, source: people.csv, entity: row, columns: {age: {role: quasi, hierarchy: suppress}},"
        " privacy: {k: 3}, release: out.csv}"
    )
    return tmp_path


def run(*args, code=0):
    result = CliRunner().invoke(main, args)
    assert result.exit_code == code, result.output
    return result.output


def test_a_key_is_made_once_for_its_user_alone_and_outside_of_the_project(folder):
    run("plan", "policy.yml")
    kept = key_file()
    assert kept == folder / "state" / "kanon-sql" / "plan.key"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    key = kept.read_bytes()
    assert [each.name for each in kept.parent.iterdir()] == ["plan.key"]
    first = (folder / "policy.plan.yml").read_bytes()
    run("plan", "policy.yml", "-o", "again.yml")
    assert (folder / "again.yml").read_bytes() == first
    assert kept.read_bytes() == key
    assert key.strip() not in first
    run("apply", "policy.plan.yml")


def test_commands_whose_plan_is_not_kept_make_no_key(folder):
    run("lint", "policy.yml")
    run("anonymize", "policy.yml", "--no-plan")
    run("verify", "out.csv", "--quasi", "age", "-k", "3")
    assert not key_file().exists()
    run("anonymize", "policy.yml", "--replace")
    assert key_file().exists()


def test_another_machine_needs_the_key_and_is_given_it_by_the_environment(folder, monkeypatch):
    run("plan", "policy.yml")
    key = key_file().read_text().strip()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "elsewhere"))
    refused = run("apply", "policy.plan.yml", code=1)
    assert "KANON_SQL_PLAN_KEY" in refused
    assert not (folder / "out.csv").exists()
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", key)
    run("apply", "policy.plan.yml")


def test_a_source_that_changed_is_told_from_another_key(folder):
    run("plan", "policy.yml")
    text = (folder / "people.csv").read_text()
    (folder / "people.csv").write_text(text.replace("29", "28", 1))
    assert "changed since the plan was made" in run("apply", "policy.plan.yml", code=1)


def test_a_plan_with_a_plain_hash_of_rows_says_what_to_do(folder):
    run("plan", "policy.yml")
    plan = folder / "policy.plan.yml"
    text = re.sub(r"fingerprint: .*", "fingerprint: md5:345587117754192696178", plan.read_text())
    plan.write_text(text)
    refused = run("apply", "policy.plan.yml", code=1)
    assert "earlier version" in refused
    assert "make the plan again" in refused


def test_what_is_no_key_is_refused_before_any_work(folder, monkeypatch):
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "short")
    assert "16 bytes" in run("plan", "policy.yml", code=1)
    monkeypatch.delenv("KANON_SQL_PLAN_KEY")
    (folder / "state").write_text("a file where a folder is to be")
    refused = run("plan", "policy.yml", code=1)
    assert "KANON_SQL_PLAN_KEY" in refused
    assert not (folder / "policy.plan.yml").exists()


def test_processes_that_begin_at_once_have_one_key(folder):
    code = "from kanon_sql.counting.run.session import plan_key; print(plan_key(keep=True).secret.decode())"
    with ThreadPoolExecutor(4) as pool:
        told = list(
            pool.map(
                lambda _: (
                    subprocess.run(
                        [sys.executable, "-c", code],
                        capture_output=True,
                        text=True,
                        check=True,
                        env=dict(os.environ),
                    ).stdout
                ),
                range(4),
            )
        )
    assert len(set(told)) == 1


def test_a_portable_hash_is_asked_for_and_is_of_columns_that_have_one(folder):
    run("plan", "policy.yml", "--portable")
    assert "fingerprint: hmac-sha256:" in (folder / "policy.plan.yml").read_text()
    run("apply", "policy.plan.yml")
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT range % 3 AS a, CAST(1.5 AS DOUBLE) AS x FROM range(9)"
        )
        asked = {
            "version": 1,
            "entity": "row",
            "columns": {
                "a": {"role": "quasi", "hierarchy": "suppress"},
                "x": {"role": "insensitive"},
            },
            "privacy": {"k": 3},
        }
        kanon_sql.plan(asked, "t", connection=connection)
        with pytest.raises(KanonError, match=r"columns\.x.*no portable hash"):
            kanon_sql.plan(asked, "t", connection=connection, portable=True)


NUMBERS = (
    "CREATE TABLE t AS SELECT CAST(range % 3 - 1 AS {}) AS a, CAST({} AS {}) AS b FROM range(9)"
)
SIMPLE = {
    "version": 1,
    "entity": "row",
    "columns": {"a": {"role": "quasi", "hierarchy": "suppress"}, "b": {"role": "insensitive"}},
    "privacy": {"k": 3},
}


def hashed(whole, value, kind):
    with duckdb.connect() as connection:
        connection.execute(NUMBERS.format(whole, value, kind))
        return kanon_sql.plan(SIMPLE, "t", connection=connection).source_fingerprint


def test_a_hash_by_value_depends_on_no_number_of_bits_and_tells_a_date_from_a_number(monkeypatch):
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", OURS)
    day = "DATE '1970-01-06'"
    same = {hashed(whole, day, "DATE") for whole in ("TINYINT", "INTEGER", "BIGINT")}
    assert len(same) == 1
    assert " values hmac-sha256:" in same.pop()
    hashes = [
        hashed(*each)
        for each in [
            ("INTEGER", day, "DATE"),
            ("INTEGER", "5", "INTEGER"),
            ("INTEGER", "6", "INTEGER"),
            ("INTEGER", "NULL", "INTEGER"),
            ("VARCHAR", "5", "INTEGER"),
            ("VARCHAR", "5", "VARCHAR"),
        ]
    ]
    assert len(set(hashes)) == len(hashes)
    assert " values " not in hashes[-1]


def test_a_plan_with_a_hash_of_texts_is_still_applied_and_its_changed_source_is_noticed(
    monkeypatch,
):
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", OURS)
    with duckdb.connect() as connection:
        connection.execute(NUMBERS.format("INTEGER", "range", "BIGINT"))
        with monkeypatch.context() as earlier:
            texts = replace(DuckDB.capabilities, hashes_values=False)
            earlier.setattr(DuckDB, "capabilities", texts)
            made = kanon_sql.plan(SIMPLE, "t", connection=connection)
        assert " values " not in made.source_fingerprint
        kanon_sql.apply(made, "t", policy=SIMPLE, connection=connection)
        connection.execute("UPDATE t SET b = 99 WHERE b = 4")
        with pytest.raises(KanonError, match="changed since the plan was made"):
            kanon_sql.apply(made, "t", policy=SIMPLE, connection=connection)


def test_diff_does_not_call_another_key_another_source(monkeypatch):
    old = planned(monkeypatch, OURS, TRUTH)
    new = planned(monkeypatch, THEIRS, TRUTH)
    read = [
        kanon_sql.Plan.from_yaml(yaml.safe_dump(each, sort_keys=False), "p") for each in (old, new)
    ]
    told = kanon_sql.diff(*read)
    assert "different keys" in told.markdown
    assert "Only the data" not in told.markdown


def test_a_key_is_in_no_text(monkeypatch):
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", OURS)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS SELECT range % 5 AS age FROM range(20)")
        asked = {
            "version": 1,
            "entity": "row",
            "columns": {"age": {"role": "quasi", "hierarchy": "suppress"}},
            "privacy": {"k": 2},
        }
        made = kanon_sql.plan(asked, "people", connection=connection)
        assert OURS not in repr(made) + made.to_yaml()
        connection.execute("INSERT INTO people VALUES (1)")
        with pytest.raises(KanonError) as refused:
            kanon_sql.apply(made, "people", policy=asked, connection=connection)
    assert OURS not in repr(refused.value) + str(refused.value)
