"""The first cuts of a large table are chosen on one sample of its rows, whichever engine has it."""

from __future__ import annotations

import random
from collections import Counter
from unittest.mock import patch

import mondrian as oracle
import pyarrow as pa
import pytest
import runs
import sampled_cuts

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.recoding.multidimensional import region_cuts_sql, regions_sql
from kanon_sql.recoding.multidimensional import runs as product

K, ROWS = 3, 1_500
NAMES = ("a", "b", "c")
SMALL = {"LEAST_ROWS": ROWS, "ONE_IN": 4, "SAMPLED_ROWS": 24}
"""By which a table of a test is large."""


def people():
    """Skewed numbers, some below zero or missing, a tuple that many rows have, and texts."""
    draw = random.Random(11)
    rows = [
        (
            draw.choice([None, *range(-4, 9)]),
            int(draw.expovariate(0.05)),
            draw.choice("klmnopqrst"),
        )
        for _ in range(ROWS - 200)
    ]
    rows += [(3, 7, "m")] * 200
    kinds = (pa.int64(), pa.int64(), pa.string())
    return pa.table(
        {
            name: pa.array(column, kind)
            for name, column, kind in zip(NAMES, zip(*rows, strict=True), kinds, strict=True)
        }
    )


def policy():
    orders = {"a": "number", "b": "number", "c": "text"}
    return {
        "version": 1,
        "source": "many_people",
        "entity": "row",
        "columns": {name: {"role": "quasi", "order": order} for name, order in orders.items()},
        "privacy": {"k": K},
        "search": {"algorithm": "mondrian"},
    }


def released(place):
    """What a place's own release has, each with how many rows."""
    place.put("many_people", people())
    plan = kanon_sql.plan(policy(), connection=place.connection)
    kanon_sql.apply(plan, policy=policy(), connection=place.connection, release="few_people")
    found = Counter(place.read("few_people"))
    place.drop("few_people")
    place.drop("many_people")
    assert plan.classes == len(found)
    return found


def test_a_release_of_sampled_cuts_is_the_same_on_every_engine(places, server):
    with patch.multiple(product, **SMALL):
        found = released(server)
        assert found == released(places("duckdb"))
    assert found.total() == ROWS
    assert min(found.values()) >= K


