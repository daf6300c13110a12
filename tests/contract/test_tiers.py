"""Each test is of one tier, by what it asks for: the default one, or the rest."""

from __future__ import annotations

import re
from itertools import product
from types import SimpleNamespace

import pytest
from tiers import ENGINES, REST, TIERS, Tier, examples, tiers_of


@pytest.fixture(scope="module")
def tiers(request):
    """Of each collected test, those of both tiers: what puts it in the rest."""
    return request.config.stash[TIERS]


def test_what_puts_a_test_in_the_rest_is_a_fixture_an_engine_or_a_mark(tiers):
    known = {*REST, "slow", "sampled"} | {f"place={each}" for each in ENGINES}
    known |= {f"{name}={each}" for name in ("server", "engine", "db") for each in ENGINES}
    assert {each for tier in tiers.values() for each in tier.why} <= known


def test_each_test_is_in_one_tier_and_a_property_in_the_default_one_or_both(tiers):
    both = {name for name, tier in tiers.items() if tier.runs(rest=True) and tier.runs(rest=False)}
    assert all(tier.runs(rest=True) or tier.runs(rest=False) for tier in tiers.values())
    assert both == {name for name, tier in tiers.items() if tier.of_property and not tier.why}


def test_no_fixture_is_named_in_vain(tiers, request):
    if "tests" not in request.config.args:
        pytest.skip("not all tests were collected")
    assert {*REST} <= {each for tier in tiers.values() for each in tier.why}


def test_of_each_server_one_test_is_in_the_default_tier(tiers):
    named = re.compile(rf"^tests/engines/.*\[({'|'.join(ENGINES)})\]$")
    found = [name for name, tier in tiers.items() if named.search(name) and not tier.why]
    assert {name.partition("[")[0] for name in found} <= {
        "tests/engines/test_smoke.py::test_the_same_plan_and_the_same_release"
    }


def made(fixtures=(), params=None, *marks, matrix=(), of_hypothesis=False):
    """What pytest collects, as far as a tier follows from it."""
    marked = {mark.name: mark for mark in (each.mark for each in marks)}
    found = SimpleNamespace(
        nodeid=str(params),
        fixturenames=fixtures,
        get_closest_marker=marked.get,
        iter_markers=lambda _: [pytest.mark.parametrize(each, []).mark for each in matrix],
        obj=SimpleNamespace(is_hypothesis_test=of_hypothesis),
    )
    if params is not None:
        found.callspec = SimpleNamespace(params=params)
    return found


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (made(["tmp_path", "place"], {"place": "duckdb"}), ()),
        (made(["tmp_path", "place"], {"place": "spark"}), ("place=spark",)),
        (made(["place"], {"place": "spark"}, pytest.mark.smoke), ()),
        (made(["server", "places"], {"server": "postgres"}), ("server", "server=postgres")),
        (made(["postgres", "java"]), ("postgres", "java")),
        (made([], {"dialect": "spark"}), ()),
        (made([], {"engine": ["spark"]}), ()),
        (made(["killer"], None, pytest.mark.slow), ("killer", "slow")),
    ],
)
def test_the_tier_of_a_test_follows_from_what_it_asks_for(item, why):
    (tier,) = tiers_of([item]).values()
    assert tier == Tier(why, of_property=False)
    assert tier.runs(rest=True) is bool(why)
    assert tier.runs(rest=False) is not bool(why)


def test_of_a_matrix_every_nth_case_is_in_the_default_tier_and_each_value_is():
    cases = list(product("abc", (1, 2, 3)))
    items = [
        made([], {"x": x, "y": y}, pytest.mark.sampled(3), matrix=("x", "y")) for x, y in cases
    ]
    for number, item in enumerate(items):
        item.nodeid = f"test_it[{number}]"
    kept = [
        case
        for case, tier in zip(cases, tiers_of(items).values(), strict=True)
        if tier.runs(rest=False)
    ]
    assert kept == [("a", 1), ("b", 3), ("c", 2)]


def test_a_property_has_few_examples_by_default_and_many_in_the_rest():
    (tier,) = tiers_of([made(of_hypothesis=True)]).values()
    assert tier.runs(rest=True)
    assert tier.runs(rest=False)
    assert not Tier(("slow",), of_property=True).runs(rest=False)


def test_examples_are_a_share_of_those_of_the_rest():
    """Whatever the profile, a property has three examples or more."""
    share = examples(40).max_examples
    assert examples(400).max_examples == 10 * share
    assert examples(4).max_examples == max(3, share // 10)
