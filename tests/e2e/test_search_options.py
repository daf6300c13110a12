"""What is said of the search in a policy and instead of it: taken, refused, or said to be left out."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from kanon_sql.apps.cli.print_results import print_nodes
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import ReleasedNode
from kanon_sql.policy.search_options import Algorithm, options_of

OVER = [{"k": 3}, {"k": 5, "over": ["sex"]}]


def made(lab, *options):
    """The plan's document after these options, and what the command said of it."""
    told = json.loads(lab.done("plan", "policy.yml", "--json", *options))
    return yaml.safe_load((lab.folder / "policy.plan.yml").read_text()), told


def test_what_another_algorithm_has_no_use_for_is_left_out_and_said(lab):
    search = {"algorithm": "samarati", "preference": "minimum_suppression", "recoding": "local",
              "max_nodes": 5, "among": "all_minimal"}  # fmt: skip
    lab.policy(search=search)
    said = "preference, among, recoding and max_nodes are not used: they cannot be combined with algorithm: datafly"
    plan, told = made(lab, "--algorithm", "datafly")
    assert [said in warning for warning in told["warnings"]] == [True]
    assert "nodes" not in plan["recoding"]
    text = lab.done("plan", "policy.yml", "--algorithm", "datafly")
    assert f"warning: of the policy's search, {said}\n" in text
    for option in (("-o", "-"), ("--sql",)):
        result = lab.run("plan", "policy.yml", "--algorithm", "datafly", *option)
        assert said in result.stderr
        assert said not in result.stdout
    lab.done("apply", "policy.plan.yml")


def test_what_goes_with_the_algorithm_is_not_said_to_be_left_out(lab):
    lab.policy(search={"algorithm": "samarati", "preference": "minimum_suppression"})
    for options in ((), ("--algorithm", "mingen"), ("-k", "2"), ("--algorithm", "samarati")):
        assert made(lab, *options)[1]["warnings"] == []


def test_an_option_of_a_metric_is_said_to_be_left_out_too(lab):
    lab.policy(search={"metric": "loss", "aggregate": "sum"})
    _, told = made(lab, "--metric", "entropy")
    assert "aggregate is not used: it cannot be combined with metric: entropy" in " ".join(
        told["warnings"]
    )


def test_the_distortion_is_a_cost_and_the_precision_a_figure(lab):
    """`precision` was both; a policy may still say it, and a plan that did can be applied."""
    told = {}
    for metric in ("distortion", "precision"):
        lab.policy(search={"metric": metric})
        plan, _ = made(lab)
        assert plan["search"]["metric"] == "distortion"
        assert plan["search"]["cost"] == pytest.approx(1 - plan["figures"]["precision"])
        told[metric] = plan["recoding"], plan["search"]["cost"]
        said = lab.done("plan", "policy.yml") + lab.done("explain", "policy.plan.yml")
        said += lab.done("compare", "policy.yml", "--algorithms", "optimal")
        assert "distortion 0." in said
        assert "metric distortion;" in said
        assert "precision" not in said
    assert told["distortion"] == told["precision"]
    text = (lab.folder / "policy.plan.yml").read_text()
    (lab.folder / "older.plan.yml").write_text(
        text.replace("metric: distortion", "metric: precision")
    )
    assert "The two plans are the same" in lab.done("diff", "older.plan.yml", "policy.plan.yml")
    lab.done("apply", "older.plan.yml")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("aggregate", "label"),
    [("geometric_mean", "loss (geometric mean)"), ("sum", "loss (sum)"), ("rank", "loss (rank)")],
)
def test_a_loss_is_never_told_without_its_aggregate(lab, aggregate, label):
    lab.policy(search={"metric": "loss", "aggregate": aggregate})
    plan, _ = made(lab)
    assert plan["search"]["metric"] == label
    (lab.folder / "other.plan.yml").write_text(lab.done("plan", "policy.yml", "-k", "1", "-o", "-"))
    said = "".join(
        lab.done(*command)
        for command in (
            ("plan", "policy.yml"),
            ("explain", "policy.plan.yml"),
            ("compare", "policy.yml", "--algorithms", "optimal"),
            ("diff", "policy.plan.yml", "other.plan.yml"),
        )
    )
    assert f"{label} " in said
    assert "loss (geometric mean)" in said
    assert re.findall(r"\bLM\b(?! \(geometric mean\)|, loss metric .* geometric mean)", said) == []
    assert re.findall(r"\bloss [\d.]++(?! \(NCP, mean over cells\))", " ".join(said.split())) == []


