"""Reading the `hierarchy:` entry: the shapes, their defaults, and every fault."""

from __future__ import annotations

import contextlib
from decimal import Decimal

import pytest

from kanon_sql.base.documents.keys import read_mapping, read_yaml
from kanon_sql.base.documents.shapes import Refused
from kanon_sql.errors import PolicyError
from kanon_sql.policy.hierarchies.codes import CodeHierarchy
from kanon_sql.policy.hierarchies.entries import (
    CsvHierarchy,
    QueryHierarchy,
    TableHierarchy,
    TreeHierarchy,
)
from kanon_sql.policy.hierarchies.specs import (
    HIERARCHY,
    DateHierarchy,
    DateUnit,
    IntervalHierarchy,
    MaskHierarchy,
    SuppressHierarchy,
)


def read(value):
    """The specification; no fault may be noted."""
    item = read_mapping(value)
    spec = HIERARCHY.read(item)
    assert item.faults == []
    return spec


def faults(value):
    item = read_mapping(value)
    with contextlib.suppress(Refused):
        HIERARCHY.read(item)
    assert item.faults
    return [(fault.where, fault.what) for fault in item.faults]


def from_yaml(text):
    item = read_yaml(text, "test")
    spec = None
    with contextlib.suppress(Refused):
        spec = HIERARCHY.read(item)
    return spec, [(fault.line, fault.what) for fault in item.faults]


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        ("suppress", SuppressHierarchy()),
        ({"suppress": True}, SuppressHierarchy()),
        ({"csv": "a.csv"}, CsvHierarchy("a.csv")),
        ({"csv": "a.csv", "delimiter": "\t"}, CsvHierarchy("a.csv", "\t")),
        ({"csv": "a.csv", "ragged": "repeat"}, CsvHierarchy("a.csv", None, ragged=True)),
        ({"table": "a.b"}, TableHierarchy("a.b")),
        ({"query": "SELECT 1"}, QueryHierarchy("SELECT 1")),
        ({"mask": 5}, MaskHierarchy(5)),
        ({"mask": {"length": 5, "steps": [2, 4]}}, MaskHierarchy(5, (2, 4))),
        ({"mask": {"length": 5, "steps": 2, "character": "#"}}, MaskHierarchy(5, (2,), "#")),
        ({"code": "icd10"}, CodeHierarchy("icd10")),
        ({"dates": "year"}, DateHierarchy((DateUnit.YEAR,))),
        ({"dates": ["day", "week"]}, DateHierarchy((DateUnit.DAY, DateUnit.WEEK))),
        (
            {"dates": ["day", "month", "quarter", "year", "decade", "century"]},
            DateHierarchy(
                tuple(u for u in DateUnit if u is not DateUnit.WEEK and "years" not in u)
            ),
        ),
        ({"intervals": 5}, IntervalHierarchy((Decimal(5),))),
        (
            {"intervals": [Decimal("1e-15"), 999999999999999]},
            IntervalHierarchy((Decimal("1e-15"), Decimal(999999999999999))),
        ),
        ({"intervals": [0.1, 0.5]}, IntervalHierarchy((Decimal("0.1"), Decimal("0.5")))),
        (
            {"intervals": {"widths": [5, 10], "offset": -3, "bottom": 0, "top": 90}},
            IntervalHierarchy((Decimal(5), Decimal(10)), Decimal(-3), Decimal(0), Decimal(90)),
        ),
    ],
    ids=str,
)
def test_a_hierarchy_is_read(value, spec):
    assert read(value) == spec


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "must be suppress, or a mapping"),
        ("mask", "must be suppress, or a mapping"),
        (5, "must be suppress, or a mapping"),
        ([], "must be suppress, or a mapping"),
        ({}, "exactly one of"),
        ({"csv": "a", "table": "b"}, "exactly one of"),
        ({"csvs": "a"}, "did you mean csv"),
        ({"csv": ""}, "must be a text"),
        ({"csv": 5}, "must be a text"),
        ({"csv": "a", "delimiter": ";;"}, "one character"),
        ({"table": "a", "delimiter": ";"}, "goes with csv"),
        ({"mask": 5, "ragged": "repeat"}, "goes with csv or table or query or tree"),
        ({"csv": "a", "ragged": True}, "must be repeat"),
        ({"suppress": False}, "must be true"),
        ({"code": "icd11"}, "must be one of icd10, icd9"),
        ({"code": ["icd10"]}, "must be one of icd10, icd9"),
        ({"code": "icd10", "match": "trim"}, "goes with csv or table or query or tree"),
        ({"mask": 0}, "at least 1"),
        ({"mask": "5"}, "whole number"),
        ({"mask": True}, "whole number"),
        ({"mask": 10**9}, "at most 10,000"),
        ({"mask": {}}, "has no length"),
        ({"mask": {"length": 3, "steps": [2, 1]}}, "must grow"),
        ({"mask": {"length": 3, "steps": [1, 4]}}, "must grow"),
        ({"mask": {"length": 3, "character": "**"}}, "one character"),
        ({"intervals": []}, "list of widths"),
        ({"intervals": [0]}, "more than 0"),
        ({"intervals": [-5]}, "more than 0"),
        ({"intervals": [5, 5]}, "multiple of the width before"),
        ({"intervals": [10, 5]}, "multiple of the width before"),
        ({"intervals": [5, 12]}, "multiple of the width before"),
        ({"intervals": [Decimal("1e-15"), Decimal("1e-16")]}, "at most 15"),
        (
            {"intervals": [Decimal("2e-15"), Decimal("100000000000000.000000000000001")]},
            "multiple of the width before",
        ),
        ({"intervals": [0.2, 0.5]}, "multiple of the width before"),
        ({"intervals": ["five"]}, "must be a number"),
        ({"intervals": [float("nan")]}, "finite"),
        ({"intervals": [float("inf")]}, "finite"),
        ({"intervals": {}}, "has no widths"),
        ({"intervals": {"widths": [5], "top": 0, "bottom": 0}}, "must be above bottom"),
        ({"intervals": {"widths": [5], "top": "x"}}, "must be a number"),
        ({"intervals": {"widths": [5], "tops": 5}}, "did you mean top"),
        ({"dates": []}, ""),
        ({"dates": ["fortnight"]}, "must be one of"),
        ({"dates": ["year", "month"]}, "grow from fine to coarse"),
        ({"dates": ["year", "year"]}, "grow from fine to coarse"),
        ({"dates": ["week", "month"]}, "weeks cross"),
        ({"dates": ["month", "week"]}, "only day can come before week"),
        ({"tree": {}}, "mapping of roots"),
        ({"tree": []}, "mapping of roots"),
        ({"tree": "a"}, "mapping of roots"),
        ({"tree": {"a": None, "b": None}}, "values alone"),
        ({"tree": {"a": ["x"], "b": ["x"]}}, "1 leaves twice"),
        ({"tree": {"a": ["x"], "b": {"c": ["y"]}}}, "different depths"),
        ({"tree": {"*": {}}}, "no leaf"),
        ({"tree": {"*": []}}, "no leaf"),
        ({"tree": {"*": {"a": ["x"], "b": None}}}, "different depths"),
        ({"tree": {"*": ["x", "x"]}}, "1 leaves twice"),
        ({"tree": {"*": {"a": ["x"], "b": ["x"]}}}, "1 leaves twice"),
    ],
    ids=str,
)
def test_a_faulty_hierarchy_says_what_is_wrong(value, told):
    assert any(told in what for _, what in faults(value))


