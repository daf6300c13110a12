"""A frame of pandas goes in, and what comes out can be computed with: types, answers and figures are the frame's."""

from __future__ import annotations

import random

import pandas as pd
import polars as pl
import pytest

import kanon_sql
from kanon_sql.errors import InputError

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
    shown = repr(kanon_sql.quality(rows, people, quasi=QUASI))
    assert shown.startswith("<Quality: means stay, correlations move by up to 0.")


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


@pytest.mark.parametrize("ending", ["csv", "xlsx", "dta", "sav"])
def test_a_file_gives_the_frame_back_and_its_report_is_that_of_the_frame(people, tmp_path, ending):
    own = people.assign(
        age=[None if at % 60 == 0 else age for at, age in enumerate(people["age"])],
        seen=pd.Timestamp("2024-06-15"),
        smokes=people["phq9"] > 20,
    )
    roles = {"keep": ["seen", "smokes"]}
    release = counts(own, release=str(tmp_path / f"o.{ending}"), **roles)
    alone = counts(own, **roles)
    pd.testing.assert_frame_equal(_sorted(release.to_pandas()), _sorted(alone.to_pandas()))
    found, wanted = release.report(search=False), alone.report(search=False)
    assert found.small == wanted.small
    assert any(line.after[0] for line in found.small[0].rows if line.bands != ("NULL",))
    for key in ("count_error", "count_error_plain", "count_error_tenth", "ncp"):
        assert found.quality.figures[key] == wanted.quality.figures[key] is not None


def _sorted(frame):
    return frame.sort_values(list(frame.columns)).reset_index(drop=True)


def test_labels_of_a_file_stay_texts(people, tmp_path):
    release = kanon_sql.anonymize(
        people, quasi=QUASI, sensitive="phq9", k=5, release=str(tmp_path / "o.csv")
    )
    found = release.to_pandas()
    assert pd.api.types.is_string_dtype(found["age"])
    assert str(found["phq9"].dtype) == "int64"


def test_a_questionnaire_of_health_is_health_data(people):
    assert kanon_sql.suggest(people, quasi=QUASI, sensitive="phq9")["privacy"][0] == {"k": 11}
    named = people.rename(columns={"phq9": "score"})
    assert kanon_sql.suggest(named, quasi=QUASI, sensitive="score")["privacy"][0] == {"k": 5}


@pytest.mark.parametrize("use", ["records", "counts"])
def test_a_plan_of_a_release_needs_nothing_again(people, use):
    release = kanon_sql.anonymize(people, quasi=QUASI, sensitive="phq9", k=5, use=use)
    assert release.plan.explain().plan.classes == release.plan.classes
    assert release.plan.report(search=False).plan.classes == release.plan.classes
    by_plan = kanon_sql.quality(release.to_pandas(), people, plan=release.plan)
    assert by_plan.summary() == kanon_sql.quality(release).summary()
    assert not by_plan.warnings
    bare = kanon_sql.quality(release, people, quasi=QUASI)
    assert (bare.classes, bare.rows) == (release.plan.classes, 1200)
    with pytest.raises(kanon_sql.StalePlanError, match="1,200 rows then, 600 now"):
        kanon_sql.quality(release.to_pandas()[:500], people[:600], plan=release.plan)


def test_arguments_of_pandas_and_numpy_are_taken(people):
    plain = kanon_sql.suggest(people, quasi=QUASI, sensitive="phq9", k=5, suppression="1.5%")
    for quasi in (pd.Index(QUASI), pd.Series(QUASI), {*QUASI}, pd.Index(QUASI).to_numpy()):
        found = kanon_sql.suggest(
            people, quasi=quasi, sensitive="phq9", k=pd.Series([5])[0], suppression=0.015
        )
        assert found == plain


def test_a_word_of_a_policy_is_sent_to_the_policy(people):
    with pytest.raises(
        TypeError, match=r"what cells show is of a policy: edit what suggest\(\) gives"
    ):
        kanon_sql.anonymize(people, quasi=QUASI, sensitive="phq9", output="mean")
    stated = {"bmi": {"order": "number", "output": "mean"}}
    with pytest.raises(kanon_sql.InputError, match=r"hierarchies.bmi: order, snap and output"):
        kanon_sql.anonymize(people, quasi=QUASI, sensitive="phq9", hierarchies=stated)


def survey():
    draw = random.Random(4)
    steps = ["low", "mid", "high"]
    frame = pd.DataFrame(
        {
            "age": [draw.randint(20, 60) for _ in range(200)],
            "step": [draw.choice(steps) for _ in range(200)],
            "smokes": [draw.random() < 0.4 for _ in range(200)],
            "asked": [draw.choice([True, False, None]) for _ in range(200)],
        }
    )
    frame["step"] = pd.Categorical(frame["step"], categories=steps, ordered=True)
    return frame.assign(asked=frame["asked"].astype("boolean"))


@pytest.mark.parametrize("file", [None, "s.csv", "s.parquet"])
def test_booleans_and_ordered_categories_come_back_where_values_are_shown(tmp_path, file):
    place = None if file is None else str(tmp_path / file)
    frame = survey()
    with kanon_sql.anonymize(
        frame, quasi=["age", "smokes"], keep=["step", "asked"], use="counts", k=5, release=place
    ) as release:
        shown, drawn = release.to_pandas(), release.to_polars()
    assert shown["smokes"].dtype == bool
    assert shown["asked"].dtype == "boolean"
    assert shown["asked"].isna().sum() == frame["asked"].isna().sum()
    assert shown["step"].dtype == frame["step"].dtype
    assert (shown["step"] > "low").sum() == (frame["step"] > "low").sum()
    assert drawn.schema["step"] == pl.Enum(["low", "mid", "high"])


def test_a_category_with_a_label_stays_a_text():
    hierarchies = {
        "step": {"tree": {"all": {"some": ["low", "mid"], "much": ["high"]}}},
        "age": "suppress",
    }
    with kanon_sql.anonymize(
        survey(), quasi=["age", "step"], hierarchies=hierarchies, keep=["smokes", "asked"], k=80
    ) as release:
        shown = release.to_pandas()["step"]
    assert not {*shown} <= {"low", "mid", "high"}
    assert not isinstance(shown.dtype, pd.CategoricalDtype)


def test_other_columns_of_a_frame_are_of_no_quality_and_a_release_knows_its_quasi_identifiers():
    frame = survey()
    given = frame.drop(columns=["asked", "step"])
    with kanon_sql.anonymize(given, quasi="age", sensitive="smokes", k=5, l=1) as release:
        alone, beside = kanon_sql.quality(release, given), kanon_sql.quality(release, frame)
        found = kanon_sql.risk(release)
        rows = release.to_pandas()
    assert beside.figures == alone.figures
    assert found.prosecutor.highest == 1 / rows.groupby("age").size().min()
    with pytest.raises(InputError, match="quasi: say which columns others could know"):
        kanon_sql.quality(rows, frame)
