"""Entries of a policy are replaced in its text: what else it says, comments too, stays as it was."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.apps.explorer.adjustable_entries import APPEND, edited, flow
from kanon_sql.errors import PolicyError

FLOW = """\
version: 1  # of the format
columns:
  zip: {role: quasi, hierarchy: {mask: 5}}   # 02134 is a text
  age:
    role: quasi
    # in years
    hierarchy:
      intervals: [5, 10]  # two

  job: {role: quasi, hierarchy: {tree: {all: [02134, 010]}}}
privacy: {k: 5}
# the end
"""
LISTED = (
    "privacy:\n  - {k: 5}  # why\n  - distinct_l:\n      column: ill\n      l: 2\nsuppression: 1%\n"
)


def test_a_bound_is_replaced_where_it_stands():
    assert edited(FLOW, [(("privacy", "k"), 7)], "p") == FLOW.replace("{k: 5}", "{k: 7}")


def test_a_block_is_replaced_by_one_line_and_its_comment_stays():
    text = edited(FLOW, [(("columns", "age", "hierarchy"), {"intervals": [7]})], "p")
    assert text == FLOW.replace("intervals: [5, 10]", "{intervals: [7]}")


def test_entries_are_added_to_mappings_of_either_form():
    levels = {"least": 1, "most": 1}
    edits = [(("columns", name, "levels"), levels) for name in ("zip", "age")]
    text = edited(FLOW, [*edits, (("suppression",), "4%")], "p")
    assert "hierarchy: {mask: 5}, levels: {least: 1, most: 1}}   # 02134" in text
    assert "[5, 10]  # two\n    levels: {least: 1, most: 1}\n" in text
    assert "privacy: {k: 5}\nsuppression: 4%\n# the end" in text
    assert "[02134, 010]" in text


def test_models_are_appended_to_a_list_and_beside_a_single_one():
    one, two = (
        {"distinct_l": {"column": "ill", "l": 2}},
        {"t_closeness": {"column": "ill", "t": 0.3}},
    )
    text = edited(FLOW, [(("privacy", APPEND), one), (("privacy", APPEND), two)], "p")
    assert yaml.safe_load(text)["privacy"] == [{"k": 5}, one, two]
    text = edited(LISTED, [(("privacy", APPEND), two), (("privacy", 1, "distinct_l", "l"), 3)], "p")
    assert yaml.safe_load(text)["privacy"][2] == two
    assert "  - {k: 5}  # why\n" in text
    assert "      l: 3\n" in text


def test_an_entry_that_an_alias_shares_is_refused():
    text = "columns:\n  a: &one {hierarchy: suppress}\n  b: *one\n"
    with pytest.raises(PolicyError, match="aliases"):
        edited(text, [(("columns", "b", "hierarchy"), {"mask": 5})], "p")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(
    st.dictionaries(st.sampled_from(["a", "b b", "1", "c: d"]), PLAIN, min_size=1, max_size=4),
    st.sampled_from(["a", "b b", "1", "c: d", "new"]),
    PLAIN,
    st.booleans(),
)
def test_the_text_says_what_was_asked_and_else_the_same(document, key, value, one_line):
    text = yaml.safe_dump(document, default_flow_style=one_line, allow_unicode=True)
    found = edited(text, [((key,), value)], "p")
    assert yaml.safe_load(found) == {**document, key: value}


@given(PLAIN)
def test_a_value_on_one_line_reads_as_itself(value):
    text = flow(value)
    assert yaml.safe_load(text) == value
    assert "\n" not in text
