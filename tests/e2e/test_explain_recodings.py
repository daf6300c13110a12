"""What `explain` and `compare` say of plans that do more than release rows at one node."""

from __future__ import annotations

import json

import pytest
import yaml

import kanon_sql
from kanon_sql.counting.plans.recodings import Enforced
from kanon_sql.evidence.explanation import explain_plan as explaining
from kanon_sql.evidence.explanation.explanation import Certainty

pytestmark = pytest.mark.sampled(3)

SEVERAL = {
    "local": {"recoding": "local"},
    "cells": {"recoding": "cells"},
    "greedy": {"algorithm": "greedy", "per": "record"},
    "mu_argus": {"algorithm": "mu_argus", "repair": "records"},
}


def planned(lab, **changes):
    lab.policy(**changes)
    lab.done("plan", "policy.yml")
    return "policy.plan.yml"


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVERAL)
def test_it_is_told_by_its_own_figures_and_nothing_of_its_first_node(lab, name):
    suppression = "90%" if name == "mu_argus" else "10%"
    plan = planned(lab, search=SEVERAL[name], privacy={"k": 2}, suppression=suppression)
    own = yaml.safe_load((lab.folder / plan).read_text())
    told = lab.done("explain", plan)
    first = told.splitlines()[0]
    assert first.startswith("The plan releases rows at ")
    assert f", {own['recoding']['suppressed_rows']} of 40 rows suppressed" in first
    assert "The best single node has loss " in first
    assert "proven here in" in first
    assert "not satisfy" not in told
    assert "why it was not taken" not in told
    assert "these metrics are the plan's own" in told
    assert "Least loss (geometric mean) of a single node, by k and suppression limit" in told
    found = json.loads(lab.done("explain", plan, "--json"))
    assert found["neighbours"] == []
    assert not found["recounted"]
    assert not found["optimal"]
    assert found["cost"] == own["search"]["cost"]
    assert all(bound["slack"] is None for bound in found["bounds"][:-1])
    assert found["bounds"][-1]["slack"] == own["recoding"]["suppressed_rows"]
    assert found["base"] == found["optimum"]


def test_all_nodes_of_a_plan_are_marked_in_its_lattice(lab):
    plan = planned(lab, search=SEVERAL["greedy"], privacy={"k": 2})
    layers = yaml.safe_load((lab.folder / plan).read_text())["recoding"]["nodes"]
    lab.done("explain", plan, "--lattice", "lattice.json")
    nodes = json.loads((lab.folder / "lattice.json").read_text())["nodes"]
    chosen = {tuple(node["node"]) for node in nodes if node["chosen"]}
    assert chosen == {tuple(layer["levels"].values()) for layer in layers}


def enforced(lab):
    """A plan of Datafly that suppresses a class that fits."""
    for k in range(2, 12):
        lab.policy(privacy={"k": k}, suppression="40%", search={"algorithm": "datafly"})
        made = kanon_sql.plan(lab.folder / "policy.yml")
        if isinstance(made.recoding, Enforced):
            lab.done("plan", "policy.yml")
            return made
    pytest.fail("no k makes Datafly suppress a class that fits")


@pytest.mark.slow
def test_a_class_more_is_counted_again(lab):
    made = enforced(lab)
    told = lab.done("explain", "policy.plan.yml")
    assert f"datafly suppresses at least {made.recoding.least} rows" in told
    found = json.loads(lab.done("explain", "policy.plan.yml", "--json"))
    assert found["recounted"]
    assert found["suppressed_rows"] == made.suppressed_rows
    assert (found["cost"],) == made.cost
    assert found["figures"] == made.figures
    assert found["classes"] == made.classes


def test_figures_that_were_changed_by_hand_are_counted_again(lab):
    plan = planned(lab)
    path = lab.folder / plan
    made = yaml.safe_load(path.read_text())
    true = json.loads(lab.done("explain", plan, "--json"))
    made["search"]["cost"] = 0.01
    made["recoding"]["suppressed_rows"] = 0
    made["figures"] |= {"classes": 1, "discernibility": 1.0, "c_avg": 1.0}
    path.write_text(yaml.safe_dump(made, sort_keys=False))
    found = json.loads(lab.done("explain", plan, "--json"))
    for key in ("cost", "suppressed_rows", "classes", "figures", "optimal"):
        assert found[key] == true[key]


