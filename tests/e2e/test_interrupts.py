"""An interrupt during a search keeps the best found, as its time limit would; progress says how far a step is.

Signals are sent to this process, as a terminal does, from within the search.
"""

from __future__ import annotations

import os
import random
import signal
from types import SimpleNamespace

import pytest
import yaml
from mondrian import STRICT

from kanon_sql.apps.cli.commands import release as release_commands
from kanon_sql.apps.cli.console import StepShown
from kanon_sql.apps.cli.options import ENDING
from kanon_sql.counting.lattice.sql_checker import SqlChecker
from kanon_sql.counting.plans.plan import Plan
from kanon_sql.recoding.multidimensional.mondrian import MondrianSearch
from kanon_sql.recoding.planning import make_plan


@pytest.fixture(autouse=True)
def _handlers():
    """Commands set their own handlers for the process."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.fixture
def wide(lab):
    """A table of many quasi-identifiers, so that one round of a search is not its end."""
    draw = random.Random(2)
    names = [f"c{n}" for n in range(5)]
    rows = [",".join(str(draw.randrange(60)) for _ in names) for _ in range(400)]
    lab.write("wide.csv", "\n".join([",".join(names), *rows]) + "\n")

    def policy(algorithm, **search):
        spec = (
            {"order": "number"}
            if algorithm == "mondrian"
            else {"hierarchy": {"intervals": [5, 10, 20]}}
        )
        text = {
            "version": 1,
            "source": "wide.csv",
            "entity": "row",
            "columns": {name: {"role": "quasi", **spec} for name in names},
            "privacy": {"k": 4},
            "suppression": "3%",
            "search": {
                **(STRICT if algorithm == "mondrian" else {"algorithm": algorithm}),
                **search,
            },
            "release": "out.parquet",
        }
        lab.write("policy.yml", yaml.safe_dump(text, sort_keys=False))

    return SimpleNamespace(lab=lab, policy=policy)


def interrupted(monkeypatch, owner, name, *, at, times=1, number=signal.SIGINT):
    """Send a signal while a method runs for the so-manyth time."""
    own, calls = getattr(owner, name), []

    def call(*args, **kwargs):
        calls.append(name)
        if len(calls) == at:
            for _ in range(times):
                os.kill(os.getpid(), number)
        return own(*args, **kwargs)

    monkeypatch.setattr(owner, name, call)


ROUNDS = {"optimal": (SqlChecker, "check", 6), "mondrian": (MondrianSearch, "_cut", 2)}


@pytest.mark.parametrize("algorithm", ROUNDS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_plan_writes_the_best_found_and_says_that_it_was_interrupted(
    wide, monkeypatch, algorithm, number
):
    wide.policy(algorithm)
    wide.lab.done("plan", "policy.yml", "-o", "whole.plan.yml")
    owner, name, at = ROUNDS[algorithm]
    interrupted(monkeypatch, owner, name, at=at, number=number)
    result = wide.lab.run("plan", "policy.yml", "-o", "cut.plan.yml")
    assert result.exit_code == 130, result.output
    assert ENDING in result.stderr
    assert "warning: the search was interrupted" in result.stdout
    read = {
        n: Plan.from_yaml((wide.lab.folder / f"{n}.plan.yml").read_text(), n)
        for n in ("whole", "cut")
    }
    assert read["whole"].checks_in_time is None
    assert read["cut"].checks_in_time is not None
    assert not read["cut"].optimal
    assert read["cut"].cost[0] >= read["whole"].cost[0]
    monkeypatch.undo()
    wide.lab.done("apply", "cut.plan.yml")


@pytest.mark.parametrize("algorithm", ROUNDS)
def test_anonymize_publishes_nothing_and_keeps_the_plan(wide, monkeypatch, algorithm):
    wide.policy(algorithm)
    owner, name, at = ROUNDS[algorithm]
    interrupted(monkeypatch, owner, name, at=at)
    before = set(wide.lab.files())
    result = wide.lab.run("anonymize", "policy.yml")
    assert result.exit_code == 130, result.output
    assert (
        "interrupted; nothing was published; the best plan found so far is out.plan.yml"
        in result.stderr
    )
    assert set(wide.lab.files()) - before == {"out.plan.yml"}
    monkeypatch.undo()
    wide.lab.done("apply", "out.plan.yml")


def test_without_a_plan_file_an_interrupted_anonymize_leaves_nothing(wide, monkeypatch):
    wide.policy("optimal")
    interrupted(monkeypatch, SqlChecker, "check", at=6)
    before = wide.lab.files()
    result = wide.lab.run("anonymize", "policy.yml", "--no-plan")
    assert (result.exit_code, wide.lab.files()) == (130, before)
    assert "interrupted; nothing was published" in result.stderr


@pytest.mark.parametrize("command", ["anonymize", "apply"])
def test_an_interrupt_after_the_release_says_that_it_exists(wide, monkeypatch, command):
    wide.policy("optimal")
    wide.lab.done("plan", "policy.yml")
    told = "policy.yml" if command == "anonymize" else "policy.plan.yml"
    interrupted(monkeypatch, release_commands, "print_release", at=1)
    result = wide.lab.run(command, told)
    assert result.exit_code == 130
    assert "interrupted; out.parquet was published before" in result.stderr
    assert (wide.lab.folder / "out.parquet").exists()
    assert (wide.lab.folder / "out.plan.yml").exists() == (command == "anonymize")


def test_an_interrupt_right_after_the_release_writes_its_plan(wide, monkeypatch):
    wide.policy("optimal")
    interrupted(monkeypatch, release_commands, "_write_plan", at=1)
    result = wide.lab.run("anonymize", "policy.yml")
    assert (result.exit_code, "was published before" in result.stderr) == (130, True)
    assert Plan.from_yaml((wide.lab.folder / "out.plan.yml").read_text(), "plan").source_rows


@pytest.mark.parametrize("command", ["plan", "anonymize"])
def test_a_second_interrupt_ends_at_once(wide, monkeypatch, command):
    wide.policy("optimal")
    interrupted(monkeypatch, SqlChecker, "check", at=6, times=2)
    before = wide.lab.files()
    result = wide.lab.run(command, "policy.yml")
    assert (result.exit_code, wide.lab.files()) == (130, before)


def test_an_interrupt_outside_of_a_search_ends_the_run(wide, monkeypatch):
    wide.policy("optimal")
    interrupted(monkeypatch, make_plan, "fingerprint", at=1)
    before = wide.lab.files()
    result = wide.lab.run("plan", "policy.yml")
    assert (result.exit_code, wide.lab.files()) == (130, before)
    assert "interrupted; nothing was published" in result.stderr


def test_the_next_run_knows_of_no_interrupt(wide, monkeypatch):
    wide.policy("optimal")
    interrupted(monkeypatch, SqlChecker, "check", at=6)
    assert wide.lab.run("plan", "policy.yml").exit_code == 130
    monkeypatch.undo()
    told = wide.lab.done("plan", "policy.yml")
    assert "interrupted" not in told
    assert "proven optimal" in told


def test_a_terminal_is_shown_the_step_its_time_and_its_share(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("kanon_sql.apps.cli.console.time.monotonic", lambda: now[0])
    shown = StepShown()
    assert str(shown.__rich__()) == "starting, 0:00"
    shown("search")
    now[0] += 83
    shown.count(412, 12_960, "node")
    assert (
        str(shown.__rich__()) == "searching for a recoding, 412 of at most 12,960 nodes (3%), 1:23"
    )
    shown.count(7, 0, "region")
    assert str(shown.__rich__()) == "searching for a recoding, 7 regions, 1:23"
    shown("publish")
    assert str(shown.__rich__()) == "publishing, 1:23"


@pytest.mark.parametrize("algorithm", ROUNDS)
def test_searches_count_what_they_do_for_who_watches(wide, monkeypatch, algorithm):
    seen = []
    monkeypatch.setattr(StepShown, "count", lambda _, *counted: seen.append(counted))
    wide.policy(algorithm)
    wide.lab.done("plan", "policy.yml")
    done, most, what = zip(*seen, strict=True)
    assert list(done) == sorted(done)
    assert set(what) == {"region" if algorithm == "mondrian" else "node"}
    assert all(0 < n <= of for n, of in zip(done, most, strict=True))
