"""The explorer's lattice and uses in Chromium: a node is chosen by pointer and keys, a use with its radio button."""

from __future__ import annotations

import pytest
from opened import opened, until
from served import explorer_of

READY = "#page[aria-busy=false] #verdict:is(.good, .bad)"
POLICY = """\
version: 1
source: people.csv
entity: row
columns:
  zip: {role: quasi, hierarchy: {mask: 3}}
  age: {role: quasi, hierarchy: {csv: ages.csv}}
  sex: {role: quasi, hierarchy: suppress}
privacy: {k: 5}
suppression: 5%
release: out.parquet
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("lattice")
    rows = [f"{n % 2}{n % 3}{n % 7},{20 + n * n % 20},{'mf'[n % 5 > 2]}" for n in range(400)]
    (made / "people.csv").write_text("\n".join(["zip,age,sex", *rows]))
    (made / "ages.csv").write_text("".join(f"{n},of {n // 10}0,any\n" for n in range(20, 40)))
    (made / "policy.yml").write_text(POLICY)
    return made


@pytest.fixture
def explorer(browser, folder):
    view = {"width": 1400, "height": 900}
    with (
        explorer_of(folder, "policy.yml") as (address, origin),
        opened(browser, address, own=origin, viewport=view) as made,
    ):
        settled(made.page)
        yield made
        made.is_clean()


def settled(page):
    page.wait_for_selector(READY, timeout=180_000)
    page.wait_for_timeout(50)
    page.wait_for_selector(READY, timeout=180_000)


def all_counted(page):
    """Wait until each node of the lattice has its verdict."""
    every = "[...document.querySelectorAll('.node')]"
    until(page, f"{every}.length && {every}.every((n) => n.matches('.good, .bad'))", seconds=180)


def levels_of(page):
    return page.locator(".node[aria-current]").get_attribute("data-levels")


def test_a_node_is_chosen_by_pointer_and_by_keys(explorer):
    page = explorer.page
    all_counted(page)
    assert page.locator(".node").count() == 4 * 3 * 2
    first = levels_of(page)
    page.locator('.node[data-levels="3,2,1"]').hover()
    told = page.locator("#lattice-detail").inner_text()
    assert told.startswith("Levels (3, 2, 1): feasible, 0 rows suppressed, loss 1")
    found = page.locator(".node[aria-current]").get_attribute("aria-label")
    assert "found by the search" in found
    assert "minimal" in found
    assert page.locator(".node", has_text="◆").count() >= 1
    page.locator('.node[data-levels="3,2,1"]').click()
    settled(page)
    assert levels_of(page) == "3,2,1"
    assert page.locator(".tile", has_text="Classes released").locator(".value").inner_text() == "1"
    assert page.locator('.levels[data-column="0"] input').nth(3).is_checked()
    held = page.locator(".hold input")
    assert [held.nth(n).is_checked() for n in range(held.count())] == [True] * 3
    assert page.evaluate("document.activeElement.dataset.levels") == "3,2,1"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.levels") in {"3,2,0", "3,1,1", "2,2,1"}
    page.keyboard.press("Enter")
    settled(page)
    assert levels_of(page) != "3,2,1"
    page.keyboard.press("Control+z")
    settled(page)
    page.keyboard.press("Control+z")
    settled(page)
    assert levels_of(page) == first


def test_the_levels_of_a_file_are_shown_by_their_labels_and_why_none_is_finer(explorer):
    page = explorer.page
    all_counted(page)
    assert "%" in page.locator(".tile", has_text="Error of simple counts").inner_text()
    page.locator('.node[data-levels="0,1,0"]').click()
    settled(page)
    until(page, "document.querySelector('[data-labels=\"1\"]').textContent.includes('of 30')")
    column = page.locator("fieldset", has=page.get_by_role("heading", name="age"))
    column.get_by_text("Hierarchy", exact=True).click()
    assert "of 20" in column.locator("table").inner_text()
    assert "any" in column.locator("table").inner_text()
    why = page.locator("#sides tbody tr", has_text="age").locator("td").last
    until(page, "!document.querySelector('#sides').textContent.includes('…')")
    assert "would suppress" in why.inner_text()


def test_all_nodes_are_listed_by_loss_and_one_is_chosen_there(explorer):
    page = explorer.page
    all_counted(page)
    assert page.locator("#count-all").is_hidden()
    losses = [
        float(each) for each in page.locator("#ranked tbody td:first-child").all_inner_texts()
    ]
    assert losses == sorted(losses)
    best = levels_of(page)
    assert page.locator("#ranked tbody button").first.inner_text() == best.replace(",", ", ")
    second = page.locator("#ranked tbody button").nth(1)
    levels = second.inner_text().replace(", ", ",")
    second.click()
    settled(page)
    assert levels_of(page) == levels
    assert "in the policy as it is" in page.locator("#tiles").inner_text()
    page.get_by_role("button", name="Compare with levels").click()
    assert page.locator(".tile .change").count() == 0
    page.locator("#ranked-held").check()
    assert page.locator("#ranked tbody button").count() == 1
    explorer.is_accessible()


def test_the_star_stays_where_the_search_of_all_nodes_found_it(explorer):
    """A search with held levels finds another node, which is marked as such; going back moves no star."""
    page = explorer.page
    all_counted(page)
    best = levels_of(page)

    def stars(mark):
        nodes = page.locator(".node", has_text=mark).all()
        return [each.get_attribute("data-levels") for each in nodes]

    assert stars("★") == [best]
    page.locator('.node[data-levels="3,2,1"]').click()
    settled(page)
    page.locator("#best").click()
    assert "nothing to search" in page.locator("#message").inner_text()
    assert stars("★") == [best]
    assert stars("☆") == []
    page.locator("#free").click()
    settled(page)
    assert page.locator("#steps li").count() == 2
    assert page.locator(".hold input:checked").count() == 0
    page.locator('.levels[data-column="1"] .level[data-level="2"]').click()  # the level that it has
    settled(page)
    assert page.locator(".hold input:checked").count() == 1
    page.locator("#best").click()
    settled(page)
    assert levels_of(page).split(",")[1] == "2"
    assert stars("☆") == [levels_of(page)]
    assert stars("★") == [best]


def test_a_use_is_chosen_and_taken_back(explorer):
    page = explorer.page
    page.get_by_role("radio", name="Counts").check()
    settled(page)
    assert page.locator("#lattice-box").is_hidden()
    assert page.locator("#source-line").inner_text().endswith("mondrian")
    assert "groups with one value" in page.locator("#sides").inner_text()
    assert page.locator("#best").is_disabled()
    explorer.is_accessible()
    page.get_by_role("radio", name="One level a column").check()
    settled(page)
    assert page.locator("#lattice-box").is_visible()
    page.keyboard.press("Control+z")
    settled(page)
    assert page.get_by_role("radio", name="Counts").is_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lattice_is_accessible_and_no_width_is_too_narrow(explorer, scheme, shots):
    page = explorer.page
    page.emulate_media(color_scheme=scheme)
    all_counted(page)
    for width in (360, 800, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(200)
        assert explorer.overflow() <= 0, width
        explorer.is_accessible()
        made = explorer.shot(shots / f"lattice-{width}-{scheme}.png")
        assert made.stat().st_size > 10_000
