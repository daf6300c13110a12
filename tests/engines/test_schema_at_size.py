"""The hospital of the benchmark, of 500,000 visits, judged by plain Python over the released files."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict

import duckdb
import pytest
from hospitals import pseudonym

from benchmarks.schema import TABLES, K, schema
from kanon_sql.apps.schema.release_schema import apply_schema

PEOPLE, VISITS = 200_000, 500_000


@pytest.mark.rare
def test_half_a_million_visits_are_released_with_valid_keys_and_who_stands_below_k(tmp_path, monkeypatch, with_key):  # fmt: skip
    monkeypatch.setenv("KANON_KEY", with_key)
    given = {key: each for key, each in schema("none").items() if key != "database"}
    with duckdb.connect(str(tmp_path / "hospital.duckdb")) as connection:
        connection.execute(TABLES.format(people=PEOPLE, visits=VISITS))
        release = apply_schema(policy=given, connection=connection)
        days = connection.execute("SELECT d.day, v.patient_id FROM diagnoses d JOIN visits v ON v.id = d.visit_id").fetchall()  # fmt: skip
        for name in ("patients", "visits", "diagnoses", "providers"):
            connection.execute(f"COPY anon.{name} TO '{tmp_path}/{name}.csv'")

    def read(name):
        with (tmp_path / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return [*csv.DictReader(file)]

    assert "Name " not in (tmp_path / "patients.csv").read_text(encoding="utf-8")
    patients, visits, diagnoses = read("patients"), read("visits"), read("diagnoses")
    shown = {row["id"] for row in patients}
    assert len(shown) == len(patients) > 0.95 * PEOPLE
    assert shown <= {pseudonym(i, "patient") for i in range(PEOPLE)}
    assert {row["patient_id"] for row in visits} <= shown
    assert {row["provider_id"] for row in visits} <= {row["id"] for row in read("providers")}
    labels = [name for name in patients[0] if name != "id"]
    classes = Counter(tuple(row[each] for each in labels) for row in patients)
    assert min(classes.values()) >= K
    had = defaultdict(list)
    for row in visits:
        had[row["patient_id"]].append((row["provider_id"], row["ward"], row["day"]))
    alike = Counter((tuple(row[each] for each in labels), tuple(sorted(had[row["id"]]))) for row in patients)  # fmt: skip
    (joined,) = release.plan.joined
    assert joined.below == sum(size for size in alike.values() if size < K) > 0
    assert joined.people == len(patients)
    people = defaultdict(set)
    for day, person in days:
        people[str(day)].add(person)
    assert {row["day"] for row in diagnoses} <= people.keys()
    assert min(map(len, people.values())) >= K
