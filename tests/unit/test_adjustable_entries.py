"""Which entries of a policy the page may change, and what it may say of them."""

from __future__ import annotations

import pytest

from kanon_sql.apps.explorer.adjustable_entries import LONGEST, AdjustableEntries
from kanon_sql.errors import InputError, PolicyError
from kanon_sql.policy.read_policy import read_policy

POLICY = """\
version: 1
source: people.csv
entity: row
columns:
  zip: {role: quasi, hierarchy: {mask: 5}}
  job: {role: quasi, hierarchy: {csv: jobs.csv}}
  ill: {role: sensitive}
  cost: {role: sensitive}
privacy:
  - {k: 5}
  - {k: 9, over: [zip]}
  - {t_closeness: {column: ill, t: 0.2, distance: equal}}
  - {recursive_l: {column: cost, c: 3, l: 2}}
"""


@pytest.fixture
def entries(tmp_path):
    (tmp_path / "p.yml").write_text(POLICY)
    return AdjustableEntries(POLICY, read_policy(tmp_path / "p.yml"))


def test_each_number_of_a_model_is_an_entry_and_models_that_are_not_asked_are_offered(entries):
    bounds = [(e.name, e.words, e.of) for e in entries.entries.values() if e.kind == "bound"]
    assert bounds == [
        ("k", "5", ""),
        ("k", "9", "over zip"),
        ("t", "0.2", "ill"),
        ("c", "3", "cost"),
        ("l", "2", "cost"),
    ]
    whole = {(e.name, e.of) for e in entries.entries.values() if e.kind == "bound" and e.whole}
    assert whole == {("k", ""), ("k", "over zip"), ("l", "cost")}
    offered = {(e.model, e.of) for e in entries.entries.values() if e.kind == "model"}
    assert offered == {("distinct_l", "ill"), ("distinct_l", "cost"), ("t_closeness", "cost")}


def test_a_hierarchy_that_names_a_file_is_not_the_page_s_to_change(entries):
    fixed = {e.of: e.fixed for e in entries.entries.values() if e.kind == "hierarchy"}
    assert fixed == {"zip": False, "job": True}
    for words in ("{csv: other.csv}", "{table: t}", "{query: SELECT 1}", "[mask]", "5"):
        with pytest.raises(InputError):
            entries.edited({"hierarchy-zip": words}, {})


def test_bounds_are_numbers_and_entries_are_known_and_short(entries):
    for words in ("[1]", "{a: 1}", "null", "true"):
        with pytest.raises(PolicyError):
            entries.edited({"privacy-0-k": words}, {})
    for words in ({"nothing": "5"}, {"privacy-0-k": "5" * (LONGEST + 1)}):
        with pytest.raises(InputError):
            entries.edited(words, {})


def test_what_is_as_in_the_policy_changes_nothing(entries):
    same = {e.key: e.words for e in entries.entries.values() if e.words and e.key != "suppression"}
    assert entries.edited(same, {}) == POLICY


def test_a_fault_is_led_back_to_its_entry(entries):
    assert entries.key_of("privacy[2].t_closeness.t") == "privacy-2-t_closeness-t"
    assert entries.key_of("columns.zip.hierarchy.mask") == "hierarchy-zip"
    assert entries.key_of("source") is None
