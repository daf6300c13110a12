"""Classes that are counted by buckets are those that are counted value by value."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

SOURCE = """{{{{ config(materialized='table') }}}}
select
    i as patient_id, 'Person ' || i as name, 'm' as sex, date '1950-01-01' as born,
    lpad(cast(i // {rows} as varchar), 5, '0') as zip, 'cook' as job,
    nullif('d' || (i % (1 + (i // {rows}) % 4)), 'd0') as disease, date '2026-03-01' as loaded_on,
    (i // {rows}) * 1000 + (i % {rows}) % (1 + (i // {rows}) % {people}) as person
from range({rows} * {classes}) as r (i)
"""
"""ZIP codes with as many rows each, of one to so many people, and of none to four diseases."""


@pytest.mark.parametrize(
    ("k", "least", "nulls", "counted"),
    [
        (5, 2, "not_counted", "by buckets"),
        (7, 3, "value", "by buckets"),
        (45, 2, "not_counted", "by buckets"),
        (260, 2, "not_counted", "one by one"),
    ],
)
def test_every_class_that_fits_is_released_and_no_other(project, k, least, nulls, counted):
    """Classes have a person less than k, k of them, and more: with one word of buckets, with two, and without."""
    people = k + k // 2
    classes = max(people + 10, 200)
    text = SOURCE.format(rows=2 * people, people=people, classes=classes)
    (project.folder / "models/stg_patients.sql").write_text(text)
    quasi = {"role": "quasi", "hierarchy": "suppress", "levels": {"least": 0, "most": 0}}
    project.meta(
        privacy=[{"k": k}, {"distinct_l": {"column": "disease", "l": least}}],
        sensitive_nulls=nulls, suppression="100%", entity="person",
        columns={
            **dict.fromkeys(("sex", "born", "zip", "job"), quasi),
            "person": {"role": "identifying", "action": "drop"},
        },
    )  # fmt: skip
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("run", "--select", "patients_anon")
    assert ("kanon_class" in project.compiled("patients_anon")) is (counted == "by buckets")
    persons, diseases = defaultdict(set), defaultdict(set)
    rows = project.execute("SELECT zip, disease, person FROM stg_patients")
    for zip_, disease, person in rows:
        persons[zip_].add(person)
        if disease is not None or nulls == "value":
            diseases[zip_].add(disease)
    fits = {each for each in persons if len(persons[each]) >= k and len(diseases[each]) >= least}
    assert 0 < len(fits) < classes
    assert {k - 1, k, k + 1} <= {len(each) for each in persons.values()}
    released = Counter(project.execute("SELECT zip, disease FROM patients_anon"))
    assert released == Counter((zip_, disease) for zip_, disease, _ in rows if zip_ in fits)


def test_people_who_are_not_known_are_none(project):
    """Rows that come without a person are of no person, though they fall into buckets as others do."""
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.execute(
        "INSERT INTO raw_patients SELECT NULL, 'Z', 'x', DATE '1955-01-01', '02138', 'cook', 'flu' || i % 3,"
        " DATE '2026-03-01' FROM range(20) AS r (i)"
    )
    project.dbt("build", "--exclude", "raw_patients")
    assert project.execute("SELECT COUNT(*) FROM patients_anon WHERE sex = 'x'") == [(0,)]
