"""Each test is of one tier, by what it asks for: the default one, or the rest."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from tiers import ENGINES, REST, TIERS, chosen, examples, is_property, reasons


@pytest.fixture(scope="module")
def tiers(request):
    """Of each collected test, those of both tiers: what puts it in the rest."""
    return request.config.stash[TIERS]


def test_what_puts_a_test_in_the_rest_is_a_fixture_an_engine_or_a_mark(tiers):
    known = {*REST, "slow", "sampled"} | {f"place={each}" for each in ENGINES}
    known |= {f"{name}={each}" for name in ("server", "engine", "db") for each in ENGINES}
    assert {each for why in tiers.values() for each in why} <= known


def test_no_fixture_is_named_in_vain(tiers, request):
    if "tests" not in request.config.args:
        pytest.skip("not all tests were collected")
    assert {*REST} <= {each for why in tiers.values() for each in why}


def test_of_each_server_one_test_is_in_the_default_tier(tiers):
    named = re.compile(rf"^tests/engines/.*\[({'|'.join(ENGINES)})\]$")
    found = {
        name.partition("[")[0] for name, why in tiers.items() if named.search(name) and not why
    }
    assert found <= {"tests/engines/test_smoke.py::test_the_same_plan_and_the_same_release"}


def made(fixtures=(), params=None, *marks, of_hypothesis=False):
    """What pytest collects, as far as a tier follows from it."""
    found = SimpleNamespace(
        fixturenames=fixtures,
        get_closest_marker=lambda name: name if name in marks else None,
        obj=SimpleNamespace(is_hypothesis_test=of_hypothesis),
    )
    if params is not None:
        found.callspec = SimpleNamespace(params=params)
    return found


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (made(["tmp_path", "place"], {"place": "duckdb"}), []),
        (made(["tmp_path", "place"], {"place": "spark"}), ["place=spark"]),
        (made(["place"], {"place": "spark"}, "smoke"), []),
        (made(["server", "places"], {"server": "postgres"}), ["server", "server=postgres"]),
        (made(["postgres", "java"]), ["postgres", "java"]),
        (made([], {"dialect": "spark"}), []),
        (made([], {"engine": ["spark"]}), []),
        (made(["killer"], None, "slow"), ["killer", "slow"]),
    ],
)
def test_the_tier_of_a_test_follows_from_what_it_asks_for(item, why):
    assert reasons(item) == why
    assert chosen(item, why, rest=True) is not chosen(item, why, rest=False)


def test_a_property_has_few_examples_by_default_and_many_in_the_rest():
    item = made(of_hypothesis=True)
    assert is_property(item)
    assert chosen(item, [], rest=True)
    assert chosen(item, [], rest=False)
    assert not chosen(item, ["slow"], rest=False)


def test_examples_are_a_share_of_those_of_the_rest(request):
    """Whatever the profile, a property has three examples or more."""
    share = examples(40).max_examples
    assert examples(400).max_examples == 10 * share
    assert examples(4).max_examples == max(3, share // 10)
