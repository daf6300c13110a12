"""No command about privacy models, risk, attacks and quality prints a value of the data, nor writes one, unless asked.

What plan, apply and anonymize show of a release without --no-rows is in test_examples_of_a_release.

The lab's names, ZIP codes, sexes and diseases hold planted texts, and so do the labels of its hierarchies, the order of
its diseases and its persons' ages here. What succeeds and what is refused is searched for them, as text and as JSON.
"""

from __future__ import annotations

import json
import re
from itertools import product

import pytest

PLANTED = ("anary", "7391", "4477")
AGES = {"csv": "age.csv"}
DISEASES = {"csv": "disease.csv"}
ORDER = [f"canary-{n}" for n in range(5)]
OF = {"column": "disease"}
FITTING = {
    "k": {"k": 3},
    "distinct_l": {"distinct_l": {**OF, "l": 2}},
    "entropy_l": {"entropy_l": {**OF, "l": 2}},
    "recursive_l": {"recursive_l": {**OF, "c": 3, "l": 2}},
    "equal": {"t_closeness": {**OF, "t": 0.5, "distance": "equal"}},
    "ordered": {"t_closeness": {**OF, "t": 0.5, "distance": "ordered"}},
    "hierarchical": {"t_closeness": {**OF, "t": 0.5, "distance": "hierarchical"}},
    "alpha": {"alpha": {**OF, "alpha": 0.6}},
    "beta": {"beta_likeness": {**OF, "beta": 3, "enhanced": False}},
    "delta": {"delta_disclosure": {**OF, "delta": 2, "absent": "ignored"}},
    "k_map": {"k_map": {"k": 3, "population": "people.csv"}},
    "delta_presence": {"delta_presence": {"least": 0, "most": 1, "population": "people.csv"}},
}
"""Each model with a bound that some classes meet, by what it is called here."""
INFEASIBLE = {
    "distinct_l": {"distinct_l": {**OF, "l": 6}},
    "entropy_l": {"entropy_l": {**OF, "l": 6}},
    "recursive_l": {"recursive_l": {**OF, "c": 1, "l": 6}},
    "alpha": {"alpha": {**OF, "alpha": 0.01}},
    "delta_presence": {"delta_presence": {"least": 0, "most": 0.5, "population": "people.csv"}},
    "k_map": {"k_map": {"k": 39, "population": "few.csv"}},
}
WRONG = {
    "no column": {"privacy": {"alpha": {"column": "illness", "alpha": 0.5}}},
    "no population": {"privacy": {"k_map": {"k": 3, "population": "nowhere.csv"}}},
    "another population": {"privacy": {"k_map": {"k": 3, "population": "header.csv"}}},
    "no number": {
        "privacy": FITTING["ordered"],
        "columns": {"disease": {"role": "sensitive", "order": "number"}},
    },
    "no date": {
        "privacy": FITTING["ordered"],
        "columns": {"disease": {"role": "sensitive", "order": "date"}},
    },
    "no entry in the order": {
        "privacy": FITTING["ordered"],
        "columns": {"disease": {"role": "sensitive", "order": ORDER[1:]}},
    },
    "no entry": {
        "privacy": FITTING["hierarchical"],
        "columns": {"disease": {"role": "sensitive", "hierarchy": {"csv": "lacking.csv"}}},
    },
    "two parents": {"columns": {"sex": {"role": "quasi", "hierarchy": {"csv": "double.csv"}}}},
    "no levels": {"columns": {"age": {"role": "quasi", "hierarchy": AGES, "levels": {"least": 9}}}},
}  # fmt: skip
QI = "zip,sex,age"
RISK = ("risk", "people.csv")
READING = [
    RISK,
    ("attack", "link", "--target", "people.csv", "--known", "other.csv", "--on", "age"),
    (*RISK, "--entity", "name", "--near", "0.5"),
    (*RISK, "--quasi", f"{QI},disease", "--entity", "name", "--sampling", "0.1"),
    (*RISK, "--quasi", QI, "--population", "people.csv"),
    (*RISK, "--quasi", QI, "--release", "release.parquet"),
    (*RISK, "--plan", "policy.plan.yml"),
    ("risk", "--policy", "policy.yml"),
    ("risk", "--policy", "policy.yml", "--release", "release.parquet"),
    ("attack", "link", "--target", "people.csv", "--known", "people.csv", "--on", f"{QI},disease"),
    ("attack", "homogeneity", "people.csv", "--quasi", "name,sex", "--sensitive", "disease"),
    ("attack", "background", "people.csv", "--quasi", "zip", "--sensitive", "disease", "--excluding", "2"),
    ("attack", "composition", "people.csv", "people.csv", "--person", "name", "--quasi", "zip", "--sensitive", "disease"),
    ("quality", "release.parquet", "--plan", "policy.plan.yml", "--class", "disease", "--workload", "20"),
    ("quality", "release.parquet", "--source", "people.csv", "--quasi", QI),
    ("plan", "policy.yml", "-o", "again.plan.yml", "--no-rows"),
    ("diff", "policy.plan.yml", "policy.plan.yml"),
    ("explain", "policy.plan.yml"),
    ("verify", "release.parquet", "--quasi", QI, "-k", "2", "--privacy", "alpha: {column: disease, alpha: 0.9}"),
]  # fmt: skip
REFUSED = [
    (*RISK, "--quasi", "zip,illness"),
    (*RISK, "--quasi", QI, "--entity", "who"),
    (*RISK, "--quasi", QI, "--population", "header.csv"),
    (*RISK, "--quasi", QI, "--release", "nowhere.parquet"),
    (*RISK, "--quasi", QI, "--threshold", "canary-0"[2:4]),
    ("risk", "few.csv", "--plan", "policy.plan.yml"),
    ("attack", "link", "--target", "people.csv", "--known", "people.csv", "--on", "illness"),
    ("attack", "homogeneity", "people.csv", "--quasi", QI, "--sensitive", "illness"),
    ("attack", "background", "people.csv", "--quasi", QI, "--sensitive", "disease", "--excluding", "-1"),
    ("attack", "composition", "people.csv", "twice.csv", "--person", "name", "--quasi", "zip", "--sensitive", "disease"),
    ("quality", "few.csv", "--source", "people.csv", "--quasi", "zip,illness"),
    ("quality", "few.csv", "--source", "people.csv", "--quasi", "zip", "--queries", "queries.yml"),
    ("verify", "people.csv", "--quasi", QI, "-k", "39"),
    ("verify", "people.csv", "--quasi", "name", "-k", "1", "--privacy", "alpha: {column: disease, alpha: 0.1}"),
    ("verify", "people.csv", "--quasi", QI, "--privacy", "t_closeness: {column: disease, t: 0.1, distance: ordered}"),
]  # fmt: skip


