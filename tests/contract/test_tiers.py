"""Each test is of one tier, by what it asks for: the default one, the rest, or all."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from types import SimpleNamespace

import pytest
import tiers as rules
from tiers import (
    AT_LEAST,
    ENGINES,
    KINDS,
    NEXT_SHARES,
    QUICK,
    REST,
    SECONDS,
    SHARES,
    TIERS,
    UNHURRIED,
    Placed,
    Tier,
    examples,
    tiers_of,
)


@pytest.fixture(scope="module")
def tiers(request):
    """Of each collected test, those of every tier: where it is, and why."""
    return request.config.stash[TIERS]


def test_what_puts_a_test_in_the_rest_is_a_fixture_an_engine_or_a_mark(tiers):
    known = {*REST, "slow", "rare", "sampled", "dear"} | {f"place={each}" for each in ENGINES}
    known |= {f"{name}={each}" for name in ("server", "engine", "db") for each in ENGINES}
    assert {each for placed in tiers.values() for each in placed.why} <= known


def test_each_test_is_of_one_tier(tiers):
    asked = {tier: {name for name, placed in tiers.items() if placed.runs(tier)} for tier in Tier}
    assert asked[Tier.ALL] == {*tiers}
    assert asked[Tier.DEFAULT] & asked[Tier.REST] == set()
    for name, placed in tiers.items():
        assert (placed.tier is Tier.DEFAULT) == (not placed.why), name


def test_no_fixture_is_named_in_vain(tiers, request):
    if request.config.option.tier == "quick" or "tests" not in request.config.args:
        pytest.skip("not all tests were collected")
    before_a_merge = [placed for placed in tiers.values() if placed.tier is Tier.REST]
    assert {*REST} <= {each for placed in before_a_merge for each in placed.why}
    assert {*AT_LEAST} <= {*REST}


def test_seconds_are_those_of_tests_that_are_there(tiers, request):
    if request.config.option.tier == "quick" or "tests" not in request.config.args:
        pytest.skip("not all tests were collected")
    names = {each for name in tiers for each in (name.partition("[")[0], name.partition("::")[0])}
    assert {*SECONDS} - names == set()
    assert all(any(name.startswith(each) for name in names) for each in KINDS)


def test_no_kind_that_is_there_waits_for_the_weekly_run(tiers):
    assert [
        name
        for name, placed in tiers.items()
        if name.startswith(KINDS) and placed.tier is Tier.ALL and placed.why[-1] == "dear"
    ] == []


def test_of_each_file_a_test_runs_before_a_merge(tiers):
    """But of a file of which a mark says that no merge waits for it."""
    files = {}
    for name, placed in tiers.items():
        files.setdefault(name.partition("::")[0], []).append(placed)
    assert {
        name
        for name, found in files.items()
        if min(each.tier for each in found) is Tier.ALL
        and not all({"rare", "sampled"} & {*each.why} for each in found)
    } == set()


def test_of_each_server_one_test_is_in_the_default_tier(tiers):
    named = re.compile(rf"^tests/engines/.*\[({'|'.join(ENGINES)})\]$")
    found = [name for name, placed in tiers.items() if named.search(name) and not placed.why]
    assert {name.partition("[")[0] for name in found} <= {
        "tests/engines/test_smoke.py::test_the_same_plan_and_the_same_release"
    }


def test_each_test_that_the_quick_tier_names_is_there(tiers, request):
    if request.config.option.tier != "quick" and "tests" not in request.config.args:
        pytest.skip("not all tests were collected")
    assert [each for each in QUICK if not any(name.startswith(each) for name in tiers)] == []
    names = {name.partition("::")[2].partition("[")[0] for name in tiers}
    assert names >= UNHURRIED


RARE_ON_SPARK = pytest.mark.rare(on="spark")


def made(fixtures=(), params=None, *marks, matrix=(), name="of merge 39"):
    """What pytest collects, as far as a tier follows from it."""
    marked = {mark.name: mark for mark in (each.mark for each in marks)}
    found = SimpleNamespace(
        nodeid=name,
        fixturenames=fixtures,
        get_closest_marker=marked.get,
        iter_markers=lambda _: [pytest.mark.parametrize(each, []).mark for each in matrix],
    )
    if params is not None:
        found.callspec = SimpleNamespace(params=params)
    return found


@pytest.mark.parametrize(
    ("item", "tier", "why"),
    [
        (made(["tmp_path", "place"], {"place": "duckdb"}), Tier.DEFAULT, ()),
        (made(["tmp_path", "place"], {"place": "spark"}), Tier.REST, ("place=spark",)),
        (made(["place"], {"place": "spark"}, pytest.mark.smoke), Tier.DEFAULT, ()),
        (made(["server"], {"server": "postgres"}), Tier.REST, ("server", "server=postgres")),
        (made(["postgres", "java"]), Tier.REST, ("postgres", "java")),
        (made([], {"dialect": "spark"}), Tier.DEFAULT, ()),
        (made([], {"engine": ["spark"]}), Tier.DEFAULT, ()),
        (made(["killer"], None, pytest.mark.slow), Tier.REST, ("killer", "slow")),
        (made(["java"], name="each week"), Tier.ALL, ("java", "dear")),
        (made(["postgres"], name="each week"), Tier.REST, ("postgres",)),
        (made(["java"], {"place": "spark"}, pytest.mark.smoke, name="each week"), Tier.DEFAULT, ()),
        (made(["java"], None, pytest.mark.rare), Tier.ALL, ("java", "rare")),
        (made([], {"place": "spark"}, RARE_ON_SPARK), Tier.ALL, ("place=spark", "rare")),
        (made([], {"place": "postgres"}, RARE_ON_SPARK), Tier.REST, ("place=postgres",)),
    ],
)
def test_the_tier_of_a_test_follows_from_what_it_asks_for(item, tier, why):
    assert rules.placed(item, {}) == Placed(tier, why)


@pytest.mark.parametrize(
    ("marks", "tiers"),
    [((), [Tier.DEFAULT]), ((pytest.mark.slow,), [Tier.REST])],
)
def test_every_nth_case_of_a_matrix_is_of_its_own_tier_and_so_is_each_value(marks, tiers):
    samples = [[("a", 1), ("b", 3), ("c", 2)], [("a", 2), ("b", 1), ("c", 3)]]
    cases = list(product("abc", (1, 2, 3)))
    items = [
        made([], {"x": x, "y": y}, pytest.mark.sampled(3), *marks, matrix=("x", "y"))
        for x, y in cases
    ]
    for number, item in enumerate(items):
        item.nodeid = f"test_it[{number}]"
    found = {tier: [] for tier in Tier}
    for case, placed in zip(cases, tiers_of(items).values(), strict=True):
        found[placed.tier].append(case)
    assert [found[tier] for tier in tiers] == samples[: len(tiers)]
    assert sum(map(len, found.values())) == len(cases)


def cases_of(name, many, monkeypatch, seconds):
    """The tiers of a test's cases, when one takes so many seconds."""
    monkeypatch.setitem(rules.SECONDS, name, seconds)
    return tiers_counted(
        [made([], {"x": x}, matrix=["x"], name=f"{name}[{x}]") for x in range(many)]
    )


