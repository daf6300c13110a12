"""The schema for editors: it says of a policy's shape what the reader says."""

from __future__ import annotations

import jsonschema
import pytest
import yaml
from policies import GOOD, with_, with_column

from kanon_sql.errors import PolicyError
from kanon_sql.policy.hierarchies.order import CALENDAR
from kanon_sql.policy.read_policy import editor_schema, policy_schema, read_policy

HIERARCHIES = [
    "suppress", {"suppress": True}, {"csv": "a.csv"}, {"csv": "a.csv", "delimiter": ";"},
    {"csv": "a", "ragged": "repeat"}, {"table": "t"}, {"query": "SELECT 1, 2"}, {"mask": 5},
    {"mask": {"length": 5, "steps": [1, 3]}}, {"mask": {"length": 5, "character": "#"}},
    {"intervals": [5, 10]}, {"intervals": 5}, {"intervals": [0.1, 0.5]},
    {"intervals": {"widths": [5], "offset": 2, "bottom": 0, "top": 100}}, {"dates": ["year"]},
    {"dates": "year"}, {"dates": ["day", "week"]}, {"tree": {"*": ["a", "b"]}},
    {"tree": {"*": {"x": ["a"], "b": None}}, "ragged": "repeat"}, {"tree": {"a": ["x"], "b": ["y"]}},
]  # fmt: skip
GOOD_CHANGES = [
    {}, {"source": {"path": "a.csv", "delimiter": ";"}}, {"source": {"query": "SELECT 1"}},
    {"source": {"table": "t", "where": "a = 1"}}, {"source": {"path": "a", "where": "a = 1"}},
    {"privacy": {"k": 2, "over": "a"}}, {"privacy": [{"k": 2, "over": ["a"]}]},
    {"privacy": [{"distinct_l": {"column": "b", "l": 2}, "over": ["a"]}]},
    {"privacy": [{"distinct_l": {"column": "b", "l": 2, "beside": "others"}}],
     "columns": {"a": {"role": "quasi", "hierarchy": "suppress"}, "b": {"role": "sensitive"},
                 "c": {"role": "sensitive"}}},
    {"source": {"table": "t"}}, {"entity": {"signature": "b"}}, {"privacy": [{"k": 2}]},
    {"privacy": [{"k": 2}, {"distinct_l": {"column": "b", "l": 2}}]},
    {"privacy": {"k": 2, "distinct_l": {"column": "b", "l": 2}}}, {"suppression": 0},
    {"suppression": "4%"}, {"suppression": "0.5 %"}, {"suppression": "12"}, {"nulls": "refuse"}, {"sensitive_nulls": "value"},
    {"search": {}}, {"search": {"algorithm": "samarati", "preference": "minimum_suppression"}},
    {"search": {"metric": "loss", "aggregate": "sum", "time_limit": "60s"}},
    {"search": {"metric": "entropy", "suppressed": "counted", "time_limit": 5}}, {"release": "t"},
    {"search": {"algorithm": "greedy", "order": ["a"], "per": "record"}},
    {"search": {"algorithm": "greedy", "order": "a", "per": "attribute"}},
    {"search": {"algorithm": "mu_argus", "sets": {"most": ["a"]}, "generalize": {"a": 1}}},
    {"search": {"algorithm": "mu_argus", "sets": {"more": "a"}, "repair": "records"}},
    {"release": {"table": "t"}}, {"release": {"csv": "a.csv"}},
    {"release": {"parquet": "a", "partition_by": ["b"]}},
    {"release": {"parquet": "a", "partition_by": "b"}}, {"database": "a.duckdb"},
    {"release": {"parquet": "a", "compression": "gzip", "row_group_rows": 2048}},
    {"source": {"path": "a/*.parquet", "union_by_name": True}},
    {"source": {"path": "a.csv", "skip": 2}}, {"source": {"path": "a.csv", "skip": 0}},
    {"release": {"table": "t", "view": True}}, {"release": {"table": "t", "view": False}},
    {"attach": {"other": "b.duckdb"}}, {"attach": {}}, {"search": {"generalization_factor": 0.7}},
    *({"columns": {"a": {"role": "quasi", "hierarchy": {"mask": 5}, **own}, "b": {"role": "sensitive"}}}
      for own in ({"levels": {"least": 1}}, {"levels": {"least": 1, "most": 3}}, {"weight": 0.5}, {"weight": 2})),
    {"source": "t", "release": {"in_place": True, "keep_original": "raw", "accept": "view v"}},
    {"source": "t", "release": {"in_place": True, "drop_original": True, "accept": ["a", "b"]}},
]  # fmt: skip
BAD_CHANGES = [
    {"version": None}, {"version": 2}, {"version": "1"}, {"source": None}, {"source": ""},
    {"source": {"query": "SELECT 1", "where": "a = 1"}}, {"source": {"where": "a = 1"}},
    {"source": {"table": "t", "where": ""}}, {"privacy": {"over": ["a"]}},
    {"privacy": {"k": 2, "beside": "others"}},
    {"privacy": {"distinct_l": {"column": "b", "l": 2, "beside": "b"}}},
    {"privacy": {"k": 2, "over": []}}, {"privacy": {"k": 2, "over": 5}},
    {"source": 5}, {"source": {}}, {"source": {"path": "a", "table": "b"}}, {"entity": None},
    {"entity": ""}, {"entity": 5}, {"columns": None}, {"columns": []}, {"columns": {}},
    {"columns": {"a": {}}}, {"columns": {"a": {"role": "other"}}}, {"columns": {"a": {"role": "quasi"}}},
    {"columns": {"a": {"role": ["quasi", "sensitive"], "hierarchy": "suppress"}}},
    {"privacy": None}, {"privacy": []}, {"privacy": {}}, {"privacy": {"k": 0}}, {"privacy": {"k": "x"}},
    {"privacy": {"k": 2.5}}, {"privacy": {"m": 2}}, {"privacy": {"distinct_l": {"column": "b"}}},
    {"suppression": -1}, {"suppression": 0.5}, {"suppression": "half"}, {"suppression": "-4%"},
    {"nulls": "other"}, {"sensitive_nulls": "counted"}, {"search": {"metric": "other"}}, {"search": {"speed": 1}},
    {"search": {"algorithm": "greedy", "per": "row"}}, {"search": {"algorithm": "greedy", "order": 5}},
    {"search": {"algorithm": "mu_argus", "sets": {}}}, {"search": {"algorithm": "mu_argus", "sets": ["a"]}},
    {"search": {"algorithm": "mu_argus", "sets": {"identifying": ["a"]}}},
    {"search": {"algorithm": "mu_argus", "generalize": {"a": -1}}},
    {"search": {"algorithm": "mu_argus", "generalize": ["a"]}},
    {"search": {"algorithm": "mu_argus", "repair": "cells"}},
    {"search": {"time_limit": "soon"}}, {"search": {"time_limit": 0}}, {"search": []},
    {"release": ""}, {"release": {}}, {"release": {"csv": "a", "table": "b"}},
    {"release": {"csv": "a", "partition_by": ["b"]}}, {"release": {"parquet": "a", "partition_by": []}},
    {"database": 5}, {"colour": "red"}, {"release": {"csv": "a", "compression": "gzip"}},
    {"release": {"parquet": "a", "compression": "lz4"}}, {"release": {"parquet": "a", "row_group_rows": 0}},
    {"source": {"table": "t", "skip": 1}}, {"source": {"path": "a", "skip": -1}}, {"source": {"path": "a", "skip": "1"}},
    {"source": {"table": "t", "union_by_name": True}}, {"source": {"path": "a", "union_by_name": 1}},
    {"database": 5}, {"colour": "red"}, {"release": {"table": "t", "view": "yes"}},
    {"release": {"csv": "a", "view": True}}, {"attach": {"a": ""}}, {"attach": "b.duckdb"},
    {"database": 5}, {"colour": "red"}, {"search": {"generalization_factor": 2}},
    {"search": {"generalization_factor": "even"}},
    *({"columns": {"a": {"role": "quasi", "hierarchy": {"mask": 5}, **own}, "b": {"role": "sensitive"}}}
      for own in ({"levels": {}}, {"levels": 1}, {"levels": {"least": -1}}, {"levels": {"last": 1}}, {"weight": 0})),
    {"source": "t", "release": {"in_place": True}},
    {"source": "t", "release": {"in_place": False, "drop_original": True}},
    {"source": "t", "release": {"in_place": True, "keep_original": "a", "drop_original": True}},
    {"source": "t", "release": {"in_place": True, "drop_original": True, "table": "a"}},
]  # fmt: skip
BAD_HIERARCHIES = [
    "other", {}, 5, [], {"csv": ""}, {"csv": "a", "mask": 5}, {"csv": "a", "ragged": "yes"},
    {"csv": "a", "delimiter": ";;"}, {"csv": "a", "delimiter": ""}, {"mask": 0}, {"mask": "5"},
    {"mask": {}}, {"mask": {"length": 5, "character": "##"}}, {"intervals": []}, {"intervals": [0]},
    {"intervals": ["x"]}, {"intervals": {}}, {"intervals": {"widths": [5], "edge": 1}},
    {"dates": []}, {"dates": ["fortnight"]}, {"tree": {}}, {"tree": ["a", "b"]},
    {"tree": "x"}, {"suppress": False}, {"mask": 5, "ragged": "repeat"},
    {"mask": 10**9}, {"mask": {"length": 10**9, "steps": [1]}},
]  # fmt: skip
ORDERS = [
    {"order": "number"}, {"order": "number", "snap": 5}, {"order": "number", "snap": 0.5}, {"order": "text"},
    {"order": ["x", "y"]}, {"order": "date"}, *({"order": "date", "snap": each} for each in CALENDAR),
]  # fmt: skip
BAD_SNAPS = [0, -5, True, None, [], [5], {"width": 5}, "week", "5", ""]


