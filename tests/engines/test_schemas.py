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
    everybody = {pseudonym(row[0]): row for row in rows[PATIENTS]}
    assert shown < everybody.keys()  # some are suppressed
    assert {row["id"] for row in found[VISITS]} == {
        pseudonym(row[0]) for row in rows[VISITS] if pseudonym(row[1]) in shown
    }
    bills = defaultdict(list)
    for person, _, year in rows[BILLS]:
        bills[pseudonym(person)].append(year)
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
    columns["id"] = {"role": "identifying", "action": "hash", "key_env": KEY_ENV}
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
    assert {row[0] for row in spark.read("people_of_schema_k2")} == set(map(pseudonym, ids))