@pytest.mark.parametrize(
    "widths",
    [[10**40], [1, 10**40], [Decimal("1e-16")], [Decimal("1e99")]],
    ids=str,
)
def test_widths_beyond_the_arithmetic_are_faults(widths):
    """Places are DECIMAL(30, 15): a finer or a wider interval cannot be told from its neighbour."""
    assert faults({"intervals": widths})


@pytest.mark.parametrize("key", ["offset", "bottom", "top"])
def test_bounds_beyond_the_arithmetic_are_faults(key):
    for number in (10**40, -(10**40), Decimal("1e-20")):
        assert faults({"intervals": {"widths": [5], key: number}})


def test_a_tree_becomes_paths_from_the_leaf():
    spec = read({"tree": {"all": {"high": ["a", "b"], "low": {"c": None}}}})
    assert spec == TreeHierarchy((("a", "high", "all"), ("b", "high", "all"), ("c", "low", "all")))
    assert spec.height == 2


def test_a_ragged_tree_is_levelled_only_where_it_says_so():
    spec = read({"tree": {"all": {"high": ["a"], "c": None}}, "ragged": "repeat"})
    assert spec.paths == (("a", "high", "all"), ("c", "all"))
    assert spec.ragged


def test_leaves_of_a_tree_stay_as_they_were_written():
    spec, noted = from_yaml("{tree: {'*': [02134, 1.50, yes, 2020-01-01, 1e3, 0x1F, 'null', '~']}}")
    assert noted == []
    assert [path[0] for path in spec.paths] == [
        "02134", "1.50", "yes", "2020-01-01", "1e3", "0x1F", "null", "~"
    ]  # fmt: skip


