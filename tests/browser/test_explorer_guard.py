"""The explorer answers one browser, once; another site in that same browser gets nothing of it."""

from __future__ import annotations

import http.server
import shutil
import threading

import pytest
from opened import opened, until
from people_pages import SAMPLE
from served import explorer_of


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "people")
    return tmp_path / "people"


def ready(page):
    page.wait_for_selector("#page[aria-busy=false]")
    page.wait_for_selector("#tiles .tile")


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
        page.write_text(THIEF.replace("ORIGIN", origin), encoding="utf-8")
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