def test_a_plan_that_names_no_aggregate_is_of_the_default(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    text = (lab.folder / "policy.plan.yml").read_text()
    assert "metric: loss (geometric mean)\n" in text
    (lab.folder / "older.plan.yml").write_text(text.replace("loss (geometric mean)", "loss"))
    lab.done("apply", "older.plan.yml")


def test_levels_that_the_data_holder_asks_for_are_never_left_out(lab):
    lab.policy(search={"algorithm": "mu_argus", "generalize": {"zip": 1}})
    said = lab.refused("plan", "policy.yml", "--algorithm", "optimal")
    assert "generalize, which the policy sets for zip" in said


@pytest.mark.parametrize("recoding", ["local", "cells"])
def test_a_recoding_at_several_nodes_without_suppression_says_that_it_has_one(lab, recoding):
    for suppression, warned in ((0, True), ("0.01%", True), ("60%", False)):
        lab.policy(suppression=suppression, search={"recoding": recoding})
        plan, told = made(lab)
        found = [*told["warnings"], *json.loads(lab.done("lint", "policy.yml", "--json"))["warnings"]]  # fmt: skip
        about = [each for each in found if each.startswith(f"recoding: {recoding} recodes")]
        assert len(about) == (2 if warned else 0), suppression
        assert ("levels" in plan["recoding"]) == warned
        assert all("Raise suppression" in each for each in about)
    lab.policy(suppression=0)
    assert "recodes" not in lab.done("lint", "policy.yml")


@pytest.mark.parametrize("recoding", ["local", "cells"])
def test_a_recoding_may_be_said_instead_of_the_policy_s(lab, recoding):
    lab.policy(suppression="60%")
    plan, told = made(lab, "--recoding", recoding, "--max-nodes", "2", "--time-limit", "60s")
    assert plan["policy"]["overrides"] == {
        "recoding": recoding,
        "max_nodes": 2,
        "time_limit": "60s",
    }
    assert len(plan["recoding"]["nodes"]) == 2
    assert "as many as max_nodes: 2 allows" in " ".join(told["warnings"])
    lab.done("apply", "policy.plan.yml")
    lab.policy(suppression="60%", search={"recoding": recoding, "max_nodes": 2})
    assert "nodes" not in made(lab, "--recoding", "full_domain")[0]["recoding"]


def test_nodes_that_no_bound_ended_are_not_warned_of(lab):
    lab.policy(suppression="60%", search={"recoding": "local"})
    plan, told = made(lab)
    assert 2 <= len(plan["recoding"]["nodes"]) < 64
    assert told["warnings"] == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--max-nodes", "1", "--recoding", "local"),
            "max-nodes: must be a whole number of at least 2",
        ),
        (("--max-nodes", "5"), "max-nodes: goes with recoding: local or cells"),
        (
            ("--recoding", "cells", "--algorithm", "datafly"),
            "recoding: cannot be combined with datafly",
        ),
        (("--time-limit", "soon"), "time-limit: must be a duration such as 60s"),
        (("--time-limit", "0"), "time-limit: must be a duration of more than 0"),
        (("-k", str(10**30)), "k: must be a whole number of at least 1, and at most 10^18"),
        (("--suppression", "9" * 30), "suppression: must be a whole number of rows or a share"),
    ],
)
def test_what_is_said_instead_is_read_as_strictly(lab, options, words):
    lab.policy()
    for command in ("plan", "anonymize"):
        assert words in lab.refused(command, "policy.yml", *options)