def test_a_lattice_too_large_to_walk_is_searched_for_what_can_be_found(lab, monkeypatch):
    plan = planned(lab)
    walked = json.loads(lab.done("explain", plan, "--json"))
    monkeypatch.setattr(explaining, "MOST_NODES", 0)
    told = lab.done("explain", plan)
    assert "The lattice has 72 nodes, too many to search completely" in told
    found = json.loads(lab.done("explain", plan, "--json"))
    assert (found["walked"], walked["walked"]) == (False, True)
    assert found["neighbours"] == walked["neighbours"]
    for cell, best in zip(found["frontier"], walked["frontier"], strict=True):
        assert cell["cost"] >= best["cost"]
        assert cell["known"] in {Certainty.PROVEN, Certainty.BEST_FOUND}
        assert cell["known"] != Certainty.PROVEN or cell["cost"] == best["cost"]
    for column in found["columns"]:
        assert column["raw"]["known"] in {*Certainty} - {Certainty.NOT_REACHED}


def test_what_is_drawn_is_all_that_is_checked_for_a_picture(lab, monkeypatch):
    plan = planned(lab)
    data = lab.done("explain", plan, "--lattice", "lattice.csv")
    assert "wrote lattice.csv: all nodes of the lattice" in data
    monkeypatch.setattr(explaining, "MOST_DRAWN", 20)
    told = kanon_sql.explain(lab.folder / plan, lattice="svg")
    assert 0 < len(told.nodes) <= 20
    away = [sum(abs(a - b) for a, b in zip(n.levels, told.node, strict=True)) for n in told.nodes]
    assert max(away) == len(set(away)) - 1  # whole rings
    said = lab.done("explain", plan, "--lattice", "lattice.svg")
    assert f"wrote lattice.svg: {len(told.nodes)} of the lattice's 72 nodes" in said
    assert told.nodes_checked < 72


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing/lattice.svg", "cannot be written"),
        ("folder.svg", "is a folder"),
        ("people.json", "was not written by kanon-sql"),
        ("x" * 300 + ".svg", "cannot be written"),
    ],
)
def test_a_path_that_cannot_be_written_is_found_before_the_search(lab, monkeypatch, path, words):
    plan = planned(lab)
    (lab.folder / "folder.svg").mkdir()
    lab.write("people.json", "[]")
    monkeypatch.setattr(kanon_sql, "explain", lambda *_, **__: pytest.fail("it was searched"))
    assert words in lab.refused("explain", plan, "--lattice", path, "--replace")


@pytest.mark.slow
def test_no_name_of_a_column_is_a_command_to_the_terminal(lab):
    """Escape sequences, line ends and marks that turn the text around are shown, not sent."""
    name = "zip\x1b]0;title\x07\u202e"
    rows = (lab.folder / "people.csv").read_text().replace("zip", name, 1)
    lab.write("people.csv", rows)
    zip_ = {"role": "quasi", "hierarchy": {"mask": 5}}
    for search in ({"metric": "loss"}, {"recoding": "cells"}):
        plan = planned(lab, columns={"zip": None, name: zip_}, search=search)
        for command in (
            ("plan", "policy.yml"),
            ("explain", plan),
            ("explain", plan, "--json"),
            ("compare", "policy.yml", "--algorithms", "optimal,local"),
            ("compare", "policy.yml", "--algorithms", "optimal,local", "--json"),
        ):
            told = lab.done(*command)
            assert all(each.isprintable() or each == "\n" for each in told)
            assert "title" in told
    found = json.loads(lab.done("explain", plan, "--json"))
    assert name in found["levels"]
    error = lab.refused("plan", "policy.yml", "--source", "no\x1b[31m.csv")
    assert "\x1b" not in error


@pytest.mark.slow
def test_all_and_one_more_is_all(lab):
    lab.policy()
    all_ = json.loads(lab.done("compare", "policy.yml", "--json", "--algorithms", "all"))
    more = json.loads(lab.done("compare", "policy.yml", "--json", "--algorithms", "all,optimal"))
    assert [s["searched_by"] for s in more["searches"]] == [
        s["searched_by"] for s in all_["searches"]
    ]


def test_a_search_has_in_compare_the_keys_that_its_plan_has(lab):
    lab.policy()
    own = json.loads(lab.done("plan", "policy.yml", "--json"))
    found = json.loads(
        lab.done("compare", "policy.yml", "--json", "--algorithms", "optimal,mu_argus")
    )
    optimal, mu_argus = found["searches"]
    same = own.keys() - {
        "seconds",
        "statements",
        "rows_scanned",
        "rows_fetched",
        "plan",
        "replaced",
    }
    assert {key: optimal[key] for key in same} == {key: own[key] for key in same}
    assert (mu_argus["status"], mu_argus["feasible"]) == ("infeasible", False)
    assert mu_argus["error"]
    told = json.loads(lab.done("explain", "policy.plan.yml", "--json"))
    shared = same - {"status", "checks"}
    assert {key: told[key] for key in shared} == {key: own[key] for key in shared}