@pytest.fixture
def planted(lab):
    """The lab with planted ages, too, and the hierarchies, populations and queries that policies and commands name."""
    rows = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    cells = [row.split(",") for row in rows[1:]]
    whole = [",".join([*row[:3], f"4477{row[3]}", row[4]]) for row in cells]
    lab.write("people.csv", "\n".join([rows[0], *whole]) + "\n")
    lab.write("few.csv", "\n".join([rows[0], *whole[:20]]) + "\n")
    lab.write(
        "twice.csv", "\n".join([rows[0], whole[0], whole[0].replace("73910", "73919")]) + "\n"
    )
    lab.write("other.csv", f"{rows[0]}\nCanary-0,73910,canary-m,canary-old,canary-0\n")
    lab.write("header.csv", "zip,who\n73910,canary\n")
    ages = sorted({row[3] for row in cells})
    lab.write("age.csv", "".join(f"4477{a};canary {int(a) // 6};*\n" for a in ages))
    lab.write("disease.csv", "".join(f"{d};canary {d[-1] < '2'};*\n" for d in ORDER))
    lab.write("lacking.csv", "".join(f"{d};canary {d[-1] < '2'};*\n" for d in ORDER[1:]))
    lab.write("double.csv", "canary-m;canary-x;*\ncanary-m;canary-y;*\ncanary-f;canary-x;*\n")
    lab.write("queries.yml", "queries:\n  - {zip: \"= '73910' AND canary\"}\n")
    return lab


def write_policy(lab, privacy, **changes):
    columns = {
        "age": {"role": "quasi", "hierarchy": AGES},
        "disease": {"role": "sensitive"},
        **changes.pop("columns", {}),
    }
    (model,) = [next(iter(privacy))] if len(privacy) == 1 else [None]
    distance = privacy.get(model, {}).get("distance") if model == "t_closeness" else None
    if distance == "ordered" and columns["disease"] == {"role": "sensitive"}:
        columns["disease"] = {"role": "sensitive", "order": ORDER}
    if distance == "hierarchical" and columns["disease"] == {"role": "sensitive"}:
        columns["disease"] = {"role": "sensitive", "hierarchy": DISEASES}
    return lab.policy(columns, privacy=privacy, **{"suppression": "60%", **changes})