def as_in_python(rows):
    """What plain Python releases of the rows: leaves by their sample, and runs of these."""
    columns = list(zip(*rows, strict=True))
    measures = [
        {value: n for n, value in enumerate(sorted(set(column) - {None}))} for column in columns
    ]
    numbers = [{value: value for value in measures[n]} for n in (0, 1)]
    axes = [oracle.LineAxis(each) for each in (*numbers, measures[2])]
    leaf = max(4 * K, min(50 * K, ROWS // 32))
    table = oracle.Table(axes, lambda part: len(part) >= K, choose="loss", leaf=leaf)
    table.dealt = lambda _: ()
    table.halved = False
    sample = sampled_cuts.sample(rows, table, SMALL["ONE_IN"])
    smallest = max(SMALL["SAMPLED_ROWS"], 2 * leaf // SMALL["ONE_IN"] + 1)
    found, values = Counter(), runs.values_of(rows, table)
    for each in sampled_cuts.leaves(rows, sample, table, smallest):
        for run in runs.grouped(each, table, values=values, least=K, most=leaf, least_loss=True):
            labels = [axis.label([row[n] for row in run]) for n, axis in enumerate(axes)]
            found[tuple(None if label is None else str(label) for label in labels)] += len(run)
    return found


def test_a_release_of_sampled_cuts_is_that_of_plain_python(places):
    rows = list(zip(*people().to_pydict().values(), strict=True))
    with patch.multiple(product, **SMALL):
        found = released(places("duckdb"))
    assert found == as_in_python(rows)


@pytest.mark.parametrize("depths", [2, 3])
def test_tuples_that_are_led_along_few_depths_at_a_time_reach_the_same_regions(
    places, depths, tmp_path
):
    """By a plan from a file, so that its cut is not kept."""
    place = places("duckdb")
    place.put("many_people", people())
    with patch.multiple(product, **SMALL), patch.object(region_cuts_sql, "DEPTHS", depths):
        plan = kanon_sql.plan(policy(), connection=place.connection)
        written = tmp_path / "people.plan.yml"
        written.write_text(plan.to_yaml(), encoding="utf-8")
        own = {"policy": policy(), "connection": place.connection}
        kanon_sql.apply(written, **own, release="few_people")
        found = Counter(place.read("few_people"))
    place.drop("few_people")
    place.drop("many_people")
    assert found == as_in_python(list(zip(*people().to_pydict().values(), strict=True)))


def test_a_region_that_waited_while_others_were_cut_is_cut_at_its_depth(places):
    """Region 1 is cut at the fourth depth alone, as one that a sample left uncut is: two depths go into a statement."""
    place = places("duckdb")
    cuts = [{0: (50, 1, 2)}, {2: (75, 3, 4)}, {3: (60, 5, 6)}, {1: (25, 7, 8)}]
    names = ("region", "axis", "low", "high", "child", "row_count")
    for depth, found in enumerate(cuts):
        sides = [
            side
            for region, (at, lower, upper) in found.items()
            for side in ((region, 0, -1, at, lower, 9), (region, 0, at, 100, upper, 9))
        ]
        columns = dict(zip(names, map(pa.array, zip(*sides, strict=True)), strict=True))
        place.put(f"cuts_{depth}", pa.table(columns))
    places_of = list(range(100))
    ones = [1] * 100
    place.put(
        "all_tuples", pa.table({"region": [0] * 100, "place_0": places_of, "row_count": ones})
    )
    regions = regions_sql.Regions((regions_sql.LineAxis(table("unused"), 100, even=True),), ())
    branches = [table(f"cuts_{depth}") for depth in range(len(cuts))]
    with patch.object(region_cuts_sql, "DEPTHS", 2):
        steps = region_cuts_sql.lead(
            regions,
            table("led"),
            table("all_tuples"),
            branches,
            lambda what, n: table(f"{what}_{n}"),
        )
        for each in steps:
            place.execute(each.statement.render(place.name))
    expected = set()
    for at in places_of:
        region = 0
        for depth in cuts:
            if region in depth:
                low, lower, upper = depth[region]
                region = lower if at < low else upper
        expected.add((region, at, 1))
    found = [tuple(map(int, row)) for row in place.read("led")]
    for name in ("led", "tuples_2", "all_tuples", *(f"cuts_{depth}" for depth in range(len(cuts)))):
        place.execute(f"DROP TABLE IF EXISTS {name}")
    assert len(found) == len(expected)
    assert set(found) == expected


def test_a_tuple_has_its_share_of_rows_in_a_sample(place):
    """By a number of its coordinates, which may be those of NULL or large, on every engine."""
    draw = random.Random(5)
    tuples = [
        (
            0,
            draw.randint(-1, 3),
            draw.choice([-1, n, 2**31 - 2 - n]),
            draw.choice([1, 1, 7, 8, 900]),
        )
        for n in range(500)
    ]
    names = ("region", "place_0", "place_1", "row_count")
    columns = dict(zip(names, map(pa.array, zip(*tuples, strict=True)), strict=True))
    place.put("some_tuples", pa.table(columns))
    axes = (regions_sql.LineAxis(table("unused"), 3, even=True),) * 2
    made = product.sampled_tuples(
        regions_sql.Regions(axes, ()), table("some_of_them"), table("some_tuples")
    )
    place.execute(made.render(place.name))
    one_in = product.ONE_IN
    expected = Counter(
        (*of, many) for *of, rows in tuples if (many := sampled_cuts.share(of[1:], rows, one_in))
    )
    found = Counter(tuple(map(int, row)) for row in place.read("some_of_them"))
    place.execute(f"DROP {'VIEW' if place.name == 'spark' else 'TABLE'} some_of_them")
    place.drop("some_tuples")
    assert found == expected


def test_a_sample_has_about_as_much_of_every_value():
    shares = {(a, b): sampled_cuts.share((a, b, 5), 1, 8) for a in range(100) for b in range(100)}
    for axis in (0, 1):
        for value in range(100):
            rows = sum(share for at, share in shares.items() if at[axis] == value)
            assert 5 <= rows <= 20, "of 100, one in eight"


def test_cuts_of_a_sample_are_not_those_of_all_rows(places):
    """So that the tests of this file see a sample at all."""
    exact = released(places("duckdb"))
    with patch.multiple(product, **SMALL):
        found = released(places("duckdb"))
    assert found.total() == exact.total() == ROWS
    assert found != exact
    assert abs(len(found) - len(exact)) <= len(exact) / 20


def test_a_region_that_does_not_fit_by_all_rows_ends_the_run(places):
    """A sample that has more rows than its table is a fault of ours, and nothing is released."""
    place = places("duckdb")
    place.put("many_people", people())

    def ninefold(_, sample, working):
        return region_cuts_sql.union_all(sample, [working] * 9)

    with (
        patch.multiple(product, **SMALL),
        patch.object(product, "sampled_tuples", ninefold),
        pytest.raises(kanon_sql.InternalError, match="does not fit"),
    ):
        kanon_sql.plan(policy(), connection=place.connection)
    place.drop("many_people")
