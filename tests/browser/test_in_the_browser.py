"""The page that runs kanon-sql in Chromium: a file is opened, released and downloaded while no server answers."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import random
import re
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opened import opened, until

MODULES = "KANON_SQL_NPM"
BUILD = Path(__file__).parents[2] / "docs" / "browser" / "build.py"
K = 7
NAME, ILLNESS, TOWN = 'the "name"', "it's <b>ill</b>", "town, or select"
SECRET = "Ann <script>alert(1)</script> O'Hara"
LOADED = "/^(Ready|Not done|This browser)/.test(document.getElementById('state').textContent)"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Print nothing."""


@contextmanager
def serving(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    modules = os.environ.get(MODULES)
    if modules is None:
        pytest.skip(f"no npm packages: npm install --prefix docs/browser, and {MODULES}=FOLDER")
    spec = importlib.util.spec_from_file_location("build_of_the_page", BUILD)
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    made = tmp_path_factory.mktemp("page")
    build.build(Path(modules), made)
    return made


def people(rows=400):
    draw = random.Random(5)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([NAME, "age", TOWN, ILLNESS])
    for at in range(rows):
        town = draw.choice(["Köln", "O'Fallon", 'the "Hague"', "NULL"])
        row = [f"{SECRET} {at}", draw.randint(18, 90), town, draw.choice(["flu", "cold", "gout"])]
        writer.writerow(row)
    return text.getvalue()


@pytest.mark.parametrize(
    ("there", "told"),
    [(False, "has no pyodide: npm install "), (True, "has no click: the page is")],
)
def test_what_the_page_lacks_is_named_before_a_folder_is_made(there, told, tmp_path):
    modules, made = tmp_path / "node_modules", tmp_path / "page"
    if there:
        (modules / "pyodide").mkdir(parents=True)
    words = [sys.executable, "-I", "-S", BUILD, modules, made]  # -S: a Python without packages
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, told in done.stderr, made.exists()) == (1, True, False), done.stderr


def test_a_file_is_released_while_no_server_answers(browser, folder):
    with serving(folder) as origin, opened(browser, f"{origin}/index.html", own=origin) as made:
        page = made.page

        def done():
            until(page, LOADED, 300)

        done()
        page.context.set_offline(True)
        asked = len(made.asked)
        file = {"name": "it's [1].csv", "mimeType": "text/csv", "buffer": people().encode()}
        page.set_input_files("#file", file)
        done()
        for box in page.query_selector_all("#columns input"):
            kind, column = (box.get_attribute(f"data-{each}") for each in ("kind", "column"))
            box.set_checked((kind == "quasi") == (column in {"age", TOWN}) and column != NAME)
        page.select_option("#use", "counts")
        page.click("#again")
        done()
        assert page.inner_text("#state") == "Ready.", page.inner_text("#fault")
        proposed = re.sub(r"\{k: \d+\}", f"{{k: {K}}}", page.input_value("#policy"))

        assert "source: table.csv" in proposed
        page.fill("#policy", proposed.replace(f"k: {K}", "k: 100000"))
        page.click("#release")
        done()
        assert page.inner_text("#state") == "Not done."
        assert "100,000" in page.inner_text("#fault")
        assert page.query_selector("#downloads a") is None

        page.fill("#policy", proposed)
        page.click("#release")
        done()
        assert page.inner_text("#state") == "Ready.", page.inner_text("#fault")
        made.is_accessible()
        page.set_viewport_size({"width": 360, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        text = downloaded(page, "release.csv").decode()
        assert b"</html>" in downloaded(page, "report.html")
        assert len(made.asked) == asked, "the page asked for something after it was loaded"
        made.is_clean()
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["age", TOWN, ILLNESS]
    assert 0.9 * 400 <= len(rows) <= 400
    assert min(Counter((row[0], row[1]) for row in rows).values()) >= K
    assert {age for age, *_ in rows if not age.isdigit()} == set(), "values for counts are plain"
    assert "O'Hara" not in text


def downloaded(page, name):
    with page.expect_download() as started:
        page.click(f"#downloads a[download='{name}']")
    return Path(started.value.path()).read_bytes()
