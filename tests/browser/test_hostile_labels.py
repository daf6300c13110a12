"""Labels, names and words of a policy that would be markup elsewhere are text in every page."""

from __future__ import annotations

import csv
import json
import random

import pytest
from opened import opened, until
from people_pages import done
from served import explorer_of

LONG = "L" * 10_000
HOSTILE = [
    "<script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 2'>",
    "'; alert(`1`); //",
    "\u202egnp.exe \u2066right to left\u2069",
    "</style></svg><iframe srcdoc='x'>",
    "{{ 7 * 7 }} ${window.hacked = 3}",
    "javascript:window.hacked=4",
    LONG,
]
COLUMN = "<b onclick='window.hacked = 5'>town</b>"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Hostile towns that are released as they are, and whose groups are as hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    draw = random.Random(3)
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [(draw.choice(HOSTILE), draw.randrange(20, 60), draw.choice(HOSTILE[:6])) for _ in range(400)]  # fmt: skip
        csv.writer(file).writerows([(COLUMN, "age", "ill"), *rows])
    with (folder / "town.csv").open("w", newline="", encoding="utf-8") as file:
        lines = [(each, f"<i>group</i> {at // 3}", "*") for at, each in enumerate(HOSTILE)]
        csv.writer(file, delimiter=";").writerows(lines)
    policy = {
        "version": 1,
        "source": "people.csv",
        "entity": "row",
        "columns": {
            COLUMN: {"role": "quasi", "hierarchy": {"csv": "town.csv"}, "why": HOSTILE[1]},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"k": 3},
        "suppression": "20%",
        "release": "out.parquet",
        "about": {"title": HOSTILE[0], "purpose": HOSTILE[3], "contact": HOSTILE[4]},
    }
    (folder / "policy.yml").write_text(json.dumps(policy), encoding="utf-8")
    done(folder, "plan", "policy.yml", "--no-rows")
    done(folder, "apply", "policy.plan.yml", "--no-rows")
    done(folder, "report", "out.parquet", "--plan", "policy.plan.yml", "-o", "report.html")
    done(folder, "certify", "out.parquet", "--plan", "policy.plan.yml")
    return folder


def is_text(made):
    """Nothing of a label ran, nor became an element."""
    page = made.page
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, b, i, [onclick], [onerror], [href^=javascript]").count() == 0
    assert HOSTILE[0] in page.inner_text("body")
    made.is_clean()


@pytest.mark.parametrize("file", ["report.html", "out.certificate/report.html"])
def test_a_report_shows_them_as_text(browser, hostile, file):
    with opened(browser, hostile / file, viewport={"width": 820, "height": 900}) as made:
        made.page.evaluate(
            "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
        )
        is_text(made)
        assert made.page.locator("script").count() == 1
        assert made.overflow() <= 0
        mark = made.page.locator('.chart [aria-roledescription="figure"]')
        for each in mark.all()[::10]:
            each.focus()
            assert made.page.locator(".chart-tip *").count() == 0
        is_text(made)
        made.is_accessible()


def test_an_explorer_shows_them_as_text(browser, hostile):
    with (
        explorer_of(hostile, "policy.yml") as (address, origin),
        opened(browser, address, own=origin, viewport={"width": 1280, "height": 900}) as made,
    ):
        page = made.page
        page.wait_for_selector("#page[aria-busy=false]")
        page.wait_for_selector("#tiles .tile")
        page.locator('.levels[data-column="0"] input').first.check(force=True)
        page.wait_for_selector("#page[aria-busy=false]")
        until(
            page,
            "[...document.querySelectorAll('.chart-box')].every((box) => box.querySelector('svg'))",
        )
        assert page.locator("#rows").get_by_text("<", exact=False).count() > 0
        assert COLUMN in page.inner_text("#columns")
        assert page.evaluate("window.hacked") is None
        assert page.locator("img, iframe, b, i, [onclick], [onerror]").count() == 0
        assert made.overflow() <= 0
        made.is_clean()
        made.is_accessible()