def accepted(policy):
    try:
        read_policy(policy)
    except PolicyError:
        return False
    return True


def valid(policy):
    return jsonschema.Draft202012Validator(policy_schema()).is_valid(policy)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(policy_schema())


def test_the_schema_accepts_the_policy_of_the_readme():
    assert valid(yaml.safe_load(GOOD))


@pytest.mark.parametrize("change", GOOD_CHANGES, ids=str)
def test_the_schema_accepts_what_the_reader_accepts(change):
    assert accepted(with_(**change))
    assert valid(with_(**change))


@pytest.mark.parametrize("hierarchy", HIERARCHIES, ids=str)
def test_the_schema_accepts_every_hierarchy_that_the_reader_accepts(hierarchy):
    policy = with_column(role="quasi", hierarchy=hierarchy)
    assert accepted(policy)
    assert valid(policy)


@pytest.mark.parametrize("change", BAD_CHANGES, ids=str)
def test_the_schema_and_the_reader_reject_faults_of_shape(change):
    assert not accepted(with_(**change))
    assert not valid(with_(**change))


@pytest.mark.parametrize("hierarchy", BAD_HIERARCHIES, ids=str)
def test_the_schema_and_the_reader_reject_hierarchies_of_no_shape(hierarchy):
    policy = with_column(role="quasi", hierarchy=hierarchy)
    assert not accepted(policy)
    assert not valid(policy)


