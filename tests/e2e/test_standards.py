"""`about: {standard: ...}`: what a policy must state for it is a fault where the standard is definite, else a remark."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest
import yaml

import kanon_sql
from kanon_sql.apps.getting_started.first_policy import inspect_source
from kanon_sql.apps.getting_started.propose_columns import Answers
from kanon_sql.errors import InputError, PolicyError, SourceError
from kanon_sql.policy.standards import STANDARDS, StandardName

ZIPS = ["02139", "03601", "10001", "94110", "87901"]


def patients(rows=1_200):
    take = random.Random(11)
    return pa.table(
        {
            "patient_id": range(rows),
            "zip": [take.choice(ZIPS) for _ in range(rows)],
            "age": [take.randint(30, 99) for _ in range(rows)],
            "admitted": [f"202{take.randint(0, 3)}-0{take.randint(1, 9)}-1{take.randint(0, 9)}" for _ in range(rows)],
            "city": [take.choice(["Boston", "Salem"]) for _ in range(rows)],
            "sex": [take.choice("fm") for _ in range(rows)],
            "result": [take.choice("abcd") for _ in range(rows)],
        }
    )  # fmt: skip


YEARS = {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}, "levels": {"least": 1}}
ZIP3 = {"role": "quasi", "hierarchy": {"code": "us_zip"}, "levels": {"least": 1}}
OLD = {"intervals": {"widths": [1, 10], "top": 90}}
SAFE = {
    "patient_id": {"role": "identifying", "action": "drop"},
    "zip": ZIP3,
    "age": {"role": "quasi", "hierarchy": OLD, "levels": {"least": 1}},
    "admitted": YEARS,
    "city": {"role": "identifying", "action": "drop"},
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "result": {"role": "sensitive"},
}


def policy(standard="hipaa_safe_harbor", *, k=5, about=(), **columns):
    return {
        "version": 1,
        "about": {"standard": standard, **dict(about)},
        "entity": "row",
        "columns": {**SAFE, **columns},
        "privacy": [{"k": k}],
        "suppression": "10%",
    }


def test_a_policy_by_safe_harbor_shows_no_day_no_small_area_and_no_high_age():
    """The release is read again by itself: no label may be one that the rule removes."""
    people = patients()
    released = kanon_sql.anonymize(policy(k=2), people).to_arrow()
    with duckdb.connect() as connection:
        connection.register("released", released)
        found = {
            name: {row[0] for row in connection.sql(f'SELECT DISTINCT "{name}" FROM released').fetchall()}
            for name in ("zip", "age", "admitted")
        }  # fmt: skip
        assert connection.sql("DESCRIBE released").fetchall()[0][0] == "zip"
    assert found["zip"] <= {"021", "000", "100", "941", "0", "1", "9", "*"}
    assert not {"036", "879"} & found["zip"]
    assert all(each in {"*", ">= 90"} or int(each[1:].split(",")[0]) < 90 for each in found["age"])
    assert all(
        each == "*" or each.rstrip("s") in {"2020", "2021", "2022", "2023"}
        for each in found["admitted"]
    )


BROKEN = {
    "a name": ("sex", {"role": "identifying", "action": "hash", "key_env": "K"}, "forbid; drop it"),
    "a name dealt": ("sex", {"role": "identifying", "action": "shuffle"}, "forbid; drop it"),
    "a fine ZIP code": ("zip", {**ZIP3, "levels": {"least": 0}}, "least: 1"),
    "a mask of ZIP codes": ("zip", {"role": "quasi", "hierarchy": {"mask": 5}, "levels": {"least": 2}}, "us_zip"),
    "a ZIP code as it is": ("zip", {"role": "insensitive"}, "us_zip"),
    "a city": ("city", {"role": "quasi", "hierarchy": "suppress"}, "removes"),
    "a city as it is": ("city", {"role": "insensitive"}, "removes"),
    "months": ("admitted", {**YEARS, "hierarchy": {"dates": ["month", "year"]}}, "than its year"),
    "weeks": ("admitted", {**YEARS, "hierarchy": {"dates": ["week"]}}, "than its year"),
    "days": ("admitted", {**YEARS, "levels": {"least": 0}}, "than its year"),
    "a date as it is": ("admitted", {"role": "sensitive"}, "is a date that is released as it is"),
    "ages": ("age", {"role": "quasi", "hierarchy": {"intervals": [10]}, "levels": {"least": 1}}, "above 89"),
    "single ages": ("age", {"role": "quasi", "hierarchy": OLD}, "above 89"),
    "ages from 95": ("age", {"role": "quasi", "hierarchy": {"intervals": {"widths": [5], "top": 95}}, "levels": {"least": 1}}, "above 89"),
    "an age as it is": ("age", {"role": "insensitive"}, "above 89"),
    "a key": ("patient_id", {"role": "insensitive"}, "unique numbers and codes"),
    "plain values": ("age", {**SAFE["age"], "output": "apportioned"}, "single values"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_breaks_safe_harbor_is_a_fault(case):
    name, entry, told = BROKEN[case]
    with pytest.raises(PolicyError) as caught:
        kanon_sql.lint(policy(**{name: entry}), patients())
    faults = [fault for fault in caught.value.faults if fault.where == f"columns.{name}"]
    assert any(told in fault.what and "Safe Harbor" in fault.what for fault in faults)
    other = policy("gdpr_release", **{name: entry})
    if "output" not in entry:
        kanon_sql.lint(other, patients()) if entry.get("action") != "hash" else None


@pytest.mark.parametrize(
    ("name", "removed"),
    [
        ("full_name", "names"), ("PhoneNo", "telephone"), ("fax", "fax"), ("e-mail", "email"), ("ssn", "Social Security"),
        ("mrn", "medical record"), ("member_id", "beneficiary"), ("account_no", "account"), ("license", "license"), ("vin", "vehicle"),
        ("device_id", "device"), ("url", "web addresses"), ("ip_address", "IP"), ("fingerprint", "biometric"), ("photo", "photographs"),
        ("visit_id", "unique numbers"),
    ],
)  # fmt: skip
def test_identifiers_of_the_rule_are_known_by_name(name, removed):
    broken = {**policy(), "columns": {**SAFE, name: {"role": "insensitive"}}}
    with pytest.raises(PolicyError, match=removed):
        kanon_sql.lint(broken, patients().append_column(name, pa.array(["x"] * 1_200)))
    dropped = {**SAFE, name: {"role": "identifying", "action": "drop"}}
    kanon_sql.lint(
        {**policy(), "columns": dropped}, patients().append_column(name, pa.array(["x"] * 1_200))
    )


def test_names_that_only_begin_like_an_identifier_are_none():
    for name in ("drug_name", "device_type", "image_count", "statement"):
        kept = {**policy(), "columns": {**SAFE, name: {"role": "insensitive"}}}
        kanon_sql.lint(kept, patients().append_column(name, pa.array(["x"] * 1_200)))


def test_a_column_of_dates_by_its_type_is_a_fault_whatever_its_name():
    days = pa.array([18_000 + n for n in range(1_200)], pa.int32()).cast(pa.date32())
    table = patients().append_column("seen", days)
    with pytest.raises(SourceError, match=r"columns\.seen: is a date that is released as it is"):
        kanon_sql.lint(policy(seen={"role": "insensitive"}), table)
    kanon_sql.lint(policy(seen=YEARS), table)


@pytest.mark.parametrize("k", [2, 11])
def test_policy_0070_asks_for_classes_of_twelve(k):
    """1/11 is 0.0909, above 0.09; 1/12 is 0.0833."""
    with pytest.raises(PolicyError, match="say k: 12"):
        kanon_sql.lint(policy("ema0070", k=k), patients())
    with pytest.raises(PolicyError, match="say k: 12"):
        kanon_sql.plan(policy("ema0070", k=k), patients())
    kanon_sql.lint(policy("ema0070", k=12), patients())
    with pytest.raises(InputError, match="say k: 12"):
        kanon_sql.plan(policy("ema0070", k=12), patients(), overrides={"k": k})


def test_a_release_by_the_gdpr_singles_nobody_out():
    with pytest.raises(PolicyError, match="singled out"):
        kanon_sql.lint(policy("gdpr_release", k=1), patients())
    found = kanon_sql.lint(policy("gdpr_release", k=2), patients())
    assert any("result" in each and "inference" in each for each in found)


@pytest.mark.parametrize("standard", StandardName)
def test_what_a_standard_leaves_to_judgment_is_a_remark_of_lint_and_plan(standard):
    own = policy(standard, k=12)
    said = {"title": "a", "purpose": "b", "contact": "c", "recipients": "d", "threshold": "e"}
    remarks = [
        each for each in kanon_sql.lint(own, patients()) if STANDARDS[standard].title in each
    ]
    noted = [
        each
        for each in kanon_sql.plan(own, patients()).warnings
        if STANDARDS[standard].title in each
    ]
    assert remarks == noted
    documented = {**own, "about": {"standard": str(standard), **said}}
    documented["columns"] = {
        name: {**each, "why": "a reason"} for name, each in own["columns"].items()
    }
    documented["privacy"] = [{"k": 12}, {"distinct_l": {"column": "result", "l": 2}}]
    rest = [
        each for each in kanon_sql.lint(documented, patients()) if STANDARDS[standard].title in each
    ]
    assert rest == []
    assert bool(remarks) is (standard is not StandardName.HIPAA_SAFE_HARBOR)


@pytest.mark.parametrize("standard", StandardName)
def test_init_writes_a_policy_that_its_standard_allows(standard, tmp_path):
    path = tmp_path / "patients.parquet"
    import pyarrow.parquet as pq

    pq.write_table(patients(), path)
    answers = Answers(standard=standard, about={"title": "Admissions: a sample"})
    text = inspect_source(str(path), beside=str(tmp_path / "policy.yml")).policy(answers)
    made = yaml.safe_load(text)
    assert made["about"]["standard"] == standard
    assert made["about"]["title"] == "Admissions: a sample"
    assert "# purpose:" in text
    if (k := STANDARDS[standard].k) is not None:
        assert made["privacy"][0]["k"] >= k
        assert "1/1" in made["about"]["threshold"]
    assert all(each["why"] for each in made["columns"].values())
    (tmp_path / "policy.yml").write_text(text)
    kanon_sql.lint(str(tmp_path / "policy.yml"))


def test_a_report_has_the_words_of_the_standard_and_a_reason_for_each_column(tmp_path):
    plan = kanon_sql.plan(policy(), patients())
    found = kanon_sql.report(plan, patients(), policy=policy(), search=False)
    flat = " ".join(found.to_text().split())
    assert "By which standard: HIPAA, Safe Harbor." in flat
    assert "45 CFR 164.514(b)(2)(i), (A) to (R)" in flat
    assert "By which standard" in found.to_html()


def test_a_threshold_that_speaks_of_another_k_is_named(tmp_path):
    """A policy whose k was changed still said the risk of the k that `init` proposed."""
    own = policy(about={"threshold": "health data: the highest risk is 1/11"})
    said = "about.threshold: says that the highest risk is 1/11, and k: {k} allows 1/{k}: say why it is {k}"
    for k, remark in ((3, [said.format(k=3)]), (11, [])):
        found = kanon_sql.lint({**own, "privacy": {"k": k}}, patients())
        assert [each for each in found if each.startswith("about.threshold")] == remark


@pytest.mark.parametrize("recipients", ["The newspaper, and so the public", "the publicity office"])
def test_init_asks_for_eleven_where_the_public_gets_a_release(recipients, tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(
        patients()
        .select(["patient_id", "zip", "age", "city"])
        .rename_columns(["id", "zip", "age", "city"]),
        tmp_path / "people.parquet",
    )
    given = inspect_source(str(tmp_path / "people.parquet"), beside=str(tmp_path / "policy.yml"))
    made = yaml.safe_load(given.policy(Answers(sensitive=(), about={"recipients": recipients})))
    public = recipients.endswith("public")
    of = made["privacy"][0] if isinstance(made["privacy"], list) else made["privacy"]
    assert of["k"] == (11 if public else 5)
    assert (
        made["about"]["threshold"] == "the public gets the release: the highest risk is 1/11"
    ) is public
