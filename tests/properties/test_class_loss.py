"""The loss of a column whose cells stand for what their class has, against each class's rows, which a kept number links.

The oracle is plain Python over the released rows and the source's own; it knows no plan, region or hierarchy.
"""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

QUASI = ("age", "weight", "group")
WIDTHS = ("age", "weight")
SOME = {"role": "quasi", "hierarchy": "suppress"}
BY_ORDER = {"role": "quasi", "order": "number"}
SHOWN = {"rare": "show"}  # the tables are so small that most values are rare


def rows_of(seed, many, missing):
    """Rows of an age and a weight, either of which may be missing, and of a group."""
    draw = random.Random(seed)
    return [
        {
            "age": None if draw.random() < missing else draw.randint(18, 60),
            "weight": None if draw.random() < missing else round(draw.gauss(70, 12), 1),
            "group": draw.choice("abc"),
            "at": at,
        }
        for at in range(many)
    ]


def frame(rows):
    types = {"age": pa.int64(), "weight": pa.float64(), "group": pa.string(), "at": pa.int64()}
    return pa.table({name: pa.array([r[name] for r in rows], of) for name, of in types.items()})


def policy(columns, **stated):
    return {
        "version": 1,
        "entity": "row",
        "columns": {**columns, "at": {"role": "insensitive"}},
        "privacy": {"k": 4},
        "suppression": "1%",
        "nulls": "category",
        "search": {"algorithm": "mondrian", "choose": "loss"},
        **stated,
    }


def cell(name, values, every):
    """What one class costs in a column: what its true values span of those of the source."""
    if len(values) == 1:
        return 0.0
    if name not in WIDTHS:
        return len(values) / len(every)
    if None in values:
        return 1.0
    numbers = every - {None}
    return (max(values) - min(values)) / (max(numbers) - min(numbers))


def spans(rows, released):
    """The mean over all rows of what their class spans of each column; a class is the rows that look alike."""
    classes = {}
    for row in released:
        classes.setdefault(tuple(row[name] for name in QUASI), []).append(rows[row["at"]])
    found = {}
    for name in QUASI:
        every = {row[name] for row in rows}
        cost = sum(
            len(of) * cell(name, {row[name] for row in of}, every) for of in classes.values()
        )
        found[name] = (cost + len(rows) - len(released)) / len(rows)
    return found


POLICIES = {
    "apportioned": policy(dict.fromkeys(QUASI, SOME | SHOWN), output="apportioned"),
    "of an order": policy(
        {**dict.fromkeys(WIDTHS, BY_ORDER | SHOWN), "group": SOME | SHOWN}, output="apportioned"
    ),
    "representative": policy(
        {
            "age": {**SOME, "output": "representative"},
            "weight": {**BY_ORDER, "output": "representative"},
            "group": {**SOME, "output": "representative"},
        }
    ),
    "mean": policy(
        {
            "age": {**BY_ORDER, "output": "mean"},
            "weight": {**BY_ORDER, "output": "mean"},
            "group": {**SOME, "output": "representative"},
        }
    ),
}


@pytest.mark.parametrize("kind", POLICIES)
@given(seed=st.integers(0, 10**6), many=st.integers(30, 90), missing=st.sampled_from((0.0, 0.1)))
@examples(4)
def test_a_column_loses_what_the_classes_of_its_rows_span(kind, seed, many, missing):
    rows = rows_of(seed, many, missing)
    release = kanon_sql.anonymize(POLICIES[kind], frame(rows))
    wanted = spans(rows, release.frame().to_pylist())
    found = kanon_sql.quality(release)
    losses = {each.name: each.certainty for each in found.columns}
    assert losses == pytest.approx(wanted, abs=1e-8)
    mean = sum(wanted.values()) / len(QUASI)
    assert found.figures["gcp"] == pytest.approx(mean, abs=1e-8)
    assert release.plan.figures["gcp"] == pytest.approx(mean, abs=1e-8)
    explained = kanon_sql.explain(release.plan, source=frame(rows), time_limit=0.001)
    assert {each.name: each.ncp for each in explained.columns} == pytest.approx(wanted, abs=1e-8)
    assert sum(each.widest_regions for each in explained.columns) <= release.plan.classes


def test_no_loss_of_labels_is_stated_of_values_that_stand_for_a_class():
    """Each value that is shown is one of the source, so its hierarchy shows no loss."""
    rows = [{"age": at % 20, "weight": float(at % 7), "group": "a", "at": at} for at in range(60)]
    release = kanon_sql.anonymize(POLICIES["apportioned"], frame(rows))
    found = kanon_sql.quality(release)
    assert max(each.certainty for each in found.columns) > 0
    for key in ("loss", "kl_divergence", "precision", "entropy"):
        assert found.figures[key] is None
        assert "class" in found.reasons[key]
