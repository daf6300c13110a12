"""`kanon-sql explain`: what it prints for people and machines, what it writes, what it refuses."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import duckdb
import pytest
import yaml

import kanon_sql
from kanon_sql.evidence.explanation.explanation import Certainty

pytestmark = pytest.mark.sampled(3)

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
with_adult = pytest.mark.skipif(
    not (SHARED / "EXAMPLES.json").is_file(),
    reason="the shared folder with Adult and its golden values is not beside this repository",
)


def planned(lab, **changes):
    lab.policy(**changes)
    lab.done("plan", "policy.yml")
    return "policy.plan.yml"


def test_the_first_line_answers_and_nothing_is_written(lab):
    plan = planned(lab)
    before = lab.files()
    told = lab.done("explain", plan)
    first = told.splitlines()[0]
    assert first.startswith("No single node that satisfies 3-anonymity costs less than this one")
    assert ": proven here in " in first
    assert "of 40 rows (limit 4)" in first
    for part in (
        "Requirements",
        "without zip, ",
        "age at level 0",
        "discernibility ",
        "class size over k ",
        "limit 4",
        "why it was not taken",
        "[ ] the policy's",
    ):
        assert part in told
    assert "not reached" not in told
    assert "anary" not in told
    assert lab.files() == before


def test_json_is_one_object_that_agrees_with_the_plan(lab):
    plan = planned(lab)
    result = lab.run("explain", plan, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    own = yaml.safe_load((lab.folder / plan).read_text())
    assert found["status"] == "ok"
    assert found["levels"] == own["recoding"]["levels"]
    assert found["suppressed_rows"] == own["recoding"]["suppressed_rows"]
    assert found["cost"] == own["search"]["cost"]
    assert found["optimal"] is found["claimed_optimal"] is True
    assert 0 < found["proof_checks"] <= found["checks"]
    assert [bound["name"] for bound in found["bounds"]] == ["k", "suppression"]
    assert [column["name"] for column in found["columns"]] == ["zip", "sex", "age"]
    (cell,) = [cell for cell in found["frontier"] if cell["of_policy"]]
    assert (cell["k"], cell["max_suppressed_rows"], cell["cost"]) == (3, 4, own["search"]["cost"])
    assert {"checks", "statements", "seconds", "lattice_nodes"} <= found.keys()


@pytest.mark.parametrize("kind", ["csv", "json", "dot", "svg"])
def test_the_lattice_is_written_as_its_ending_says(lab, kind):
    plan = planned(lab)
    told = lab.done("explain", plan, "--lattice", f"lattice.{kind}")
    assert f"wrote lattice.{kind}: all nodes of the lattice" in told
    text = (lab.folder / f"lattice.{kind}").read_text(encoding="utf-8")
    nodes = json.loads(lab.done("explain", plan, "--json"))["lattice_nodes"]
    counted = {
        "csv": lambda: len(list(csv.reader(io.StringIO(text)))) - 1,
        "json": lambda: len(json.loads(text)["nodes"]),
        "dot": lambda: text.count("tooltip="),
        "svg": lambda: text.count("<g class="),
    }[kind]()
    assert counted == nodes
    assert "anary" not in text


def test_a_file_that_is_there_is_replaced_only_if_asked(lab):
    plan = planned(lab)
    lab.done("explain", plan, "--lattice", "lattice.csv")
    whole = (lab.folder / "lattice.csv").read_text()
    lab.write("lattice.csv", whole.splitlines()[0])
    error = lab.refused("explain", plan, "--lattice", "lattice.csv")
    assert "--replace" in error
    lab.done("explain", plan, "--lattice", "lattice.csv", "--replace")
    assert (lab.folder / "lattice.csv").read_text() == whole


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--lattice", "lattice.png"], ".csv, .json, .dot, .svg"),
        (["--time-limit", "soon"], "a duration such as 60s"),
        (["--time-limit", "0s"], "a duration of more than 0"),
        (["--source", "elsewhere.csv"], "elsewhere.csv"),
    ],
)
def test_what_cannot_be_is_refused(lab, options, told):
    assert told in lab.refused("explain", planned(lab), *options)


def test_a_plan_that_is_stale_is_refused(lab):
    plan = planned(lab)
    lab.write("people.csv", (lab.folder / "people.csv").read_text() + "x,73910,canary-m,30,y\n")
    assert "changed since the plan was made" in lab.refused("explain", plan)


def test_a_plan_of_another_policy_is_refused(lab):
    plan = planned(lab)
    lab.policy(privacy={"k": 4})
    assert "changed since the plan was made" in lab.refused("explain", plan)


def test_what_was_not_reached_in_time_is_said(lab):
    plan = planned(lab)
    told = lab.done("explain", plan, "--time-limit", "0.001ms", "--lattice", "lattice.csv")
    assert "- not reached in time" in told
    assert "it was not proven here" in told
    assert "was not determined" in told
    assert "of them not reached in time" in told
    assert "why it was not taken" in told


def test_another_algorithm_is_told_what_it_promised_and_what_the_optimum_is(lab):
    lab.policy(search={"algorithm": "samarati", "metric": "loss"}, suppression=0)
    lab.done("plan", "policy.yml")
    told = lab.done("explain", "policy.plan.yml")
    found = json.loads(lab.done("explain", "policy.plan.yml", "--json"))
    assert "samarati promises the least height, and not the least cost" in told
    assert found["promise"] == "no feasible node is lower"
    assert found["optimum"]["known"] == "proven"
    assert found["optimum"]["cost"] <= found["cost"]
    assert found["optimal"] == (found["optimum"]["cost"] == found["cost"])


def test_overrides_of_the_plan_hold(lab):
    lab.policy()
    lab.done("plan", "policy.yml", "-k", 5, "--suppression", "0")
    found = json.loads(lab.done("explain", "policy.plan.yml", "--json"))
    assert found["max_suppressed_rows"] == 0
    assert [b["bound"] for b in found["bounds"]] == [5, 0]


@pytest.mark.slow
def test_a_bound_that_is_the_only_one_may_be_relaxed_to_nothing(lab):
    """With the one set of columns asked of nothing any more, the source as it is would do."""
    lab.policy(privacy=[{"k": 2, "over": ["sex"]}], suppression=0)
    lab.write("people.csv", (lab.folder / "people.csv").read_text() + "x,73919,,30,canary-y\n")
    lab.done("plan", "policy.yml")
    (bound, _) = json.loads(lab.done("explain", "policy.plan.yml", "--json"))["bounds"]
    assert (bound["name"], bound["relaxed"], bound["binds"]) == ("k over sex", 1, True)
    assert bound["optimum"]["node"] == [0, 0, 0]


def test_one_quasi_identifier_has_no_others(lab):
    plan = planned(lab, columns={"sex": {"role": "insensitive"}, "age": {"role": "insensitive"}})
    assert "without zip there is no quasi-identifier" in lab.done("explain", plan)
    (column,) = json.loads(lab.done("explain", plan, "--json"))["columns"]
    assert "without" not in column


def test_python_is_told_the_same(lab):
    plan = planned(lab)
    told = kanon_sql.explain(lab.folder / plan, lattice="json")
    found = json.loads(lab.done("explain", plan, "--json"))
    same = {key: value for key, value in told.document().items() if key not in told.run}
    assert same["checks"] > 0
    del same["checks"], same["nodes_checked"]  # the lattice takes more
    assert {key: found[key] for key in same} == same
    assert len(told.nodes) == told.plan.lattice_nodes
    assert kanon_sql.lattice_text(told, "svg").startswith("<svg")


NAMES = [
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
]  # fmt: skip


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    """Adult as its tutorial has it, planned, in a folder of its own."""
    folder = tmp_path_factory.mktemp("adult")
    shutil.copytree(SHARED / "data" / "adult", folder, dirs_exist_ok=True)
    columns = {
        name: {"role": "quasi", "hierarchy": {"csv": f"hierarchy_{name}.csv"}} for name in NAMES
    }
    policy = {
        "version": 1, "source": "adult.csv", "entity": "row", "columns": columns,
        "privacy": {"k": 5}, "suppression": "4%",
    }  # fmt: skip
    (folder / "adult.yml").write_text(yaml.safe_dump(policy, sort_keys=False))
    plan = kanon_sql.plan(folder / "adult.yml")
    return folder, kanon_sql.explain(plan, policy=folder / "adult.yml", time_limit=600)


def suppressed(folder, levels):
    """Rows of classes of fewer than five, by a GROUP BY of the labels in the hierarchy files."""
    with duckdb.connect() as own:
        own.sql(f"CREATE TABLE adult AS FROM read_csv('{folder}/adult.csv', all_varchar = true)")
        joins, labels = [], []
        for n, (name, level) in enumerate(zip(NAMES, levels, strict=True)):
            file = f"{folder}/hierarchy_{name}.csv"
            own.sql(
                f"CREATE TABLE h{n} AS FROM read_csv('{file}', all_varchar = true, header = false)"
            )
            joins.append(f'JOIN h{n} ON h{n}.column0 = "{name}"')
            labels.append(f"h{n}.column{level}")
        grouped = f"SELECT COUNT(*) AS n FROM adult {' '.join(joins)} GROUP BY {', '.join(labels)}"
        return own.execute(f"SELECT SUM(n) FROM ({grouped}) WHERE n < 5").fetchone()[0] or 0


@pytest.mark.rare
@pytest.mark.slow
@with_adult
def test_adult_neighbours_are_told_with_the_rows_that_a_count_finds(adult):
    folder, told = adult
    assert told.node == (0, 3, 0, 1, 1, 1, 1, 2, 0)
    assert len(told.neighbours) == 6 + 8
    for each in told.neighbours:
        assert each.suppressed_rows == suppressed(folder, each.levels)
        assert each.feasible == each.coarser
    by_column = {n.column: n.why for n in told.neighbours if not n.coarser}
    assert by_column["age"] == "suppresses 1,673 rows, the limit is 1,206"
    dearer = {n.column: n.why for n in told.neighbours if n.coarser}
    assert dearer["education"] == "costs 0.2739 instead of 0.2661"


@pytest.mark.slow
@with_adult
def test_adult_is_explained_in_few_checks(adult):
    """Ten bounds and columns, and 49 cells of the frontier, in a quarter of the lattice."""
    _, told = adult
    assert all(cell.optimum.known is Certainty.PROVEN for cell in told.frontier)
    assert len(told.frontier) == 49
    assert told.plan.lattice_nodes == 12960
    assert told.checks < 12960 / 3


@pytest.mark.slow
@with_adult
def test_adult_s_bounds_are_the_optima_of_policies_that_say_so(adult):
    folder, told = adult
    k, more = told.bounds
    assert (k.binds, k.slack, more.binds, more.slack) == (True, 5, True, 1178)
    for overrides, optimum in (
        ({"k": 4}, k.optimum),
        ({"suppression": str(more.relaxed)}, more.optimum),
    ):
        plan = kanon_sql.plan(folder / "adult.yml", overrides=overrides)
        assert tuple(plan.levels.values()) == optimum.levels
        assert plan.cost == pytest.approx(optimum.cost)
    plan = kanon_sql.plan(folder / "adult.yml", overrides={"suppression": str(more.relaxed - 1)})
    assert tuple(plan.levels.values()) == told.node


@pytest.mark.slow
@with_adult
def test_adult_s_lattice_and_frontier_are_the_golden_ones(adult):
    """Eight quasi-identifiers, by entropy: published counts and optima."""
    folder, _ = adult
    golden = json.loads((SHARED / "EXAMPLES.json").read_text(encoding="utf-8"))["golden_adult"]
    case = golden["lattice"]["adult_8qi_occupation_sensitive"]
    policy = yaml.safe_load((folder / "adult.yml").read_text())
    policy["columns"]["occupation"] = {"role": "sensitive"}
    policy["search"] = {"metric": "entropy"}
    for name, entry in policy["columns"].items():
        if "hierarchy" in entry:
            entry["hierarchy"] = {"csv": str(folder / f"hierarchy_{name}.csv")}
    source = str(folder / "adult.csv")
    plan = kanon_sql.plan(policy, source)
    told = kanon_sql.explain(plan, source, policy=policy, time_limit=600, lattice="json")
    assert len(told.nodes) == told.plan.lattice_nodes == case["lattice_nodes"]
    own = case["by_k"]["5"]["maxsup=0.04 (1206 rows)"]
    assert sum(node.feasible for node in told.nodes) == own["feasible_nodes"]
    assert sum(node.minimal for node in told.nodes) == own["minimal_nodes_count"]
    met = 0
    for cell in told.frontier:
        for said, each in case["by_k"].get(str(cell.k), {}).items():
            if said.endswith(f"({cell.max_suppressed} rows)"):
                met += 1
                value = each["best_nonuniform_entropy"]["value"]
                assert cell.optimum.cost == pytest.approx((value,), rel=1e-9)
    assert met == 8


def test_only_a_lattice_is_replaced_by_a_lattice(lab):
    plan = planned(lab)
    before = (lab.folder / "people.csv").read_bytes()
    assert "was not written by kanon-sql" in lab.refused(
        "explain", plan, "--lattice", "people.csv", "--replace"
    )
    assert (lab.folder / "people.csv").read_bytes() == before
    lab.done("explain", plan, "--lattice", "lattice.csv")
    lab.done("explain", plan, "--lattice", "lattice.csv", "--replace")
    assert "cannot be written" in lab.refused("explain", plan, "--lattice", f"{'x' * 300}.svg")


def test_a_claim_of_the_plan_file_is_no_proof(lab):
    plan = planned(lab, search={"algorithm": "greedy"})
    path = lab.folder / plan
    text = path.read_text()
    path.write_text(text.replace("optimal: false", "optimal: true"))
    assert path.read_text() != text
    found = json.loads(lab.run("explain", plan, "--json", "--time-limit", "1ms").stdout)
    assert found["optimum"]["known"] != Certainty.PROVEN.value
