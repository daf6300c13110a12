"""The first sheet of a report as whoever signs it reads it: what it is of, what nobody decided, and whose figures stand there."""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
from collections import Counter

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.evidence.reports import report_values
from kanon_sql.evidence.reports.dossier import dossier_of, models_section, risk_section
from kanon_sql.evidence.reports.first_screen import answers, verdict_of
from kanon_sql.evidence.reports.make_report import OF_FOLDER

CHANCE = random.Random(11)
ROWS = [
    {
        "who": f"p{n % 170}",
        "age": 20 + n % 40,
        "sex": "w" if n % 3 else "m" if n % 7 else None,
        "day": f"2025-{1 + CHANCE.randrange(12):02d}-{1 + CHANCE.randrange(28):02d}",
        "ward": f"ward {n % 2}",
        "ill": f"ill {CHANCE.randrange(5)}",
    }
    for n in range(240)
]
QUASI = ["age", "sex"]
SIZE = 4


def policy_of(**whys):
    """The policy of all tests: people are counted, and the release does not show who they are."""
    columns = {
        "who": {"role": "identifying", "action": "drop"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "day": {"role": "insensitive"},
        "ward": {"role": "insensitive", "why": "not named as what could be known"},
        "ill": {"role": "sensitive"},
    }
    for name, why in whys.items():
        columns[name]["why"] = why
    return {
        "version": 1,
        "source": "rows.parquet",
        "release": "out.parquet",
        "about": {"recipients": "A clinic"},
        "entity": "who",
        "columns": columns,
        "privacy": {"k": SIZE},
        "nulls": "category",
        "suppression": 0,
        "search": {"algorithm": "mondrian"},
    }


@pytest.fixture(scope="module")
def lab(tmp_path_factory, lab_in):
    made = lab_in(tmp_path_factory.mktemp("signed"))
    pq.write_table(pa.Table.from_pylist(ROWS), made.folder / "rows.parquet")
    (made.folder / "people.yml").write_text(json.dumps(policy_of()))
    made.done("plan", "people.yml")
    made.done("apply", "people.plan.yml")
    return made


@pytest.fixture(scope="module")
def found(lab):
    plan = lab.folder / "people.plan.yml"
    return kanon_sql.report(lab.folder / "out.parquet", plan=plan, search=False)


@pytest.fixture(scope="module")
def released(lab):
    return pq.read_table(lab.folder / "out.parquet").to_pylist()


def alone(rows, *columns):
    """Count the rows whose values in these columns no other row has."""
    keys = Counter(tuple(row[name] for name in columns) for row in rows)
    return sum(many for many in keys.values() if many == 1)


def shown(report):
    return {each.name: each for each in verdict_of(report, SIZE).figures}


def test_rows_that_undecided_columns_single_out_are_no_plain_approval(found, released):
    with_day = alone(released, *QUASI, "day")
    assert 10 * alone(released, *released[0]) >= 9 * len(released)
    verdict = verdict_of(found, SIZE)
    assert (verdict.mark, verdict.meets) == ("OPEN", True)
    share = f"{100 * with_day / len(released):.1f}".removesuffix(".0")
    assert verdict.line == (
        "Meets its policy, but only against somebody who knows no more than age and sex. "
        f"With day as well, {with_day:,} of {len(released):,} rows ({share}%) could be found; "
        f"with all released columns {alone(released, *released[0]):,} of {len(released):,}."
    )
    decided = {name: (what, is_open) for name, what, is_open in verdict.decided}
    assert decided["Released unchanged"] == (
        "day and ward: NO REASON GIVEN, nobody has decided that these could not be known",
        True,
    )
    assert "NOT STATED" in decided["Terms of use"][0]
    page, text = found.to_html(), found.to_text()
    assert 'class="verdict-line OPEN"' in page
    assert page.count("No reason given: nobody has decided this") == 2
    assert " ".join(text.split()).count(verdict.line) == 1
    assert shown(found)["Unique by all columns"].is_open
    assert f"day {share}%" in shown(found)["Unique by all columns"].beside


def test_columns_with_a_reason_of_a_person_are_approved_and_still_counted(lab):
    policy = policy_of(day="drawn at random", ward="a code of no meaning")
    (lab.folder / "known.yml").write_text(json.dumps({**policy, "release": "known.parquet"}))
    lab.done("plan", "known.yml")
    lab.done("apply", "known.plan.yml")
    plan = lab.folder / "known.plan.yml"
    known = kanon_sql.report(lab.folder / "known.parquet", plan=plan, search=False)
    verdict = verdict_of(known, SIZE)
    assert (verdict.mark, verdict.line) == ("PASS", "Meets its policy")
    assert "With day as well, " in verdict.text
    assert "NO REASON GIVEN" not in str(verdict.decided)


def test_a_masked_column_without_a_reason_is_not_said_to_be_unchanged(lab):
    policy = policy_of(ward="a code of no meaning")
    policy["columns"]["day"] |= {"action": "truncate", "to": 7}
    (lab.folder / "cut.yml").write_text(json.dumps({**policy, "release": "cut.parquet"}))
    lab.done("anonymize", "cut.yml", "--plan", "cut.plan.yml")
    cut = kanon_sql.report(
        lab.folder / "cut.parquet", plan=lab.folder / "cut.plan.yml", search=False
    )
    decided = {name: (what, is_open) for name, what, is_open in verdict_of(cut, SIZE).decided}
    what, is_open = decided["Masked in part"]
    assert is_open
    assert what.startswith("day (truncate")
    assert "NO REASON GIVEN" in what
    assert {"Released unchanged", "Masked"}.isdisjoint(decided)


def test_a_generalization_that_released_columns_undo_is_no_plain_approval(lab):
    rows = [{**row, "born": 2025 - row["age"]} for row in ROWS]
    pq.write_table(pa.Table.from_pylist(rows), lab.folder / "born.parquet")
    policy = policy_of(day="drawn at random", ward="a code of no meaning")
    policy["columns"]["born"] = {"role": "insensitive", "why": "asked for"}
    (lab.folder / "born.yml").write_text(
        json.dumps({**policy, "source": "born.parquet", "release": "years.parquet"})
    )
    lab.done("anonymize", "born.yml", "--plan", "born.plan.yml")
    plan = lab.folder / "born.plan.yml"
    years = kanon_sql.report(lab.folder / "years.parquet", plan=plan, search=False)
    verdict = verdict_of(years, SIZE)
    assert verdict.mark == "OPEN"
    assert verdict.line.startswith(
        "Meets its policy, but released columns tell values that it generalizes: see “Warnings”."
    )


def test_the_signature_is_bound_to_the_files(lab, found):
    origin = dict(verdict_of(found, SIZE).origin)
    for name, file in (("Release", "out.parquet"), ("Policy", "people.yml")):
        due = hashlib.sha256((lab.folder / file).read_bytes()).hexdigest()
        assert origin[f"{name}, SHA-256"] == f"{due}  {file}"
    plan = (lab.folder / "people.plan.yml").read_bytes()
    assert origin["Plan, SHA-256"] == hashlib.sha256(plan).hexdigest()
    assert origin["Policy's rules, as the plan has them"] == found.plan.policy_digest


def test_a_folder_has_the_hash_that_the_named_command_prints(lab):
    folder = lab.folder / "parts"
    folder.mkdir()
    table = pq.read_table(lab.folder / "out.parquet")
    for n in range(3):
        pq.write_table(table.slice(n * 80, 80), folder / f"{n}.parquet")
    plan = lab.folder / "people.plan.yml"
    whole = kanon_sql.report(folder, plan=plan, search=False)
    digest, _, command = dict(verdict_of(whole, SIZE).origin)["Release, SHA-256"].partition("  ")
    assert command == OF_FOLDER
    printed = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, check=True)
    assert printed.stdout.decode().split()[0] == digest


