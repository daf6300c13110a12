"""A frame of pandas goes in, and what comes out can be computed with: types, answers and figures are the frame's."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import kanon_sql

QUASI = ["age", "education", "bmi"]
LADDER = ["none", "school", "bachelor", "phd"]


@pytest.fixture(scope="module")
def people():
    """1,200 people; a body mass index has one decimal, and one person in eight has no degree."""
    draw = random.Random(37)
    return pd.DataFrame(
        {
            "age": [draw.randint(18, 90) for _ in range(1200)],
            "education": [draw.choice([*LADDER, *LADDER[1:]]) for _ in range(1200)],
            "bmi": [round(draw.gauss(26, 4), 1) for _ in range(1200)],
            "phq9": [draw.randint(0, 27) for _ in range(1200)],
        }
    )


def counts(people, **more):
    return kanon_sql.anonymize(people, quasi=QUASI, sensitive="phq9", k=5, use="counts", **more)


def test_a_float_stays_a_float_whatever_its_steps(people, tmp_path):
    suggested = kanon_sql.suggest(people, quasi=QUASI, sensitive="phq9", use="counts")
    step = suggested["columns"]["bmi"]["snap"]
    assert step == 0.2  # else this tests nothing
    release = counts(people)
    found = release.to_pandas()
    assert str(found["bmi"].dtype) == "float64"
    assert str(release.to_polars()["bmi"].dtype) == "Float64"
    assert all(round(each / step, 9).is_integer() for each in found["bmi"])
    counts(people, release=str(tmp_path / "o.parquet"))
    assert str(pd.read_parquet(tmp_path / "o.parquet")["bmi"].dtype) == "float64"


def test_whole_steps_of_a_float_are_floats_too_and_the_quality_counts_them(people):
    policy = kanon_sql.suggest(people, quasi=QUASI, sensitive="phq9", use="counts", k=5)
    policy["columns"]["bmi"]["snap"] = 2
    release = kanon_sql.anonymize(policy, people)
    assert str(release.to_pandas()["bmi"].dtype) == "float64"
    plan = kanon_sql.plan(policy, people)
    by_plan = kanon_sql.quality(release.to_pandas(), people, plan=plan, policy=policy)
    assert by_plan.rows == 1200


def test_rounding_down_is_said(people):
    release = counts(people)
    wanted = "columns.bmi: is rounded down to steps of 0.2 (snap), so its mean falls by about half a step"
    assert wanted in release.warnings
    found = release.to_pandas()["bmi"].mean()
    assert -0.2 < found - people["bmi"].mean() < 0


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("quasi", [QUASI, ["age", "bmi"]])
def test_an_answer_is_no_missing_value(people, declared, quasi):
    own = people
    if declared:
        own = people.assign(
            education=pd.Categorical(people["education"], categories=LADDER, ordered=True)
        )
    sensitive = ["phq9", *({"education"} - {*quasi})]
    policy = kanon_sql.suggest(own, quasi=quasi, sensitive=sensitive, k=5)
    assert "missing" not in policy["columns"]["education"]
    release = kanon_sql.anonymize(own, quasi=quasi, sensitive=sensitive, k=5)
    found = release.to_pandas()["education"]
    assert not found.isna().any()
    assert "none" in " ".join(found.unique())


def test_a_missing_number_is_missing_and_the_release_says_so(people):
    texts = people.assign(
        age=["none" if at % 50 == 0 else str(age) for at, age in enumerate(people["age"])]
    )
    release = kanon_sql.anonymize(texts, quasi=QUASI, sensitive="phq9", k=5)
    assert "columns.age.missing: 24 rows with 'none' read as NULL" in release.warnings
    plan = kanon_sql.plan(texts, quasi=QUASI, sensitive="phq9", k=5)
    assert "columns.age.missing: 24 rows with 'none' read as NULL" in plan.warnings


@pytest.fixture(scope="module")
def means(people):
    policy = kanon_sql.suggest(people, quasi=QUASI, sensitive="phq9", k=5)
    for name in ("age", "bmi"):
        policy["columns"][name].update(order="number", output="mean")
    return policy, kanon_sql.anonymize(policy, people)


def test_quality_compares_what_a_regression_reads(people, means):
    _, release = means
    rows = release.to_pandas()
    for found in (
        kanon_sql.quality(rows, people, quasi=QUASI).numbers,
        release.report(search=False).quality.numbers,
    ):
        names = [each.name for each in found.columns]
        assert names == ["age", "bmi", "phq9"]
        for each in found.columns:
            assert each.mean_before == pytest.approx(people[each.name].mean())
            assert each.mean_after == pytest.approx(rows[each.name].mean())
            assert each.deviation_before == pytest.approx(people[each.name].std())
            assert each.deviation_after == pytest.approx(rows[each.name].std())
        assert len(found.pairs) == 3
        for each in found.pairs:
            assert each.before == pytest.approx(people[each.one].corr(people[each.other]))
            assert each.after == pytest.approx(rows[each.one].corr(rows[each.other]))
    assert repr(kanon_sql.quality(rows, people, quasi=QUASI)).startswith("<Quality: means move by")


def test_a_mean_invents_no_association(means):
    page = means[1].report(search=False).to_html()
    assert "invented by the recoding" not in page
    assert "rises: fewer pairs occur" in page
    assert "Pearson" in page


def test_the_loss_of_a_column_is_what_its_classes_span_whatever_they_show(people, means):
    policy, _ = means
    losses = {}
    for output in ("mean", "median", "representative", "interval"):
        for name in ("age", "bmi"):
            policy["columns"][name].update(output=output)
        release = kanon_sql.anonymize(policy, people)
        found = release.report(search=False).quality
        losses[output] = [each.certainty for each in found.columns]
        assert found.figures["ncp"] / 1200 / 3 == pytest.approx(release.plan.cost[0])
    assert losses["mean"] == losses["median"] == losses["representative"] == losses["interval"]
    assert 0 < losses["mean"][2] < 1
