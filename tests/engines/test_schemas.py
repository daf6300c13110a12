"""A schema released on DuckDB and PostgreSQL, judged by plain Python over the released tables."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import duckdb
import pyarrow as pa
import pytest
from hospitals import (
    BILLS,
    DIAGNOSES,
    FOREIGN,
    KEY_ENV,
    PATIENTS,
    PLANTED,
    STAFF,
    VISITS,
    assert_keys_valid,
    assert_no_planted,
    below_k,
    build,
    policy,
    pseudonym,
    released,
    rows_of_hospital,
)

import kanon_sql
from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.errors import InputError

SCHEMA = "the anon"
K = 5


@pytest.fixture(scope="module")
def rows():
    return rows_of_hospital(300)


class OnDuckDB:
    """A database of its own, as tables with foreign keys are dropped in order only."""

    def __init__(self, connection):
        self.connection = connection

    def execute(self, text):
        return self.connection.execute(text)


@pytest.fixture
def duckdb_place(with_key):
    del with_key
    with duckdb.connect() as connection:
        yield OnDuckDB(connection)


def check_release(place, rows):
    """Release a hospital, and compare all that it promises with what plain Python finds in the released tables."""
    build(place.execute, rows)
    plan = plan_schema(policy(), connection=place.connection)
    release = apply_schema(plan, policy=policy(), connection=place.connection)
    found = released(place.execute, SCHEMA, [PATIENTS, VISITS, DIAGNOSES, STAFF])
    assert_no_planted(found)
    keys = [key for key in FOREIGN if key[0] != DIAGNOSES]
    assert_keys_valid(found, [*keys, (STAFF, "head", STAFF, "id")])
    shown = {row["id"] for row in found[PATIENTS]}
    everybody = {pseudonym(row[0], "patient"): row for row in rows[PATIENTS]}
    assert shown < everybody.keys()  # some are suppressed
    assert {row["id"] for row in found[VISITS]} == {
        pseudonym(row[0], "visit") for row in rows[VISITS] if pseudonym(row[1], "patient") in shown
    }
    bills = defaultdict(list)
    for person, _, year in rows[BILLS]:
        bills[pseudonym(person, "patient")].append(year)
    for row in found[PATIENTS]:
        of = bills[row["id"]]
        assert row["bills"] in {str(min(len(of), 2)), min(len(of), 2), "*"}
        assert row["years"] in {"|".join(map(str, sorted(set(of)))), "*"}
    labels = ["select", "born", "bills", "years"]
    sizes = Counter(tuple(row[each] for each in labels) for row in found[PATIENTS])
    assert min(sizes.values()) >= K
    assert list(found[DIAGNOSES][0]) == ["icd", "day"]
    people = {row[0]: row[1] for row in rows[VISITS]}
    for label in {row["day"] for row in found[DIAGNOSES]}:
        least, most = map(int, re.findall(r"\d+", label))
        assert len({people[v] for v, _, day in rows[DIAGNOSES] if least <= day < most}) >= K
    visits = [(row["pa.tient"], (row["doctor"], row["ward"], row["day"])) for row in found[VISITS]]
    below, fewest = below_k(found[PATIENTS], "id", labels, [visits], K)
    (joined,) = plan.joined
    assert (joined.below, joined.fewest, joined.people) == (below, fewest, len(shown))
    assert below > 0
    assert release.published.rows == {name: len(each) for name, each in found.items()}
    assert {str(key): key.orphans for key in plan.foreign_keys if key.orphans} == {
        f"{BILLS}.pa.tient -> {PATIENTS}.id": 10
    }
    return plan, release


def test_a_hospital_on_duckdb(duckdb_place, rows):
    _, release = check_release(duckdb_place, rows)
    assert len(release.published.created) == 2
    assert list(release.published.not_created) == [f"{STAFF}.head -> {STAFF}.id"]


def test_a_hospital_on_postgres_has_the_same_pseudonyms(postgres, duckdb_place, rows):
    check_release(duckdb_place, rows)
    _, release = check_release(postgres, rows)
    assert not release.published.not_created
    by_engine = [
        released(place.execute, SCHEMA, [VISITS, STAFF]) for place in (duckdb_place, postgres)
    ]
    for table, column in ((VISITS, "id"), (VISITS, "pa.tient"), (STAFF, "id"), (STAFF, "head")):
        one, other = ({row[column] for row in each[table]} for each in by_engine)
        shared = one & other if table == VISITS else one
        assert shared == (other if table == STAFF else shared)
        assert shared


def test_pseudonyms_of_spark_are_equal_and_a_schema_there_is_refused(spark, with_key):
    del with_key
    with pytest.raises(InputError, match="publishes no several tables at once"):
        plan_schema(policy(), connection=spark.connection)
    columns = {"born": {"role": "quasi", "hierarchy": "suppress"}}
    columns["id"] = {
        "role": "identifying",
        "action": "hash",
        "key_env": KEY_ENV,
        "domain": "patient",
    }
    one = {
        "version": 1,
        "source": "people_of_schema",
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 2},
    }
    ids = [f"{PLANTED}-p{n}" for n in range(4)]
    spark.put("people_of_schema", pa.table({"id": ids, "born": [1990] * 4}))
    kanon_sql.anonymize(one, connection=spark.connection, release="people_of_schema_k2")
    assert {row[0] for row in spark.read("people_of_schema_k2")} == {
        pseudonym(each, "patient") for each in ids
    }


NUMBERED = (
    "CREATE TABLE person (id integer PRIMARY KEY, mother integer, age integer)",
    "CREATE TABLE visit (id integer PRIMARY KEY, person integer REFERENCES person (id), day integer)",
    "INSERT INTO person SELECT i, CASE WHEN i % 3 = 0 THEN i / 3 + 1 END, 20 + i % 9 * 4 FROM generate_series(1, 90) AS t (i)",
    "INSERT INTO visit SELECT i, 1 + i % 90, i % 7 FROM generate_series(1, 200) AS t (i)",
)


def policy_of_numbered(**age):
    keys = {"person": ["person.id", "visit.person", "person.mother"], "visit": ["visit.id"]}
    person = {"entity": "person", "columns": {"age": {"role": "quasi", **age}}, "privacy": {"k": 5}}
    visit = {"of": "person", "protect": "none", "columns": {"day": {"role": "insensitive"}}}
    return {
        "version": 2,
        "keys": {name: {"key_env": KEY_ENV, "columns": each} for name, each in keys.items()},
        "tables": {"person": person, "visit": visit},
        "release": {"schema": SCHEMA},
    }


def numbered(place):
    """Put the numbered tables into a place that an earlier test may have used."""
    for name in (f'SCHEMA IF EXISTS "{SCHEMA}"', "TABLE IF EXISTS visit", "TABLE IF EXISTS person"):
        place.execute(f"DROP {name} CASCADE")
    for statement in NUMBERED:
        place.execute(statement)
    return place


def check_domains(place):
    given = policy_of_numbered(hierarchy={"intervals": [20]})
    apply_schema(policy=given, connection=numbered(place).connection)
    found = released(place.execute, SCHEMA, ["person", "visit"])
    people, visits = found["person"], found["visit"]
    assert {row["id"] for row in people} == {pseudonym(i, "person") for i in range(1, 91)}
    assert {row["id"] for row in visits} == {pseudonym(i, "visit") for i in range(1, 201)}
    assert not {row["id"] for row in people} & {row["id"] for row in visits}
    assert {row["person"] for row in visits} == {row["id"] for row in people}
    mothers = {pseudonym(i, "person"): pseudonym(i // 3 + 1, "person") for i in range(3, 91, 3)}
    assert {row["id"]: row["mother"] for row in people if row["mother"]} == mothers


def test_equal_numbers_of_two_keys_have_two_pseudonyms_and_of_one_key_one(duckdb_place):
    check_domains(duckdb_place)


def test_pseudonyms_of_two_keys_on_postgres(postgres, with_key):
    del with_key
    check_domains(postgres)


def check_values_of_classes(place, output):
    """Rows are dealt to classes by a keyed hash, also where the plan counts them without their key."""
    given = policy_of_numbered(order="number", output=output)
    given["tables"]["person"]["search"] = {"algorithm": "mondrian", "choose": "loss"}
    plan = plan_schema(given, connection=numbered(place).connection)
    apply_schema(plan, policy=given, connection=place.connection)
    found = released(place.execute, SCHEMA, ["person"])["person"]
    ages = [float(str(row["age"])) for row in found]
    assert len(ages) == 90
    assert abs(sum(ages) - sum(20 + i % 9 * 4 for i in range(1, 91))) < 90 * 0.51
    assert min(Counter(ages).values()) >= K


@pytest.mark.parametrize("output", ["apportioned", "mean"])
def test_people_show_values_that_stand_for_their_class(duckdb_place, output):
    check_values_of_classes(duckdb_place, output)


@pytest.mark.parametrize("output", ["apportioned", "mean"])
def test_people_show_values_that_stand_for_their_class_on_postgres(postgres, with_key, output):
    del with_key
    check_values_of_classes(postgres, output)
