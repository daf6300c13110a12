"""What the explorer saved is in sight, wherever the page is scrolled to."""

from __future__ import annotations

from opened import opened, until
from served import explorer_of

READY = "#page[aria-busy=false] #verdict:is(.good, .bad)"
POLICY = """\
version: 1
source: people.csv
entity: row
columns:
  zip: {role: quasi, hierarchy: {mask: 3}}
  sex: {role: quasi, hierarchy: suppress}
privacy: {k: 5}
release: out.parquet
"""


def test_saved_is_seen_at_the_end_of_the_page(browser, tmp_path):
    rows = [f"{n % 2}{n % 3}{n % 7},{'mf'[n % 5 > 2]}" for n in range(400)]
    (tmp_path / "people.csv").write_text("\n".join(["zip,sex", *rows]))
    (tmp_path / "policy.yml").write_text(POLICY)
    view = {"width": 1200, "height": 600}
    with (
        explorer_of(tmp_path, "policy.yml") as (address, origin),
        opened(browser, address, own=origin, viewport=view) as made,
    ):
        page = made.page
        page.wait_for_selector(READY, timeout=180_000)
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert page.evaluate("scrollY") > 200
        page.locator("#save").click()
        until(page, "/^Saved /.test(document.querySelector('#message').textContent)")
        box = page.locator("#message").bounding_box()
        bar = page.locator(".bar").bounding_box()
        assert box["y"] >= bar["y"] + bar["height"]
        assert box["y"] + box["height"] <= view["height"]
        made.is_clean()