@pytest.mark.parametrize(
    ("search", "where"),
    [
        ({"recoding": "local"}, "search.recoding: local supports a single set"),
        ({"recoding": "cells"}, "search.recoding: cells supports a single set"),
        ({"algorithm": "datafly"}, "search.algorithm: datafly supports a single set"),
        ({"algorithm": "mu_argus"}, "search.algorithm: mu_argus supports a single set"),
        ({"algorithm": "greedy", "per": "record"}, "search.per: record supports a single set"),
    ],
)
def test_what_is_of_one_set_is_refused_with_the_policy_beside_its_other_faults(lab, search, where):
    lab.policy(privacy=OVER, search=search, nulls="maybe")
    for command in ("lint", "plan"):
        said = lab.refused(command, "policy.yml")
        assert where in said
        assert "nulls: must be one of" in said
    lab.policy(privacy=OVER)
    if "recoding" in search:
        assert "recoding: " in lab.refused("plan", "policy.yml", "--recoding", search["recoding"])
    elif "per" not in search:
        said = lab.refused("plan", "policy.yml", "--algorithm", search["algorithm"])
        assert "algorithm: " in said


def test_lint_holds_the_search_against_the_hierarchies(lab):
    lab.policy(search={"algorithm": "mu_argus", "generalize": {"sex": 3, "zip": 5, "age": 4}})
    for command in ("lint", "plan"):
        said = lab.refused(command, "policy.yml")
        assert "search.generalize.sex: is 3, and the last level of its hierarchy is 2" in said
        assert "search.generalize.age: is 4, and the last level of its hierarchy is 3" in said
        assert "generalize.zip" not in said


def test_the_algorithms_are_told_with_all_their_options(lab):
    text = lab.done("algorithms")
    told = json.loads(lab.done("algorithms", "--json"))["algorithms"]
    assert {each["name"] for each in told} == set(Algorithm)
    assert [each["name"] for each in told if each["default"]] == ["optimal"]
    for each in told:
        assert each["paper"] in text
        assert each["cost"] in text
        assert all(promise in text for promise in each["promises"])
    assert {each["name"]: set(each["options"]) for each in told} == {
        name: set(options_of(name)) for name in Algorithm
    }
    assert all(f"  {option}: " in text for each in told for option in each["options"])
    by_name = {each["name"]: each for each in told}
    assert by_name["incognito"]["only_monotone_models"]
    assert not by_name["optimal"]["only_monotone_models"]
    assert not by_name["datafly"]["several_sets"]
    assert by_name["lightning"]["most_nodes"] is None
    assert by_name["samarati"]["promises"] == [
        "no feasible node is lower",
        "no finer node is feasible (among: all_minimal)",
    ]
    assert "kanon-sql algorithms" in lab.done("plan", "--help")


def test_a_plan_tells_each_step_by_the_column_that_was_raised(lab):
    lab.policy(search={"algorithm": "greedy", "order": ["sex"]})
    lines = lab.done("plan", "policy.yml").splitlines()
    steps = [line for line in lines if "in classes that are too small" in line]
    assert steps[0] == "  start: 40 rows in classes that are too small"
    assert steps[1] == "  sex to level 1 (2 values, now 1): 40 rows in classes that are too small"


def test_a_plan_says_where_its_minimal_nodes_are(lab):
    lab.policy(search={"algorithm": "all_min"})
    nodes = made(lab)[1]["minimal_nodes"]
    many = "1 minimal node" if len(nodes) == 1 else f"{len(nodes)} minimal nodes"
    assert f"{many}, listed by plan --json\n" in lab.done("plan", "policy.yml")


def test_many_nodes_are_shown_by_the_first_and_the_last(capsys):
    layers = [ReleasedNode(Node((at, 1)), rows=at + 1, classes=2) for at in range(20)]
    print_nodes(layers)
    rows = [line.split("│")[1:-1] for line in capsys.readouterr().out.splitlines() if "│" in line]
    shown = [[cell.strip() for cell in row] for row in rows]
    assert [row[0] for row in shown] == [*map(str, range(1, 10)), "10 to 18", "19", "20"]
    assert shown[9][1:] == ["..", str(sum(range(10, 19))), "18"]
    assert shown[-1][1:] == ["19,1", "20", "2"]
    print_nodes(layers[:12])
    assert " to " not in capsys.readouterr().out