def test_figures_of_people_stand_beside_those_of_rows(found, released):
    """People are counted by the plan; the release shows rows alone, whose figures look milder."""
    assert found.people == (170, 70)
    figure = shown(found)
    assert figure["Smallest class"].is_open
    assert "UNCHECKED" in figure["Smallest class"].beside
    classes = Counter(tuple(row[name] for name in QUASI) for row in released)
    by_rows = round(100 * len(classes) / len(released), 2)
    before = Counter(tuple(row[name] for name in QUASI) for row in ROWS)
    was = round(100 * len(before) / len(ROWS), 2)
    assert figure["Average risk"].beside == (
        f"by people; by rows {by_rows:g}%, in the source {was:g}%"
    )
    rows = {row[0]: row[1:] for row in risk_section(found).tables[0].rows}
    of_people = found.plan.risk.rows_above["0.09"] / len(released)
    due = f"{100 * of_people:.2f}".rstrip("0").rstrip(".") + "%"
    assert rows["share of rows with a risk above 0.09, by people, as the plan counted"] == [
        "-",
        due,
    ]
    assert f"{due} a risk above 0.09" in answers(found)[0].sentence
    text = " ".join(models_section(found).sentences)
    assert "counted anew in the released rows" not in text or "the release does not show it" in text


def test_removed_values_are_counted_where_no_row_is_suppressed(found, released):
    kept = {name for name in QUASI if len({row[name] for row in released}) > 1}
    removed = sum(any(set(str(row[name])) == {"*"} for name in kept) for row in released)
    assert found.removed == removed
    assert removed
    assert f"{removed} rows have at least one value removed (*)" in verdict_of(found, SIZE).text