def tiers_counted(items):
    return Counter(placed.tier for placed in tiers_of(items).values())


def test_a_tier_runs_a_share_of_the_cases_that_take_long(monkeypatch):
    shares = 5 * (1 + NEXT_SHARES)
    found = cases_of(
        "tests/e2e/test_it.py::test_it", 3 * shares, monkeypatch, shares * SHARES[Tier.DEFAULT]
    )
    assert found == {
        Tier.DEFAULT: 3,
        Tier.REST: 3 * NEXT_SHARES,
        Tier.ALL: 3 * (shares - 1 - NEXT_SHARES),
    }


@pytest.mark.parametrize("seconds", [0, SHARES[Tier.DEFAULT]])
def test_a_test_that_takes_no_time_or_that_nobody_measured_is_run_by_default(seconds, monkeypatch):
    assert cases_of("tests/e2e/test_it.py::test_it", 9, monkeypatch, seconds) == {Tier.DEFAULT: 9}


def test_no_kind_waits_for_the_weekly_run(monkeypatch):
    found = cases_of(f"{KINDS[-1]}::test_it", 99, monkeypatch, 50)
    assert found.total() == found[Tier.DEFAULT] + found[Tier.REST] == 99


def test_tests_without_cases_are_of_a_share_by_their_names(monkeypatch):
    """Of a thousand names about as many are of the default tier and of the rest as the seconds have it."""
    monkeypatch.setitem(rules.SECONDS, "tests/e2e/test_it.py", 10 * SHARES[Tier.DEFAULT])
    found = tiers_counted(
        [made(name=f"tests/e2e/test_it.py::test_{number}") for number in range(1000)]
    )
    assert 60 < found[Tier.DEFAULT] < 140
    assert 60 * NEXT_SHARES < found[Tier.REST] < 140 * NEXT_SHARES


def test_a_property_has_more_examples_in_later_tiers():
    assert Tier.DEFAULT.examples < Tier.REST.examples < Tier.ALL.examples


def test_examples_are_a_share_of_those_where_all_is_run():
    """Whatever the profile, a property has three examples or more."""
    share = examples(40).max_examples
    assert examples(400).max_examples == 10 * share
    assert examples(4).max_examples == max(3, share // 10)
