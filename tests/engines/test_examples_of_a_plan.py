"""What a plan shows of classes: read from the frequency set, the same as a release counts in its staged rows.

Keys have a few bits here, so that there are several, and values are such as SQL could misread.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import date

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.counting.plans.plan import SHOWN_CLASSES
from kanon_sql.engines.capabilities import DUCKDB
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.recoding import recode

DRAWN, EACH = 240, 6
K, ROWS = 3 * EACH, DRAWN * EACH
WORDS = [None, "", " ", "'", '"', "a'b", "NULL", "null", "\\", "ä", "%s", "{{x}}", "$1", "*"]
HIERARCHIES = {
    "word": "suppress",
    "age": {"intervals": [5, 20]},
    "born": {"dates": ["month", "year"]},
    "zip": {"mask": 3},
    "row_count": "suppress",
}


@pytest.fixture
def narrow(monkeypatch):
    """Let DuckDB have keys of 16 bits, so that columns lie in several; a column in more than two is counted by its rows."""
    monkeypatch.setattr(DuckDB, "capabilities", replace(DUCKDB, key_bits=16))


def table_of(seed):
    drawn = random.Random(seed)
    words = drawn.sample(WORDS, 4)
    rows = [
        {
            "word": drawn.choice(words),
            "age": None if drawn.random() < 0.05 else drawn.randrange(-20, 40),
            "born": None if drawn.random() < 0.05 else date(1999 + drawn.randrange(3), 1, 31),
            "zip": "".join(drawn.choice("01'") for _ in range(3)),
            "row_count": drawn.choice([7, 7, 7, 8, None]),
            "ill": drawn.choice("xyz"),
        }
        for _ in range(DRAWN)
    ]
    return pa.Table.from_pylist(rows * EACH)


def policy(quasi=tuple(HIERARCHIES), **changes):
    return {
        "version": 1,
        "source": "drawn",
        "entity": "row",
        "columns": {
            **{name: {"role": "quasi", "hierarchy": HIERARCHIES[name]} for name in quasi},
            **{name: {"role": "insensitive"} for name in HIERARCHIES if name not in quasi},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"k": K},
        "suppression": "25%",
        **changes,
    }


def planned(asked, *of, **how):
    """Plan, and say what is shown and how many rows more were read for it."""
    plain = kanon_sql.plan(asked, *of, **how)
    shown = kanon_sql.plan(asked, *of, **how, examples=True)
    return shown.examples, shown.run["rows_scanned"] - plain.run["rows_scanned"]


def check_counted_by_hand(found, rows, levels):
    """Compare what is shown with released rows, counted by plain Python."""
    texts = [
        tuple(None if row[name] is None else str(row[name]) for name in found.columns)
        for row in rows
    ]
    counts = Counter(texts)
    shown = {each.labels: each.rows for each in found.classes}
    assert len(shown) == len(found.classes) == min(SHOWN_CLASSES, len(counts))
    assert shown == {labels: counts[labels] for labels in shown}
    for name, label in found.labels.items():
        assert levels[name] > 0
        of_column = Counter(each[found.columns.index(name)] for each in texts)
        assert of_column[label] >= K


def check_simple_counts(plan, release, rows, asked):
    """Compare what a plan reads from the frequency set, and a release from its rows, with what both tables have."""
    assert plan.figures == release.plan.figures
    measured = kanon_sql.quality(release.to_arrow(), rows, plan=plan, policy=asked).figures
    for key in ("count_error", "count_error_plain", "count_error_tenth"):
        stated = plan.figures.get(key)
        assert (stated is None) == (measured[key] is None)
        assert stated is None or stated == float(f"{measured[key]:.4g}")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(16))
def test_what_a_plan_shows_is_what_its_release_counts(narrow, seed):
    rows = table_of(seed)
    drawn = random.Random(seed)
    quasi = sorted(drawn.sample(list(HIERARCHIES), drawn.randrange(2, 6)))
    asked = policy(quasi)
    if seed % 4 == 3:
        asked |= {"nulls": "suppress", "suppression": "70%"}
    found, scanned = planned(asked, rows)
    assert scanned < ROWS
    with kanon_sql.anonymize(asked, rows, examples=True) as release:
        assert found == release.plan.examples
        check_simple_counts(kanon_sql.plan(asked, rows, examples=True), release, rows, asked)
        check_counted_by_hand(found, release.to_arrow().to_pylist(), release.plan.levels)


def test_a_label_of_most_rows_is_shown_and_not_of_most_classes():
    """Each of three classes of 20 has fewer rows than the one of 100: rows decide, not classes."""
    many = [{"zip": "9" + "0" * (n % 2), "word": "w"} for n in range(100)]
    few = [{"zip": f"1{n % 2}", "word": w} for w in "abc" for n in range(20)]
    rows = pa.Table.from_pylist([{**row, "ill": "x"} for row in many + few])
    hierarchy = {"tree": {"nineties": ["9", "90"], "tens": ["10", "11"]}}
    asked = {
        **policy([]),
        "columns": {
            "zip": {"role": "quasi", "hierarchy": hierarchy, "levels": {"least": 1}},
            "word": {"role": "quasi", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
    }
    found, _ = planned(asked, rows)
    assert found.labels == {"zip": "nineties"}
    assert sorted(each.rows for each in found.classes) == [20, 20, 20, 100]


OTHERS = {
    "values are counted": {"privacy": [{"k": K}, {"distinct_l": {"column": "ill", "l": 2}}]},
    "several sets": {"privacy": [{"k": K}, {"k": 9 * EACH, "over": ["zip", "age"]}]},
    "NULL is any": {"nulls": "wildcard"},
    "several nodes": {"search": {"recoding": "local"}},
    "cells": {"search": {"recoding": "cells"}},
}


@pytest.mark.parametrize("codes", [False, True])
@pytest.mark.parametrize("asked", OTHERS.values(), ids=OTHERS)
def test_of_other_plans_all_rows_are_staged(narrow, monkeypatch, asked, codes):
    monkeypatch.setattr(recode, "MANY_ROWS", 1 if codes else ROWS + 1)
    rows = table_of(5)
    found, scanned = planned(policy(["word", "age", "zip"], **asked), rows)
    assert scanned >= ROWS
    with kanon_sql.anonymize(policy(["word", "age", "zip"], **asked), rows, examples=True) as made:
        assert found == made.plan.examples


def test_a_plan_of_many_rows_warns_as_one_of_few(monkeypatch):
    """Rows are counted by codes of their labels then: what nobody shares is as unique, and a note is as long."""
    rows = table_of(6)
    notes = [None if n % 50 == 0 else f"'{n}'" for n in range(ROWS)]
    rows = rows.append_column("note", pa.array(notes))
    asked = policy(["word", "age"])
    asked["columns"]["note"] = {"role": "insensitive"}
    found = []
    for bound in (ROWS + 1, 1):
        monkeypatch.setattr(recode, "MANY_ROWS", bound)
        found.append(kanon_sql.plan(asked, rows).notes)
    few, many = found
    assert few == many
    assert [each for each in few if "beside the quasi-identifiers" in each]


def test_texts_that_a_collation_makes_equal_are_classes_of_their_own():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE drawn (word TEXT COLLATE NOCASE, ill TEXT)")
        connection.execute(
            "INSERT INTO drawn SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'A' END, 'x' FROM range(60) AS r(i)"
        )
        found, _ = planned(policy(["word"], columns=OF_WORDS), connection=connection)
    assert sorted((each.labels, each.rows) for each in found.classes) == [
        (("A",), 40),
        (("a",), 20),
    ]


OF_WORDS = {
    "word": {"role": "quasi", "hierarchy": "suppress"},
    "ill": {"role": "sensitive"},
}


def test_servers_show_the_same(server):
    rows = table_of(9).drop_columns(["row_count"])
    asked = policy(["word", "age", "zip", "born"])
    del asked["columns"]["row_count"]
    here, _ = planned(asked, rows)
    server.put("drawn", rows)
    try:
        there, scanned = planned(asked, connection=server.connection)
        assert scanned < ROWS
        assert there == here
        figures = [
            kanon_sql.plan(asked, *of, **how, examples=True).figures
            for of, how in (((rows,), {}), ((), {"connection": server.connection}))
        ]
        assert figures[0] == figures[1]
        assert 0 < figures[0]["count_error"] < figures[0]["count_error_plain"]
    finally:
        server.drop("drawn")
