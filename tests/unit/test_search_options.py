"""Odd options of a search are one clear fault each, with its line; what goes with what is one table."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from offenders import offenders
from policies import with_

from kanon_sql.errors import PolicyError
from kanon_sql.policy.policy_rules import conflicts
from kanon_sql.policy.read_policy import OVERRIDES, overridden, read_policy
from kanon_sql.policy.search import Recode, Search, dropped_options
from kanon_sql.policy.search_options import (
    Algorithm,
    At,
    Choose,
    Datafly,
    Dealing,
    Greedy,
    Mondrian,
    MuArgus,
    Per,
    TopDown,
    default_options,
    options_of,
)
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, CutAlgorithm

POLICY = """\
version: 1
source: t
entity: row
columns:
  zip: {role: quasi, hierarchy: {mask: 5}, order: text}
  age: {role: quasi, hierarchy: suppress, order: text}
  disease: {role: sensitive}
privacy: {k: 3}
search:
  algorithm: ALGORITHM
  OPTION: VALUE
"""
OF = {
    **{name: algorithm for algorithm in reversed(Algorithm) for name in options_of(algorithm)},
    **dict.fromkeys(("score", "average"), f"{Algorithm.TOP_DOWN}\n  target: disease"),
    **dict.fromkeys(("metric", "aggregate", "recoding", "time_limit"), Algorithm.OPTIMAL),
    "max_nodes": f"{Algorithm.OPTIMAL}\n  recoding: local",
    "suppressed": f"{Algorithm.OPTIMAL}\n  metric: entropy",
}
ODD = [
    "null", "true", "-1", "0.5e400", ".nan", ".inf", "!!float NaN", "!!float sNaN", "!!float Infinity",
    "9" * 30, f"0x{'f' * 5000}", f"1{'0' * 400}", "''", "[]", "[[]]", "[{}]", "[null]", "[ZIP]", "nope",
    "disease", "[disease]", "[zip, zip]", "\"\\x1b[31m\"", "😀", '"\\uff16\\uff10s"', "-5s", "0s", "1e3s",
    "{zip: -1}", "{zip: 1.5}", "{zip: null}", "{zip: .nan}", f"{{zip: 0x{'f' * 5000}}}", "{disease: 1}",
    "{nope: 1}", "{nope: []}", "{more: []}", "{more: null}",
    "{more: [zip, zip]}", "{most: [disease]}", "{identifying: [zip]}", "{least: [zip]}", "2020-01-01",
    "!!binary aaa", "!!python/name:os.system", "[a: b]",
]  # fmt: skip
RIGHT = {("weights", "{zip: 1.5}"), ("target", "disease")}


@pytest.mark.slow
def test_an_odd_value_is_one_fault_with_its_line(tmp_path):
    path = tmp_path / "policy.yml"

    def check(option, value):
        text = POLICY.replace("ALGORITHM", OF[option]).replace("OPTION", option)
        path.write_text(text.replace("VALUE", value), encoding="utf-8")
        with pytest.raises(PolicyError) as caught:
            read_policy(path)
        (fault,) = caught.value.faults
        assert fault.line == len(text.splitlines())
        assert fault.where.startswith(f"search.{option}")
        assert len(str(caught.value)) < len(str(path)) + 300

    assert offenders(check, {*product(OF, ODD)} - RIGHT) == {}


@pytest.mark.parametrize("value", ["9" * 30, f"0x{'f' * 5000}", ".nan", "!!float NaN", "-1"])
@pytest.mark.parametrize("key", ["privacy: {k: VALUE}", "suppression: VALUE"])
def test_an_odd_bound_is_one_fault_with_its_line(tmp_path, key, value):
    path = tmp_path / "policy.yml"
    kept = POLICY.partition("privacy:" if key.startswith("privacy") else "search:")[0]
    path.write_text(f"{kept}{key.replace('VALUE', value)}\n", encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    (fault,) = caught.value.faults
    assert fault.line == len(kept.splitlines()) + 1


def joint(**search):
    columns = {name: {"role": "quasi", "hierarchy": "suppress"} for name in "ab"}
    policy = read_policy(with_(columns=columns, privacy=[{"k": 2}, {"k": 3, "over": ["a"]}]))
    return replace(policy, search=Search(**search))


@pytest.mark.parametrize(
    ("search", "where"),
    [
        ({}, []),
        ({"recoding": Recode.LOCAL}, ["recoding"]),
        ({"options": Datafly()}, ["algorithm"]),
        ({"options": Greedy()}, []),
        ({"options": Greedy(per=Per.RECORD)}, ["per"]),
        (
            {"options": MuArgus(), "recoding": Recode.CELLS},
            ["recoding", "recoding", "algorithm"],
        ),
    ],
)
def test_what_goes_with_several_sets_of_quasi_identifiers(search, where):
    assert [option for option, _ in conflicts(joint(**search))] == where
    if where:
        with pytest.raises(PolicyError):
            overridden(joint(**search), {})


def test_a_bound_that_binds_nothing_is_no_other_set():
    policy = joint(recoding=Recode.LOCAL)
    privacy = (
        policy.privacy[0],
        replace(policy.privacy[1], model=replace(policy.privacy[1].model, k=1)),
    )
    assert list(conflicts(replace(policy, privacy=privacy))) == []


@pytest.mark.parametrize(
    ("search", "where"),
    [
        ({}, []),
        ({"choose": Choose.LOSS, "weights": (("a", 2),)}, []),
        ({"choose": Choose.LOSS, "at": At.MEDIAN}, ["at"]),
        ({"choose": Choose.LOSS, "target": "disease"}, ["target"]),
        ({"choose": Choose.INFORMATION}, ["target"]),
        ({"choose": Choose.INFORMATION, "target": "disease"}, []),
        ({"choose": Choose.VARIANCE}, ["target"]),
        ({"choose": Choose.VARIANCE, "target": "visit", "weights": (("a", 2),)}, ["weights"]),
        ({"target": "disease"}, ["target"]),
        ({"cuts": Dealing.RELAXED}, []),
        ({"cuts": Dealing.RELAXED, "weights": (("a", 2),)}, []),
        ({"cuts": Dealing.RELAXED, "at": At.MEDIAN}, ["at"]),
        ({"cuts": Dealing.RELAXED, "choose": Choose.LOSS}, ["cuts"]),
    ],
)
def test_what_goes_with_each_choice_of_mondrian(search, where):
    policy = read_policy(with_(privacy={"k": 2}))
    search = Search(Mondrian(**search))
    assert [option for option, _ in conflicts(replace(policy, search=search))] == where


def test_a_target_goes_with_a_search_that_has_one():
    """Mondrian chooses by none unless it is said, so it is left out; the others keep their own."""
    of_parts = Search(TopDown(target="disease"))
    told = Search(Mondrian(choose=Choose.INFORMATION, target="disease"))
    assert of_parts.switched(Algorithm.MONDRIAN) == Search(Mondrian())
    assert of_parts.switched(Algorithm.BOTTOM_UP).target == "disease"
    assert told.switched(Algorithm.TOP_DOWN) == of_parts
    assert told.switched(Algorithm.OPTIMAL) == Search()


def test_every_algorithm_that_is_told_of_is_one_that_is_found():
    assert set(ALGORITHMS) == set(Algorithm)
    assert all(option.shape.written for name in Algorithm for option in options_of(name).values())


@pytest.mark.parametrize("algorithm", Algorithm)
def test_switching_leaves_out_what_it_names(algorithm):
    options = Greedy(("a",), Per.RECORD)
    search = Search(options, recoding=Recode.LOCAL, max_nodes=3, time_limit=5.0)
    after = search.switched(algorithm)
    gone = dropped_options(search, after, {"algorithm"})
    kept = algorithm is Algorithm.GREEDY
    assert (after.options == options) is kept
    assert {"per", "order"} & set(gone) == (set() if kept else {"per", "order"})
    for name in ("recoding", "max_nodes"):
        assert (getattr(after, name) == getattr(Search(), name)) == (name in gone)
    assert "time_limit" not in gone
    assert dropped_options(search, search, set()) == ()


def test_any_value_said_instead_is_taken_or_is_a_policy_error():
    policy = read_policy(with_(search={"recoding": "local"}))

    def check(name, value):
        try:
            found = overridden(policy, {name: value})
        except PolicyError as error:
            assert [fault.where for fault in error.faults] == [name]  # noqa: PT017  or it is taken
            return
        assert found.digest

    values = [None, True, -1, 0, 1.5, float("nan"), [], {}, ["a"], b"x", "😀"]
    assert offenders(check, product(OVERRIDES.keys, values)) == {}


def test_the_policy_and_the_registry_agree_on_what_needs_no_lattice():
    cuts = [name for name, each in ALGORITHMS.items() if isinstance(each, CutAlgorithm)]
    assert cuts == [name for name in ALGORITHMS if default_options(name).cuts_axes]


@pytest.mark.parametrize("counted", ["count_suppressed", "ignore_suppressed"])
def test_the_option_of_suppressed_rows_is_named_as_a_policy_writes_it(counted):
    assert Search(**{counted: True}).stated() == {"suppressed": True}
