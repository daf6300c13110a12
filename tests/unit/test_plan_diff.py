"""Two plans beside each other: what is said of every kind of change."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import pytest
import yaml
from plans import HEIGHTS, LEVELS, plan

import kanon_sql
from kanon_sql.engines.locations import Source
from kanon_sql.errors import InputError
from kanon_sql.policy.metrics.registry import DEFAULTS, QUALITY, quality_of_label
from kanon_sql.policy.privacy.closeness import (
    BetaLikeness,
    ComparedWith,
    DeltaDisclosure,
    TCloseness,
)
from kanon_sql.policy.privacy.declared_models import MODELS, read_statement
from kanon_sql.policy.privacy.demands import Over
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import (
    Alpha,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from kanon_sql.policy.privacy.population_uniques import Estimator
from kanon_sql.policy.privacy.populations import DeltaPresence, KMap
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls
from kanon_sql.policy.privacy.table_models import (
    AverageRisk,
    PopulationUniqueness,
    SampleUniqueness,
)

LAYERS = {
    "layers": [
        {"levels": LEVELS, "rows": 20000, "classes": 300},
        {"levels": {**LEVELS, "age": 4}, "rows": 8984, "classes": 70},
    ]
}
BLANKS = {
    "blanks": {
        "tested": 3,
        "outliers": [{"columns": ["age", "zip"], "values": 7, "rows": 9}],
        "rounds": 1,
        "blanked": {"zip": 9},
        "released": {"zip": 8},
    }
}
BOXES = {"boxes": 40, "depth": 6, "digest": "md5:40:1", "sides": "md5:1:1"}
PARTS = {"parts": {"age": [0, 11], "zip": [0], "job": [0, 2]}, "digest": "md5:1:2:3"}


def lines(old, new):
    return kanon_sql.diff(old, new).markdown.splitlines()


def cells(old, new, what):
    """The cells of the row that begins so, without what is bold."""
    (row,) = [line for line in lines(old, new) if line.startswith(f"| {what} |")]
    return [cell.strip().strip("*") for cell in row.split("|")[2:-1]]


def test_the_same_plan_is_said_so_in_one_line():
    assert kanon_sql.diff(plan(), plan()).markdown == "The two plans are the same.\n"
    assert kanon_sql.diff(plan(), plan()).same


def test_a_lowered_k_is_the_first_word_and_a_warning():
    old, new = plan(), plan(privacy=["3-anonymity"], smallest_class=3)
    first, *_ = lines(old, new)
    assert first.startswith("**Privacy is weaker;")
    assert "k is 3 instead of 5" in first
    assert "highest risk is 1/3 (33.33%) instead of 1/5 (20.00%)" in first
    assert "- **Warning:** k is 3 instead of 5." in lines(old, new)
    assert cells(old, new, "k-anonymity") == ["5", "3", "weaker"]
    assert lines(new, old)[0].startswith("**Privacy is stronger;")
    assert not any("Warning" in line for line in lines(new, old))


@pytest.mark.parametrize(
    ("old", "new", "lead"),
    [
        (["5-anonymity"], ["5-anonymity", "distinct 3-diversity of job"], "Privacy is stronger"),
        (["5-anonymity", "distinct 3-diversity of job"], ["5-anonymity"], "Privacy is weaker"),
        (
            ["5-anonymity", "9-anonymity over age, zip"],
            ["5-anonymity", "9-anonymity over age"],
            "Mixed change: privacy is weaker in one respect and stronger in another",
        ),
        (
            ["5-anonymity", "9-anonymity over age"],
            ["5-anonymity", "8-anonymity over age"],
            "Privacy is weaker",
        ),
        (
            ["5-anonymity", "3-anonymity"],
            ["5-anonymity"],
            "The privacy models and their parameters are unchanged",
        ),
        (["5-anonymity", "0.2-nearness of job"], ["5-anonymity"], "Privacy is weaker"),
        (
            ["0.2-nearness of job"],
            ["0.4-nearness of job"],
            "Mixed change: privacy is weaker in one respect and stronger in another",
        ),
        (
            ["0.2-closeness of job (equal distance)"],
            ["0.4-closeness of job (equal distance)"],
            "Privacy is weaker",
        ),
    ],
)
def test_the_first_words_follow_from_what_is_asked(old, new, lead):
    told = lines(plan(privacy=old), plan(privacy=new))[0]
    assert told.removeprefix("**").startswith(f"{lead};")


@pytest.mark.parametrize(("smallest", "words"), [(3, "higher"), (9, "lower")])
def test_unchanged_models_do_not_hide_a_changed_risk(smallest, words):
    first, *_ = lines(plan(), plan(smallest_class=smallest))
    same = "**The privacy models and their parameters are unchanged, but the risk is"
    assert first.startswith(f"{same} {words};")
    assert f"the prosecutor's highest risk is 1/{smallest}" in first


def test_a_column_that_is_no_quasi_identifier_any_more_is_a_warning():
    fewer = {name: LEVELS[name] for name in ("age", "zip")}
    new = plan(fewer, {name: HEIGHTS[name] for name in fewer})
    told = lines(plan(), new)
    assert told[0].startswith("**Privacy is weaker;")
    assert any(
        line.startswith("- **Warning:** `job` is no longer a quasi-identifier") for line in told
    )
    assert "not comparable: other quasi-identifiers" in "\n".join(told)


def test_only_the_data_changed():
    old, new = plan(fingerprint="md5:1"), plan(fingerprint="md5:2", suppressed_rows=1200, loss=0.3)
    assert lines(old, new)[0].startswith(
        "**Only the data changed: the privacy models and their parameters are unchanged; utility is lower:**"
    )
    assert cells(old, new, "source, rows") == ["30,162", "30,162", "changed"]
    assert "Only the data" not in lines(old, plan(fingerprint="md5:2", sha256="1"))[0]


def test_a_policy_that_changed_unseen_is_a_warning():
    told = lines(plan(), plan(sha256="1"))
    assert "the policy changed in something that a plan does not state" in told[0]
    assert any(line.startswith("- **Warning:** the policy") for line in told)


def test_what_is_no_longer_proven_is_a_warning():
    assert "- **Warning:** the old plan was proven optimal, the new one is not." in lines(
        plan(), plan(optimal=False)
    )


@pytest.mark.parametrize(
    ("figure", "old", "new", "verdict"),
    [
        ("loss", 0.25, 0.2, "better"),
        ("loss", 0.25, 0.3, "worse"),
        ("precision", 0.5, 0.6, "better"),
        ("precision", 0.5, 0.4, "worse"),
        ("discernibility", 5e7, 4e7, "better"),
        ("entropy", 10.5, 11.5, "worse"),
        ("c_avg", 3.0, 2.0, "better"),
        ("height", 6.0, 7.0, "worse"),
    ],
)
def test_each_figure_knows_its_better_end(figure, old, new, verdict):
    figures = {"classes": 370, "smallest_class": 5}
    was, now = (plan(figures={**figures, figure: value}) for value in (old, new))
    assert kanon_sql.diff(was, now).document()["figures"][figure]["change"] == verdict


@pytest.mark.parametrize(
    ("figure", "change", "why"),
    [
        ("c_avg", {"privacy": ["3-anonymity"]}, "another k"),
        ("discernibility", {"rows": 30000}, "another number of rows"),
        ("loss", {"hierarchies": {"age": "1", "zip": "0", "job": "0"}}, "other hierarchies"),
        ("loss", {"heights": {"age": 5, "zip": 5, "job": 2}}, "other hierarchies"),
    ],
)
def test_figures_of_other_things_are_not_held_against_each_other(figure, change, why):
    figures = {"classes": 370, "smallest_class": 5}
    was = plan(figures={**figures, figure: 2.0})
    now = plan(figures={**figures, figure: 3.0}, **change)
    told = kanon_sql.diff(was, now).document()["figures"][figure]
    assert (told["not_comparable"], told["change"]) == (why, "changed")


@pytest.mark.parametrize(
    ("new", "row", "told"),
    [
        (plan({**LEVELS, "age": 2}), "`age`", ["level 3 of 4", "level 2 of 4", "finer"]),
        (plan({**LEVELS, "age": 4}), "`age`", ["level 3 of 4", "level 4 of 4", "coarser"]),
        (plan(recoding=LAYERS), "all", ["rows at one node", "rows at 2 nodes", "changed"]),
        (
            plan(recoding=LAYERS),
            "`age`",
            ["level 3 of 4", "levels 3, 4 of 4, 3.31 on average", "coarser"],
        ),
        (
            plan(recoding=BLANKS),
            "`zip`",
            ["level 2 of 5", "level 2 of 5, 8 cells suppressed", "coarser"],
        ),
        (
            plan(recoding=BOXES),
            "all",
            ["rows at one node", "rows in 40 regions", "changed"],
        ),
        (plan(recoding=PARTS), "`age`", ["level 3 of 4", "2 intervals", "changed"]),
        (
            plan(recoding={"least_suppressed": 9}),
            "all",
            ["rows at one node", "rows at one node, at least 9 suppressed", "changed"],
        ),
        (
            plan(hierarchies={"age": "1", "zip": "0", "job": "0"}),
            "`age`",
            ["level 3 of 4", "level 3 of 4", "other hierarchy"],
        ),
    ],
)
def test_every_recoding_is_told(new, row, told):
    told_row = "*all*" if row == "all" else row
    assert cells(plan(), new, told_row) == told


def test_more_parts_are_finer():
    new = plan(recoding={**PARTS, "parts": {**PARTS["parts"], "age": [0, 5, 11]}})
    assert cells(plan(recoding=PARTS), new, "`age`") == ["2 intervals", "3 intervals", "finer"]
    moved = plan(recoding={**PARTS, "parts": {**PARTS["parts"], "age": [0, 12]}})
    assert cells(plan(recoding=PARTS), moved, "`age`") == ["2 intervals", "2 intervals", "changed"]


def test_sets_of_quasi_identifiers_are_told_one_by_one():
    old, new = plan(), plan()
    document = {
        **old.document(),
        "over": [{"columns": ["age", "zip"], "classes": 9, "smallest_class": 2}],
    }
    new = kanon_sql.Plan.from_yaml(yaml.safe_dump(document, sort_keys=False), "new")
    assert cells(old, new, "classes over `age`, `zip`") == ["-", "9", "new"]
    assert cells(old, new, "smallest class over `age`, `zip`") == ["-", "2", "new"]


def test_hierarchies_and_overrides_are_told_by_name():
    old = plan(overrides={"k": 5})
    new = plan(
        overrides={"k": 5, "suppression": "9%"}, hierarchies={"age": "1", "zip": "0", "job": "0"}
    )
    assert cells(old, new, "hierarchy of `age`") == ["`0`", "`1`", "changed"]
    assert cells(old, new, "in place of the policy's `suppression`") == ["-", "`9%`", "new"]


STATED = {
    "KAnonymity": (KAnonymity(5), "k-anonymity", "", "5"),
    "DistinctDiversity": (
        DistinctDiversity("job", 3, nulls=SensitiveNulls.VALUE),
        "distinct l-diversity",
        "of job",
        "3, NULL counted as a value",
    ),
    "TCloseness": (
        TCloseness("job", Decimal("0.2")),
        "t-closeness",
        "of job (equal distance)",
        "0.2",
    ),
    "EntropyDiversity": (
        EntropyDiversity("job", Decimal("2.5")),
        "entropy l-diversity",
        "of job",
        "2.5",
    ),
    "RecursiveDiversity": (
        RecursiveDiversity("job", Fraction(9, 4), 2),
        "recursive (c, l)-diversity",
        "of job, l = 2",
        "2.25",
    ),
    "Alpha": (Alpha("job", Decimal("0.5")), "alpha-bounded share", "of job", "0.5"),
    "BetaLikeness": (
        BetaLikeness("job", Decimal(2), enhanced=True, reference=ComparedWith.SOURCE),
        "beta-likeness",
        "of job (enhanced), compared with the source alone",
        "2",
    ),
    "DeltaDisclosure": (
        DeltaDisclosure("job", Decimal("1.5")),
        "delta-disclosure privacy",
        "of job, absent values fail",
        "1.5",
    ),
    "KMap": (
        KMap(5, Source(path="people of 2020.csv")),
        "k-map",
        "of the population people of 2020.csv",
        "5",
    ),
    "DeltaPresence": (
        DeltaPresence(Decimal("0.05"), Decimal("0.5"), Source(table="people")),
        "delta-presence",
        "of the population people, at least 0.05",
        "0.5",
    ),
    "AverageRisk": (AverageRisk(Decimal("0.05")), "average risk", "", "0.05"),
    "SampleUniqueness": (SampleUniqueness(Decimal("0.01")), "sample uniqueness", "", "0.01"),
    "PopulationUniqueness": (
        PopulationUniqueness(Decimal("0.01"), Decimal("0.1"), Estimator.SNB),
        "population uniqueness",
        "by snb's estimate from a sample of 0.1",
        "0.01",
    ),
    "Over": (Over(KAnonymity(9), ("age", "zip")), "k-anonymity", "over age, zip", "9"),
}


def test_the_words_of_every_privacy_model_are_read_back():
    assert {*(model.__name__ for model in MODELS), "Over"} == STATED.keys()
    for model, name, about, bound in STATED.values():
        found, least = read_statement(str(model))
        assert (found.model, found.about, str(least)) == (name, about, bound)


def test_every_metric_has_words_and_a_direction_and_is_found_by_its_label():
    for metric in DEFAULTS:
        quality = quality_of_label(metric.label)
        assert quality is metric.quality
        assert QUALITY.get(quality.key) is (quality if metric.stated else None)
        assert quality.name
        assert quality.title
        assert quality.higher_is_better is not None
        assert quality.charges_suppression == metric.charges_suppression


def test_conditions_and_statements_are_never_repeated():
    old, new = (_with_where(plan(sql=f"SELECT '{text}'"), text) for text in ("canary", "anary"))
    told = kanon_sql.diff(old, new)
    assert "anary" not in told.markdown + json.dumps(told.document())
    assert "condition on the source's rows" in told.markdown
    assert told.document()["condition_changed"] is True


def _with_where(own, text):
    document = own.document()
    document["source"] = {**document["source"], "where": f"name = '{text}'"}
    return kanon_sql.Plan.from_yaml(yaml.safe_dump(document, sort_keys=False), "plan")


def test_what_is_no_plan_is_refused(tmp_path):
    path = tmp_path / "plan.yml"
    path.write_text(plan().to_yaml(), encoding="utf-8")
    assert kanon_sql.diff(path, str(path)).same
    with pytest.raises(InputError):
        kanon_sql.diff(path, tmp_path / "none.yml")
