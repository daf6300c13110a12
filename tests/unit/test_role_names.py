"""What the names of columns say about their roles, and what neighbouring names do not say."""

from __future__ import annotations

import pytest

from benchmarks.roles.__main__ import PARTS, labels_of
from kanon_sql.apps.getting_started.column_profiles import DIRECT
from kanon_sql.apps.getting_started.role_names import OF_A_THING, RULES, rule_of
from kanon_sql.counting.source.person_keys import folded, named_as_key
from kanon_sql.policy.model import Role

SAID = {
    "the plan of a study": "arm treatment_arm trt1 wave period fnlwgt pooled.stratum sampling_weight placebo RANDFL",
    "habits": "smoker NoSmoke cigs alcohol avg_drinks drugRisk affairs condom opioids sex_partners use",
    "crime and justice": "arrests narr86 felony convicted sentence citationIssued priors victim released",
    "it is published with names": "home_runs AtBat rbi strikeouts assists",
    "marks and scores": "test_score results GPA hsgpa mathScore PerformanceRating readScore posttest verbal failed",
    "opinions": "vote voted_for party religiousness JobSatisfaction happy rate_marriage born_again concerned",
    "money": "income MonthlyIncome hhninc incsq hourly_wage lwage Salary debt insurance Gehalt salaire e401k loan_amnt denied int_rate PINCP",
    "health": "disease diagnosis_code stroke highbp died futime hiv2004 Krankheit treatment glucose cd4 systolic seizure.rate arthritis melanoma docvis status bili",
    "relatives and neighbours know it": "marital_status married yearsmarried nchildren kids famsize religion hhsize mar sibs",
    "who meets the person sees it": "age age_group sex female race birth_date born60 height bmi dob Geschlecht edad bmicat eyecolor",
    "it is in a curriculum vitae": "education educ heduc school occupation JobRole exper employed union degree frosh yedu yrsch",
    "it tells where a person lives or is from": "zip city country native-country urban smsa lat hometown PLZ address",
    "who was there knows it": "visit_date year admission_type discharge ward clinic_name dxyr center",
}


@pytest.mark.parametrize(
    ("about", "name"), [(about, name) for about, names in SAID.items() for name in names.split()]
)
def test_a_name_says_what_a_column_is_about(about, name):
    found = rule_of(folded(name))
    assert found is not None
    assert found.about == about


def test_every_rule_is_tried_here():
    assert {rule.about for rule in RULES} == set(SAID)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("agency", None),
        ("agent", None),
        ("message", None),
        ("stage_name_x", Role.SENSITIVE),
        ("province", Role.QUASI),
        ("research", None),
        ("brand", None),
        ("warm", None),
        ("empty", None),
        ("candidate", None),
        ("payor_group", Role.SENSITIVE),
        ("age_group", Role.QUASI),
        ("blood_group", Role.SENSITIVE),
        ("attending", Role.QUASI),
        ("charges", None),
        ("length_of_stay", None),
        ("user", None),
        ("diploma", Role.QUASI),
        ("oklahoma", None),
        ("academia", None),
        ("marital_status", Role.QUASI),
        ("order_status", None),
        ("final_weight", Role.QUASI),
        ("actor", None),
    ],
)
def test_a_name_that_only_contains_a_word_says_nothing_by_it(name, role):
    found = rule_of(folded(name))
    assert (None if found is None else found.role) is role


def test_the_name_of_a_thing_is_not_that_of_a_person():
    assert OF_A_THING.search(folded("clinic_name"))
    assert not OF_A_THING.search(folded("last_name"))


@pytest.mark.parametrize("name", ["VIN", "tailnum", "license_plate", "last name"])
def test_the_number_of_a_vehicle_is_direct_like_a_name(name):
    assert DIRECT.search(folded(name))


@pytest.mark.parametrize("name", ["childid", "workerId", "subj_id", "indivID", "PERSID"])
def test_the_key_of_a_member_of_a_family_is_a_key(name):
    assert named_as_key(name)


@pytest.mark.parametrize("name", ["children", "covid", "paid", "child_no"])
def test_what_only_ends_like_a_key_is_none(name):
    assert not named_as_key(name)


@pytest.mark.parametrize("part", PARTS)
def test_labelled_sets_are_in_one_part_and_each_label_has_one_meaning(part):
    labels = labels_of(part)
    assert len(labels) >= 40
    for name, each in labels.items():
        assert all(name not in labels_of(other) for other in PARTS if other != part)
        assert each.entity == "row" or each.roles[each.entity] is Role.IDENTIFYING
        assert not set(each.roles) & set(each.follows)
        assert set(each.follows.values()) <= set(each.roles)
