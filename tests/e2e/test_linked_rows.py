"""A column that joins the rows of a person undoes k: refused unless accepted, and then counted."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict

import duckdb
import pytest

import kanon_sql

KEY = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
ACCEPTED = {**KEY, "linkable": "accept"}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a key of thirty-two bytes, or so")


@pytest.fixture
def visits(lab):
    """A lab of visits: a person has some, each in a ward of its own age group."""
    drawn = random.Random(9)
    lines = []
    for person in range(60):
        age = drawn.randrange(20, 60)
        for _ in range(drawn.choice([1, 1, 1, 2, 3])):
            lines.append(
                f"p{person},{len(lines)},{drawn.choice('abc')},{age},d{drawn.randrange(4)}"
            )
    lab.write("visits.csv", "mrn,visit,ward,age,disease\n" + "\n".join(lines) + "\n")
    return lab


def policy(lab, mrn, *, visit=None, **changes):
    columns = {
        "mrn": mrn,
        "visit": visit or {"role": "identifying", "action": "drop"},
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "disease": {"role": "sensitive"},
    }
    given = {"source": "visits.csv", "entity": "mrn", "privacy": {"k": 4}, **changes}
    return lab.policy({**dict.fromkeys(["name", "zip", "sex"]), **columns}, **given)


def counted(lab, release="release.parquet"):
    """What a reader of the release counts: values of mrn, and those whose rows no other has."""
    rows = duckdb.sql(f"SELECT mrn, ward, age FROM '{lab.folder / release}'").fetchall()
    sets = defaultdict(Counter)
    for mrn, *labels in rows:
        sets[mrn][tuple(labels)] += 1
    alike = Counter(frozenset(each.items()) for each in sets.values())
    return len(sets), sum(times == 1 for times in alike.values())


def test_a_pseudonym_of_the_entity_is_refused_unless_it_is_accepted(visits):
    policy(visits, KEY)
    for command in ("lint", "plan", "anonymize"):
        said = visits.refused(command, "policy.yml")
        assert "entity: names mrn, which would be released as a pseudonym" in said
        assert "linkable: accept" in said
    policy(visits, ACCEPTED)
    visits.done("lint", "policy.yml")


def test_a_pseudonym_that_repeats_is_refused_where_rows_are_counted(visits):
    policy(visits, KEY, entity="row")
    for command in ("lint", "plan", "anonymize"):
        said = visits.refused(command, "policy.yml")
        assert "columns.mrn: " in said
        assert "rows repeat a value" in said
    policy(visits, {"role": "identifying", "action": "drop"}, visit=KEY, entity="row")
    visits.done("lint", "policy.yml")


def test_the_plan_of_a_release_warns_of_linked_rows_as_a_plan_alone_does(visits):
    policy(visits, ACCEPTED)
    file, release = visits.folder / "policy.yml", visits.folder / "release.parquet"
    notes = kanon_sql.anonymize(file, release=release, keep_plan=True, replace=True).plan.notes
    assert sorted(notes) == sorted(kanon_sql.plan(file).notes)
    values, unique = counted(visits)
    told = f"mrn links rows: {unique} of its {values} values"
    assert sum(told in each for each in notes) == 1


@pytest.mark.parametrize("search", [
    {"algorithm": "optimal"}, {"algorithm": "optimal", "recoding": "local"}, {"algorithm": "mondrian"},
], ids=["nodes", "local", "boxes"])  # fmt: skip
def test_people_whose_rows_are_unique_are_counted_in_plan_apply_verify_and_certificate(
    visits, search
):
    policy(visits, ACCEPTED, search=search)
    planned = visits.done("plan", "policy.yml")
    applied = visits.done("apply", "policy.plan.yml", "--json")
    values, unique = counted(visits)
    assert 0 < unique < values
    told = f"mrn links rows: {unique} of its {values} values"
    assert told in planned
    assert json.loads(applied)["verification"]["linked"] == [
        {"column": "mrn", "values": values, "unique": unique}
    ]
    words = ("verify", "release.parquet", "--quasi", "ward,age", "-k", 4, "--entity", "mrn")
    assert told in visits.done(*words)
    visits.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    certificate = visits.folder / "release.certificate/certificate.json"
    (linked,) = json.loads(certificate.read_text())["linked"]
    assert linked == {"column": "mrn", "values": values, "unique": unique}
    assert told in (visits.folder / "release.certificate/report.html").read_text()
    visits.done("verify", certificate, "--plan", "policy.plan.yml")
    text = certificate.read_text().replace(f'"unique": {unique}', '"unique": 0')
    certificate.write_text(text)
    assert "linked: is not what was counted now" in visits.run("verify", certificate).output


def test_lint_counts_them_before_any_recoding(visits):
    policy(visits, ACCEPTED)
    rows = duckdb.sql(f"SELECT mrn, ward, age FROM '{visits.folder / 'visits.csv'}'").fetchall()
    sets = defaultdict(Counter)
    for mrn, *values in rows:
        sets[mrn][tuple(values)] += 1
    alike = Counter(frozenset(each.items()) for each in sets.values())
    unique = sum(times == 1 for times in alike.values())
    assert 0 < unique < len(sets)
    told = f"mrn links rows: {unique} of its {len(sets)} values"
    assert told in (said := visits.run("lint", "policy.yml").output)
    assert "before any recoding" in said


def test_a_release_without_such_a_column_tells_nothing_of_it(visits):
    policy(visits, {"role": "identifying", "action": "drop"})
    assert "links rows" not in visits.run("lint", "policy.yml").output
    said = visits.done("anonymize", "policy.yml", "--json")
    assert "linked" not in json.loads(said)["verification"]