def searched(lab, *words, codes):
    """Run a command as text and as JSON, and search both for what is planted."""
    unasked = ("--no-rows",) if words[0] in {"plan", "apply", "anonymize"} else ()
    for more in (unasked, ("--json",)):
        result = lab.run(*words, *more)
        assert result.exit_code in codes, (words, result.output)
        found = [each for each in PLANTED if each in result.stdout + result.stderr]
        assert found == [], (words, more)
        if "--json" in more and 0 in codes:
            json.loads(result.stdout)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("model", FITTING)
def test_a_model_on_its_way_from_plan_to_certificate(planted, model):
    lab = planted
    write_policy(lab, FITTING["k"])
    lab.done("plan", "policy.yml", "-o", "k.plan.yml")
    write_policy(lab, FITTING[model])
    searched(lab, "plan", "policy.yml", codes={0})
    searched(lab, "anonymize", "policy.yml", "--replace", codes={0})
    searched(lab, "diff", "k.plan.yml", "policy.plan.yml", codes={0})
    searched(lab, "risk", "--plan", "policy.plan.yml", codes={0})
    searched(lab, "explain", "policy.plan.yml", codes={0, 1})
    searched(
        lab, "certify", "release.parquet", "--plan", "policy.plan.yml", "--replace", codes={0, 1}
    )
    written = [lab.folder / "policy.plan.yml", lab.folder / "k.plan.yml"]
    if (lab.folder / "release.certificate").is_dir():
        searched(lab, "verify", "release.certificate/certificate.json", codes={0})
        written += (lab.folder / "release.certificate").iterdir()
    for path in written:
        text = path.read_text(encoding="utf-8")
        for value in (
            ORDER if model == "ordered" else ()
        ):  # the policy lists them, and so does the plan's SQL
            text = text.replace(f"'{value}'", "")
        if (
            path.suffix == ".html"
        ):  # which shows labels of the hierarchy that are released; digits of coordinates are no value
            text = re.sub(r"[0-9]+[.][0-9]+|canary [0-9]+|canary (True|False)", "", text)
        assert [each for each in PLANTED if each in text] == [], path.name


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", INFEASIBLE)
def test_a_model_that_nothing_satisfies(planted, model):
    write_policy(planted, INFEASIBLE[model], suppression="10%")
    for command, more in product(("plan", "anonymize"), ((), ("--json",))):
        result = planted.run(command, "policy.yml", *more)
        assert result.exit_code in {1, 3}, result.output
        assert [each for each in PLANTED if each in result.output] == [], result.output
    searched(planted, "risk", "--policy", "policy.yml", codes={1, 3})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fault", WRONG)
def test_a_policy_at_fault(planted, fault):
    write_policy(planted, **{"privacy": FITTING["k"], **WRONG[fault]})
    for command in ("lint", "plan", "anonymize"):
        result = planted.run(command, "policy.yml")
        assert result.exit_code in ({0, 1} if command == "lint" else {1}), (command, result.output)
        assert [each for each in PLANTED if each in result.output] == [], result.output
    searched(planted, "risk", "--policy", "policy.yml", codes={1})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_what_only_reads(planted, as_json):
    lab = planted
    write_policy(lab, FITTING["k"])
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    for words in READING:
        result = lab.run(*words, *(("--json",) if as_json else ()))
        assert result.exit_code == 0, (words, result.output)
        assert [each for each in PLANTED if each in result.stdout + result.stderr] == [], words
    for words in REFUSED:
        result = lab.run(*words, *(("--json",) if as_json else ()))
        assert result.exit_code != 0, (words, result.output)
        assert [each for each in PLANTED if each in result.stdout + result.stderr] == [], words


def test_what_is_planted_would_be_found(planted):
    """Asked for, the values are printed: the search above can fail."""
    shown = planted.done(
        "attack", "homogeneity", "people.csv", "--quasi", "name,age,zip", "--sensitive", "disease", "--show-values"
    )  # fmt: skip
    assert [each for each in PLANTED if each not in shown] == []
