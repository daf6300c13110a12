"""The words of a report: what is done with each column, with examples that are made up, and what stays open."""

from __future__ import annotations

import re
from decimal import Decimal
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies import with_
from tiers import examples

from kanon_sql.counting.plans.recodings import FullDomain, Multidimensional, MultiNode
from kanon_sql.evidence.reports.dossier import ANY, ANY_BELOW, dossier_of, made_up
from kanon_sql.policy.hierarchies.specs import (
    DateHierarchy,
    DateUnit,
    IntervalHierarchy,
    MaskHierarchy,
    SuppressHierarchy,
)
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import ReleasedNode
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.outputs import OUTPUTS
from kanon_sql.policy.read_policy import read_policy

COLUMNS = {
    "age": {"role": "quasi", "hierarchy": {"intervals": {"widths": [5, 20], "bottom": 20}}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "job": {"role": "quasi", "hierarchy": {"csv": "jobs.csv"}},
    "ill": {"role": "sensitive"},
    "name": {"role": "identifying", "action": "drop"},
}
HEIGHTS = {"age": 3, "zip": 5, "job": 2}


def told(recoding=None, labels=None, **changes):
    """The words of a report that has these labels, the most frequent first."""
    policy = read_policy(with_(**{"columns": COLUMNS, **changes}))
    recoding = recoding or FullDomain(Node((2, 2, 1)))
    plan = SimpleNamespace(
        recoding=recoding,
        heights=HEIGHTS,
        source_rows=100,
        suppressed_rows=3,
        max_suppressed=4,
        privacy=(),
        sql="SELECT 1",
    )
    columns = [
        SimpleNamespace(
            name=name, labels=[SimpleNamespace(text=text, own=text == "own") for text in texts]
        )
        for name, texts in (labels or {}).items()
    ]
    report = SimpleNamespace(policy=policy, plan=plan, columns=columns, series=None)
    report.sizes_before, report.removed = (), 0
    return dossier_of(report)


def test_each_quasi_identifier_is_told_by_its_rule_its_level_and_an_example():
    labels = {"age": [None, "[20, 40)", "< 20"], "zip": ["021**"], "job": ["trades", "care"]}
    age, zip_, job = told(labels=labels).transformations
    assert age.rule == "intervals of 5 or 20, one below 20"
    assert (age.recoded, age.becomes) == ("level 2 of 3", "an interval of 20")
    assert (age.before, age.after) == ("37", "[20, 40)")
    assert zip_.becomes == "its first 3 of 5 characters"
    assert (zip_.before, zip_.after) == ("02137", "021**")
    assert job.rule == "the hierarchy of the file jobs.csv"
    assert (job.before, job.after) == (ANY_BELOW, "trades")
    _, _, job = told(labels={"job": ["*", "trades"]}).transformations
    assert (job.before, job.after) == (ANY, "*")


def test_a_label_that_is_a_value_of_the_source_is_no_example():
    labels = {"job": ["own", "care"], "zip": ["own"]}
    _, zip_, job = told(labels=labels).transformations
    assert (zip_.before, zip_.after, zip_.unchanged) == (None, None, False)
    assert job.after == "care"
    assert told(FullDomain(Node((0, 2, 1)))).transformations[0].unchanged


def test_one_label_stands_for_any_value():
    (_, _, job) = told(FullDomain(Node((0, 0, 2))), {"job": ["*"]}).transformations
    assert (job.before, job.after, job.becomes) == (ANY, "*", "the coarsest group of the hierarchy")


@pytest.mark.parametrize(
    "recoding",
    [
        FullDomain(Node((0, 0, 0))),
        MultiNode(tuple(ReleasedNode(Node(at), 5, 1) for at in ((0, 0, 0), (3, 5, 2)))),
    ],
)
def test_no_label_is_shown_of_a_column_that_releases_values_as_they_are(recoding):
    labels = {name: ["a canary"] for name in HEIGHTS}
    for each in told(recoding, labels).transformations:
        assert (each.before, each.after) == (None, None)


def test_regions_are_told_as_the_range_that_their_rows_share():
    labels = {"age": ["[25, 38]"]}
    age, *_ = told(Multidimensional(7, 3, "0" * 64), labels).transformations
    assert (age.becomes, age.before) == ("the label that covers the values of its region", "36")


@examples(200)
@given(st.decimals(-9999, 9999, places=2), st.integers(1, 10**6), st.sampled_from("])"))
def test_a_number_that_is_made_up_lies_in_its_interval(low, hundredths, end):
    high = low + Decimal(hundredths) / 100
    column = Column("n", Role.QUASI, IntervalHierarchy((Decimal(1),)))
    found = made_up(column, (1,), f"[{low}, {high}{end}")
    assert found is None or low <= Decimal(found) < high
    assert found is not None or hundredths < 2


@examples(200)
@given(st.text("0123456789abc", min_size=1, max_size=8), st.integers(0, 8))
def test_a_text_that_is_made_up_is_masked_as_its_label(text, masked):
    label = text[: max(len(text) - masked, 0)] + "*" * min(masked, len(text))
    found = made_up(Column("t", Role.QUASI, MaskHierarchy(8)), (1,), label)
    if found is None:
        assert set(label) == {"*"} or "*" not in label
    else:
        assert re.fullmatch(label.replace("*", "[^*]"), found)


@pytest.mark.parametrize(
    ("unit", "label", "value"),
    [
        (DateUnit.MONTH, "1980-03", "1980-03-17"),
        (DateUnit.QUARTER, "1980-Q4", "1980-11-17"),
        (DateUnit.YEAR, "1980", "1980-08-17"),
        (DateUnit.DECADE, "1980s", "1983-08-17"),
        (DateUnit.CENTURY, "1900s", "1937-08-17"),
        (DateUnit.WEEK, "1980-W07", None),
        (DateUnit.YEAR, "*", None),
        (DateUnit.YEAR, "-44", None),
    ],
)
def test_a_day_that_is_made_up_lies_in_its_unit(unit, label, value):
    assert made_up(Column("d", Role.QUASI, DateHierarchy((unit,))), (1,), label) == value


@pytest.mark.parametrize(
    "label", ["", "*", "<script>", "a" * 10_000, "[a, b)", "1-", "[9, 1)", "٣-٤"]
)
@pytest.mark.parametrize("spec", [SuppressHierarchy(), MaskHierarchy(3), IntervalHierarchy((Decimal(1),))])  # fmt: skip
def test_any_label_has_an_example_or_none(spec, label):
    for output in OUTPUTS:
        made_up(Column("c", Role.QUASI, spec, output), (1,), label)


def limits(**changes):
    return {each.title: each.text for each in told(**changes).limits}


def test_limits_are_those_of_this_policy():
    bare = limits(entity="row", privacy={"k": 2})
    assert "No privacy model bounds ill" in bare["What all rows of a class share"]
    assert "Rows and people" in bare
    guarded = limits(entity="name", privacy={"k": 2, "distinct_l": {"column": "ill", "l": 2}})
    assert "What all rows of a class share" not in guarded
    assert "Rows and people" not in guarded
    for found in (bare, guarded):
        assert {"Membership", "Other releases", "Law"} <= found.keys()
        assert "Rows of one person can be joined" not in found


def test_a_key_of_persons_that_is_released_is_among_the_limits():
    columns = {**COLUMNS, "name": {"role": "insensitive"}}
    found = limits(columns=columns, entity={"signature": "name"})
    assert "keeps name, which links the rows" in found["Rows of one person can be joined"]
