"""The error of simple counts in a plan, its certificate and the explorer, recounted in plain Python."""

from __future__ import annotations

import json
import random
import statistics
from collections import Counter, defaultdict
from itertools import combinations, product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.explorer.exploration import Choices, SavedFiles, open_exploration
from kanon_sql.base.documents.text import simple_counts

QUASI = ("age", "ward", "sex")
COVERED = {"*": "abcd", "north": "ab", "south": "cd"}
TREE = {"tree": {"*": {"north": ["a", "b"], "south": ["c", "d"]}}}
KINDS = {
    "one node": {"search": {"algorithm": "optimal"}},
    "labels": {"search": {"algorithm": "mondrian"}},
    "intervals": {"age": {"order": "number"}},
    "sets": {"age": {"order": "number", "output": "set"}},
    "values": {"output": "apportioned", "age": {"order": "number"}},
}


def rows_of(count=240):
    draw = random.Random(5)
    return [
        (draw.randrange(0, 15), draw.choice("aabcd"), draw.choice("fm"), draw.choice("xyz"))
        for _ in range(count)
    ]


def policy_of(kind):
    more = dict(KINDS[kind])
    age = more.pop("age", {"hierarchy": {"intervals": [3, 9]}})
    return {
        "version": 1,
        "source": "rows.parquet",
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", **age},
            "ward": {"role": "quasi", "hierarchy": TREE},
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"k": 4},
        "suppression": "5%",
        "search": {"algorithm": "mondrian"},
        "release": "out.parquet",
        **more,
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = list(zip(*rows_of(), strict=True))
    pq.write_table(pa.table(columns, names=[*QUASI, "ill"]), "rows.parquet")
    return tmp_path


def write(kind):
    Path("policy.yml").write_text(json.dumps(policy_of(kind)), encoding="utf-8")


def call(*words, code=0):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def covered(name, label):
    """List the values of a column that a released text covers."""
    ages = sorted({row[0] for row in rows_of()})
    if name == "ward":
        return list(COVERED.get(label, label))
    if name == "sex":
        return ["f", "m"] if label == "*" else [label]
    if label == "*":
        return ages
    if label[0] == "[":
        low, high = map(int, label[1:-1].split(", "))
        return [age for age in ages if low <= age <= (high if label[-1] == "]" else high - 1)]
    return [int(each) for each in label.split("|")]