@pytest.mark.parametrize("null", ["null", "~", ""])
def test_a_null_among_the_leaves_of_a_list_is_told_or_kept(null):
    """Dropping it in silence would lose the entry that was meant."""
    spec, noted = from_yaml(f"tree:\n  '*':\n    - a\n    - {null}\n")
    assert noted or len(spec.paths) == 2


def test_an_empty_group_of_a_tree_is_told():
    spec, noted = from_yaml("{tree: {'*': {a: [x], b: []}}}")
    assert noted or len(spec.paths) == 2


def test_a_fault_has_the_line_of_its_entry():
    _, noted = from_yaml("intervals:\n  widths:\n    - 5\n    - 7\n    - zero\n  top: low\n")
    assert [line for line, _ in noted] == [4, 5, 6]


def test_a_tree_that_is_not_yaml_is_a_policy_error():
    with pytest.raises(PolicyError):
        from_yaml("{tree: {'*': [a, b}")


def test_a_key_twice_in_a_tree_does_not_tell_the_value():
    _, noted = from_yaml("{tree: {'*': {canary: , canary: }}}")
    item = read_yaml("{tree: {'*': {canary: , canary: }}}", "test")
    assert noted
    assert not any("canary" in str(fault) for fault in item.faults)


@pytest.mark.parametrize(
    ("spec", "height", "masked"),
    [
        (MaskHierarchy(3), 3, (1, 2, 3)),
        (MaskHierarchy(5, (2, 4)), 3, (2, 4, 5)),
        (MaskHierarchy(5, (5,)), 1, (5,)),
    ],
)
def test_a_mask_ends_in_all_characters(spec, height, masked):
    assert (spec.height, spec.masked) == (height, masked)


@pytest.mark.parametrize(
    ("spec", "scale"),
    [
        (IntervalHierarchy((Decimal(5), Decimal(10))), 0),
        (IntervalHierarchy((Decimal("0.25"),)), 2),
        (IntervalHierarchy((Decimal(5),), Decimal("0.5")), 1),
        (IntervalHierarchy((Decimal(100),)), 0),
        (IntervalHierarchy((Decimal(5),), Decimal(0), Decimal("0.001")), 3),
        (IntervalHierarchy((Decimal("1e-15"), Decimal(10**15 - 1))), 15),
        (IntervalHierarchy((Decimal(5),), Decimal("999999999999999.000000000000001")), 15),
    ],
)
def test_the_scale_is_that_of_the_finest_bound(spec, scale):
    assert spec.scale == scale
    assert spec.height == len(spec.widths) + 1
