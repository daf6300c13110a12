"""The figures of `risk` are what Python counts row by row, and the sets of columns what it finds among all sets."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql
from kanon_sql.evidence.attacks import column_sets

NAMES = ("se'x", "zip; --", "who")
VALUES = st.one_of(st.none(), st.sampled_from(["", "a", "A", "a ", "NULL", "é", "é", "1:a,"]))
ROWS = st.lists(st.tuples(VALUES, VALUES, st.sampled_from("pqrst")), min_size=1, max_size=16)
THRESHOLDS = ("0.2", "1/3", "0.5", "1")


def frame(rows, names=NAMES):
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table(
        {name: pa.array(list(of), pa.string()) for name, of in zip(names, columns, strict=True)}
    )


def attacker(of_rows, members_of):
    """An attacker's figures from the probability of each row, and the members of each class, which are persons."""
    members = sum(members_of.values())
    return {
        "highest": float(max(of_rows)),
        "average": float(max(sum(of_rows) / len(of_rows), Fraction(len(members_of), members))),
        "above": {
            t: sum(risk > Fraction(t) for risk in of_rows) / len(of_rows) for t in THRESHOLDS
        },
    }


def figures(keys, sizes, known):
    """The figures where each row has a key, each key a size in the table, and one that attackers know."""
    of_rows = [Fraction(1, sizes[key]) for key in keys]
    of_known = [Fraction(1, known[key]) for key in keys]
    marketer = {**attacker(of_known, known), "average": float(sum(of_known) / len(of_known))}
    return {
        "rows": len(keys),
        "classes": len(sizes),
        "unique_rows": sum(sizes[key] == 1 for key in keys),
        "prosecutor": attacker(of_rows, sizes),
        "journalist": attacker(of_known, known),
        "marketer": marketer,
    }


def told(found):
    """What `risk` says of the same, without bands."""
    summary = kanon_sql.RiskFigures.summary(found)
    bands = summary.pop("class_sizes")
    assert sum(band["rows"] for band in bands) == found.rows
    assert sum(band["classes"] for band in bands) == found.classes
    assert bands[0]["rows"] == found.unique_rows
    return summary


def alike(found, expected):
    """Equal, but for the last places of averages."""
    for name in ("prosecutor", "journalist", "marketer"):
        own, others = found[name], expected[name]
        assert own.pop("average") == pytest.approx(others.pop("average"), rel=1e-12)
    assert found == expected


def persons_of(rows):
    found = defaultdict(set)
    for *key, who in rows:
        found[tuple(key)].add(who)
    return {key: len(people) for key, people in found.items()}


@examples(80)
@given(rows=ROWS, more=st.lists(st.tuples(VALUES, VALUES, st.sampled_from("uvw")), max_size=12))
def test_the_figures_are_those_that_python_counts(rows, more):
    keys = [row[:2] for row in rows]
    sizes, everyone = Counter(keys), Counter(row[:2] for row in [*rows, *more])
    with duckdb.connect() as connection:
        given = {"quasi": NAMES[:2], "thresholds": THRESHOLDS, "connection": connection}
        alone = kanon_sql.risk(frame(rows), **given)
        known = kanon_sql.risk(frame(rows), entity="who", population=frame([*rows, *more]), **given)
    alike(told(alone), figures(keys, sizes, sizes))
    alike(told(known), figures(keys, sizes, {key: everyone[key] for key in sizes}))
    assert (known.population_rows, known.missed_rows) == (len(rows) + len(more), 0)

    people = persons_of(rows)
    in_population = persons_of([*rows, *more])
    alike(told(known.entity), figures(keys, people, {key: in_population[key] for key in people}))

    cells = defaultdict(Counter)
    for row in rows:
        cells[row[2]][row[:2]] += 1
    signature = {who: frozenset(of.items()) for who, of in cells.items()}
    same = Counter(signature.values())
    alike(told(known.signature), figures([signature[row[2]] for row in rows], same, same))


@examples(30)
@given(rows=ROWS, others=ROWS)
def test_a_class_is_never_smaller_in_the_population_than_in_the_table(rows, others):
    keys = [row[:2] for row in rows]
    sizes, elsewhere = Counter(keys), Counter(row[:2] for row in others)
    known = {key: max(size, elsewhere[key]) for key, size in sizes.items()}
    with duckdb.connect() as connection:
        found = kanon_sql.risk(
            frame(rows),
            quasi=NAMES[:2],
            thresholds=THRESHOLDS,
            population=frame(others),
            connection=connection,
        )
    alike(told(found), figures(keys, sizes, known))
    missed = sum(size for key, size in sizes.items() if elsewhere[key] < size)
    assert found.missed_rows == missed
    assert bool(found.warnings) == (missed > 0)


@examples(30)
@given(rows=ROWS)
def test_figures_by_persons_are_never_below_those_by_rows(rows):
    with duckdb.connect() as connection:
        found = kanon_sql.risk(frame(rows), quasi=NAMES[:2], entity="who", connection=connection)
    by_rows, persons = found.prosecutor, found.entity.prosecutor
    assert persons.highest >= by_rows.highest
    assert persons.average >= by_rows.average
    assert all(persons.above[bound] >= share for bound, share in by_rows.above.items())
    signature = found.signature.prosecutor
    assert signature.highest >= persons.highest
    assert all(signature.above[bound] >= share for bound, share in persons.above.items())
    differ = persons != by_rows or signature != by_rows
    assert any("rows are not people" in each for each in found.warnings) == differ


