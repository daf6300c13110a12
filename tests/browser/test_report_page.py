"""The report of a release in Chromium: from a file, without a network, for eyes, hands and screen readers."""

from __future__ import annotations

from pathlib import Path

import pytest
from opened import opened
from people_pages import plan_report_in, title_of

MARKS = '.chart [aria-roledescription="figure"]'
MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def page_of_release(patients):
    return patients / "report.html"


@pytest.fixture
def report(browser, page_of_release):
    with opened(browser, page_of_release, viewport={"width": 1280, "height": 900}) as made:
        made.page.evaluate(
            "document.querySelectorAll('details.part').forEach((each) => { each.open = true; })"
        )
        yield made
        made.is_clean()


@pytest.mark.smoke
def test_a_report_opens_from_disk_and_asks_for_nothing_else(browser, tmp_path):
    page = plan_report_in(tmp_path)
    with opened(browser, page) as made:
        assert made.page.locator("h1").inner_text() == title_of(tmp_path)
        assert made.page.locator(MARKS).count() > 10
        assert made.page.locator("details.part[open]").count() == 0
        made.is_clean()
        assert made.asked == [made.own]


def test_a_report_with_all_its_searches_can_be_mailed(report, page_of_release):
    assert page_of_release.stat().st_size < MOST_BYTES
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
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
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


def test_on_paper_no_table_or_chart_is_cut(report):
    """Of a box that would scroll, paper shows the left part."""
    report.page.set_viewport_size({"width": 680, "height": 1000})  # A4 between its margins
    report.page.emulate_media(media="print")
    wide = """[...document.querySelectorAll('main *')].filter((each) =>
        each.checkVisibility() && each.getBoundingClientRect().right > 681).map((each) => each.outerHTML.slice(0, 120))"""
    assert report.page.evaluate(wide) == []


def test_pictures_of_it_are_taken_for_people(report, shots):
    made = report.shots(shots, "report")
    assert all(each.stat().st_size > 10_000 for each in made)


PICTURES = Path(__file__).parents[2] / "docs" / "images"


def test_every_picture_is_small_and_shown():
    """Whoever reads a page loads them."""
    pages = "".join(each.read_text(encoding="utf-8") for each in PICTURES.parent.rglob("*.md"))
    made = [*PICTURES.glob("*.png")]
    assert made
    assert [each.name for each in made if f"images/{each.name}" not in pages] == []
    assert [each.name for each in made if each.stat().st_size > 250_000] == []


WIDE_FONT = "svg text { font-family: 'DejaVu Sans', Verdana, sans-serif !important }"
FAULTS = """() => [...document.querySelectorAll('svg.chart')].flatMap(svg => {
  const edge = svg.getBoundingClientRect(), found = [], name = svg.dataset.chart
  const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim())
  const boxes = texts.map(t => [t, t.getBoundingClientRect()]).filter(([, b]) => b.width)
  for (const [t, b] of boxes)
    if (b.left < edge.left - 1 || b.right > edge.right + 1) found.push(`${name}: clipped`)
  const axis = svg.querySelectorAll('.role-axis-label')
  for (const group of axis) {
    const own = [...group.querySelectorAll('text')].filter(t => !(t.parentElement.getAttribute('transform') || t.getAttribute('transform') || '').includes('rotate'))
    const at = own.map(t => t.getBoundingClientRect()).filter(b => b.width)
    at.forEach((p, n) => at.slice(n + 1).forEach(q => {
      const x = Math.min(p.right, q.right) - Math.max(p.left, q.left)
      const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top)
      if (x > 0 && y > 3) found.push(`${name}: labels of an axis overlap`)
    }))
  }
  return found
})"""


@pytest.mark.parametrize("font", ["", WIDE_FONT])
@pytest.mark.parametrize("width", [390, 1200])
def test_no_text_of_a_chart_is_clipped_and_no_labels_of_an_axis_overlap(report, width, font):
    report.page.set_viewport_size({"width": width, "height": 900})
    if font:
        report.page.add_style_tag(content=font)
    assert report.page.locator("svg.chart .role-axis-label text").count() > 20
    assert sorted(set(report.page.evaluate(FAULTS))) == []


def test_a_column_of_a_table_is_aligned_in_one_way(report):
    mixed = """() => [...document.querySelectorAll('table')].flatMap(t => {
      const rows = [...t.querySelectorAll('tbody tr')]
      return (rows[0] ? [...rows[0].children] : []).map((_, n) =>
        new Set(rows.map(r => r.children[n].className === 'number')).size > 1 ? t.innerText.slice(0, 60) : '')
    }).filter(Boolean)"""
    assert report.page.evaluate(mixed) == []