@pytest.mark.parametrize("entry", ORDERS, ids=str)
def test_the_schema_accepts_every_order_that_the_reader_accepts(entry):
    policy = with_column(role="quasi", hierarchy="suppress", **entry)
    assert accepted(policy)
    assert valid(policy)


@pytest.mark.parametrize("snap", BAD_SNAPS, ids=str)
@pytest.mark.parametrize("order", ["number", "date"])
def test_the_schema_and_the_reader_reject_units_of_no_shape(order, snap):
    policy = with_column(role="quasi", hierarchy="suppress", order=order, snap=snap)
    assert not accepted(policy)
    assert not valid(policy)


def test_the_schema_has_the_earlier_name_of_a_key_as_deprecated():
    local = {"algorithm": "optimal", "recoding": "local"}
    for search in ({**local, "layers": 3}, {"recoding": "cells", "layers": 2}):
        assert accepted(with_(search=search))
        assert valid(with_(search=search))
    for search in ({**local, "layers": 3, "max_nodes": 3}, {**local, "layers": 1}):
        assert not accepted(with_(search=search))
        assert not valid(with_(search=search))
    forms = editor_schema()["properties"]["search"]["anyOf"]
    earlier = [form["properties"]["layers"] for form in forms]
    assert all(each["deprecated"] and "max_nodes" in each["description"] for each in earlier)