def recounted():
    """The errors of pairs of values in at least 2 of the 240 rows: medians of labels spread and as they are, and of one in ten."""
    shown = pq.read_table("out.parquet").to_pylist()
    spread, plain = [], []
    for one, other in combinations(range(len(QUASI)), 2):
        own = Counter((row[one], row[other]) for row in rows_of())
        told, alone = defaultdict(float), Counter()
        for row in shown:
            lists = [covered(QUASI[at], str(row[QUASI[at]])) for at in (one, other)]
            for cell in product(*lists):
                told[cell] += 1 / (len(lists[0]) * len(lists[1]))
            if len(lists[0]) == len(lists[1]) == 1:
                alone[lists[0][0], lists[1][0]] += 1
        for cell, rows in own.items():
            if rows >= 2:
                spread.append(abs(told[cell] - rows) / rows)
                plain.append(abs(alone[cell] - rows) / rows)
    furthest = sorted(spread, reverse=True)[: -(-len(spread) // 10)]
    return statistics.median(spread), statistics.median(plain), furthest[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_and_its_certificate_state_it_and_both_are_counted_again(folder, kind):
    write(kind)
    told = call("plan", "policy.yml")
    applied = call("apply", "policy.plan.yml")
    key = ": kanon-sql labels out.parquet --plan policy.plan.yml -o labels.csv"
    assert (key in applied) == (kind != "values")
    certified = words(call("certify", "out.parquet", "--plan", "policy.plan.yml"))
    beside = ("--plan", "policy.plan.yml", "--against", "rows.parquet")
    figures = kanon_sql.Plan.from_yaml(Path("policy.plan.yml").read_text(encoding="utf-8"), "plan").figures  # fmt: skip
    stated = tuple(figures[f"count_error{each}"] for each in ("", "_plain", "_tenth"))
    assert stated == pytest.approx(recounted(), rel=1e-3)
    assert f"off by at most {stated[0]:.1%}, one in ten by {stated[2]:.1%} or more" in words(told)
    line = f"count error: {simple_counts(*stated)}"
    assert line in certified
    assert "(counted beside the source)" not in certified
    first = read()["count_error"]
    assert first == {"spread": stated[0], "plain": stated[1], "counted": False, "tenth": stated[2]}
    again = call("verify", "out.certificate", *beside)
    assert "(counted beside the source)" in again
    assert "PASS; release" in again
    if kind == "sets":
        counted = words(call("certify", "out.parquet", "--replace", *beside))
        assert f"{line} (counted beside the source)" in counted
        assert read()["count_error"] == {**first, "counted": True}
    page = Path("out.certificate/report.html").read_text(encoding="utf-8")
    assert f"off by at most {stated[0]:.1%}, one in ten by {stated[2]:.1%} or more" in page
    assert ("beside the source, which the release does not show" in page) == (kind == "sets")


def words(text):
    """What a command printed, without the ends of its lines."""
    return " ".join(text.split())


def read():
    return json.loads(Path("out.certificate/certificate.json").read_text(encoding="utf-8"))


def test_a_plan_that_states_less_than_there_is_does_not_pass(folder):
    write("labels")
    call("plan", "policy.yml")
    call("apply", "policy.plan.yml")
    plan = Path("policy.plan.yml")
    honest = plan.read_text(encoding="utf-8")
    at = honest.index("count_error: ")
    edited = honest[:at] + "count_error: 0.001" + honest[honest.index("\n", at) :]
    plan.write_text(edited, encoding="utf-8")
    against = ("--against", "rows.parquet")
    told = call("certify", "out.parquet", "--plan", "policy.plan.yml", *against, code=4)
    assert "the plan states that half of the counts by two columns are off by" in told
    assert not Path("out.certificate").exists()
    call("certify", "out.parquet", "--plan", "policy.plan.yml")
    told = call("verify", "out.certificate", "--plan", "policy.plan.yml", *against, code=4)
    assert "FAIL count_error" in told
    plan.write_text(honest, encoding="utf-8")
    told = call("verify", "out.certificate", "--plan", "policy.plan.yml", code=4)
    assert "FAIL count_error: does not match the plan and its policy" in told
    told = call("verify", "out.certificate", "--plan", "policy.plan.yml", *against, code=4)
    assert "FAIL count_error: certified:" in told


def test_it_is_not_counted_beside_another_source_or_without_a_plan(folder):
    write("labels")
    call("plan", "policy.yml")
    call("apply", "policy.plan.yml")
    columns = list(zip(*rows_of(241)[1:], strict=True))
    pq.write_table(pa.table(columns, names=[*QUASI, "ill"]), "other.parquet")
    asked = ("--plan", "policy.plan.yml", "--against", "other.parquet")
    assert "other.parquet: changed since the plan was made" in call("certify", "out.parquet", *asked, code=1)  # fmt: skip
    call("certify", "out.parquet", "--plan", "policy.plan.yml")
    told = call("verify", "out.certificate", "--against", "rows.parquet", code=1)
    assert "is counted with the plan of the release" in told


@pytest.mark.parametrize("form", ["query", "encoding"])
def test_its_source_is_named_as_the_policy_names_it(folder, form):
    """By the query or mapping itself, by the policy's file; and by a file's name where the policy has the encoding."""
    policy = policy_of("one node")
    if form == "query":
        query = "SELECT age, ward, sex, ill FROM 'rows.parquet' WHERE age >= 0"
        policy["source"], named = {"query": query}, query
    else:
        lines = [",".join(map(str, row)) for row in rows_of()]
        text = "\n".join(["age,ward,sex,ill", *(each.replace("x", "é") for each in lines)])
        Path("rows.csv").write_text(text, encoding="latin-1")
        policy["source"] = {"path": "rows.csv", "encoding": "latin-1"}
        named = "{path: rows.csv, encoding: latin-1}"
    Path("policy.yml").write_text(json.dumps(policy), encoding="utf-8")
    call("plan", "policy.yml")
    call("apply", "policy.plan.yml")
    asked = ("--plan", "policy.plan.yml", "--replace", "--against")
    for each in (named, "policy.yml", *(["rows.csv"] if form == "encoding" else [])):
        assert "(counted beside the source)" in words(call("certify", "out.parquet", *asked, each))
    checked = call("verify", "out.certificate", "--plan", "policy.plan.yml", "--against", named)
    assert "(counted beside the source)" in checked


def test_one_quasi_identifier_has_none(folder):
    policy = policy_of("one node")
    for name in ("ward", "sex"):
        policy["columns"][name] = {"role": "insensitive"}
    Path("policy.yml").write_text(json.dumps(policy), encoding="utf-8")
    assert "simple counts" not in call("plan", "policy.yml")
    call("apply", "policy.plan.yml")
    assert "count error" not in call("certify", "out.parquet", "--plan", "policy.plan.yml")
    assert "count_error" not in read()
    asked = ("--plan", "policy.plan.yml", "--against", "rows.parquet", "--replace")
    assert "it has one quasi-identifier" in call("certify", "out.parquet", *asked, code=1)


def test_at_a_node_of_the_explorer_it_is_that_of_the_plan(folder):
    write("one node")
    plan = kanon_sql.plan("policy.yml", examples=True)
    files = SavedFiles(
        folder / "a.yml", folder / "b.yml", lambda path, text: None, str(folder / "boundaries")
    )
    explored = open_exploration("policy.yml", None, files=files, settings=None)
    try:
        explored.start()
        top = Choices({}, tuple(plan.heights.values()))
        found = explored.count_error(Choices({}, tuple(plan.levels.values())))
        assert simple_counts(*found) == plan.simple_counts
        assert explored.count_error(top) != found
        assert explored.count_error(Choices({}, (0, 0, 0))) is None
    finally:
        explored.close()
