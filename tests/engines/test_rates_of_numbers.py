"""The rate of a sensitive column of many numbers: of those from a round one near the median on, on every engine."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from statistics import median

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.apps.getting_started.trial import try_recodings

K = 5
PAY = 'the "pay" of select'


def rows_of(count=400):
    draw = random.Random(11)
    return [
        (draw.randrange(18, 60), None if n % 50 == 0 else draw.randrange(100, 99_000))
        for n in range(count)
    ]


def frame(rows, kind):
    ages, pays = zip(*rows, strict=True)
    written = pays if pa.types.is_integer(kind) else [None if p is None else f"{p}" for p in pays]
    return pa.table([pa.array(ages, pa.int32()), pa.array(written, kind)], names=["age", PAY])


def policy():
    return {
        "version": 1,
        "source": "paid",
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}},
            PAY: {"role": "sensitive"},
        },
        "privacy": {"k": K},
        "suppression": "10%",
        "search": {"algorithm": "optimal"},
    }


def band(age):
    return f"[{age // 5 * 5}, {age // 5 * 5 + 5})"


@pytest.mark.parametrize("kind", [pa.int64(), pa.string()], ids=["numbers", "texts"])
def test_a_rate_of_many_numbers_is_of_the_larger_ones(place, kind):
    rows = rows_of()
    place.put("paid", frame(rows, kind))
    plan = kanon_sql.plan(policy(), connection=place.connection)
    found = kanon_sql.report(plan, policy=policy(), connection=place.connection, search=False)
    place.drop("paid")
    (table,) = [each for each in found.small if each.rate is not None]
    least = int(table.rate.least)
    pays = [pay for _, pay in rows if pay is not None]
    assert abs(least - median(pays)) <= 10_000
    assert least % 10_000 == 0
    assert table.rate.text == f"{PAY} of at least {least:,}"
    hits, of_band = defaultdict(int), Counter(band(age) for age, _ in rows)
    for age, pay in rows:
        hits[band(age)] += pay is not None and pay >= least
    shown = {row.bands[0]: row.before for row in table.rows}
    assert len(shown) > 4
    for each, rate in shown.items():
        assert rate == pytest.approx(hits[each] / of_band[each])
    assert any(row.after[0] != row.before for row in table.rows) or plan.levels["age"] <= 1
    text = " ".join(found.to_text().split())
    assert f"A rate is the share of rows with {PAY} of at least {least:,}." in text
    assert "most frequent value" not in text


def test_suggest_names_the_column_and_the_number(places):
    place = places("duckdb")
    place.put("paid", frame(rows_of(), pa.int64()))
    trial = try_recodings(policy(), connection=place.connection, time_limit=2000)
    place.drop("paid")
    *_, rate = trial.summary()["small_tables"]
    assert rate["rate_of"] == PAY
    assert rate["rate"].startswith(f"{PAY} of at least ")


@pytest.mark.parametrize("values", [("flu", "cold"), (1, 2, 3)], ids=["texts", "few numbers"])
def test_few_values_keep_the_rate_of_the_most_frequent(places, values):
    place = places("duckdb")
    ages = [18 + n % 40 for n in range(400)]
    place.put(
        "paid", pa.table({"age": ages, PAY: [values[n % 3 % len(values)] for n in range(400)]})
    )
    plan = kanon_sql.plan(policy(), connection=place.connection)
    found = kanon_sql.report(plan, policy=policy(), connection=place.connection, search=False)
    place.drop("paid")
    (table,) = [each for each in found.small if each.rate is not None]
    assert table.rate.text == f"the most frequent value of {PAY}"
