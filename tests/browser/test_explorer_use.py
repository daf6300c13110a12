"""The explorer in a real browser: what one changes is seen at once, undone, and saved; labels are text, whatever they hold."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from opened import opened

import kanon_sql

SAMPLE = Path(kanon_sql.__file__).parent / "sample"
PICTURES = Path(__file__).parents[2] / "docs" / "images"
READY = "#page[aria-busy=false] #verdict:is(.good, .bad)"
POLICY = """\
version: 1
source: people.csv
entity: row
columns:  # of the table
  zip: {role: quasi, hierarchy: {mask: 3}}
  age: {role: quasi, hierarchy: {intervals: [10, 20, 40]}}  # years
  sex: {role: quasi, hierarchy: suppress}
  ill: {role: sensitive}
privacy: {k: 5}
suppression: 5%
release: out.parquet
"""
HOSTILE = (
    "<script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 1'>",
    "it's `${window.hacked = 1}` \\ </svg></style>{{ hacked }}",
    "\u202eright to left\u202c \u200f\u2066x",
    "\u0007\u001b[31m]]>&lt;&amp;",
    "x" * 10_000,
)


def written(rows):
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


@pytest.fixture
def folder(tmp_path):
    rows = [(f"{n % 2}{n % 3}{n % 7}", 20 + n * n % 57, "mf"[n % 5 > 2], f"ill-{n % 4}") for n in range(400)]  # fmt: skip
    (tmp_path / "people.csv").write_text(written([("zip", "age", "sex", "ill"), *rows]))
    (tmp_path / "policy.yml").write_text(POLICY)
    return tmp_path


@contextmanager
def explored(browser, folder, **more):
    """The page of a policy, once it shows its first figures; its watchers find nothing when it is closed."""
    command = [sys.executable, "-m", "kanon_sql", "explore", "policy.yml", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ) as run:  # fmt: skip
        try:
            first = run.stdout.readline()
            address = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=\S+", first)
            assert address, first + run.stdout.read()
            with opened(browser, address[0], own=address[1], **more) as found:
                settled(found.page)
                yield found
                found.is_clean()
        finally:
            run.send_signal(signal.SIGINT)
            run.wait(20)
    assert run.returncode == 0


def settled(page):
    """Wait until the last answer is shown."""
    page.wait_for_selector(READY)
    page.wait_for_timeout(50)
    page.wait_for_selector(READY)


def tile(page, name):
    box = page.locator(".tile", has_text=name).locator(".value")
    return box.inner_text()


def state(page):
    """What the page shows of a state: figures, and levels."""
    return {
        "verdict": page.locator("#verdict-why").inner_text(),
        "tiles": page.locator(".tile .value").all_inner_texts(),
        "levels": page.locator(".column-now").all_inner_texts(),
        "k": page.get_by_label("k", exact=True).input_value(),
    }


@pytest.mark.smoke
def test_what_is_changed_is_seen_at_once_undone_and_saved(browser, folder):
    with explored(browser, folder, viewport={"width": 1440, "height": 900}) as found:
        page = found.page
        first = state(page)
        assert page.locator("#verdict-title").inner_text() == "Feasible"
        page.get_by_role("button", name="k up").click()
        settled(page)
        assert page.get_by_label("k", exact=True).input_value() == "6"
        page.locator("fieldset", has=page.get_by_role("heading", name="age")).get_by_role("radio", name="level 0").check()  # fmt: skip
        settled(page)
        assert page.locator("#verdict-title").inner_text() == "Not feasible"
        assert "level 0 of 4" in page.locator(".column-now").all_inner_texts()
        page.keyboard.press("Control+z")
        settled(page)
        page.get_by_role("button", name="Undo").click()
        settled(page)
        assert state(page) == first
        assert page.get_by_role("button", name="Undo").is_disabled()
        page.get_by_role("button", name="Redo").click()
        settled(page)
        page.get_by_role("button", name="Find the best node").click()
        settled(page)
        assert page.locator("#verdict-title").inner_text() == "Feasible"
        suppressed = int(tile(page, "Suppressed rows"))
        page.get_by_role("button", name="Save policy and plan").click()
        page.get_by_text("To publish").wait_for()
    assert (folder / "policy.explored.yml").read_text() == POLICY.replace("{k: 5}", "{k: 6}")
    plan = (folder / "policy.explored.plan.yml").read_text()
    assert f"suppressed_rows: {suppressed}\n" in plan


def test_charts_are_drawn_and_their_figures_told_on_hover_and_by_keyboard(browser, folder):
    with explored(browser, folder, viewport={"width": 1440, "height": 900}) as found:
        page = found.page
        for name in ("sizes", "risk", "loss"):
            box = page.locator(f".chart-box[data-name={name}]")
            marks = box.locator("svg [aria-roledescription=figure]")
            marks.first.wait_for()
            assert marks.count() > 1
            box.locator("summary").click()
            assert box.locator("tbody tr").count() >= 2
        marks = page.locator(".chart-box[data-name=sizes] svg [aria-roledescription=figure]")
        marks.first.scroll_into_view_if_needed()
        page.wait_for_timeout(300)  # a tip is hidden while the page scrolls
        marks.first.hover()
        tips = page.locator(".chart-tip")
        tips.wait_for()
        assert tips.inner_text() == marks.first.get_attribute("aria-label")
        marks.first.focus()
        page.keyboard.press("ArrowRight")
        assert tips.inner_text() == marks.nth(1).get_attribute("aria-label")
        page.keyboard.press("Escape")
        assert tips.is_hidden()


def test_faults_stand_beside_what_they_are_about_and_the_figures_stay(browser, folder):
    with explored(browser, folder) as found:
        page = found.page
        before = page.locator(".tile .value").all_inner_texts()
        limit = page.get_by_label("Suppression limit", exact=True)
        limit.fill("many")
        limit.press("Enter")
        page.locator(".fault").wait_for()
        assert limit.get_attribute("aria-invalid") == "true"
        assert "whole number" in page.locator(".fault").inner_text()
        assert page.locator(".tile .value").all_inner_texts() == before
        limit.fill("9%")
        limit.press("Enter")
        settled(page)
        assert page.locator(".fault").count() == 0
        assert "36 may be" in page.locator("#verdict-why").inner_text()


def test_cut_points_and_models_are_changed_and_saved_in_the_policy_s_words(browser, folder):
    with explored(browser, folder) as found:
        page = found.page
        column = page.locator("fieldset", has=page.get_by_role("heading", name="age"))
        column.get_by_text("Hierarchy", exact=True).click()
        column.get_by_label("Widths").fill("15, 30")
        column.get_by_label("Widths").press("Enter")
        settled(page)
        column.get_by_label("One interval below").fill("30")
        column.get_by_label("One interval below").press("Enter")
        settled(page)
        assert "of 3" in column.locator(".column-now").inner_text()
        page.get_by_role("button", name="Add distinct l-diversity of ill").click()
        settled(page)
        page.get_by_role("button", name="Save policy", exact=True).click()
        page.get_by_text("kanon-sql plan").wait_for()
    expected = POLICY.replace(
        "{intervals: [10, 20, 40]}}", "{intervals: {widths: [15, 30], bottom: 30}}}"
    ).replace("{k: 5}", "[{k: 5}, {distinct_l: {column: ill, l: 2}}]")
    assert (folder / "policy.explored.yml").read_text() == expected


def test_it_is_used_by_keyboard_alone(browser, folder):
    with explored(browser, folder, viewport={"width": 1200, "height": 900}) as found:
        page = found.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.get_by_label("k", exact=True).focus()
        page.keyboard.press("ArrowUp")
        settled(page)
        assert page.get_by_label("k", exact=True).input_value() == "6"
        assert page.evaluate("document.activeElement.id") == "in-privacy-k"
        page.locator("input[name=level-2]:checked").focus()
        page.keyboard.press("ArrowRight")
        settled(page)
        assert page.evaluate("document.activeElement.name") == "level-2"
        assert page.locator("#status").inner_text().startswith(("Feasible", "Not feasible"))


def test_it_is_accessible_and_as_wide_as_its_window(browser, folder, shots):
    with explored(browser, folder) as found:
        found.page.locator(".chart-box svg").nth(2).wait_for()
        for width in (1440, 820, 360):
            found.page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                found.page.emulate_media(color_scheme=scheme)
                found.is_accessible()
            assert found.overflow() <= 0
        found.shots(shots, "explorer")


def test_hostile_labels_and_names_are_text_everywhere(browser, tmp_path):
    names = ["a<b>&'\"\u202e", '"><script>window.hacked=1</script>']
    rows = [[HOSTILE[n % len(HOSTILE)], HOSTILE[n % 2], f"ill-{n % 3}"] for n in range(60)]
    (tmp_path / "people.csv").write_text(written([(*names, "ill"), *rows]), encoding="utf-8")
    policy = {
        "version": 1,
        "source": "people.csv",
        "entity": "row",
        "columns": {
            names[0]: {"role": "quasi", "hierarchy": {"tree": {HOSTILE[1]: {HOSTILE[0] * 2: list(HOSTILE)}}}},
            names[1]: {"role": "quasi", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"k": 3},
    }  # fmt: skip
    (tmp_path / "policy.yml").write_text(json.dumps(policy), encoding="utf-8")
    with explored(browser, tmp_path, viewport={"width": 1200, "height": 900}) as found:
        page = found.page
        for level in range(3):
            page.locator(f".levels[data-column='0'] .level[data-level='{level}']").click()
            settled(page)
            page.locator(".chart-box[data-name=loss] svg").wait_for()
            shown = page.locator("#rows td .label").all_text_contents()
            wanted = (HOSTILE, [HOSTILE[0] * 2], [HOSTILE[1]])[level]
            assert {each for each in shown if each in wanted}
            assert page.evaluate("window.hacked") is None
            assert page.locator("script, img").count() == 2  # its own
            assert found.overflow() <= 0
        assert names[0] in page.locator("h3").all_text_contents()


def test_another_page_and_another_browser_get_nothing(browser, folder, tmp_path):
    with explored(browser, folder) as found:
        with browser.new_context() as other:
            answer = other.request.get(f"{found.own}/")
            assert answer.status == 403
        # A page of another origin in the same browser: neither a request nor a frame of it has the cookie.
        page = found.page.context.new_page()
        page.goto("about:blank")
        told = page.evaluate(
            "own => fetch(own + '/api/start', {method: 'POST', credentials: 'include'}).then(a => a.status, e => 'blocked')",
            found.own,
        )
        assert told == "blocked"
        page.close()
        found.said.clear()  # of the page that was refused


@pytest.mark.skipif(not os.environ.get("KANON_UPDATE_PICTURES"), reason="writes a picture")
def test_the_picture_of_the_guide(browser, tmp_path):
    for each in SAMPLE.iterdir():
        shutil.copy(each, tmp_path)
    (tmp_path / "people.yml").rename(tmp_path / "policy.yml")
    view = {"width": 1360, "height": 1120}
    with explored(browser, tmp_path, viewport=view, color_scheme="light") as found:
        page = found.page
        page.get_by_role("button", name="k up").click()
        settled(page)
        page.get_by_role("button", name="Find the best node").click()
        settled(page)
        page.locator(".chart-box[data-name=sizes] svg").wait_for()
        page.mouse.move(700, 5)
        page.wait_for_timeout(1500)  # the colours of the levels come after the figures
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / "explorer.png")
