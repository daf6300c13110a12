"""A release that undoes itself is told: unique rows, and classes that hold fewer people than rows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import kanon_sql

ROOT = Path(__file__).parents[2]
DROPPED = {"role": "identifying", "action": "drop"}
UNIQUE = "are unique by cost and days beside the quasi-identifiers"
FEW = "hold fewer than"


def policy(lab, columns, **changes):
    given = {"source": "visits.csv", "suppression": "5%", **changes}
    return lab.policy(
        {**dict.fromkeys(["name", "zip", "sex", "age", "disease"]), **columns}, **given
    )


def told(lab, command):
    return json.loads(lab.done(command, "policy.yml", "--json").splitlines()[-1])["warnings"]


# ---- rows that are unique over all columns -------------------------------------------------

COSTS = {
    "mrn": DROPPED,
    "ward": {"role": "quasi", "hierarchy": "suppress"},
    "cost": {"role": "insensitive"},
    "days": {"role": "sensitive"},
}


def costs(lab, *, distinct):
    """Write visits whose cost and days are alone coarse, and together about as unique as `distinct`."""
    rows = [(n, "ab"[n // 60], n * 7 % distinct, n * 11 % 3) for n in range(120)]
    lines = "\n".join(",".join(map(str, row)) for row in rows)
    lab.write("visits.csv", f"mrn,ward,cost,days\n{lines}\n")
    policy(lab, COSTS, privacy={"k": 2})


def unique_in(lab, columns):
    """Count what a reader of the release counts: rows that nobody else has."""
    named = ", ".join(columns)
    rows = duckdb.sql(f"SELECT {named} FROM '{lab.folder / 'release.parquet'}'").fetchall()
    return sum(n == 1 for n in Counter(rows).values()), len(rows)


def test_the_warnings_of_a_release_in_python_are_those_that_its_line_counts():
    frame = pa.table({"ward": ["a", "b"] * 20, "cost": range(40)})
    release = kanon_sql.anonymize(frame, quasi=["ward"], keep=["cost"], k=2)
    (warned,) = release.warnings
    assert "unique in 40 of 40 rows" in warned
    assert repr(release).endswith("; 1 warning>")
    plain = kanon_sql.anonymize(frame, quasi=["ward"], drop=["cost"], k=2)
    assert plain.warnings == []
    assert "warning" not in repr(plain)


def test_nobody_finds_a_row_by_values_that_are_made_up(lab, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a key of thirty-two bytes, or so")
    fake = {"role": "identifying", "action": "fake", "kind": "name", "key_env": "KANON_TEST_KEY"}
    moved = {"role": "insensitive", "action": "shift_date", "by": "mrn", "days": 9}
    moved["key_env"] = "KANON_TEST_KEY"
    lines = "\n".join(f"m{n},{'ab'[n // 60]},n{n},2024-01-{1 + n % 28:02},{n}" for n in range(120))
    lab.write("visits.csv", f"mrn,ward,person,day,cost\n{lines}\n")
    own = {"mrn": DROPPED, "ward": COSTS["ward"], "person": fake, "day": moved}
    shuffled = {"role": "insensitive", "action": "shuffle"}
    policy(lab, {**own, "cost": shuffled}, privacy={"k": 2})
    assert not any("are unique by" in each for each in told(lab, "plan"))
    policy(lab, {**own, "cost": COSTS["cost"], "day": {"role": "insensitive"}}, privacy={"k": 2})
    assert any("are unique by day and cost" in each for each in told(lab, "plan"))


def test_the_plan_of_a_release_warns_of_unique_rows_as_a_plan_alone_does(lab):
    """Each counts them by its own rows: before there is a release, and of what was released."""
    costs(lab, distinct=40)
    file, release = lab.folder / "policy.yml", lab.folder / "release.parquet"
    notes = kanon_sql.anonymize(file, release=release, keep_plan=True).plan.notes
    assert sorted(notes) == sorted(kanon_sql.plan(file).notes)
    unique, rows = unique_in(lab, ("ward", "cost", "days"))
    assert sum(each.startswith(f"{unique} of {rows} rows {UNIQUE}") for each in notes) == 1


def test_rows_that_are_unique_over_all_columns_are_told_in_lint_plan_anonymize_verify_and_certificate(
    lab,
):
    costs(lab, distinct=40)
    (warned,) = told(lab, "lint")
    assert warned.startswith("columns.cost: cost and days are released as they are, and together")
    assert "unique in 120 of 120 rows" in warned
    assert any(f"120 of 120 rows {UNIQUE}" in each for each in told(lab, "plan"))
    lab.done("plan", "policy.yml")
    assert f"120 of 120 rows {UNIQUE}" in lab.run("apply", "policy.plan.yml").output
    unique, rows = unique_in(lab, ["ward", "cost", "days"])
    assert (unique, rows) == (120, 120)
    said = lab.run("verify", "release.parquet", "--quasi", "ward", "-k", 2)
    assert f"120 of 120 rows {UNIQUE}" in said.output
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    folder = lab.folder / "release.certificate"
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    over = {"over": ["ward", "cost", "days"], "rows": 120, "unique": 120}
    assert certificate["unique_over_all_columns"] == over
    page = (folder / "report.html").read_text("utf-8")
    assert f"120 of 120 rows {UNIQUE}" in page
    file = folder / "certificate.json"
    text = file.read_text("utf-8").replace('"unique": 120', '"unique": 7')
    file.write_text(text, "utf-8")
    assert "unique_over_all_columns: is not what was counted" in lab.run("verify", file).output


def test_few_unique_rows_are_counted_and_not_warned_of(lab):
    costs(lab, distinct=6)
    assert told(lab, "lint") == told(lab, "plan") == []
    released = json.loads(lab.done("anonymize", "policy.yml", "--json").splitlines()[-1])
    unique, rows = unique_in(lab, ["ward", "cost", "days"])
    assert (unique, rows) == (0, 120)
    found = released["verification"]["unique_over_all_columns"]
    assert found == {"over": ["ward", "cost", "days"], "rows": 120, "unique": 0}
    assert UNIQUE not in lab.run("verify", "release.parquet", "--quasi", "ward", "-k", 2).output


def test_the_rows_that_other_columns_make_unique_stand_below_the_risk_without_a_warning(lab):
    costs(lab, distinct=45)
    planned = lab.done("plan", "policy.yml")
    applied = lab.done("apply", "policy.plan.yml")
    unique, rows = unique_in(lab, ["ward", "cost", "days"])
    assert 0 < unique < 0.9 * rows
    for text in (planned, applied):
        assert f"  {unique} of {rows} rows {UNIQUE}\n" in text
        assert "warning: " not in text
    assert "answer its warnings" not in planned


def test_a_value_that_no_row_shows_is_told_by_plan_and_apply(lab):
    rows = [(n, "abc"[n % 3 if n > 1 else 2] if n != 1 else "d", n % 2) for n in range(60)]
    lines = "\n".join(",".join(map(str, row)) for row in rows)
    lab.write("visits.csv", f"mrn,ward,days\n{lines}\n")
    policy(
        lab,
        {"mrn": DROPPED, "ward": COSTS["ward"], "days": {"role": "sensitive"}},
        privacy={"k": 5},
        search={"algorithm": "optimal"},
        entity="mrn",
    )
    for command in (("plan", "policy.yml"), ("apply", "policy.plan.yml")):
        text = lab.done(*command)
        assert "1 value of ward is in no released row\n" in text
        assert "readers can count rows, and not people: mrn is not released\n" in text


def test_a_column_of_unique_values_is_told_by_verify_of_any_table(lab):
    rows = "\n".join(f"a,{n},{n % 2}" for n in range(1500))
    lab.write("any.csv", f"ward,visit,disease\n{rows}\n")
    said = lab.run("verify", "any.csv", "--quasi", "ward", "-k", 2).output
    assert "visit is released, and its value is unique in 1,500 of 1,500 rows" in said
    assert "disease is released" not in said


def test_a_label_that_is_unique_is_told_where_no_model_asks_for_classes(lab):
    lab.write("visits.csv", "who,age,ill\n" + "".join(f"p{n},{n},x\n" for n in range(30)))
    columns = {
        "who": DROPPED,
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "ill": {"role": "sensitive"},
    }
    policy(lab, columns, privacy={"k": 1})
    assert any(w.startswith("age is released") and "30 of 30" in w for w in told(lab, "plan"))
    policy(lab, columns, privacy={"k": 2})
    assert not any(w.startswith("age is released") for w in told(lab, "plan"))


# ---- classes of k rows that hold fewer people ----------------------------------------------

VISITS = {
    "person": DROPPED,
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20, 40]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "ward": {"role": "quasi", "hierarchy": "suppress"},
    "visited": DROPPED,
    "disease": {"role": "sensitive"},
}


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """The visits of the benchmark, of few people: some have one, some thirty."""
    file = tmp_path_factory.mktemp("visits") / "visits.parquet"
    query = (ROOT / "benchmarks" / "visits.sql").read_text(encoding="utf-8")
    with duckdb.connect() as connection:
        connection.execute("SET VARIABLE visits_persons = 2000")
        connection.sql(query).write_parquet(str(file))
    return file


def people_of_classes(file, levels):
    """Count, by the levels of a plan, the rows and the people of each class; sex and ward are kept or not."""
    people = defaultdict(list)
    rows = duckdb.sql(f"SELECT person, sex, age, zip, ward FROM '{file}'").fetchall()
    for person, sex, age, digits, ward in rows:
        width = [None, 10, 20, 40, 10**9][levels["age"]]
        key = (
            None if levels["sex"] else sex,
            age if width is None else age // width,
            digits[: 5 - levels["zip"]],
            None if levels["ward"] else ward,
        )
        people[key].append(person)
    return [(len(of), len(set(of))) for of in people.values()]


@pytest.mark.parametrize("entity", ["row", "person"])
def test_classes_of_few_people_are_told_where_rows_are_counted_and_not_where_people_are(
    lab, generated, entity
):
    policy(lab, VISITS, source=str(generated), entity=entity, privacy={"k": 5})
    planned = json.loads(lab.done("plan", "policy.yml", "--json").splitlines()[-1])
    classes = [each for each in people_of_classes(generated, planned["levels"]) if each[0] >= 5]
    few = [n for _, n in classes if n < 5]
    warned = [each for each in planned["warnings"] if FEW in each]
    if entity == "person":
        assert warned == []
        assert planned["smallest_class"] >= 5
        return
    assert len(few) > 50
    expected = (
        f"{len(few):,} of {len(classes):,} classes of at least 5 rows hold fewer than 5 people "
        f"({few.count(1):,} hold one), counted by person"
    )
    assert [each.startswith(expected) for each in warned] == [True]
    released = json.loads(lab.done("anonymize", "policy.yml", "--json").splitlines()[-1])
    assert released["verification"]["smallest_class"] >= 5  # verified, as rows go
    assert any(each.startswith(expected) for each in released["warnings"])
    assert any("write entity: person" in each for each in told(lab, "lint"))


def test_verify_and_certify_count_the_people_of_classes_where_the_key_is_released(lab, generated):
    columns = {**VISITS, "person": {"role": "insensitive"}, "age": DROPPED, "zip": DROPPED}
    policy(lab, columns, source=str(generated), privacy={"k": 5})
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    named = f"SELECT person, sex, ward FROM '{lab.folder / 'release.parquet'}'"
    people = defaultdict(list)
    for person, *labels in duckdb.sql(named).fetchall():
        people[tuple(labels)].append(person)
    assert min(len(set(of)) for of in people.values()) >= 5
    words = ("verify", "release.parquet", "--quasi", "sex,ward", "-k")
    assert FEW not in lab.run(*words, 5).output
    k = 647
    large = [of for of in people.values() if len(of) >= k]
    few = sum(len(set(of)) < k for of in large)
    assert 0 < few < len(large) < len(people)
    assert f"{few} of {len(large)} classes of at least {k} rows" in lab.run(*words, k).output
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    folder = lab.folder / "release.certificate"
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    expected = {"column": "person", "k": 5, "classes": len(people), "few": 0, "of_one": 0}
    assert certificate["classes_of_few_people"] == expected
    assert "Classes of few people" not in (folder / "report.html").read_text("utf-8")
    lab.done("verify", folder / "certificate.json")
    assert "Classes of few people" not in lab.run(*words, 5, "--entity", "person").output


def test_python_has_the_counts():
    rows = duckdb.sql("SELECT i % 2 AS ward, i // 3 AS mrn, i % 7 AS cost FROM range(60) AS t(i)")
    found = kanon_sql.verify(rows, quasi=["ward"], k=25)
    assert (found.few_people.few, found.few_people.classes) == (2, 2)
    assert found.unique_rows.unique == 60
    assert any(FEW in each for each in found.warnings)
    assert kanon_sql.verify(rows, quasi=["ward"], k=20).few_people.few == 0
