"""The printed report has its tables unfolded, and no word of this project's own for information loss."""

from __future__ import annotations

import re

import pytest


@pytest.fixture(scope="module", params=["mondrian", "optimal"])
def page(request, tmp_path_factory, lab_in):
    lab = lab_in(tmp_path_factory.mktemp("printed"))
    lab.policy(search={"algorithm": request.param})
    lab.done("plan", "policy.yml")
    lab.done("report", "policy.plan.yml", "-o", "people.report.html")
    return (lab.folder / "people.report.html").read_text(encoding="utf-8")


def test_tables_of_sections_are_printed_and_those_of_charts_are_not(page):
    folded = re.findall(r"<details([^>]*)>\s*<summary>(Table: [^<]*)", page)
    assert folded
    for marks, title in folded:
        rows = int(re.search(r"\((\d+) rows?\)$", title)[1])
        assert ('class="printed"' in marks) is (rows <= 60)
    style = page.partition("@media print")[2].partition("</style>")[0]
    assert re.search(r"\.printed::details-content \{ content-visibility: visible; display: block", style)  # fmt: skip
    assert "details:not(.part, .printed, [open]) > summary::after" in style


def test_information_loss_is_called_so(page):
    assert "(gcp)" not in page
    assert "the metric gcp" not in page
    assert "gcp of" not in page
