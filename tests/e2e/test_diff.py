"""`kanon-sql diff`: plans of real runs beside each other, piped ones too, and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main

pytestmark = pytest.mark.sampled(3)


@pytest.fixture
def plans(lab):
    """Two plans of one policy, the second with a lower k."""
    lab.policy()
    lab.done("plan", "policy.yml", "-o", "old.plan.yml")
    lab.done("plan", "policy.yml", "-k", "2", "-o", "new.plan.yml")
    return "old.plan.yml", "new.plan.yml"


def test_a_lowered_k_stands_first(lab, plans):
    told = lab.done("diff", *plans)
    assert told.startswith("**Privacy is weaker;")
    assert "k is 2 instead of 3" in told.splitlines()[0]
    assert "| in place of the policy's `k` | - | `2` | new |" in told
    assert "anary" not in told


def test_json_is_one_object(lab, plans):
    told = json.loads(lab.done("diff", *plans, "--json"))
    assert told["status"] == "ok"
    assert told["same"] is False
    assert told["privacy"] == [
        {"model": "k-anonymity", "of": "", "old": 3, "new": 2, "change": "weaker"}
    ]


def test_rows_that_changed_are_all_that_changed(lab):
    lab.policy()
    lab.done("plan", "policy.yml", "-o", "old.plan.yml")
    people = (lab.folder / "people.csv").read_text(encoding="utf-8")
    lab.write("people.csv", people + "Canary-x,73910,canary-m,21,canary-1\n")
    lab.done("plan", "policy.yml", "-o", "new.plan.yml")
    told = lab.done("diff", "old.plan.yml", "new.plan.yml")
    assert told.startswith("**Only the data changed")
    assert "| source, rows | 40 | 41 | changed |" in told


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("old.plan.yml", "new.plan.yml"), 0),
        (("old.plan.yml", "new.plan.yml", "--exit-code"), 1),
        (("old.plan.yml", "old.plan.yml", "--exit-code"), 0),
        (("old.plan.yml", "nothing.yml"), 1),
        (("old.plan.yml", "nothing.yml", "--exit-code"), 2),
        (("old.plan.yml", "policy.yml", "--exit-code", "--json"), 2),
        (("-", "-"), 1),
    ],
)
def test_it_exits_as_git_does_if_asked(lab, plans, args, code):
    assert lab.run("diff", *args).exit_code == code


def test_a_revision_may_be_piped(lab, plans):
    old, new = ((lab.folder / name).read_bytes() for name in plans)
    command = [sys.executable, "-m", "kanon_sql", "diff"]
    first = subprocess.run(
        [*command, "-", plans[1]], cwd=lab.folder, input=old, capture_output=True, check=True
    )
    second = subprocess.run(
        [*command, plans[0], "-"], cwd=lab.folder, input=new, capture_output=True, check=True
    )
    assert first.stdout == second.stdout == lab.done("diff", *plans).encode()


@pytest.mark.parametrize("piped", [b"", b"\xff\xfe", b"version: 1\ncolumns: {}\n", b"[" * 4000])
def test_what_is_piped_and_no_plan_is_refused(lab, plans, piped):
    done = CliRunner().invoke(main, ["diff", "-", str(lab.folder / plans[0])], input=piped)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: standard input: ")
