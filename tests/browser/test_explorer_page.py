"""The explorer in Chromium: what one changes is counted anew, is undone and saved; nobody else gets anything."""

from __future__ import annotations

import http.server
import shutil
import threading
from pathlib import Path

import pytest
import yaml
from opened import opened, until
from people_pages import SAMPLE
from served import explorer_of

import kanon_sql

MARKS = '.chart [aria-roledescription="figure"]'


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "people")
    return tmp_path / "people"


@pytest.fixture
def explorer(browser, folder):
    """The page of the sample's policy, ready, at a desk."""
    with (
        explorer_of(folder, "people.yml") as (address, origin),
        opened(browser, address, own=origin, viewport={"width": 1440, "height": 900}) as made,
    ):
        ready(made.page)
        yield made
        made.is_clean()


def ready(page):
    page.wait_for_selector("#page[aria-busy=false]")
    page.wait_for_selector("#tiles .tile")


def tile(page, name):
    return page.locator(".tile", has_text=name).locator(".value").inner_text()


def fill(page, key, value):
    field = page.locator(f'input[data-key="{key}"]')
    field.fill(value)
    field.press("Enter")
    field.blur()
    ready(page)


def all_drawn(page):
    until(
        page,
        "[...document.querySelectorAll('.chart-box')].every((box) => box.querySelector('svg'))",
    )


def verdict(page):
    return page.locator("#verdict-title").inner_text()


def test_a_larger_k_is_counted_at_once_and_undone(explorer):
    page = explorer.page
    assert verdict(page) == "Feasible"
    before = {name: tile(page, name) for name in ("Suppressed rows", "Classes released")}
    fill(page, "privacy-0-k", "30")
    until(page, "document.querySelector('#steps').children.length === 2")
    assert tile(page, "Classes released") != before["Classes released"]
    page.locator("#undo").click()
    until(page, "document.querySelector('#redo').disabled === false")
    ready(page)
    assert page.locator('input[data-key="privacy-0-k"]').input_value() == "5"
    assert {name: tile(page, name) for name in before} == before
    page.keyboard.press("Control+y")
    until(page, "document.querySelector('#redo').disabled === true")
    ready(page)
    assert page.locator('input[data-key="privacy-0-k"]').input_value() == "30"


def test_a_level_is_chosen_with_the_keyboard_and_its_rows_are_shown(explorer):
    page = explorer.page
    sex = page.locator('.levels[data-column="0"] input')
    sex.first.focus()
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('#steps').children.length === 2")
    ready(page)
    assert sex.nth(1).is_checked()
    assert {row[1] for row in shown_rows(page)} == {"*"}  # beside how many rows read alike
    assert page.evaluate("document.activeElement.dataset.focus") == "level-0-1"


