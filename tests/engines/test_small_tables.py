"""Three small tables before and after, on every engine, against a count in plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.apps.getting_started.trial import try_recodings
from kanon_sql.evidence.release_quality.small_tables import left_out

K = 5
WARDS = {"north": ["it's", "b"], "south": ["ß", "rare"]}
KINDS = {
    "labels": {"age": {"hierarchy": {"intervals": [5, 20]}}},
    "intervals": {"age": {"order": "number"}},
    "values": {"age": {"order": "number"}, "output": "apportioned"},
}


def rows_of(seed=3, count=400):
    draw = random.Random(seed)
    return [
        (
            n // 2,
            None if n % 97 == 0 else draw.randrange(18, 60),
            "rare" if n in {5, 6, 17} else draw.choice(["it's", "b", "ß"]),
            draw.choice(["flu", "flu", "flu", "cold", None]),
        )
        for n in range(count)
    ]


def frame(rows):
    types = (pa.int64(), pa.int32(), pa.string(), pa.string())
    columns = zip(*rows, strict=True)
    arrays = [pa.array(each, kind) for each, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["who", "age", "ward", "ill"])


def policy(kind="labels", entity="row"):
    more = dict(KINDS[kind])
    return {
        "version": 1,
        "source": "counted_small",
        "entity": entity,
        "columns": {
            "who": {"role": "identifying", "action": "drop"},
            "age": {"role": "quasi", **more.pop("age")},
            "ward": {"role": "quasi", "hierarchy": {"tree": {"*": WARDS}}},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"k": K},
        "suppression": "10%",
        "search": {"algorithm": "mondrian"},
        **more,
    }


def band(age):
    return "NULL" if age is None else f"[{age // 5 * 5}, {age // 5 * 5 + 5})"


def covered(label, ages):
    if label is None or isinstance(label, int):
        return [label]
    if label == "*":
        return [*ages]
    if label[0] != "[":
        return [int(label)]
    low, high = map(int, label[1:-1].split(", "))
    return [a for a in ages if a is not None and low <= a <= (high if label[-1] == "]" else high - 1)]  # fmt: skip


def wards(label):
    every = [each for some in WARDS.values() for each in some]
    return every if label == "*" else WARDS.get(label, [label])


def expected(released, ages):
    """Return the rows of each pair of bands that a release lets expect, and those of them with flu."""
    rows, ill = defaultdict(float), defaultdict(float)
    for age, ward, sick in released:
        lists = covered(age, ages), wards(ward)
        for one in lists[0]:
            for other in lists[1]:
                rows[band(one), other] += 1 / len(lists[0]) / len(lists[1])
                ill[band(one), other] += (sick == "flu") / len(lists[0]) / len(lists[1])
    return rows, ill


def of_one(cells):
    found = defaultdict(float)
    for (one, _), many in cells.items():
        found[one] += many
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_counts_as_plain_python_does(place, kind):
    rows, asked = rows_of(), policy(kind)
    place.put("counted_small", frame(rows))
    plan = kanon_sql.plan(asked, connection=place.connection)
    kanon_sql.apply(plan, policy=asked, connection=place.connection, release="shown_small")
    names = place.names("shown_small")
    at = [names.index(each) for each in ("age", "ward", "ill")]
    shown = [tuple(row[n] for n in at) for row in place.read("shown_small")]
    found = kanon_sql.report(
        "shown_small", plan=plan, policy=asked, connection=place.connection, search=False
    )
    place.drop("shown_small")
    place.drop("counted_small")
    before = Counter((band(age), ward) for _, age, ward, _ in rows)
    after, ill_after = expected(shown, {row[1] for row in rows})
    ill = Counter(band(age) for _, age, _, sick in rows if sick == "flu")
    one, two, rate = found.small
    assert (one.columns, two.columns, rate.rate.name) == (("age",), ("age", "ward"), "ill")
    told = {row.bands[0]: (row.before, row.after[0]) for row in one.rows}
    assert set(told) == {each for each, many in of_one(before).items() if many >= K}
    for each, (was, now) in told.items():
        assert was == of_one(before)[each]
        assert now == pytest.approx(of_one(after)[each], rel=1e-9)
    assert rate.rows
    for row in rate.rows:
        of_band = of_one(before)[row.bands[0]]
        assert row.before == pytest.approx(ill[row.bands[0]] / of_band)
        assert row.after[0] == pytest.approx(
            of_one(ill_after)[row.bands[0]] / of_one(after)[row.bands[0]], rel=1e-9
        )
    assert two.others
    cells = {(one, before[one, other], round(after[one, other], 6)) for one, other in before}
    assert {(row.bands[0], row.before, round(row.after[0], 6)) for row in two.rows} <= cells
    assert min(row.before for row in two.rows) >= K
    assert all(row.bands[1].startswith("hidden") for row in two.rows)
    for text in (found.to_text(), found.to_html()):
        assert "Three small tables" in text
        assert not any(each in text for each in ("rare", "it's", "flu"))


def test_where_people_are_counted_a_cell_of_few_of_them_is_left_out(places):
    place = places("duckdb")
    rows = [(who % 3 if age == 20 else who, age, "b", "flu") for who in range(60) for age in (20, 40 + who % 20, 41)]  # fmt: skip
    rows += [(who, age, "ß", "cold") for who in range(60) for age in range(40, 62)]
    place.put("counted_small", frame(rows))
    asked = policy(entity="who")
    plan = kanon_sql.plan(asked, connection=place.connection)
    found = kanon_sql.report(plan, policy=asked, connection=place.connection, search=False)
    place.drop("counted_small")
    bands = {row.bands[0]: row.before for row in found.small[0].rows}
    assert sum(age == 20 for _, age, _, _ in rows) > 10 * K
    assert "[20, 22)" not in bands
    assert len(bands) == 10, "one of eleven others is left out too, by which it could be found"


def test_a_trial_shows_each_recoding_beside_the_table(places):
    place, rows = places("duckdb"), rows_of()
    place.put("counted_small", frame(rows))
    trial = try_recodings(policy(), connection=place.connection, time_limit=2000)
    bare = try_recodings(policy(), connection=place.connection, time_limit=2000, shown=0)
    place.drop("counted_small")
    assert not bare.small
    assert trial.small_of == ("optimal", "mondrian", "cells", "mondrian for counts")
    one, two, rate = trial.summary()["small_tables"]
    assert one["of"] == list(trial.small_of)
    own = Counter(band(age) for _, age, _, _ in rows)
    assert {row[0]: row[1] for row in one["rows"]} == {e: n for e, n in own.items() if n >= K}
    assert all(len(row) == 6 for row in one["rows"])
    assert {row[1] for row in two["rows"]} == {"hidden #1", "hidden #2", "hidden #3"}
    assert rate["rate_of"] == "ill"


@pytest.mark.parametrize("seed", range(60))
def test_no_cell_of_few_people_follows_from_cells_that_are_shown_and_sums_of_lines(seed):
    draw = random.Random(seed)
    k = draw.choice([3, 5, 11])
    across, down = draw.randint(2, 8), draw.randint(2, 5)
    cells = {
        (str(a), str(b)): draw.choice([draw.randint(1, 15), draw.randint(1, 300)])
        for a in range(across)
        for b in range(down)
    }
    left = left_out(cells, k)
    known = cells.keys() - left
    rows = [[key for key in cells if key[0] == str(a)] for a in range(across)]
    columns = [[key for key in cells if key[1] == str(b)] for b in range(down)]
    lines = [line for line in rows + columns if len(left) < len(cells)]
    while True:
        unknown = [[key for key in line if key not in known] for line in lines]
        for line, missing in zip(lines, unknown, strict=True):
            if len(missing) < len(line) and missing:
                assert sum(cells[key] for key in missing) >= k
        found = {missing[0] for missing in unknown if len(missing) == 1}
        if not found:
            break
        known |= found
