"""A report of each kind of release: figures of every column, each released row counted once."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import kanon_sql
from kanon_sql.evidence.reports.dossier import risk_section
from kanon_sql.evidence.reports.first_screen import verdict_of
from kanon_sql.evidence.reports.utility_sections import (
    correlations_section,
    distributions_section,
    utility_section,
)

sys.path.insert(0, str(Path(__file__).parent))
from report_kinds import KINDS, ROWS, K, policy_of, write_table

pytestmark = pytest.mark.sampled(2)


@pytest.fixture(scope="module")
def made(tmp_path_factory, lab_in):
    """Give the folder of a kind, and the reports of its plan and its release; each made once."""
    found = {}

    def of(kind):
        if kind not in found:
            lab = lab_in(tmp_path_factory.mktemp(kind))
            write_table(lab.folder)
            (lab.folder / "policy.yml").write_text(json.dumps(policy_of(kind)))
            lab.done("plan", "policy.yml")
            lab.done("apply", "policy.plan.yml")
            plan, release = lab.folder / "policy.plan.yml", lab.folder / f"{kind}.parquet"
            reports = [
                kanon_sql.report(plan, search=False),
                kanon_sql.report(release, plan=plan, search=False),
            ]
            found[kind] = lab.folder, *reports
        return found[kind]

    return of


def released(folder, kind):
    return pq.read_table(folder / f"{kind}.parquet").to_pylist()


@pytest.mark.parametrize("kind", KINDS)
def test_each_column_has_its_loss_whatever_the_recoding(made, kind):
    folder, of_plan, of_release = made(kind)
    measured = kanon_sql.quality(folder / f"{kind}.parquet", plan=folder / "policy.plan.yml")
    for found in (of_plan, of_release):
        losses = [each.certainty for each in found.quality.columns]
        assert losses == pytest.approx([each.certainty for each in measured.columns])
        table = utility_section(found).tables[0]
        at = table.headings.index("information loss")
        assert all(row[at].endswith("%") for row in table.rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_distribution_counts_each_row_once(made, kind):
    folder, _, found = made(kind)
    rows = released(folder, kind)
    for column, table in zip(found.columns, distributions_section(found).tables, strict=True):
        after = Counter(row[column.name] for row in rows)
        assert sorted(row[-1] for row in table.rows if row[-1] is not None) == sorted(
            count for _, count in after.most_common(len(column.labels))
        )
        before = [each.before for each in column.labels]
        assert len({each is None for each in before}) == 1
        assert ("rows before" in table.headings) is (before[0] is not None)
        if before[0] is not None and not column.other_labels:
            assert sum(before) <= len(ROWS)


def test_values_for_counts_stand_beside_the_rows_that_have_them(made):
    """A unit of two years stands for both; a value that is not shown has its rows under no label."""
    folder, _, found = made("counts")
    rows = released(folder, "counts")
    own = {
        "age": Counter(row["age"] // 2 * 2 for row in ROWS),
        "zip": Counter(row["zip"] for row in ROWS),
        "sex": Counter(row["sex"] for row in ROWS),
    }
    for column in found.columns:
        after = Counter(row[column.name] for row in rows)
        expected = Counter((count, own[column.name][value]) for value, count in after.items())
        assert Counter((each.rows, each.before) for each in column.labels) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_screen_and_the_certificate_say_where_no_row_is_true(made, kind):
    """A reader of the page or of the certificate alone would take values for counts for records."""
    folder, _, found = made(kind)
    untrue = "a row does not show what is true of it"
    decided = {name for name, _, _ in verdict_of(found, K).decided}
    says = kind == "counts"
    assert ("Not true of single rows" in decided) is says
    assert (untrue in found.to_html()) is (untrue in " ".join(found.to_text().split())) is says
    plan, inside = folder / "policy.plan.yml", folder / f"{kind}.certified"
    certified = kanon_sql.certify(folder / f"{kind}.parquet", plan, folder=inside)
    assert [each.stands_in for each in certified.roles].count(True) == (3 if says else 0)
    assert (untrue in (inside / "report.html").read_text(encoding="utf-8")) is says
    assert kanon_sql.verify_certificate(inside, plan=plan).passed


@pytest.mark.parametrize("kind", KINDS)
def test_a_threshold_that_k_rests_on_is_not_exceeded(made, kind):
    """1/11 is 0.0909: more than 0.09, and exactly what k = 11 allows."""
    *_, found = made(kind)
    assert found.risk.prosecutor.highest <= 1 / 11
    rows = {row[0]: row[1:] for row in risk_section(found).tables[0].rows}
    of = rows["share of rows with a risk above 1/11 (in classes of fewer than 11)"]
    assert of == ["100%", "0%"]
    assert not any("above 0.09" in title for title in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_an_association_that_the_recoding_invents_is_flagged(made, kind):
    *_, found = made(kind)
    section = correlations_section(found)
    marks = [row[3] for row in section.tables[0].rows]
    rises = [each.after > each.before + 1e-6 for each in found.correlations]
    assert [mark.startswith("rises") for mark in marks] == rises
    assert any("the figure rises" in each for each in section.sentences) is any(rises)
    if kind in {"intervals", "counts"}:
        assert any(rises)
