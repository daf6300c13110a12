"""What `init` sees first in a part of a large table leaves no proposal out."""

from __future__ import annotations

import datetime as dt
import hashlib
import random

import pandas as pd
import pytest

from kanon_sql.apps.getting_started import date_forms
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.counting.run.inputs import NO_POLICY
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source import person_keys
from kanon_sql.engines.duckdb.session import open_duckdb

ROWS = 24_000


def written():
    """Texts that formats read, texts that look like them, and texts that are neither."""
    lot = random.Random(3)
    days = [dt.date(1940, 1, 1) + dt.timedelta(lot.randrange(25_000)) for _ in range(ROWS)]
    amounts = [f"{lot.randrange(100, 9_000_000):,} €".replace(",", ".") for _ in range(ROWS)]
    return pd.DataFrame({
        "birth_date": [f"{each:%d.%m.%Y}" for each in days],
        "income": amounts,
        "seen": [f"{each:%Y%m%d}" if n % 50 else "unclear" for n, each in enumerate(days)],
        "rare": ["" if lot.random() < 0.99 else f"{each:%d.%m.%Y}" for each in days],
        "ref": [f"P{n:08}" for n in range(ROWS)],
        "place": [f"station {n % 40}" for n in range(ROWS)],
        "token": [hashlib.md5(f"{n}".encode()).hexdigest() for n in range(ROWS)],
    })  # fmt: skip


def test_the_first_rows_say_what_all_rows_say(monkeypatch):
    """Columns of other texts are looked at in few rows alone, and the policy is the one of all rows."""
    asked = []

    def find(engine, table, columns):
        asked.append(columns)
        return own(engine, table, columns)

    own = date_forms.find_date_shapes
    monkeypatch.setattr("kanon_sql.apps.getting_started.written_columns.find_date_shapes", find)
    frame = written()
    policy = first_policy(frame)
    first, in_all = asked
    assert "token" in first
    assert "token" not in in_all
    assert {"birth_date", "rare"} <= set(in_all)
    assert "format: '%d.%m.%Y'" in policy
    assert "thousands: ." in policy
    monkeypatch.setattr(date_forms, "FIRST", ROWS)
    assert first_policy(frame) == policy
    assert len(asked) == 3


@pytest.mark.parametrize("parts", [1, 4])
def test_columns_that_are_read_apart_are_counted_alike(parts):
    """One statement a column counts what one statement of all columns counts; NULL is no value."""
    frame = pd.DataFrame({
        "a": [n % 97 if n % 5 else None for n in range(500)],
        "b": [f"v{n}" for n in range(500)],
        "c": [None] * 500,
    })  # fmt: skip
    with open_duckdb() as engine, session(engine, NO_POLICY) as run:
        view = run.scratch.table("source")
        run.scratch.is_view(view, view=engine.register(view, frame))
        names = ["a", "b", "c"]
        together = person_keys.unique_counts(engine, view, names, parts=parts)
        apart = person_keys.unique_counts(engine, view, names, parts=parts, each_of=500)
    assert apart == together
    if parts == 1:
        assert (apart["a"].values, apart["b"].unique, apart["c"].values) == (97, 500, 0)


@pytest.mark.parametrize("large", [1, 10**9])
def test_a_small_part_of_the_keys_leaves_no_constant_column_out(monkeypatch, large):
    """The key of a panel and what is constant in it are the same with and without a first look at few keys."""
    monkeypatch.setattr(person_keys, "LARGE", large)
    monkeypatch.setattr(person_keys, "SMALL_PART", 2_000)
    lot = random.Random(5)
    people = range(6_000)
    height = [lot.randrange(150, 200) for _ in people]
    town = [lot.randrange(40) for _ in people]
    frame = pd.DataFrame({
        "unit": [n // 4 * 7 + 1_000_000 for n in range(ROWS)],
        "height": [height[n // 4] for n in range(ROWS)],
        "town": [f"t{town[n // 4]}" for n in range(ROWS)],
        "wave": [n % 4 for n in range(ROWS)],
        "mood": [lot.randrange(9) for _ in range(ROWS)],
    })  # fmt: skip
    with open_duckdb() as engine, session(engine, NO_POLICY) as run:
        view = run.scratch.table("source")
        run.scratch.is_view(view, view=engine.register(view, frame))
        key = person_keys.repeating_key(
            engine, view, engine.columns(view), among=list(frame), rows=ROWS
        )
    assert key is not None
    assert (key.name, key.values, key.constant) == ("unit", 6_000, ("height", "town"))
