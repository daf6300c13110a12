"""Values that follow from the rows of a class: what they lose, what is compared, and which turn into NULL."""

from __future__ import annotations

import math
import random
from collections import defaultdict

import pandas as pd
import pytest

import kanon_sql

ROWS = 1_500


@pytest.fixture(scope="module")
def frame():
    draw = random.Random(5)
    heights = [round(draw.gauss(26, 4), 1) for _ in range(ROWS)]
    return pd.DataFrame(
        {
            "number": range(ROWS),
            "age": [draw.randrange(18, 90) for _ in range(ROWS)],
            "bmi": [math.nan if draw.random() < 0.03 else each for each in heights],
            "sex": [draw.choice("fm") for _ in range(ROWS)],
            "job": [draw.choice("abcdef") for _ in range(ROWS)],
            "score": [draw.randrange(20) for _ in range(ROWS)],
        }
    )


def spans(frame, shown, name):
    """The mean part of a column's span that the rows of a class span; a NULL beside a value costs all."""
    own = dict(zip(frame.number, frame[name], strict=True))
    classes = defaultdict(list)
    for row in shown.itertuples():
        key = tuple("NULL" if pd.isna(each) else each for each in (row.age, row.bmi))
        classes[key].append(own[row.number])
    whole = frame[name].max() - frame[name].min()
    lost = float(len(frame) - len(shown))  # a suppressed row loses all
    for rows in classes.values():
        known = [each for each in rows if not pd.isna(each)]
        if known and len(known) < len(rows):
            lost += len(rows)
        elif known:
            lost += len(rows) * (max(known) - min(known)) / whole
    return lost / len(frame)


def test_values_for_counts_lose_what_their_classes_span(frame):
    with pytest.warns(kanon_sql.KanonWarning):
        release = kanon_sql.anonymize(
            frame,
            quasi=["age", "bmi"],
            sensitive="score",
            keep="number",
            drop=["sex", "job"],
            k=5,
            hierarchies={"age": {"intervals": [5, 10, 40]}, "bmi": {"intervals": [2, 8, 32]}},
            use="counts",
        )
    found = kanon_sql.quality(release)
    shown = release.to_pandas()
    expected = [spans(frame, shown, name) for name in ("age", "bmi")]
    assert min(expected) > 0
    assert [each.certainty for each in found.columns] == pytest.approx(expected, abs=1e-6)
    assert found.figures["gcp"] == pytest.approx(sum(expected) / 2, abs=1e-6)
    numbers = {each.name: each for each in found.numbers.columns}
    assert [*numbers] == ["age", "bmi", "score"]
    assert numbers["bmi"].mean_after == pytest.approx(shown.bmi.mean())
    assert found.summary()["numbers"]["columns"]["age"]["mean_before"] == pytest.approx(
        frame.age.mean()
    )


def test_means_that_one_null_takes_from_a_class_are_warned_of(frame):
    own = frame.drop(columns="number")
    policy = kanon_sql.suggest(own, quasi=["age", "bmi", "sex", "job"], sensitive="score", k=11)
    for name in ("age", "bmi"):
        policy["columns"][name].update(order="number", output="mean")
    with pytest.warns(kanon_sql.KanonWarning, match="released rows are NULL"):
        release = kanon_sql.anonymize(policy, own)
    lost, before = int(release.to_pandas().bmi.isna().sum()), int(own.bmi.isna().sum())
    assert lost > before
    told = f"columns.bmi: {lost:,} released rows are NULL, and {before:,} of the source"
    assert [each for each in release.warnings if each.startswith(told)]
    with pytest.warns(kanon_sql.KanonWarning):
        plan = kanon_sql.plan(policy, own)
    assert [each for each in plan.warnings if each.startswith(told)]
    whole = own.dropna()
    assert not [each for each in kanon_sql.anonymize(policy, whole).warnings if "NULL" in each]
