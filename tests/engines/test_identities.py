"""What tells people apart is counted alike on every engine, as Python counts it."""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import date, timedelta

import pyarrow as pa
import pytest
from sqlglot import exp

import kanon_sql
from kanon_sql.apps.getting_started import first_policy
from kanon_sql.counting.source import exposed_rows, person_keys
from kanon_sql.engines.connect import open_engine
from kanon_sql.recoding import linked_rows

VISITS = pa.table(
    {
        "patient_id": pa.array([i * i % 37 for i in range(120)], pa.int64()),
        "born": pa.array([f"19{50 + i * i % 37 % 9}" for i in range(120)]),
        "visit": pa.array([None if i % 5 == 0 else f"v{i}" for i in range(120)]),
        "ward": pa.array(["abc"[i % 3] for i in range(120)]),
    }
)
HASHED = {
    "role": "identifying",
    "action": "hash",
    "key_env": "KANON_TEST_KEY",
    "linkable": "accept",
}


def policy(key, **changes):
    return {
        "version": 1,
        "source": "visits_of_the_test",
        "entity": "row",
        "columns": {
            "patient_id": key,
            "born": {"role": "quasi", "hierarchy": {"mask": 4}},
            "visit": {"role": "insensitive"},
            "ward": {"role": "quasi", "hierarchy": "suppress"},
        },
        "privacy": {"k": 3},
        "suppression": "20%",
        **changes,
    }


@pytest.fixture
def visits(place):
    place.put("visits_of_the_test", VISITS)
    yield
    for name in ("visits_of_the_test", "visits_k3"):
        place.drop(name)


def test_warnings_are_alike(place, visits):
    given = policy({"role": "identifying", "action": "drop"})
    told = kanon_sql.lint(given, connection=place.connection)
    times = Counter(VISITS["patient_id"].to_pylist())
    several = sum(n > 1 for n in times.values())
    entity, visit = told
    assert (
        f"patient_id looks like the key of a person: {several} of its {len(times)} values" in entity
    )
    assert visit.startswith("columns.visit: ")
    assert "unique in 96 of 120 rows" in visit
    planned = kanon_sql.plan(given, connection=place.connection).warnings
    of_search = "the frequency set of "  # Spark says that it was searched beside the driver
    assert [each for each in planned if not each.startswith(of_search)][:2] == told


def test_unique_rows_and_classes_of_few_people_are_counted(place, visits):
    given = policy({"role": "insensitive"}, release="visits_k3", privacy={"k": 4})
    made = kanon_sql.anonymize(given, connection=place.connection)
    rows = list(place.read("visits_k3"))
    unique = sum(n == 1 for n in Counter(map(tuple, rows)).values())
    people = {}
    for person, born, _, ward in rows:
        people.setdefault((born, ward), []).append(person)
    few = [len(set(of)) for of in people.values() if len(set(of)) < 4]
    assert 0 < len(few) < len(people)
    assert 0 < unique < len(rows)
    found = made.verification.unique_rows
    assert (found.rows, found.unique) == (len(rows), unique)
    expected = (
        f"{len(few)} of {len(people)} classes of at least 4 rows hold fewer than 4 people "
        f"({few.count(1)} hold one), counted by patient_id, the key of a person: write entity: patient_id"
    )
    assert expected in made.plan.warnings
    again = kanon_sql.verify("visits_k3", quasi=["born", "ward"], k=4, connection=place.connection)
    assert expected in again.warnings
    assert again.unique_rows.unique == unique


ODD = {
    "duckdb": "{'a': i % 2} AS s, [i] AS l, MAP([i], [i]) AS m, 'x'::BLOB AS b, '{\"a\": 1}'::JSON AS j, INTERVAL 1 DAY AS t",
    "postgres": "'{\"a\": 1}'::json AS s, ARRAY[i] AS l, point(i, 1) AS m, 'x'::bytea AS b, '1'::jsonb AS j, circle '<(1,2),3>' AS t",
    "spark": "named_struct('a', i % 2) AS s, array(i) AS l, map(i, i) AS m, binary('x') AS b, INTERVAL 1 DAY AS t",
}
ROWS = {
    "duckdb": "range(40) AS t(i)",
    "postgres": "generate_series(0, 39) AS t(i)",
    "spark": "(SELECT CAST(id AS INT) AS i FROM range(40))",
}


def test_columns_of_any_type_are_looked_at(place):
    name = place.name
    place.execute(
        f"CREATE TABLE odd AS SELECT i % 2 AS ward, i AS visit, {ODD[name]} FROM {ROWS[name]}"
    )
    try:
        found = kanon_sql.verify("odd", quasi=["ward"], k=3, connection=place.connection)
        assert found.passed
        assert (found.unique_rows.unique, dict(found.unique_columns)) == (40, {"visit": 40})
    finally:
        place.drop("odd")


