"""The commands of a series: each prints the keys that its help explains, and what a person reads."""

from __future__ import annotations

import json

import duckdb
import pytest
from click.testing import CliRunner
from series_runs import KEY, NAMES, policy_of

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.cli.json_keys import JSON_KEYS


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A policy of a series in a database's file, after two releases."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERIES_KEY", KEY)
    types = ("INTEGER", "INTEGER", "TEXT", "TEXT", "TEXT")
    columns = ", ".join(f"{name} {of}" for name, of in zip(NAMES, types, strict=True))
    with duckdb.connect("people.duckdb") as connection:
        connection.execute(f'CREATE TABLE "the rows" ({columns})')
        connection.execute(
            "INSERT INTO \"the rows\" SELECT i, 0, 'a', 'uv'[1 + i % 2], 'RAWTAG' FROM range(8) AS v (i)"
        )
    policy = {**policy_of(2), "database": "people.duckdb"}
    (tmp_path / "p.yml").write_text(json.dumps(policy))
    plan = kanon_sql.plan("p.yml")
    (tmp_path / "p.plan.yml").write_text(plan.named("p.yml").to_yaml())
    kanon_sql.apply("p.plan.yml")
    with duckdb.connect("people.duckdb") as connection:
        connection.execute('DELETE FROM "the rows" WHERE "the ""row""" = 3')
        connection.execute("INSERT INTO \"the rows\" VALUES (99, 0, 'b', 'u', 'RAWTAG')")
    return tmp_path


def run(*words):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.stdout


def test_each_command_prints_its_keys_and_needs_no_key_to_verify(folder, monkeypatch):
    applied = json.loads(run("apply", "p.plan.yml", "--json"))
    counts = {
        "series_release": 2,
        "born": 0,
        "left": 0,
        "withheld": 1,
        "waiting": 1,
        "withdrawn": 0,
        "outside": 0,
        "cells": 1,
    }
    assert counts.items() <= applied.items()
    assert counts.keys() <= JSON_KEYS["apply"].keys()
    monkeypatch.delenv("SERIES_KEY")
    for name in ("series status", "series verify", "series end"):
        found = json.loads(run(*name.split(), "p.yml", "--json"))
        assert found.keys() == JSON_KEYS[name].keys()
    assert json.loads(run("series", "status", "p.yml", "--json"))["ended"] is True


def test_what_a_person_reads_has_counts_and_no_value(folder):
    printed = [
        run("apply", "p.plan.yml"),
        run("series", "status", "p.yml"),
        run("series", "verify", "p.yml"),
    ]
    assert "0 rows appear, 0 leave, 1 are withheld; 1 deleted row" in " ".join(printed[0].split())
    assert "withheld: 1 row, until enough new ones of the class come" in printed[1]
    assert (
        "PASS: 0 of 1 cell fall short of the policy; 8 rows, the smallest cell has 8" in printed[2]
    )
    assert "RAWTAG" not in "".join(printed)
    sql = run("series", "verify", "p.yml", "--sql")
    with duckdb.connect("people.duckdb", read_only=True) as connection:
        assert connection.execute(sql).fetchall()[0][:3] == (1, 0, 8)
        ledger = connection.execute('SELECT COLUMNS(*)::VARCHAR FROM "its ledger"').fetchall()
    assert "RAWTAG" not in str(ledger)
    done = CliRunner().invoke(main, ["series", "end", "p.yml"])
    assert "safe beside this one only if its people are others" in " ".join(done.output.split())


def test_a_policy_without_series_or_release_says_what_to_do(folder):
    policy = json.loads((folder / "p.yml").read_text())
    policy["series"]["ledger"] = {"table": "another"}
    (folder / "q.yml").write_text(json.dumps(policy))
    done = CliRunner().invoke(main, ["series", "status", "q.yml"])
    assert (done.exit_code, "has no release yet" in done.output) == (1, True)
    del policy["series"]
    (folder / "q.yml").write_text(json.dumps(policy))
    done = CliRunner().invoke(main, ["series", "status", "q.yml"])
    assert (done.exit_code, "is not in the policy" in done.output) == (1, True)
