"""A report has one place to sign, a certificate's page none; both say that they are a second release."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def made(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    lab.done("report", "policy.plan.yml", "--no-search", "-o", "people.report.html")
    return lab


def read(lab, name):
    return (lab.folder / name).read_text(encoding="utf-8")


def test_a_report_is_signed_in_one_place_and_a_certificate_in_none(made):
    report = read(made, "people.report.html")
    certificate = read(made, "release.certificate/report.html")
    assert report.count("Date and signature") == 1
    assert report.count('class="sign"') == 1
    assert 'id="sign-off"' not in report
    assert "Date and signature" not in certificate
    assert "This page is evidence, and no place to sign" in certificate
    assert "no place to sign" not in report
    sheet = report.partition('class="answers"')[0]
    for each in ("I have judged the purpose", "☐ approved under conditions", "☐ refused"):
        assert each in sheet
        assert each not in certificate
    assert "counts of the source that the release does not show" in report
    assert "counts of the source that the release does not show" not in certificate
    assert re.search(r"<title>[^<]*report of a plan</title>", report)
    assert re.search(r"<title>[^<]*certificate of a release</title>", certificate)
    assert "PASS" in made.done("verify", "release.certificate", "--plan", "policy.plan.yml")


def test_both_pages_and_the_text_end_with_what_the_page_itself_shows(made):
    words = "This page is a second release of the same people"
    for name in ("people.report.html", "release.certificate/report.html"):
        page = read(made, name)
        assert page.index('id="limits"') < page.index(words)
    text = made.done("report", "policy.plan.yml", "--no-search", "--text")
    assert words in " ".join(text.split())
    assert text.index("\nLimits\n") < text.index("This page is a second")