def test_null_takes_no_number_of_a_value(found):
    (sex,) = [each for each in found.columns if each.name == "sex"]
    numbered = [each.text for each in sex.labels if (each.text or "").startswith("hidden #")]
    assert numbered == [f"hidden #{n}" for n in range(1, len(numbered) + 1)]
    assert None in [each.text for each in sex.labels]
    assert len(numbered) > 1


def test_warnings_of_the_plan_are_in_the_report(lab, found):
    printed = " ".join(lab.run("plan", "people.yml").output.split())
    unique = next(each for each in found.warnings if "beside the quasi-identifiers" in each)
    assert unique in printed
    page = found.to_html()
    assert 'id="warnings"' in page
    assert "Each must be judged before the release" in page


def test_the_certificate_counts_what_it_says(lab):
    lab.done("certify", "out.parquet", "--plan", "people.plan.yml")
    page = (lab.folder / "out.certificate" / "report.html").read_text()
    text = " ".join(re.sub("<[^>]+>", " ", page).split())
    marks = Counter(re.findall(r'<td class="verdict (\w+)">', page))
    assert marks["UNCHECKED"] == 2
    whole = sum(marks.values())
    assert f"{whole - 2} of {whole} claims were checked by counting these rows, and hold" in text
    assert "Level 0 is the original value" not in text
    assert "rows seen; people not visible" in text
    assert "With day as well, " in text
    due = hashlib.sha256((lab.folder / "out.parquet").read_bytes()).hexdigest()
    assert f"{due} out.parquet" in text
    assert "PASS" in lab.done("verify", "out.certificate", "--plan", "people.plan.yml")


def test_a_policy_is_checked_without_its_source(lab):
    (lab.folder / "alone.yml").write_text(json.dumps({**policy_of(), "source": "gone.parquet"}))
    refused = lab.run("lint", "alone.yml")
    assert refused.exit_code != 0
    assert "kanon-sql lint --no-source alone.yml" in " ".join(refused.output.split())
    printed = " ".join(lab.done("lint", "--no-source", "alone.yml").split())
    assert "not checked: its source, with columns, types and values" in printed
    wrong = {**policy_of(), "privacy": {"kk": 3}}
    (lab.folder / "wrong.yml").write_text(json.dumps(wrong))
    assert lab.run("lint", "--no-source", "wrong.yml").exit_code != 0


def test_what_needs_the_source_says_what_does_not(lab):
    (lab.folder / "rows.parquet").rename(lab.folder / "away.parquet")
    try:
        refused = lab.run("explain", "people.plan.yml")
        report = kanon_sql.report(
            lab.folder / "out.parquet", plan=lab.folder / "people.plan.yml", search=False
        )
    finally:
        (lab.folder / "away.parquet").rename(lab.folder / "rows.parquet")
    assert refused.exit_code != 0
    assert "kanon-sql diff compares two plans" in " ".join(refused.output.split())
    assert any("beside the quasi-identifiers" in each for each in report.warnings)
    assert report.people is None
    limits = {each.title: each.text for each in dossier_of(report).limits}
    assert "counts of the source that the release does not show" not in limits["This page"]


def test_a_mask_of_nothing_else_is_a_removed_value():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE classes AS FROM (VALUES ('v*', 3), ('v*****', 4), ('v02***', 5), ('', 6), ('v', 7))"
            " AS t (key_0, row_count)"
        )
        counting = report_values.removed_rows(table("classes"), (("zip",),), [0])
        assert connection.execute(counting.rendered("duckdb").text).fetchone() == (7,)
