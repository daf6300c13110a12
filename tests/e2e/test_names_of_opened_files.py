"""Files that a person opens in the browser's page, under names that are options of a command, or the release's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "browser" / "kanon_page.py"
RUN = """
import importlib.util, os, sys
page, folder, *names = sys.argv[1:]
move = os.chdir
os.chdir = lambda _: move(folder)  # the folder of Pyodide
spec = importlib.util.spec_from_file_location("kanon_page", page)
opened = importlib.util.module_from_spec(spec)
spec.loader.exec_module(opened)

class Bytes(bytes):
    to_bytes = bytes.__bytes__

rows = "".join(f"{'mf'[n % 2]},{20 + n % 3}\\n" for n in range(30))
for name in names:
    found = opened.open_file(name, Bytes(("sex,age\\n" + rows).encode()))
    print(found["name"], len(opened.release(found["policy"])["files"]["release.csv"].splitlines()))
"""


@pytest.mark.slow
def test_only_plain_names_that_no_release_has_are_kept(tmp_path):
    names = {"Release.csv": "table.csv", "-o.csv": "table.csv", "of May (2).csv": "of May (2).csv"}
    words = [sys.executable, "-c", RUN, str(PAGE), str(tmp_path), *names]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"{each} 31" for each in names.values()], done.stderr
