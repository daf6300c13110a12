"""Models that weigh values are counted alike by every engine: the same plan, the same release, exact decimals."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import class_models
import pyarrow as pa
import pytest
from mondrian import STRICT

import kanon_sql

DISEASES = ("flu", "cold", None, "flu", "ulcer")
ROWS = [(n % 7, "xyz"[n % 3], DISEASES[n * 7919 % 101 % 5]) for n in range(210)]
BOTH = ("source", "release")
RULES = {
    "t": class_models.equal_distance(Fraction(1, 8), *BOTH),
    "ordered t": class_models.ordered_distance(
        Fraction(7, 100), ["ulcer", "flu", "gout", "cold"], *BOTH
    ),
    "hierarchical t": class_models.tree_distance(Fraction(1, 16), *BOTH),
    "entropy": class_models.entropy(2.5),
    "recursive": class_models.recursive(Fraction(5, 3), 2),
    "alpha": class_models.alpha(Fraction(3, 5)),
    "beta": class_models.beta(Fraction(2, 5), *BOTH, enhanced=True),
    "delta": class_models.delta(Fraction(3, 4), *BOTH, absent="fails"),
}


@pytest.fixture
def people(place):
    columns = dict(zip(("a", "z", "s"), zip(*ROWS, strict=True), strict=True))
    types = {"a": pa.int64(), "z": pa.string(), "s": pa.string()}
    frame = pa.table({name: pa.array(cells, types[name]) for name, cells in columns.items()})
    place.put("people_of_models", frame)
    yield place, frame
    place.drop("people_out")
    place.drop("people_of_models")


@pytest.mark.parametrize("nulls", ["not_counted", "value"])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.sampled(3)
def test_the_release_fits_by_fractions_and_is_the_same_everywhere(people, name, nulls):
    place, frame = people
    rule = RULES[name]
    policy = {
        "version": 1,
        "source": "people_of_models",
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
            "s": {"role": "sensitive", **rule.column},
        },
        "privacy": [{"k": 3}, rule.privacy],
        "suppression": "20%",
        "sensitive_nulls": nulls,
    }
    made = kanon_sql.anonymize(policy, connection=place.connection, release="people_out")
    here = kanon_sql.plan(policy, frame)
    assert (made.plan.levels, made.plan.figures) == (here.levels, here.figures)

    def counts(cells):
        return Counter(each for each in cells if nulls == "value" or each is not None)

    released = place.read("people_out")
    classes: dict[object, list[object]] = {}
    for a, z, value in released:
        classes.setdefault((a, z), []).append(value)
    assert len(classes) == made.plan.classes > 1
    tables = {"source": counts(s for *_, s in ROWS), "release": counts(s for *_, s in released)}
    for each in rule.references or ("source",):
        assert all(rule.fits(counts(cells), tables[each]) for cells in classes.values())
    with kanon_sql.anonymize(policy, frame) as again:
        assert made.verification.worst == again.verification.worst


OF_ONE_VALUE = {
    "one value": [(a, z, "flu") for a, z, _ in ROWS],
    "one value beside NULL": [(a, z, s and "flu") for a, z, s in ROWS],
    "one class": [(0, "x", s) for *_, s in ROWS],
    "one class of one value": [(0, "x", "flu")] * 6,
}
"""Tables in which a quotient of a model is of nothing: no step from the first value to the last, no second class."""
CLOSE = {
    "ordered t": class_models.ordered_distance(
        Fraction(0), ["ulcer", "flu", "gout", "cold"], *BOTH
    ),
    "t": class_models.equal_distance(Fraction(0), *BOTH),
    "hierarchical t": class_models.tree_distance(Fraction(0), *BOTH),
    "beta": class_models.beta(Fraction(1, 100), *BOTH, enhanced=True),
    "delta": class_models.delta(Fraction(1, 100), *BOTH, absent="fails"),
    "recursive": class_models.recursive(Fraction(101, 100), 1),
}
"""Rules that a class keeps that is as the table is, however strict they are."""


@pytest.mark.parametrize("entity", ["row", "p"])
@pytest.mark.parametrize("table", OF_ONE_VALUE)
@pytest.mark.parametrize("name", CLOSE)
@pytest.mark.sampled(6)
def test_a_class_that_is_as_the_table_is_fits_everywhere(place, name, table, entity):
    rows = [(n, *row) for n, row in enumerate(OF_ONE_VALUE[table])]
    if table == "one value beside NULL":  # in every class one row has none
        rows = [(n, a % 2, "x", s) for n, a, _, s in rows]
    columns = dict(zip(("p", "a", "z", "s"), zip(*rows, strict=True), strict=True))
    types = {"p": pa.int64(), "a": pa.int64(), "z": pa.string(), "s": pa.string()}
    place.put("visits_of_models", pa.table({n: pa.array(c, types[n]) for n, c in columns.items()}))
    policy = of_visits([{"k": 1}, CLOSE[name].privacy], entity, CLOSE[name].column, suppression=0)
    try:
        made = kanon_sql.anonymize(policy, connection=place.connection, release="visits_out")
        assert made.plan.levels == {"a": 0, "z": 0}
        assert made.verification.passed
    finally:
        place.drop("visits_out")
        place.drop("visits_of_models")


PEOPLE = [(n * 31 % 83, *row) for n, row in enumerate(ROWS)]
"""The same rows, of people who have two or three of them, or four."""


@pytest.fixture
def visits(place):
    columns = dict(zip(("p", "a", "z", "s"), zip(*PEOPLE, strict=True), strict=True))
    types = {"p": pa.int64(), "a": pa.int64(), "z": pa.string(), "s": pa.string()}
    frame = pa.table({name: pa.array(cells, types[name]) for name, cells in columns.items()})
    place.put("visits_of_models", frame)
    yield place, frame
    place.drop("visits_out")
    place.drop("visits_of_models")


def of_visits(privacy, entity, column=None, **changes):
    accepted = {"linkable": "accept"} if isinstance(entity, str) else {}
    return {
        "version": 1,
        "source": "visits_of_models",
        "entity": entity,
        "columns": {
            "p": {"role": "insensitive", **accepted},
            "a": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
            "s": {"role": "sensitive", **(column or {})},
        },
        "privacy": privacy,
        "suppression": "20%",
        **changes,
    }


@pytest.mark.parametrize("name", RULES)
@pytest.mark.sampled(3)
def test_people_with_several_values_count_alike_everywhere(visits, name):
    place, frame = visits
    rule = RULES[name]
    policy = of_visits([{"k": 3}, rule.privacy], "p", rule.column)
    made = kanon_sql.anonymize(policy, connection=place.connection, release="visits_out")
    here = kanon_sql.plan(policy, frame)
    assert (made.plan.levels, made.plan.figures) == (here.levels, here.figures)

    def counts(rows):
        had = {(value, person) for person, *_, value in rows if value is not None}
        people = len({person for _, person in had})
        return class_models.Counted((value for value, _ in had), people=people)

    released = place.read("visits_out")
    classes: dict[object, list[object]] = {}
    for person, a, z, value in released:
        classes.setdefault((a, z), []).append((person, a, z, value))
    assert len(classes) == made.plan.classes >= 1
    tables = {"source": counts(PEOPLE), "release": counts(released)}
    for each in rule.references or ("source",):
        assert all(rule.fits(counts(rows), tables[each]) for rows in classes.values())


def test_people_of_one_signature_are_the_same_everywhere(visits):
    place, frame = visits
    privacy = [{"k": 4}, {"distinct_l": {"column": "s", "l": 2}}]
    policy = of_visits(privacy, {"signature": "p"}, suppression="40%")
    made = kanon_sql.anonymize(policy, connection=place.connection, release="visits_out")
    here = kanon_sql.plan(policy, frame)
    assert (made.plan.levels, made.plan.figures) == (here.levels, here.figures)
    had: dict[object, list[object]] = {}
    for person, a, z, _ in place.read("visits_out"):
        had.setdefault(person, []).append((str(a), str(z)))
    before = Counter(person for person, *_ in PEOPLE)
    assert had
    assert all(len(rows) == before[person] for person, rows in had.items())
    alike = Counter(tuple(sorted(rows)) for rows in had.values())
    assert min(alike.values()) >= 4
    assert len(alike) == made.plan.classes
    found = kanon_sql.verify(
        "visits_out", quasi=["a", "z"], k=4, signature="p", connection=place.connection
    )
    assert (found.passed, found.classes) == (True, len(alike))


@pytest.mark.parametrize("cuts", ["strict", "relaxed"])
@pytest.mark.parametrize("name", ["ordered t", "hierarchical t", "entropy"])
@pytest.mark.sampled(2)
def test_mondrian_cuts_the_same_regions_everywhere_within_the_levels(people, name, cuts):
    place, frame = people
    rule = RULES[name]
    levels = {"least": 1, "most": 1}
    policy = {
        "version": 1,
        "source": "people_of_models",
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "order": "number"},
            "z": {"role": "quasi", "hierarchy": {"tree": {"*": {"v": ["x", "y"], "w": ["z"]}}}},
            "s": {"role": "sensitive", **rule.column},
        },
        "privacy": [{"k": 3}, rule.privacy],
        "search": {**STRICT, "cuts": cuts},
    }
    policy["columns"]["z"]["levels"] = levels
    made = kanon_sql.anonymize(policy, connection=place.connection, release="people_out")
    here = kanon_sql.plan(policy, frame)
    assert (made.plan.classes, made.plan.figures) == (here.classes, here.figures)
    released = place.read("people_out")
    classes: dict[object, list[object]] = {}
    for a, z, value in released:
        classes.setdefault((a, z), []).append(value)
    assert {z for _, z in classes} == {"v", "w"}
    assert len(classes) == made.plan.classes > 2
    table = Counter(s for *_, s in ROWS if s is not None)
    for cells in classes.values():
        assert len(cells) >= 3
        assert rule.fits(Counter(each for each in cells if each is not None), table)
