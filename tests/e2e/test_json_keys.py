"""What `--json` prints has the keys that the help of its command explains, and no others."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.cli.json_keys import ERROR, JSON_KEYS, OF_SOME_PLANS

QUASI = ("--quasi", "sex,age")
SENSITIVE = ("--sensitive", "disease")
CALLS = {
    "init": [("people.csv", "-o", "first.yml"), ("people.csv", "-o", "-")],
    "lint": [("policy.yml",)],
    "plan": [
        ("policy.yml",),
        ("ordered.yml",),
        ("policy.yml", "--recoding", "cells", "-o", "cells.plan.yml"),
        ("policy.yml", "--algorithm", "datafly", "-o", "datafly.plan.yml"),
    ],
    "apply": [("policy.plan.yml",)],
    "certify": [("release.parquet", "--plan", "policy.plan.yml")],
    "verify": [
        ("people.csv", *QUASI, "-k", "1", "--distinct-l", "disease=1"),
        ("people.csv", *QUASI, "-k", "30", "--entity", "name"),
        ("release.certificate", "--plan", "policy.plan.yml"),
    ],
    "labels": [("release.parquet", "--plan", "policy.plan.yml", "-o", "key.parquet")],
    "quality": [("release.parquet", "--plan", "policy.plan.yml", "--workload", "5")],
    "anonymize": [("policy.yml", "--replace")],
    "compile": [("policy.plan.yml",)],
    "risk": [("people.csv", *QUASI, "--entity", "name", "--release", "people.csv"), ("people.csv",)],
    "attack link": [
        ("--target", "people.csv", "--known", "people.csv", "--released", "people.csv", "--on", "sex,age")
    ],
    "attack homogeneity": [("people.csv", *QUASI, *SENSITIVE)],
    "attack background": [("people.csv", *QUASI, *SENSITIVE, "--excluding", "1")],
    "attack composition": [("people.csv", "people.csv", *QUASI, *SENSITIVE, "--person", "name")],
    "explain": [("policy.plan.yml", "--time-limit", "5s"), ("ordered.plan.yml", "--time-limit", "5s")],
    "compare": [("policy.yml", "--algorithms", "optimal")],
    "suggest": [("policy.yml", "--time-limit", "20s")],
    "diff": [("policy.plan.yml", "policy.plan.yml")],
    "report": [("policy.plan.yml", "--text", "--no-search")],
    "demo": [()],
    "algorithms": [()],
    "dbt path": [()],
    "dbt example": [("clinic",)],
    "sqlmesh audits": [()],
    "sqlmesh example": [("mesh",)],
    "frequency-query": [("policy.yml", "--dialect", "duckdb", "--table", "people")],
    "clean": [("--dry-run",)],
    "schema": [()],
    "engines": [()],
    "macros": [()],
    "mcp": [()],
}  # fmt: skip
"""The calls of each command whose objects together have every key that it explains."""

NOT_RUN = {
    "explore": "serves until it is ended: test_explore_json",
    "dbt init": "needs a warehouse: test_dbt_json_keys",
    "dbt plan": "needs a warehouse: test_dbt_json_keys",
    "dbt check": "needs a warehouse: test_dbt_json_keys",
    "dbt keys": "needs a warehouse: test_dbt_pseudonyms",
    "dbt certify": "needs a warehouse: test_dbt_certify",
    "series simulate": "needs a ledger: test_series_simulation",
    **dict.fromkeys(
        ("series status", "series verify", "series end"), "needs a ledger: test_series_page"
    ),
}
RARE = {
    *OF_SOME_PLANS,
    *("short_people", "suppressed_before", "classes_of_few_people", "missing_values", "without_place", "unique_columns"),
    *("new_rows", "partition_rows", "added", "published_before", "withheld", "suppressed", "short_alone", "quality", "over"),
    *("linked", "sampled", "numbers"),
    *("series_release", "outside", "born", "left", "withdrawn", "held", "waiting", "cells"),
}  # fmt: skip
"""Keys that no call here prints: they depend on the policy, the recoding and the options."""
BY_NAME = re.compile(
    r"\bby (sensitive )?(column|name|step|database|release)\b|\bprints?\b|its own:"
)
"""A text that says that the keys below are names, or explained elsewhere."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The objects of each command, printed by one run after the other in one folder."""
    folder = tmp_path_factory.mktemp("json")
    rows = "".join(f"P{i},{i % 3},{'mf'[i % 2]},{20 + i * i % 23},d{i % 5}\n" for i in range(60))
    (folder / "people.csv").write_text(f"name,zip,sex,age,disease\n{rows}", encoding="utf-8")
    policy = {
        "version": 1,
        "source": "people.csv",
        "entity": "row",
        "columns": {
            "name": {"role": "identifying", "action": "drop"},
            "zip": {"role": "quasi", "hierarchy": "suppress"},
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"k": 3, "distinct_l": {"column": "disease", "l": 2}},
        "suppression": "10%",
        "release": "release.parquet",
    }
    (folder / "policy.yml").write_text(json.dumps(policy), encoding="utf-8")
    for name in ("zip", "age"):
        policy["columns"][name] = {"role": "quasi", "order": "number"}
    policy["search"] = {"algorithm": "mondrian"}
    (folder / "ordered.yml").write_text(json.dumps(policy), encoding="utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        return {
            name: [run(*name.split(), *arguments) for arguments in calls]
            for name, calls in CALLS.items()
        }
    finally:
        os.chdir(before)


