"""`where:` and several sets of quasi-identifiers, from the policy to the release and its script."""

from __future__ import annotations

import csv
from collections import Counter

import duckdb
import pyarrow as pa
import pytest
import yaml

import kanon_sql
from kanon_sql.counting.lattice import encode, joint_checker
from kanon_sql.policy.privacy.demands import joint_demands
from kanon_sql.recoding import query, recode

SOME = "sex = 'canary-m' AND age <> '33' /* ; DROP TABLE x */ -- of the men"
SETS = [
    {"k": 2},
    {"k": 6, "over": ["age"]},
    {"distinct_l": {"column": "disease", "l": 2}, "over": ["zip"]},
]
SOURCE = {"path": "people.csv", "where": SOME}


def rows(lab, name="people.csv"):
    with (lab.folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of_the_men(lab):
    return [row for row in rows(lab) if row["sex"] == "canary-m" and row["age"] != "33"]


def test_only_the_rows_that_meet_it_are_planned_released_and_recounted(lab):
    lab.policy(source=SOURCE, suppression=0, release="release.csv")
    lab.done("plan", "policy.yml")
    plan = yaml.safe_load((lab.folder / "policy.plan.yml").read_text())
    meant = of_the_men(lab)
    assert 0 < len(meant) < 40
    assert plan["source"]["rows"] == len(meant)
    assert plan["source"]["where"] == SOME
    lab.done("apply", "policy.plan.yml")
    released = rows(lab, "release.csv")
    assert Counter(r["disease"] for r in released) == Counter(r["disease"] for r in meant)


def test_the_plan_is_stale_when_the_condition_or_its_rows_change(lab):
    lab.policy(source=SOURCE)
    lab.done("plan", "policy.yml")
    lab.policy(source={"path": "people.csv", "where": SOME.replace("33", "34")})
    assert "policy: changed" in lab.refused("apply", "policy.plan.yml")
    lab.policy(source="people.csv")
    assert "policy: changed" in lab.refused("apply", "policy.plan.yml")
    lab.policy(source=SOURCE)
    text = (lab.folder / "people.csv").read_text()
    lab.write("people.csv", text + "Canary-41,73911,canary-f,33,canary-1\n")  # it is not of these
    lab.done("apply", "policy.plan.yml")
    (lab.folder / "release.parquet").unlink()
    lab.write("people.csv", text + "Canary-41,73911,canary-m,34,canary-1\n")
    assert "changed since the plan was made" in lab.refused("apply", "policy.plan.yml")


def test_a_condition_is_asked_of_the_source_that_is_named_instead(lab):
    lab.policy(source={"path": "nowhere.csv", "where": SOME})
    lab.done("anonymize", "policy.yml", "--source", "people.csv", "--release", "men.csv")
    assert {row["sex"] for row in rows(lab, "men.csv")} <= {"canary-m", "canary-x", "*"}
    assert len(rows(lab, "men.csv")) <= len(of_the_men(lab))


@pytest.mark.parametrize("kind", ["arrow", "relation", "table", "enum"])
def test_a_condition_is_asked_of_what_python_gives(lab, kind):
    frame = pa.table({name: [row[name] for row in rows(lab)] for name in rows(lab)[0]})
    if kind == "enum":
        frame = frame.set_column(2, "sex", frame["sex"].dictionary_encode())
    policy = lab.mapping(
        {"sex": {"role": "quasi", "hierarchy": "suppress"}}, source={"where": SOME}
    )
    policy = {**policy, "suppression": 0, "release": None}
    del policy["release"]
    with duckdb.connect() as connection:
        given = {"arrow": frame, "enum": frame, "table": "the people"}.get(kind)
        if kind != "arrow":
            connection.sql('CREATE TABLE "the people" AS FROM frame')
        given = connection.table("the people") if kind == "relation" else given
        with kanon_sql.anonymize(policy, given, connection=connection) as release:
            released = release.relation.to_arrow_table().to_pylist()
            assert release.plan.source_rows == len(released) == len(of_the_men(lab))


def test_hostile_names_in_a_condition(lab):
    names = ['a"b', "it's", "x; DROP TABLE t; --", "ключ😀", "a.b", "select", "${x}", "b\\"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    frame = pa.table({name: [i % 2 for i in range(8)] for name in names})
    for name, text in zip(names, quoted, strict=True):
        columns = {n: {"role": "insensitive"} for n in names}
        columns[name] = {"role": "quasi", "hierarchy": "suppress"}
        policy = {
            "version": 1, "source": {"where": f"{text} = 1 AND {quoted[0]} IN (1, 2)"},
            "entity": "row", "columns": columns, "privacy": {"k": 4},
        }  # fmt: skip
        assert kanon_sql.plan(policy, frame).source_rows == 4


def test_every_set_is_planned_and_recounted(lab):
    lab.policy(privacy=SETS, suppression="40%")
    said = lab.done("anonymize", "policy.yml")
    released = duckdb.read_parquet(str(lab.folder / "release.parquet")).to_arrow_table().to_pylist()
    ages = Counter(row["age"] for row in released)
    zips = {
        z: {r["disease"] for r in released if r["zip"] == z} for z in {r["zip"] for r in released}
    }
    assert min(ages.values()) >= 6
    assert all(len(found) >= 2 for found in zips.values())
    assert f"over age: {len(ages)} equivalence classes, smallest {min(ages.values())} rows" in said
    assert said.count("over age: ") == said.count("over zip: ") == 1
    assert "6-anonymity over age" in said
    found = lab.done("verify", "release.parquet", "--quasi", "age", "-k", "6")
    assert found.startswith("PASS")


def test_a_release_that_falls_short_over_one_set_is_not_published(lab, monkeypatch):
    """The recount of each set stands alone: here the search and the recoding forget one."""
    for module in (encode, joint_checker, query, recode):
        monkeypatch.setattr(module, "joint_demands", lambda models: joint_demands(models)[:1])
    sets = [{"k": 2, "over": ["sex"]}, {"k": 4, "over": ["age"]}]
    lab.policy(privacy=sets, suppression="60%", search={"metric": "height"})
    said = lab.refused("anonymize", "policy.yml", code=4)
    assert "classes over age fall short" in said


def test_sets_that_nothing_fits_are_said(lab):
    lab.policy(privacy=[{"k": 2}, {"k": 40, "over": ["age"]}, {"k": 39, "over": ["zip"]}])
    lab.done("plan", "policy.yml")  # all rows are one class
    lab.policy(privacy=[{"distinct_l": {"column": "disease", "l": 9}, "over": ["age"]}])
    assert "5 distinct values of disease" in lab.refused("plan", "policy.yml", code=3)