COLUMNS = ("a", "b; --", 'c"', "d", "e")
TABLES = st.lists(
    st.tuples(*[st.one_of(st.none(), st.sampled_from(["x", "y", "z", ""]))] * len(COLUMNS)),
    min_size=1,
    max_size=14,
)


def every_set(rows, most):
    """Each set of columns with its tuples, unique rows, and ordered pairs of equal rows."""
    found = {}
    for size in range(1, most + 1):
        for places in combinations(range(len(COLUMNS)), size):
            times = Counter(tuple(row[n] for n in places) for row in rows)
            alone = sum(n == 1 for n in times.values())
            names = tuple(COLUMNS[n] for n in places)
            found[names] = (len(times), alone, sum(n * (n - 1) for n in times.values()))
    return found


def minimal(sets):
    return {names for names in sets if not any(set(o) < set(names) for o in sets)}


@examples(60)
@given(rows=TABLES, near=st.sampled_from([0.5, 0.9, 1.0]), most=st.integers(1, 4))
def test_the_sets_of_columns_are_those_that_python_finds(rows, near, most):
    with duckdb.connect() as connection:
        found = kanon_sql.find_quasi_identifiers(
            frame(rows, COLUMNS), near=near, most_columns=most, connection=connection
        )
    every = every_set(rows, most)
    shown = [*found.columns, *found.unique, *found.near_unique, *found.others]
    for each in shown:
        assert (each.tuples, each.unique_rows, each.equal_pairs) == every[each.columns]
        assert each.rows == len(rows)
        assert each.distinct_ratio == len(
            {tuple(r[COLUMNS.index(c)] for c in each.columns) for r in rows}
        ) / len(rows)
        pairs = len(rows) * (len(rows) - 1)
        assert each.separation_ratio == (1 - each.equal_pairs / pairs if pairs else 1)
    constant = {
        names[0] for names, (tuples, *_) in every.items() if len(names) == 1 and tuples == 1
    }
    assert [each.columns for each in found.columns] == [(name,) for name in COLUMNS]
    # Sets of one row are unique without any column; the minimal ones are then single columns.
    unique = {names for names, (tuples, *_) in every.items() if tuples == len(rows)}
    assert {each.columns for each in found.unique} == minimal(unique)
    nearly = {names for names, (tuples, *_) in every.items() if tuples >= near * len(rows)}
    assert {each.columns for each in found.near_unique} == minimal(nearly) - unique
    assert set(found.left_out) >= constant


@pytest.mark.parametrize("seed", [1, 2])
def test_what_samples_do_not_refute_is_counted_in_all_rows(monkeypatch, seed):
    """Of 4,000 rows, a sample of 100 tells apart by columns by which all rows are not."""
    monkeypatch.setattr(column_sets, "SAMPLES", (100, 800))
    rows = [
        (str(n % 60), str(n // 60), str(n * n % 97), str(n * seed % 1000), "x")
        for n in range(4_000)
    ]
    with duckdb.connect() as connection:
        found = kanon_sql.find_quasi_identifiers(
            frame(rows, COLUMNS), near=0.95, most_columns=3, connection=connection
        )
    every = every_set(rows, 3)
    shown = [*found.columns, *found.unique, *found.near_unique, *found.others]
    assert all((s.tuples, s.unique_rows, s.equal_pairs) == every[s.columns] for s in shown)
    unique = {names for names, (tuples, *_) in every.items() if tuples == len(rows)}
    assert ("a", "b; --") in unique
    assert {each.columns for each in found.unique} == minimal(unique)
    nearly = {names for names, (tuples, *_) in every.items() if tuples >= 0.95 * len(rows)}
    assert {each.columns for each in found.near_unique} == minimal(nearly) - unique
    assert any(each.distinct_ratio < 0.95 for each in found.others), "a sample alone would say more"


def test_sets_beyond_the_most_that_are_counted_in_all_rows_are_numbered(
    monkeypatch,
):
    monkeypatch.setattr(column_sets, "SAMPLES", (100, 800))
    monkeypatch.setattr(column_sets, "CONFIRMED", 1)
    rows = [(str(n % 60), str(n // 60), str(n % 61), str(n // 61), "x") for n in range(3_600)]
    with duckdb.connect() as connection:
        found = kanon_sql.find_quasi_identifiers(frame(rows, COLUMNS), connection=connection)
    several = [s for s in (*found.unique, *found.near_unique, *found.others) if len(s.columns) > 1]
    every = every_set(rows, 3)
    assert all((s.tuples, s.unique_rows, s.equal_pairs) == every[s.columns] for s in several)
    assert sum(each.distinct_ratio >= 0.9 for each in several) <= 1 + 2 * column_sets.SHOWN
    unique = {names for names, (tuples, *_) in every.items() if tuples == len(rows)}
    assert 0 < found.unconfirmed <= len(unique)
