"""The report of a release in Chromium: from a file, without a network, for eyes, hands and screen readers."""

from __future__ import annotations

import pytest
from opened import opened

MARKS = '.chart [aria-roledescription="figure"]'
MOST_BYTES = 3_000_000
SECTIONS = [
    "Data and purpose", "Roles", "Transformations", "Re-identification risk", "Class sizes", "Privacy models",
]  # fmt: skip


@pytest.fixture(scope="module")
def page_of_release(patients):
    return patients / "report.html"


@pytest.fixture
def report(browser, page_of_release):
    with opened(browser, page_of_release, viewport={"width": 1280, "height": 900}) as made:
        yield made
        made.is_clean()


@pytest.mark.smoke
def test_a_report_opens_from_disk_and_asks_for_nothing_else(report, page_of_release):
    assert page_of_release.stat().st_size < MOST_BYTES
    assert report.page.locator("h1").inner_text() == "Hospital stays in the north, 2024"
    assert report.asked == [report.own]


def test_charts_are_drawn_beside_a_table_of_their_figures(report):
    charts = report.page.locator("figure:has(svg)")
    assert charts.count() >= 8
    for chart in charts.all():
        box = chart.locator("svg").first.bounding_box()
        assert box["width"] > 100
        assert box["height"] > 50
        chart.locator("summary").click()
        assert chart.locator("table").is_visible()
        assert chart.locator("tbody tr").count() >= 1


def test_a_marks_figures_are_shown_where_the_pointer_is_and_go_with_escape(report):
    mark = report.page.locator(MARKS).first
    tip = report.page.locator(".chart-tip")
    mark.scroll_into_view_if_needed()
    assert tip.is_hidden()
    mark.hover()
    assert tip.is_visible()
    assert tip.inner_text() == mark.get_attribute("aria-label")
    report.page.keyboard.press("Escape")
    assert tip.is_hidden()
    report.page.mouse.move(1, 1)
    assert tip.is_hidden()


def test_a_keyboard_reaches_every_chart_and_moves_between_its_marks(report):
    """One stop of the Tab key a chart, arrows within."""
    page = report.page
    tip = page.locator(".chart-tip")
    for chart in page.locator(".chart").all():
        marks = chart.locator('[aria-roledescription="figure"]')
        if marks.count() == 0:
            continue
        assert chart.locator('[aria-roledescription="figure"][tabindex="0"]').count() == 1
        chart.locator('[tabindex="0"]').focus()
        page.keyboard.press("Home")
        assert tip.inner_text() == marks.first.get_attribute("aria-label")
        page.keyboard.press("End")
        assert tip.inner_text() == marks.last.get_attribute("aria-label")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(report, scheme):
    report.page.emulate_media(color_scheme=scheme)
    report.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    report.is_accessible()


@pytest.mark.parametrize("width", [320, 360, 820, 1440])
def test_no_page_is_wider_than_its_window(report, width):
    report.page.set_viewport_size({"width": width, "height": 900})
    assert report.overflow() <= 0


def test_printed_it_has_every_section_and_no_part_that_is_folded(report, tmp_path):
    headings = report.page.locator("main h2").all_inner_texts()
    titles, pages = report.printed(tmp_path / "report.pdf")
    assert [each for each in headings if each not in titles] == []
    assert 3 <= pages <= 60
    assert (tmp_path / "report.pdf").stat().st_size < MOST_BYTES


def test_pictures_of_it_are_taken_for_people(report, shots):
    made = report.shots(shots, "report")
    assert all(each.stat().st_size > 10_000 for each in made)
