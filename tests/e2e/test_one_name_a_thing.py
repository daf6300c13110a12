"""An option has one name on every command; a name of an earlier version works, and warns."""

from __future__ import annotations

import json

import pytest
import yaml

EARLIER = {
    ("risk", "people.csv", "--qi", "zip,age"): ("--qi", "--quasi"),
    ("risk", "people.csv", "--qi=zip", "--quasi", "age"): ("--qi", "--quasi"),
    ("verify", "people.csv", "--qi", "sex", "-k", "2"): ("--qi", "--quasi"),
    ("attack", "homogeneity", "people.csv", "--qi=sex", "--sensitive", "disease"): (
        "--qi",
        "--quasi",
    ),
}


@pytest.mark.parametrize("typed", EARLIER)
def test_an_earlier_name_of_an_option_warns_and_does_the_same(lab, typed):
    before, now = EARLIER[typed]
    earlier = lab.run(*typed)
    present = lab.run(*(word.replace(before, now) for word in typed))
    assert earlier.stderr == f"warning: {before} is now {now}\n"
    assert (earlier.exit_code, earlier.stdout) == (0, present.stdout)
    assert present.stderr == ""
    assert before not in lab.done(*typed[: 2 if typed[0] == "attack" else 1], "--help").split()


def test_the_folder_of_the_demo_by_its_earlier_name(lab):
    earlier = lab.run("demo", "--out", "shown")
    assert earlier.stderr == "warning: --out is now --output\n"
    assert "kept the files in shown" in earlier.stdout
    assert "--out " not in lab.done("demo", "--help")


def test_a_name_of_no_option_of_the_command_is_an_error(lab):
    lab.policy()
    done = lab.run("plan", "policy.yml", "--qi", "age")
    assert done.exit_code == 2
    assert "No such option" in done.stderr
    assert "--qi is now" not in done.stderr


def test_the_most_nodes_by_their_earlier_name_are_read_and_warn(lab):
    plans = {}
    checked = {}
    for name in ("layers", "max_nodes"):
        lab.policy(suppression="60%", search={"recoding": "local", name: 2})
        checked[name] = json.loads(lab.done("lint", "policy.yml", "--json"))["warnings"]
        told = lab.done("plan", "policy.yml", "-o", f"{name}.plan.yml", "--json")
        document = yaml.safe_load((lab.folder / f"{name}.plan.yml").read_text())
        plans[name] = document, json.loads(told)["warnings"]
    (older, warned), (now, others) = plans.values()
    warning = "search.layers is now called max_nodes: rename it in the policy"
    assert warned == [*others, warning] or set(warned) - set(others) == {warning}
    assert set(checked["layers"]) - set(checked["max_nodes"]) == {warning}
    assert older["policy"]["sha256"] == now["policy"]["sha256"]
    assert older["recoding"] == now["recoding"]


def test_an_override_by_an_earlier_name_in_a_plan_is_applied(lab):
    lab.policy(suppression="60%")
    earlier = lab.run(
        "plan", "policy.yml", "--recoding", "local", "--layers", "2", "-o", "p.plan.yml"
    )
    assert "warning: --layers is now --max-nodes\n" in earlier.stderr
    plan = lab.folder / "p.plan.yml"
    assert "max_nodes: 2" in plan.read_text()
    plan.write_text(plan.read_text().replace("max_nodes: 2", "layers: 2"))
    assert lab.run("apply", "p.plan.yml").exit_code == 0


def test_both_names_in_one_search_are_a_fault(lab):
    lab.policy(search={"recoding": "local", "layers": 2, "max_nodes": 3})
    done = lab.run("plan", "policy.yml")
    assert done.exit_code == 1
    assert "search.layers: unknown key" in done.stderr
