"""The report of each kind of release in Chromium: its first screen decides, at every width, in the dark and on paper."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
import yaml
from opened import opened
from people_pages import SAMPLE, done

RECIPIENTS = "Researchers of the register, under a data use agreement"
MONDRIAN = {"search": {"algorithm": "mondrian"}}
KINDS = {
    "levels": {},
    "nested": MONDRIAN,
    "counts": {**MONDRIAN, "output": "apportioned"},
    "cells": {"search": {"algorithm": "optimal", "recoding": "cells"}},
    "bands": {"search": {"algorithm": "top_down"}},
}
"""What the sample's policy says otherwise for each kind of recoding."""
WIDTHS = (360, 800, 1400)
PAPER = (696, 1017)
"""The pixels of A4 between its margins."""
PICTURES = Path(__file__).parents[2] / "docs" / "images"
PICTURED_ON = "2026-11-28"


def k_of(kind):
    return 11 if kind == "cells" else 5


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """Give the report of a kind's plan, made once."""
    made = {}

    def of(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(kind)
            shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
            policy = yaml.safe_load((folder / "people.yml").read_text(encoding="utf-8"))
            policy["about"]["recipients"] = RECIPIENTS
            if kind == "counts":
                policy["columns"]["days"] = {"role": "identifying", "action": "drop"}
            if kind == "cells":  # so that some class does not fit at the node of the others
                columns = policy["columns"]
                columns["age"]["hierarchy"] = {"intervals": [5, 10, 20, 40]}
                columns["education"]["hierarchy"] = "suppress"
                policy["privacy"][0], policy["suppression"] = {"k": k_of(kind)}, "1%"
            (folder / "people.yml").write_text(
                yaml.safe_dump({**policy, **KINDS[kind]}, sort_keys=False)
            )
            done(folder, "plan", "people.yml", "--no-rows")
            done(folder, "report", "people.plan.yml", "-o", "report.html", "--time-limit", "40s")
            made[kind] = folder / "report.html"
        return made[kind]

    return of


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def report(browser, page_of, kind):
    with opened(browser, page_of(kind), viewport={"width": 1400, "height": 900}) as made:
        yield made
        made.is_clean()


def test_the_first_screen_decides(report, kind):
    page = report.page
    box = page.locator("#verdict").bounding_box()
    assert box["y"] + box["height"] < 900
    text = page.locator("#verdict").inner_text()
    for shown in (
        "Meets its policy",
        RECIPIENTS,
        f"k = {k_of(kind)}",
        f"the policy allows 1/{k_of(kind)}",
        "on average",
        "suppressed",
    ):
        assert shown in text
    assert re.search(
        r"half of simple counts are off by at most [0-9.]+%, one in ten by [0-9.]+% or more", text
    )
    assert re.search(r"Date\s+20\d\d-\d\d-\d\d", text)
    assert len(re.findall(r"\b[0-9a-f]{64}\b", text)) == 3
    assert "Date and signature" in text


def test_four_charts_answer_questions_and_all_else_is_folded(report):
    page = report.page
    assert page.locator(".answer h3").all_inner_texts() == [
        "Who is at risk, before and after?",
        "What did each column lose?",
        "What do simple counts lose?",
        "What would another k lose?",
    ]
    assert page.locator(".answer svg.chart").count() == 4
    other_k = page.locator(".answer", has_text="another k").locator("svg")
    assert "chosen" in other_k.text_content()
    parts = page.locator("details.part")
    assert parts.count() >= 12
    assert page.locator("details.part[open]").count() == 0
    ends = [page.locator(each).last.bounding_box()["y"] for each in (".answer", "details.part")]
    assert ends[0] < ends[1]
    assert "not stated" not in page.content()
    for stated in ("contact", "why: of "):
        assert stated in page.locator("#could-state").text_content()


def test_the_texts_of_the_four_charts_are_of_one_size(report):
    page = report.page
    scales = """[...document.querySelectorAll(".answer svg.chart")].map((each) =>
        each.getBoundingClientRect().width / each.viewBox.baseVal.width)"""
    page.set_viewport_size({"width": 1400, "height": 900})
    assert page.evaluate(scales) == pytest.approx([1, 1, 1, 1], abs=0.01)
    page.set_viewport_size({"width": 360, "height": 900})
    assert min(page.evaluate(scales)) > 0.75  # 8 pixels of 11


def test_each_column_has_its_loss(report):
    losses = report.page.locator(".answer", has_text="each column lose").locator("tbody tr").all()
    assert len(losses) == 4
    assert all(re.search(r"\d", each.locator("td").first.text_content()) for each in losses)


def test_a_link_to_a_part_opens_it(report):
    report.page.evaluate("location.hash = 'limits'")
    report.page.wait_for_timeout(100)
    assert report.page.locator("#limits dl").is_visible()


def test_it_fits_every_window_and_axe_finds_no_serious_fault(report, kind, shots):
    for width in WIDTHS:
        report.page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            report.page.emulate_media(color_scheme=scheme)
            assert report.overflow() <= 0, (width, scheme)
            report.is_accessible()
            assert report.shot(shots / f"{kind}-{width}-{scheme}.png").stat().st_size > 10_000


def test_the_first_sheet_of_paper_is_signed_and_the_second_has_the_four_charts(report):
    width, height = PAPER
    report.page.set_viewport_size({"width": width, "height": height})
    report.page.emulate_media(media="print")
    ends = [each.bounding_box() for each in report.page.locator(".answer").all()]
    assert len(ends) == 4
    sheet = report.page.locator("#verdict").bounding_box()
    assert sheet["y"] + sheet["height"] <= height
    signed = report.page.locator("#verdict dl.sign").bounding_box()
    assert signed["y"] + signed["height"] <= height
    charts = report.page.locator(".answers")
    style = "(each) => [getComputedStyle(each).breakBefore, getComputedStyle(each).breakAfter]"
    assert charts.evaluate(style) == ["page", "page"]
    assert max(each["y"] + each["height"] for each in ends) - charts.bounding_box()["y"] <= height
    assert {round(each["x"]) for each in ends} == {round(each["x"]) for each in ends[:2]}


def test_paper_has_all_parts(report, tmp_path):
    titles, pages = report.printed(tmp_path / "report.pdf")
    headings = report.page.locator("main h2").all_inner_texts()
    assert [each for each in headings if each not in titles] == []
    assert 5 <= pages <= 20
    report.page.emulate_media(media="print")
    report.page.set_viewport_size({"width": PAPER[0], "height": PAPER[1]})
    hidden = """[...document.querySelectorAll("details.part")].filter((each) =>
        each.getBoundingClientRect().height < 60).map((each) => each.id)"""
    assert report.page.evaluate(hidden) == []


def test_one_command_writes_the_page_and_the_pdf(page_of):
    folder = page_of("levels").parent
    words = ["report", "people.plan.yml", "--no-search", "-o", "one.html", "--pdf", "one.pdf"]
    printed = done(folder, *words)
    assert "wrote one.pdf: " in printed
    assert (folder / "one.pdf").read_bytes().startswith(b"%PDF-")
    done(folder, *words, "--replace")


@pytest.mark.skipif(not os.environ.get("KANON_UPDATE_PICTURES"), reason="writes pictures")
def test_the_pictures_of_the_guide(report, kind):
    """The first screen of each kind, as docs/guides/report.md shows it."""
    page = report.page
    page.set_viewport_size({"width": 980, "height": 800})
    # One day in all pictures: a page is dated the day it is made, and a picture would change without a reason.
    origin = page.locator("dl.origin div", has=page.locator("dt", has_text=re.compile("^Date$")))
    origin.locator("dd").evaluate("(box, day) => { box.textContent = day; }", PICTURED_ON)
    end = page.locator(".answers").bounding_box()
    clip = {"x": 0, "y": 0, "width": 980, "height": end["y"] + end["height"] + 10}
    page.screenshot(path=PICTURES / f"report-{kind}.png", full_page=True, clip=clip)
