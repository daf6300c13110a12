"""The verdict of a report: what may be released to whom, by the figures that the policy is judged by."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.evidence.reports.dossier import dossier_of
from kanon_sql.evidence.reports.first_screen import answers, verdict_of

ROWS = [
    {"who": f"p{n % 40}", "age": 20 + n % 40, "zip": f"0{n % 3}{n % 2}", "ill": f"ill {n % 4}"}
    for n in range(120)
]
TABLE = pa.Table.from_pylist(ROWS)


def policy_of(**changes):
    columns = {
        "who": {"role": "identifying", "action": "drop"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 3}},
        "ill": {"role": "sensitive", "why": "It is <b>nobody's</b> business"},
    }
    whole = {"version": 1, "entity": "row", "columns": columns, "privacy": {"k": 4}}
    return {**whole, "suppression": "10%", **changes}


def made(policy, *, search=False):
    plan = kanon_sql.plan(policy, TABLE)
    return kanon_sql.report(plan, TABLE, policy=policy, search=search)


def test_it_names_k_the_risks_the_error_and_the_suppressed_rows():
    found = made(policy_of(about={"recipients": "The <b>register</b>,\nunder terms."}))
    verdict = verdict_of(found, 4)
    plan, risk = found.plan, found.risk.prosecutor
    smallest = min(each.size for each in found.sizes)
    assert verdict.meets
    assert verdict.text.startswith(
        "This plan meets its policy for “The <b>register</b>, under terms”, against somebody who knows no more than age and "
        "zip: "
    )
    assert (
        f"each of its {plan.classes} equivalence classes (rows that are alike in these columns) has at least {smallest} rows (k = 4)"
        in verdict.text
    )
    assert f"at most {100 / smallest:.2f}".rstrip("0").rstrip(".") in verdict.text
    assert "(the policy allows 1/4)" in verdict.text
    assert f"{round(100 * risk.average, 2):g}% on average" in verdict.text
    assert (
        f"half of simple counts are off by at most {found.quality.figures['count_error']:.1%}, "
        f"one in ten by {found.quality.figures['count_error_tenth']:.1%} or more" in verdict.text
    )
    assert "of 120 row" in verdict.text or "no row of 120 is suppressed" in verdict.text
    origin = dict(verdict.origin)
    assert origin["Date"] == datetime.now(UTC).date().isoformat()
    assert origin["Policy, SHA-256"] == plan.policy_digest
    assert origin["Plan, SHA-256"] == hashlib.sha256(plan.to_yaml().encode()).hexdigest()
    page = found.to_html()
    assert "&lt;b&gt;register" in page
    assert "<b>register" not in page
    assert " ".join(found.to_text().split()).count(verdict.text) == 1


def test_people_are_those_of_the_plan_where_the_release_hides_them():
    policy = policy_of(entity="who", privacy={"k": 3})
    plan = kanon_sql.plan(policy, TABLE)
    release = kanon_sql.apply(plan, TABLE, policy=policy)
    found = kanon_sql.report(release.to_arrow(), TABLE, plan=plan, policy=policy, search=False)
    verdict = verdict_of(found, 3)
    assert f"at least {plan.smallest_class} people (k = 3)" in verdict.text
    of = {each.name: each for each in verdict.figures}
    assert of["Smallest class"].beside.startswith("k = 3, counts people by who, as the plan did")
    assert (
        of["Highest risk"].value == f"{100 * plan.risk.highest:.2f}".rstrip("0").rstrip(".") + "%"
    )


def test_a_model_that_does_not_hold_is_the_verdict():
    found = made(policy_of())
    (model,) = found.models
    failed = replace(found, models=(replace(model, found=3, holds=False),))
    verdict = verdict_of(failed, 4)
    assert not verdict.meets
    assert verdict.text == (
        "This plan does not meet its policy, and nothing of it may be released: 4-anonymity asks for at least 4 and has 3."
    )
    assert 'class="verdict-line FAIL"' in failed.to_html()


def test_an_average_risk_that_the_policy_bounds_is_its_limit():
    found = made(policy_of(privacy=[{"k": 4}, {"average_risk": 0.2}]))
    of = {each.name: each for each in verdict_of(found, 4).figures}
    assert of["Average risk"].beside == "the policy allows 20%"


def test_what_is_not_stated_is_listed_at_the_end_and_nowhere_else():
    found = made(policy_of(about={"title": "Visits", "purpose": "Research"}))
    could = dict(dossier_of(found).could_state)
    assert list(could) == [
        "about: contact",
        "about: recipients",
        "about: terms",
        "about: review",
        "about: threshold",
        "why: of who, age and zip",
    ]
    for text in (found.to_html(), found.to_text()):
        assert "not stated" not in text
        assert "What the policy could state" in text
        assert "about: contact" in text
    assert "role: sensitive" in dict(dossier_of(made(_without_sensitive())).could_state)


def _without_sensitive():
    policy = policy_of()
    policy["columns"]["ill"] = {"role": "insensitive"}
    return policy


@pytest.mark.parametrize("algorithm", ["mondrian", "top_down"])
def test_another_k_is_searched_where_there_is_no_lattice(algorithm):
    policy = policy_of(search={"algorithm": algorithm}, suppression=0)
    found = made(policy, search=True)
    (own,) = [each for each in found.cuts if each.of_policy]
    assert (own.k, own.loss) == (4, found.plan.cost[0])
    for each in found.cuts:
        again = kanon_sql.plan({**policy, "privacy": {"k": each.k}}, TABLE)
        assert each.loss == pytest.approx(again.cost[0])
    assert len(found.cuts) > 2
    assert [each.question for each in answers(found)][-1] == "What would another k lose?"
    assert "searches no lattice" in found.left_out["lattice"]
    assert "search" not in found.left_out


def test_a_question_without_figures_is_left_out():
    found = made(policy_of())
    bare = replace(found, quality=None, small=(), sizes_before=None, risk_before=None)
    assert [each.question for each in answers(bare)] == ["Who is at risk?"]
    assert "of the source" not in answers(bare)[0].sentence


def test_a_column_of_one_label_is_lost_and_no_chart_shows_it_as_kept():
    policy = policy_of()
    policy["columns"]["age"] = {"role": "quasi", "hierarchy": "suppress", "levels": {"least": 1}}
    found = made(policy)
    (table,) = [each for each in found.small if len(each.columns) == 1 and each.rate is None]
    assert table.columns == ("zip",)
    assert "age is lost (one label in all rows)" in verdict_of(found, 4).text
    (counts,) = [each for each in answers(found) if each.question == "What do simple counts lose?"]
    assert "zip" in counts.sentence
    assert "age" not in counts.sentence
    whole = made(policy_of())
    assert "is lost" not in verdict_of(whole, 4).text
    assert "What do simple counts lose?" in [each.question for each in answers(whole)]


def test_rows_that_all_columns_identify_are_a_figure_of_the_first_screen():
    table = TABLE.append_column("days", pa.array([n * n % 31 for n in range(120)]))
    policy = policy_of()
    policy["columns"]["days"] = {"role": "insensitive"}
    with kanon_sql.anonymize(policy, table) as release:
        rows = [tuple(row.values()) for row in release.to_arrow().to_pylist()]
        found = kanon_sql.report(release, table, plan=release.plan, policy=policy, search=False)
    unique = sum(many == 1 for many in Counter(rows).values())
    assert 0 < unique < len(rows)
    shown = {each.name: each.value for each in verdict_of(found, 4).figures}
    assert shown["Unique by all columns"] == f"{unique} of {len(rows)}"


BY_ORDER = {
    "age": {"role": "quasi", "order": "number", "snap": 10},
    "zip": {"role": "quasi", "order": "text"},
}


@pytest.mark.parametrize("output", ["labels", "apportioned"])
def test_a_release_of_one_call_has_the_loss_of_each_column(output):
    """Its plan has no file, and its cuts are hashed under the key of this process."""
    policy = policy_of(search={"algorithm": "mondrian"}, suppression=0)
    for name, of in BY_ORDER.items():
        policy["columns"][name] = {**of, "output": output}
    with kanon_sql.anonymize(policy, TABLE) as release:
        made_of = release.plan
        found = kanon_sql.report(release, TABLE, plan=made_of, policy=policy, search=False)
    assert made_of.source_fingerprint is None
    assert all(each.certainty is not None for each in found.quality.columns)
    assert found.quality.simple_counts is not None
    assert "What did each column lose?" in [each.question for each in answers(found)]


def test_a_release_with_a_column_beside_those_of_its_plan_gets_no_report():
    policy = policy_of()
    plan = kanon_sql.plan(policy, TABLE)
    released = kanon_sql.apply(plan, TABLE, policy=policy).to_arrow()
    report_of = {"plan": plan, "policy": policy, "search": False}
    assert kanon_sql.report(released, TABLE, **report_of).to_html()
    for name in ("na'me", "who"):  # a stranger, and a column that the policy drops
        beside = released.append_column(name, pa.array(["Alice"] * released.num_rows))
        with pytest.raises(kanon_sql.VerificationError, match=f"plan, which has no {name}; noth"):
            kanon_sql.report(beside, TABLE, **report_of)