def run(*words):
    done = CliRunner().invoke(main, [*words, "--json", "--quiet"], catch_exceptions=False)
    assert done.exit_code in {0, 4}, (words, done.output)
    return json.loads(done.stdout)


def keys_below(value):
    """Every key inside a value, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_below(inner)
    elif isinstance(value, list):
        for each in value:
            yield from keys_below(each)


def test_every_command_explains_its_keys():
    assert set(CALLS) | set(NOT_RUN) == set(JSON_KEYS)


@pytest.mark.slow  # whichever is run, all commands are
@pytest.mark.parametrize("name", CALLS)
def test_an_object_has_the_keys_that_are_explained(printed, name):
    explained = JSON_KEYS[name]
    found = {key for each in printed[name] for key in each}
    if "certificate" in explained:
        found &= explained.keys()
    assert found - explained.keys() == set()
    assert {key for key in explained.keys() - found if key not in RARE} == set()


@pytest.mark.parametrize("name", CALLS)
def test_keys_inside_a_value_are_named_in_its_text(printed, name):
    explained = JSON_KEYS[name]
    shared = {*JSON_KEYS["plan"], *JSON_KEYS["explain"], "above", "highest", "average"}
    for each in printed[name]:
        for key, value in each.items():
            text = explained.get(key, "")
            if not text or BY_NAME.search(text) or key == "schema":
                continue
            named = set(re.findall(r"`(\w+)`", text))
            unnamed = {below for below in keys_below(value) if below not in named | shared}
            assert {below for below in unnamed if not below.replace(".", "").isdigit()} == set(), (
                key
            )


def test_an_error_has_a_status_a_message_and_its_faults(tmp_path):
    done = CliRunner().invoke(main, ["lint", str(tmp_path / "none.yml"), "--json"])
    said = json.loads(done.stdout)
    assert (done.exit_code, said["status"]) == (1, "error")
    assert said.keys() == {"status", *ERROR}


@pytest.mark.parametrize("name", [*CALLS, *NOT_RUN])
def test_the_help_of_a_command_lists_them(name):
    done = CliRunner().invoke(main, [*name.split(), "--help-all"], terminal_width=80)
    shown = done.stdout.partition("Keys of --json:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in shown.splitlines() if re.match(r"  \S", line)] == [
        *JSON_KEYS[name],
        *(key for key in ERROR if key not in JSON_KEYS[name]),
    ]