def test_people_with_a_set_of_rows_of_their_own_are_counted(place, visits, with_key):
    refused = {**HASHED, "linkable": "refuse"}
    with pytest.raises(kanon_sql.InputError, match="rows repeat a value"):
        kanon_sql.lint(policy(refused), connection=place.connection)
    given = policy(HASHED, entity="patient_id")
    plan = kanon_sql.plan(given, connection=place.connection)
    made = kanon_sql.apply(plan, policy=given, connection=place.connection, release="visits_k3")
    rows = {}
    for person, born, _, ward in place.read("visits_k3"):
        rows.setdefault(person, Counter())[born, ward] += 1
    alike = Counter(frozenset(each.items()) for each in rows.values())
    (linked,) = made.verification.linked
    assert (linked.values, linked.unique) == (len(rows), sum(n == 1 for n in alike.values()))
    assert linked.unique > 0
    assert str(linked) in plan.warnings


PAIRS = pa.table(
    {
        "code": pa.array([f"c{i // 2}" for i in range(3000)]),
        "alone": pa.array([f"a{i}" for i in range(3000)]),
        "some": pa.array([f"s{i if i % 2 else i % 20}" for i in range(3000)]),
        "sex": pa.array(["fm"[i // 6 % 2] for i in range(3000)]),
        "kind": pa.array([f"k{i // 6 % 7}" for i in range(3000)]),
        "wave": pa.array([i % 6 for i in range(3000)], pa.int64()),
        "nr": pa.array([i // 6 for i in range(3000)], pa.int64()),
    }
)


@pytest.fixture
def pairs(place):
    place.put("pairs_of_the_test", PAIRS)
    yield
    place.drop("pairs_of_the_test")


def pairs_policy():
    return {
        "version": 1,
        "source": "pairs_of_the_test",
        "entity": "row",
        "columns": {
            **{name: {"role": "insensitive"} for name in ("code", "alone", "some", "kind", "wave")},
            "nr": {"role": "identifying", "action": "drop"},
            "sex": {"role": "quasi", "hierarchy": "suppress"},
        },
        "privacy": {"k": 3},
    }


@pytest.mark.parametrize(
    "parts", [5, 10]
)  # of ten parts, rows without a value of theirs are left out
def test_a_part_of_the_rows_tells_what_is_unique_among_all(place, pairs, monkeypatch, parts):
    """Of rows that all have a twin none is unique, though a sample would hold one of most of them."""
    monkeypatch.setattr(exposed_rows, "MOST_ROWS", 3000 // parts)
    told = kanon_sql.plan(pairs_policy(), connection=place.connection).warnings
    unique = {w.partition(":")[0]: w for w in told if "its value is unique" in w}
    assert "columns.code" not in unique
    for name, expected in (("alone", 3000), ("some", 1500)):
        if found := unique.get(f"columns.{name}"):
            number = int(re.search(r"unique in ([\d,]+) of 3,000", found)[1].replace(",", ""))
            assert abs(number - expected) < 60 * parts
            assert f"estimated by one of {parts} parts" in found
    assert "columns.alone" in unique


def test_columns_whose_values_repeat_in_a_sample_are_not_counted_in_all_rows(
    place, pairs, monkeypatch
):
    """Two of three rows are sampled, so that most twins of `code` meet, and half of `some` is unique there too."""
    monkeypatch.setattr(linked_rows, "SAMPLE", 2000)
    monkeypatch.setattr(linked_rows, "MANY", 2000)
    monkeypatch.setattr(exposed_rows, "SAMPLED", 600)
    counted = []

    def count(engine, table, columns, *, parts):
        counted.extend(columns)
        return counts(engine, table, columns, parts=parts)

    counts = exposed_rows.unique_columns
    monkeypatch.setattr(exposed_rows, "unique_columns", count)
    warned = kanon_sql.plan(pairs_policy(), connection=place.connection).warnings
    assert sorted(counted) == ["alone", "some"]
    found = [each.partition(":")[0] for each in warned if "its value is unique" in each]
    assert found == ["columns.alone", "columns.some"]


@pytest.mark.parametrize("parts", [1, 3])
def test_the_key_of_a_panel_is_found_by_what_stays_the_same(place, pairs, monkeypatch, parts):
    monkeypatch.setattr(first_policy, "WHOLE", 3000 // parts)
    monkeypatch.setattr(first_policy, "SAMPLE", 900)
    found = first_policy.inspect_source("pairs_of_the_test", connection=place.connection)
    assert found.key.name == "nr"
    assert set(found.key.constant) == {"sex", "kind"}
    assert abs(found.key.values - 500) < 100
    by_name = {each.profile.name: each for each in found.propose()}
    assert by_name["nr"].rest == "action: drop"
    assert not {each.name: each for each in found.profiles}["code"].nearly_unique


def test_a_column_that_stands_in_for_the_entity_is_refused_alike(place, visits):
    """A value is compared by its text: of two columns, one has each person's number as a text."""
    given = policy({"role": "identifying", "action": "drop"}, entity="patient_id")
    both = VISITS.append_column("account", VISITS["patient_id"].cast(pa.string()))
    place.put("visits_of_the_test", both)
    given["columns"]["account"] = {"role": "insensitive"}
    with pytest.raises(
        kanon_sql.InputError, match=r"columns.account: stands in for patient_id"
    ) as told:
        kanon_sql.lint(given, connection=place.connection)
    several = sum(n > 1 for n in Counter(VISITS["patient_id"].to_pylist()).values())
    assert f"of {several} people with several rows, {several} have a value" in str(told.value)
    given["columns"]["account"]["linkable"] = "accept"
    kanon_sql.lint(given, connection=place.connection)


def test_new_rows_without_a_label_by_rule_are_withheld_alike(place):
    old = pa.table(
        {"zip": ["02138", "02139", "02140"] * 30, "age": [str(20 + i % 30) for i in range(90)]}
    )
    bad = pa.table(
        {"zip": ["02138-1234"] * 4 + ["02138", "02139"], "age": ["25"] * 4 + ["old", "n/a"]}
    )
    place.put("visits_of_the_test", old)
    place.put("later_visits", pa.concat_tables([old, bad]))
    given = {
        "version": 1,
        "source": "visits_of_the_test",
        "entity": "row",
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
        },
        "privacy": {"k": 3},
        "suppression": 0,
    }
    try:
        plan = kanon_sql.plan(given, connection=place.connection)
        made = kanon_sql.apply(
            plan,
            "later_visits",
            policy=given,
            to_new_rows=True,
            release="visits_k3",
            connection=place.connection,
        )
        assert (made.new.rows, made.new.withheld) == (96, 6)
        assert {zip_ for zip_, *_ in place.read("visits_k3")} <= {"02138", "02139", "02140"}
    finally:
        for name in ("visits_of_the_test", "later_visits", "visits_k3"):
            place.drop(name)


STAYS = 240
ADMITTED, DISCHARGED = 'ad"mitted', "dis;charged on"


@pytest.fixture
def stays(place, monkeypatch, request):
    """A table of stays with the dates of both ends, a city that its code tells, and numbers that tell nothing."""
    monkeypatch.setattr(linked_rows, "SAMPLE", request.param)
    monkeypatch.setattr(linked_rows, "MANY", request.param)
    drawn = random.Random(7)
    days = [1 + int(drawn.expovariate(1 / 8)) for _ in range(STAYS)]
    first = [date(2025, 1, 1) + timedelta(days=drawn.randrange(365)) for _ in range(STAYS)]
    codes = [f"37{drawn.randrange(50):02}" for _ in range(STAYS)]
    table = pa.table(
        {
            "person": pa.array([f"p{i % 180}" for i in range(STAYS)]),
            "stay": pa.array(days, pa.int64()),
            "zip": pa.array([each[:3] for each in codes]),
            "age": pa.array([drawn.randrange(20, 80) for _ in range(STAYS)], pa.int64()),
            ADMITTED: pa.array(first),
            DISCHARGED: pa.array([a + timedelta(days=n) for a, n in zip(first, days, strict=True)]),
            "city": pa.array([f"town {each}" for each in codes]),
            "bed": pa.array([drawn.randrange(90) for _ in range(STAYS)], pa.int64()),
            "nurses": pa.array([drawn.randrange(4) for _ in range(STAYS)], pa.int64()),
        }
    )
    place.put("stays_of_the_test", table)
    yield table
    place.drop("stays_of_the_test")


def stays_policy(**columns):
    known = {
        "person": {"role": "identifying", "action": "drop"},
        "stay": {"role": "quasi", "hierarchy": {"intervals": [10, 40, 80]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 3}},
        "age": {"role": "quasi", "hierarchy": {"intervals": [20, 40, 80]}},
        **{
            each: {"role": "insensitive"}
            for each in (ADMITTED, DISCHARGED, "city", "bed", "nurses")
        },
    }
    return {
        "version": 1,
        "source": "stays_of_the_test",
        "entity": "person",
        "columns": {**known, **columns},
        "privacy": {"k": 2},
        "suppression": "50%",
    }


@pytest.mark.parametrize("stays", [linked_rows.SAMPLE, STAYS // 2], indirect=True)
def test_released_columns_that_tell_a_quasi_identifier_are_warned_of(place, stays):
    lines = stays.to_pylist()
    assert all(each["stay"] == (each[DISCHARGED] - each[ADMITTED]).days for each in lines)
    given = stays_policy()
    told = [each for each in kanon_sql.lint(given, connection=place.connection) if "undoes" in each]
    of_city, of_stay = told
    assert of_city.startswith(
        "columns.city: is released as it is, and each of its values has one value of zip:"
    )
    assert of_stay.startswith(f"columns.stay: 100 % of the rows have {DISCHARGED} - {ADMITTED} as")
    planned = kanon_sql.plan(given, connection=place.connection).warnings
    assert [each for each in planned if "undoes" in each] == told


@pytest.mark.parametrize("stays", [linked_rows.SAMPLE], indirect=True)
def test_columns_that_are_not_released_tell_nothing(place, stays):
    dropped = {"role": "identifying", "action": "drop"}
    given = stays_policy(**{ADMITTED: dropped, "city": dropped})
    assert not any("undoes" in each for each in kanon_sql.lint(given, connection=place.connection))


@pytest.mark.parametrize("stays", [linked_rows.SAMPLE], indirect=True)
def test_dates_that_are_moved_by_the_same_days_keep_their_difference(place, stays, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a secret of the test, long enough")
    moved = {
        "role": "insensitive",
        "action": "shift_date",
        "by": "person",
        "days": 300,
        "key_env": "KANON_TEST_KEY",
    }
    given = stays_policy(**{ADMITTED: moved, DISCHARGED: moved})
    (_, of_stay) = (
        each for each in kanon_sql.lint(given, connection=place.connection) if "undoes" in each
    )
    assert of_stay.startswith("columns.stay: 100 % of the rows have ")
    assert "moved by the same days" in of_stay


INTEGERS = {
    "unique": list(range(-40, 60)),
    "twice": [*range(99), 17],
    "twice the greatest": [*range(99), 98],
    "far apart": [2**63 - 1, -(2**63), *range(96), 5, 5],
    "far apart and unique": [2**63 - 1, -(2**63), *range(98)],
    "unique at the end": [2**63 - 1 - 7 * i for i in range(100)],
    "with NULL": [None, None, *range(98)],
    "twice with NULL": [None, 3, *range(98)],
    "all NULL": [None] * 100,
    "pairs": [i // 2 for i in range(100)],
}
SEXES = ["fm"[i // 6 % 2] for i in range(100)]


def repeated_key(numbers):
    """The values of a key of people, and those in several rows, as Python counts them; None if rows rarely agree."""
    of_each = {}
    for number, sex in zip(numbers, SEXES, strict=True):
        of_each.setdefault(number, []).append(sex)
    of_each.pop(None, None)
    repeated = [each for each in of_each.values() if len(each) > 1]
    same = sum(len(set(each)) == 1 for each in repeated)
    return (len(of_each), len(repeated)) if repeated and 2 * same >= len(repeated) else None


@pytest.mark.parametrize("what", INTEGERS)
def test_integers_are_a_key_of_people_where_some_repeat(place, monkeypatch, what):
    """DuckDB counts those of a large table by a bit each, and groups rows only where a value may repeat."""
    numbers, grouped = INTEGERS[what], []

    def count(*of, **parts):
        grouped.append(of)
        return count_keys(*of, **parts)

    count_keys = person_keys.count_keys
    monkeypatch.setattr(person_keys, "count_keys", count)
    frame = {"person_id": pa.array(numbers, pa.int64()), "sex": SEXES}
    place.put("people_of_the_test", pa.table(frame))
    try:
        with open_engine(place.connection, None, None, writes=False) as engine:
            of = exp.to_table("people_of_the_test")
            columns = engine.columns(of)
            for dense in (101, 0):
                grouped.clear()
                monkeypatch.setattr(person_keys, "DENSE", dense)
                found = person_keys.person_key(engine, of, columns, among=["person_id"], rows=100)
                counted = None if found is None else (found.values, found.repeated)
                assert counted == repeated_key(numbers)
    finally:
        place.drop("people_of_the_test")
    known = {each for each in numbers if each is not None}
    by_bits = len(known) == 100 - numbers.count(None) and "far apart" not in what
    assert bool(grouped) is not (by_bits and place.name == "duckdb")