def shown_rows(page):
    rows = page.locator("#rows tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_what_is_saved_is_planned_to_the_same_figures(explorer, folder):
    page = explorer.page
    fill(page, "privacy-0-k", "12")
    until(page, "document.querySelector('#steps').children.length === 2")
    page.locator("#best").click()
    until(page, "document.querySelector('#best').disabled")
    until(page, "!document.querySelector('#best').disabled")
    ready(page)
    suppressed = int(tile(page, "Suppressed rows").replace(",", ""))
    page.locator("#save-plan").click()
    until(page, "/Saved .*plan/.test(document.querySelector('#message').textContent)")
    saved = folder / "people.explored.yml"
    assert yaml.safe_load(saved.read_text(encoding="utf-8"))["privacy"][0] == {"k": 12}
    with kanon_sql.apply(folder / "people.explored.plan.yml") as release:
        assert release.plan.suppressed_rows == suppressed
    assert "# one row a patient" in saved.read_text(encoding="utf-8")


def test_what_cannot_be_is_marked_where_it_was_typed(explorer):
    page = explorer.page
    fill(page, "privacy-0-k", "none")
    field = page.locator('input[data-key="privacy-0-k"][aria-invalid=true]')
    field.wait_for()
    assert page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
    explorer.is_accessible()


def test_charts_are_drawn_with_their_figures_for_pointer_and_keyboard(explorer):
    page = explorer.page
    all_drawn(page)
    tip = page.locator(".chart-tip")
    mark = page.locator(MARKS).first
    mark.scroll_into_view_if_needed()
    mark.hover()
    assert tip.inner_text() == mark.get_attribute("aria-label")
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.locator('.chart [tabindex="0"]').first.focus()
    page.keyboard.press("End")
    assert tip.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(explorer, scheme):
    explorer.page.emulate_media(color_scheme=scheme)
    all_drawn(explorer.page)
    explorer.page.evaluate(
        "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
    )
    explorer.is_accessible()


def test_no_width_is_too_narrow_and_pictures_are_taken(explorer, shots):
    all_drawn(explorer.page)
    for width in (320, 360, 820, 1440):
        explorer.page.set_viewport_size({"width": width, "height": 900})
        assert explorer.overflow() <= 0, width
    made = explorer.shots(shots, "explorer")
    assert all(each.stat().st_size > 10_000 for each in made)


def test_the_address_serves_one_browser_once(browser, folder):
    with explorer_of(folder, "people.yml") as (address, origin):
        with opened(browser, f"{origin}/", own=origin) as stranger:
            assert "people" not in stranger.page.content()
            assert stranger.page.locator("script").count() == 0
        with opened(browser, address, own=origin) as first:
            ready(first.page)
            assert "token" not in first.page.url
            first.page.reload()
            ready(first.page)
            with opened(browser, address, own=origin) as second:
                assert second.page.locator("#controls").count() == 0
                assert "people" not in second.page.content()
            first.is_clean()


THIEF = """<!doctype html><title>elsewhere</title><script>
const home = "ORIGIN";
const tell = (name, what) => { document.body.dataset[name] = what; };
addEventListener("load", async () => {
  for (const [name, path, more] of [
    ["page", "/", {}], ["script", "/assets/explorer.js", {}],
    ["figures", "/api/start", {method: "POST", body: "{}", headers: {"Content-Type": "text/plain"}}],
  ]) {
    await fetch(home + path, {credentials: "include", ...more}).then((a) => a.text()).then((t) => tell(name, t), () => tell(name, "nothing"));
    await fetch(home + path, {credentials: "include", mode: "no-cors", ...more}).then((a) => a.text()).then((t) => tell(name + "Blind", t || "nothing"), () => tell(name + "Blind", "nothing"));
  }
  const tag = document.createElement("script");
  tag.src = home + "/assets/explorer.js"; tag.type = "module";
  tag.onload = () => tell("tag", "loaded"); tag.onerror = () => tell("tag", "nothing");
  document.body.append(tag);
  const frame = document.createElement("iframe");
  frame.src = home + "/"; frame.onload = () => tell("frame", frame.contentDocument ? "read" : "nothing");
  document.body.append(frame);
});
</script><body>"""


@pytest.fixture
def elsewhere(tmp_path):
    """Another site on this machine: the same host, another port, as the strictest neighbour."""
    site = tmp_path / "site"
    site.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **more):
            super().__init__(*args, directory=str(site), **more)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield site / "index.html", f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()
        thread.join()


def test_another_origin_in_the_same_browser_gets_nothing(browser, folder, elsewhere):
    """It has the cookie's host, and the browser that has exchanged the token."""
    page, url = elsewhere
    with explorer_of(folder, "people.yml") as (address, origin), browser.new_context() as context:
        own = context.new_page()
        own.goto(address)
        ready(own)
        Path(page).write_text(THIEF.replace("ORIGIN", origin), encoding="utf-8")
        thief = context.new_page()
        thief.goto(url)
        until(thief, "document.body.dataset.tag && document.body.dataset.frame")
        got = thief.evaluate("({...document.body.dataset})")
        assert set(got.values()) == {"nothing"}, got
        assert len(got) == 8
        framed = [each for each in thief.frames if each.parent_frame is not None]
        assert [each.locator("#controls").count() for each in framed] == [0]
        own.reload()
        ready(own)
