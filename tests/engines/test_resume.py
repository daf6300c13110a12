"""Runs that are killed, and others that go on from what these kept, only if nothing has changed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
import yaml
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main

PROGRAM = Path(__file__).with_name("resumed_runs.py")
ANEW = (
    "began anew: no run of this policy, source and version was killed with tables that it had kept"
)
OF_ROWS = {"all domains", "domain", "domain codes", "frequency set", "lined tuples"}
"""Statements that read all rows, and whose tables are kept."""


@pytest.fixture
def run(java, tmp_path):
    people = """
        SELECT CASE WHEN n % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
            '021' || LPAD(CAST(n * 13 % 30 AS VARCHAR), 2, '0') AS zip,
            CAST(20 + n * 7 % 40 AS INT) AS age,
            ['flu', 'cold', 'canary', NULL][1 + n % 4] AS disease
        FROM RANGE(1200) AS r (n)
    """
    duckdb.execute(f"COPY ({people}) TO '{tmp_path}/people.parquet'")
    zips = [f"021{n:02};021{n // 10}*;021**;*" for n in range(30)]
    (tmp_path / "zips.csv").write_text("\n".join(zips) + "\n")
    key = {"XDG_STATE_HOME": str(tmp_path / "state")}
    places = {"cwd": tmp_path, "env": {**os.environ, **key}}

    def started(what, *, meanwhile=None):
        program = subprocess.Popen(
            [sys.executable, str(PROGRAM), what], **places,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        with program:
            try:
                told = None if meanwhile is None else meanwhile(program)
                out, err = program.communicate(timeout=600)
            except BaseException:
                program.kill()
                raise
        done = subprocess.CompletedProcess(what, program.returncode, out, err)
        return done if meanwhile is None else (done, told)

    return started


def told(done):
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_killed_plan_goes_on_from_its_frequency_set(run):
    """It reads no row again but for the hash of the source, and its bytes are those of a plan that began anew."""
    assert run("frequency_set").returncode == -signal.SIGKILL
    found = told(run("resumed"))
    assert len(found["kept"]) == 4, (
        "the values of columns, those of a sensitive one, and the tuples"
    )
    assert {removed for removed, _ in found["listed"]} == {False}
    assert all("by a run that may go on" in why for _, why in found["listed"])
    assert found["beside"] == found["kept"], "another run leaves them and takes its own away"
    assert found["resumed"]["remarks"][-1].startswith("went on from 4 tables that a killed run had")
    assert not OF_ROWS & set(found["resumed"]["read"])
    assert found["resumed"]["plan"] == found["anew"]
    assert found["resumed"]["left"] == []
    for changed in ("policy", "source"):
        assert found[changed]["remarks"][-1] == ANEW
        assert {"all domains", "frequency set"} <= set(found[changed]["read"])
        assert found[changed]["left"] == found["kept"], "of another policy or source"
    assert "frequency set" in found["hierarchy"]["read"]
    assert "went on from 3 tables" in found["hierarchy"]["remarks"][-1]
    assert found["tampered"]["remarks"][-2].startswith("3 tables of an earlier run had other rows")
    assert found["tampered"]["plan"] == found["anew"]
    assert found["cleaned"] == [[True, "kept for a run that would go on where one was killed"]]
    assert found["after"] == []
    assert "canary" not in json.dumps(found)


@pytest.mark.parametrize("killed", [False, True])
def test_a_run_that_goes_on_leaves_another_whole(run, tmp_path, killed):
    """It removes what both of them read: the other's own tables, or those of a killed run that both go on from."""
    if killed:
        assert run("few checks").returncode == -signal.SIGKILL

    def beside(other):
        while not (tmp_path / "stopped").exists():
            assert other.poll() is None
            time.sleep(0.05)
        try:
            return told(run("beside"))
        finally:
            (tmp_path / "go").touch()

    done, second = run("waits resumed" if killed else "waits", meanwhile=beside)
    first = told(done)
    assert second["remarks"][-1].startswith("went on from ")
    assert first["plan"] == second["plan"]
    assert second["left"] == [], "it has removed what it went on from"
    assert first["left"] == []
    if killed:
        assert first["remarks"] == second["remarks"]


def test_tables_that_vanish_are_made_again(run, tmp_path):
    """At the worst moments: after a table was written and before it has its name; after its files were listed."""
    assert run("few checks").returncode == -signal.SIGKILL
    shutil.copytree(tmp_path / "checkpoints" / "kanon-sql", tmp_path / "backup")
    found = told(run("removed"))
    assert found["while written"] == found["while read"] >= 3
    assert found["read"]["plan"] == found["written"]["plan"]
    assert found["read"]["remarks"][-2].startswith(
        f"{found['while read']} tables of an earlier run"
    )
    assert found["read"]["remarks"][-1] == ANEW
    assert found["read"]["left"] == []


@pytest.mark.rare
def test_cuts_go_on_from_their_tuples(run):
    assert run("lined_tuples").returncode == -signal.SIGKILL
    found = told(run("cut"))
    assert found["remarks"][-1].startswith("went on from ")
    assert not OF_ROWS & set(found["read"])
    assert found["plan"] == found["anew"]
    assert found["once more"][-1] == ANEW
    assert found["left"] == []


def test_what_keeps_nothing_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    duckdb.execute(f"COPY (SELECT n % 3 AS age FROM RANGE(30) AS r (n)) TO '{tmp_path}/a.parquet'")
    policy = {
        "version": 1,
        "source": "a.parquet",
        "entity": "row",
        "columns": {"age": {"role": "quasi", "hierarchy": "suppress"}},
        "privacy": {"k": 5},
    }
    Path("policy.yml").write_text(yaml.safe_dump(policy))
    with pytest.raises(kanon_sql.InputError, match="from what DuckDB keeps beyond a run, and that"):
        kanon_sql.anonymize("policy.yml", release="out.parquet", resume=True)
    for words in (["plan", "policy.yml"], ["anonymize", "policy.yml", "--release", "out.parquet"]):
        done = CliRunner().invoke(main, [*words, "--resume"])
        assert done.exit_code != 0
        assert "that is nothing: run it again" in str(done.output) + str(done.exception)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.parquet", "policy.yml"]
