"""Classes that fail by the frequency set of the search: the rows that they leave are those that plain Python keeps.

Keys have a few bits here, so that there are several.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.capabilities import DUCKDB
from kanon_sql.engines.duckdb.engine import DuckDB

AGES = [5, 20]
ROWS = 400
K = 4


def table_of(seed):
    """Draw people of whom too few share a sex, and some have no age."""
    drawn = random.Random(seed)
    return [
        {
            "person": n,
            "sex": "z" if n < K - 1 else drawn.choice("fm"),
            "age": None if drawn.random() < 0.03 else min(int(drawn.expovariate(0.04)), 99),
            "zip": "".join(drawn.choice("01") for _ in range(4)),
            "ward": drawn.choice(["a", "a", "a", "b"]),
        }
        for n in range(ROWS)
    ]


def policy(suppression, **changes):
    quasi = {
        "sex": "suppress",
        "age": {"intervals": AGES},
        "zip": {"mask": 4},
        "ward": "suppress",
    }
    return {
        "version": 1,
        "source": "drawn_people",
        "entity": "row",
        "columns": {
            "person": {"role": "insensitive", "linkable": "accept"},
            **{name: {"role": "quasi", "hierarchy": spec} for name, spec in quasi.items()},
        },
        "privacy": {"k": K},
        "suppression": suppression,
        **changes,
    }


def generalized(row, levels):
    """Generalize a row by hand: what it is released as, but for how that is written."""
    sex, age, digits, ward = levels
    years = row["age"]
    if age > len(AGES):
        years = "any"
    elif age and years is not None:
        years //= AGES[age - 1]
    return (
        row["sex"] if not sex else "any",
        years,
        row["zip"][: 4 - digits],
        row["ward"] if not ward else "any",
    )


def kept_by_hand(rows, levels):
    labels = [generalized(row, levels) for row in rows]
    sizes = Counter(labels)
    return {row["person"] for row, label in zip(rows, labels, strict=True) if sizes[label] >= K}


@pytest.fixture
def narrow(monkeypatch):
    """Let DuckDB have keys of four bits."""
    monkeypatch.setattr(DuckDB, "capabilities", replace(DUCKDB, key_bits=4))


@pytest.mark.parametrize("seed", range(8))
def test_rows_are_kept_as_by_hand(narrow, seed):
    rows = table_of(seed)
    asked = policy(f"{12 + 4 * seed}%")
    with kanon_sql.anonymize(asked, pa.Table.from_pylist(rows), keep_sql=True) as release:
        kept = {row["person"] for row in release.to_arrow().to_pylist()}
        assert from_the_set(release)
        assert kept == kept_by_hand(rows, release.plan.recoding.node.levels)
        assert release.plan.suppressed_rows == ROWS - len(kept) > 0


def from_the_set(release):
    """Whether the classes that fail were taken from the frequency set: only then are the labels numbered by its keys."""
    return any("_ranks" in text for text in release.journal.texts)


OTHERS = {
    "people are counted": {"entity": "person"},
    "values are counted": {"privacy": [{"k": K}, {"distinct_l": {"column": "ill", "l": 2}}]},
    "several sets": {"privacy": [{"k": K}, {"k": 9, "over": ["sex", "age"]}]},
    "NULL is any": {"nulls": "wildcard"},
}


@pytest.mark.parametrize("asked", OTHERS.values(), ids=OTHERS)
def test_what_asks_for_more_than_rows_counts_them_in_the_source(narrow, asked):
    given = policy("20%", **asked)
    given["columns"]["ill"] = {"role": "sensitive"}
    rows = [{**row, "ill": row["person"] % 3} for row in table_of(3)]
    with kanon_sql.anonymize(given, pa.Table.from_pylist(rows), keep_sql=True) as release:
        assert not from_the_set(release)
        assert release.plan.suppressed_rows == ROWS - release.verification.rows


def test_without_null_the_rows_are_kept_as_by_hand(narrow):
    rows = table_of(11)
    given = policy("20%", nulls="suppress")
    with kanon_sql.anonymize(given, pa.Table.from_pylist(rows), keep_sql=True) as release:
        kept = {row["person"] for row in release.to_arrow().to_pylist()}
        assert from_the_set(release)
        known = [row for row in rows if row["age"] is not None]
        assert kept == kept_by_hand(known, release.plan.recoding.node.levels)


def test_servers_keep_rows_as_by_hand(server):
    rows = table_of(20)
    server.put("drawn_people", pa.Table.from_pylist(rows))
    try:
        release = kanon_sql.anonymize(
            policy("9%"), connection=server.connection, release="of_drawn_people", keep_sql=True
        )
        kept = {row[0] for row in server.read("of_drawn_people")}
        assert from_the_set(release)
        assert kept == kept_by_hand(rows, release.plan.recoding.node.levels)
    finally:
        server.drop("drawn_people")
        server.drop("of_drawn_people")
