"""`beside: others` on each engine: what is released is what brute force leaves, NULL being a value of the others."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pyarrow as pa

import kanon_sql

TABLE, LIMIT = "beside_others", 60
ASKED = {"beside": "others"}
POLICY = {
    "version": 1,
    "source": {"table": TABLE},
    "entity": "row",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [2, 8]}},
        "job": {"role": "sensitive"},
        "disease": {"role": "sensitive"},
    },
    "privacy": [
        {"k": 4},
        {"distinct_l": {"column": "disease", "l": 2, **ASKED}},
        {"alpha": {"column": "job", "alpha": 0.75, **ASKED}},
        {"t_closeness": {"column": "disease", "t": 0.3, **ASKED}},
    ],
    "suppression": LIMIT,
}


def rows():
    chance = random.Random(5)
    jobs, diseases = ("cook", "clerk", None), ("flu", "gout", "flu", None)
    return [(chance.randrange(8), chance.choice(jobs), chance.choice(diseases)) for _ in range(120)]


def label(age, level):
    low = age - age % 2
    return (str(age), f"[{low}, {low + 2})", "[0, 8)", "*")[level]


def left_at(level):
    left = [(label(age, level), job, disease) for age, job, disease in rows()]
    while True:
        of_age, of_job, of_disease = defaultdict(list), defaultdict(list), defaultdict(list)
        for age, job, disease in left:
            of_age[age].append(job)
            of_job[age, job].append(disease)
            of_disease[age, disease].append(job)
        kept = [
            (age, job, disease)
            for age, job, disease in left
            if len(of_age[age]) >= 4
            and len({*of_job[age, job]} - {None}) >= 2
            and within(of_disease[age, disease])
            and near(of_job[age, job], [row[2] for row in rows()])
        ]
        if kept == left:
            return left
        left = kept


def within(cells):
    known = [each for each in cells if each is not None]
    return bool(known) and 4 * max(map(known.count, known)) <= 3 * len(known)


def near(cells, table):
    """Whether half the sum of the differences of all shares is at most 0.3, in whole numbers; NULL has none."""
    own, whole = (Counter(c for c in of if c is not None) for of in (cells, table))
    n, rows_ = own.total(), whole.total()
    apart = sum(abs(own[v] * rows_ - whole[v] * n) for v in whole)
    return bool(n) and 10 * apart <= 6 * n * rows_


def feasible(level):
    """Whether few enough rows go, and what is left is near to itself too."""
    left, classes = left_at(level), defaultdict(list)
    for age, job, disease in left:
        classes[age, job].append(disease)
    whole = [disease for *_, disease in left]
    gone = len(rows()) - len(left)
    return bool(left) and gone <= LIMIT and all(near(cells, whole) for cells in classes.values())


def test_rows_of_a_class_are_suppressed_by_its_other_values(place):
    columns = zip(("age", "job", "disease"), zip(*rows(), strict=True), strict=True)
    place.put(TABLE, pa.table(dict(columns)))
    made = kanon_sql.anonymize(POLICY, connection=place.connection, release="told_apart")
    released = [(str(a), b, c) for a, b, c in place.read("told_apart")]
    verdict = kanon_sql.verify(
        "told_apart", quasi=["age"], privacy=POLICY["privacy"], connection=place.connection
    )
    place.drop("told_apart")
    place.drop(TABLE)
    (level,) = made.plan.levels.values()
    expected = left_at(level)
    assert sorted(map(str, released)) == sorted(map(str, expected))
    assert 0 < made.plan.suppressed_rows == len(rows()) - len(expected) <= LIMIT
    assert feasible(level)
    assert not any(map(feasible, range(level)))
    assert verdict.passed
    assert {columns: found.rows for columns, found in verdict.over.items()} == {
        ("age", "job"): len(expected), ("age", "disease"): len(expected),
    }  # fmt: skip
