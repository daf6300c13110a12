"""A page in Chromium with its watchers: what it asked of a network, what its console said, what axe-core finds."""

from __future__ import annotations

import re
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTHS = (360, 820, 1440)
"""Pixels of a telephone, a tablet and a desk."""
WRONG = {"error", "warning"}
FAULTS = {"serious", "critical"}


def chromium():
    """The Chromium or Chrome of this machine; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@dataclass
class Opened:
    """A page that was opened from `own`, an address of a file or the origin of a server."""

    page: object
    own: str
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def watch(self):
        self.page.on("console", lambda each: each.type in WRONG and self.said.append(each.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.context.on("request", lambda request: self.asked.append(request.url))

    @property
    def elsewhere(self):
        """Whatever was asked of another place than the page's own file or server."""
        if self.own.startswith("file:"):
            return [url for url in self.asked if url.partition("#")[0] != self.own]
        return [url for url in self.asked if not url.startswith(f"{self.own}/")]

    def is_clean(self):
        assert self.asked, "nothing was opened"
        assert self.elsewhere == []
        assert self.said == []

    def is_accessible(self):
        """axe-core finds no serious fault: names, roles, contrast, order, keyboard."""
        found = Axe().run(self.page).response
        assert found["passes"], "axe-core looked at nothing"
        assert [
            (each["id"], node["html"][:300], node["failureSummary"])
            for each in found["violations"]
            if each["impact"] in FAULTS
            for node in each["nodes"]
        ] == []

    def overflow(self):
        """Give by how many pixels the page is wider than the window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    def shots(self, folder, name):
        """Take a picture at each width in light and dark, and as printed; give their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        made = []
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                self.page.emulate_media(color_scheme=scheme)
                made.append(self.shot(folder / f"{name}-{width}-{scheme}.png"))
        self.page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 pixels an inch
        self.page.emulate_media(media="print", color_scheme="light")
        made.append(self.shot(folder / f"{name}-print.png"))
        self.page.emulate_media(media="screen")
        return made

    def shot(self, path):
        self.page.screenshot(path=path, full_page=True)
        return path

    def printed(self, path):
        """Print to PDF; give the headings that its outline lists, and the number of its pages."""
        self.page.pdf(path=path, format="A4", outline=True, tagged=True, print_background=True)
        bytes_ = Path(path).read_bytes()
        return titles_of(bytes_), len(re.findall(rb"/Type\s*/Page\b", bytes_))


def titles_of(pdf):
    """The titles of a PDF's outline, which are written as plain texts or as UTF-16 in hexadecimal digits."""
    plain = re.compile(rb"/Title\s*(?:\(((?:\\.|[^\\)])*)\)|<([0-9A-Fa-f]*)>)", re.DOTALL)
    found = []
    for text, digits in plain.findall(pdf):
        raw = bytes.fromhex(digits.decode()) if digits else re.sub(rb"\\(.)", rb"\1", text)
        utf_16 = raw.startswith(b"\xfe\xff")
        found.append(raw.decode("utf-16") if utf_16 else raw.decode("latin-1"))
    return found


def until(page, holds, seconds=30):
    """Wait until an expression is true; Playwright's own way is an `eval`, which a page's CSP forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(holds):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(50)


@contextmanager
def opened(browser, address, *, own=None, **more):
    """Open a file, without a network, or an address of a server; a context of its own keeps nothing."""
    is_file = isinstance(address, Path)
    url = address.resolve().as_uri() if is_file else address
    with browser.new_context(offline=is_file, **more) as context:
        context.set_default_timeout(20_000)
        made = Opened(context.new_page(), own or url)
        made.watch()
        made.page.goto(url)
        yield made
