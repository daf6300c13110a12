"""The figures of `risk` and the sets of columns are alike on every engine, as Python counts them."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.evidence.attacks import column_sets

pytestmark = pytest.mark.rare(on="spark")

VISITS = pa.table(
    {
        "person": pa.array([i * i % 37 for i in range(120)], pa.int64()),
        "born": pa.array(
            [None if i % 11 == 0 else 1950 + i * i % 37 % 9 for i in range(120)], pa.int32()
        ),
        "ward": pa.array([None if i % 13 == 0 else ["é", "É", "e", ""][i % 4] for i in range(120)]),
        "visit": pa.array([f"v{i}" for i in range(120)]),
    }
)
QI = ("born", "ward")


@pytest.fixture
def visits(place):
    place.put("visits_of_the_test", VISITS)
    place.put("register_of_the_test", pa.concat_tables([VISITS, VISITS.slice(0, 70)]))
    yield "visits_of_the_test"
    for name in ("visits_of_the_test", "register_of_the_test"):
        place.drop(name)


def rows_of(table):
    return list(zip(*(table[name].to_pylist() for name in (*QI, "person")), strict=True))


def test_figures_are_alike(place, visits):
    left = place.left()
    found = kanon_sql.risk(
        visits,
        quasi=QI,
        entity="person",
        population="register_of_the_test",
        thresholds=("0.2", "1/3"),
        sampling=0.1,
        connection=place.connection,
    )
    assert place.left() == left
    rows = rows_of(VISITS)
    sizes = Counter(row[:2] for row in rows)
    everyone = Counter(row[:2] for row in [*rows, *rows[:70]])
    assert (found.rows, found.classes) == (120, len(sizes))
    assert found.unique_rows == sum(size == 1 for size in sizes.values())
    for attacker, known in ((found.prosecutor, sizes), (found.journalist, everyone)):
        risks = [Fraction(1, known[row[:2]]) for row in rows]
        assert attacker.highest == float(max(risks))
        assert attacker.above == {
            bound: sum(risk > Fraction(bound) for risk in risks) / 120 for bound in ("0.2", "1/3")
        }
    assert found.prosecutor.average == len(sizes) / 120
    matched = sum(Fraction(1, everyone[row[:2]]) for row in rows)
    assert found.marketer.average == pytest.approx(float(matched / 120))

    persons, cells = defaultdict(set), defaultdict(Counter)
    for *key, who in rows:
        persons[tuple(key)].add(who)
        cells[who][tuple(key)] += 1
    assert found.entity.unique_rows == sum(len(persons[row[:2]]) == 1 for row in rows)
    same = Counter(frozenset(of.items()) for of in cells.values())
    alone = sum(same[frozenset(cells[who].items())] == 1 for *_, who in rows)
    assert (found.signature.classes, found.signature.unique_rows) == (len(same), alone)
    # The estimates are Python's own numbers of equal counts.
    assert found.population_uniques.document() == _on_duckdb().population_uniques.document()


def _on_duckdb():
    return kanon_sql.risk(VISITS, quasi=QI, sampling=0.1)


def test_sets_of_columns_are_alike(place, visits):
    found = kanon_sql.find_quasi_identifiers(
        visits, leave_out=["visit"], connection=place.connection
    )
    assert found == kanon_sql.find_quasi_identifiers(VISITS, leave_out=["visit"])


def test_samples_are_drawn_and_dropped(place, visits, monkeypatch):
    monkeypatch.setattr(column_sets, "SAMPLES", (20, 60))
    left = place.left()
    found = kanon_sql.find_quasi_identifiers(visits, connection=place.connection)
    assert found.unique[0].columns == ("visit",)
    assert {each.rows for each in found.columns} == {120}
    assert place.left() == left


SEARCHES = {
    "full-domain": ("person", {"metric": "normalized_entropy"}),
    "local": ("row", {"recoding": "local"}),
    "mondrian": ("person", {"algorithm": "mondrian"}),
}


@pytest.mark.parametrize("case", SEARCHES)
def test_a_plan_and_its_release_state_the_same_risk(place, visits, case):
    entity, search = SEARCHES[case]
    hierarchy = {"role": "quasi", "hierarchy": {"intervals": [2, 4]}, "order": "number"}
    policy = {
        "version": 1,
        "source": visits,
        "entity": entity,
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            "born": hierarchy,
            "ward": {"role": "quasi", "hierarchy": "suppress", "order": "text"},
            "visit": {"role": "identifying", "action": "drop"},
        },
        "privacy": {"k": 3},
        "suppression": "0%" if "algorithm" in search else "20%",
        "search": search,
    }
    try:
        made = kanon_sql.anonymize(policy, release="released_risk", connection=place.connection)
    finally:
        if "released_risk" in place.left():
            place.drop("released_risk")
    planned, counted = made.plan.risk, made.verification.risk
    rows = made.verification.rows
    assert counted.prosecutor.highest == planned.highest == 1 / made.plan.smallest_class
    assert counted.prosecutor.average == planned.average
    assert counted.unique_rows == planned.unique_rows == 0
    above = {text: n / rows for text, n in planned.rows_above.items()}
    assert dict(counted.prosecutor.above) == above
    if entity == "row":
        assert planned.average == pytest.approx(made.plan.classes / rows)
