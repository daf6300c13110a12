"""Every path that the pages for contributors name is there: a merged module leaves no name behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "contributing").glob("*.md"))
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+/?)`")
FOLDERS = ("kanon_sql", "templates", "tests", "docs", "benchmarks")


def paths_of(text):
    """The paths between backquotes that begin in a folder of the repository."""
    return [each for each in PATH.findall(text) if each.split("/")[0] in FOLDERS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_path_is_there(page):
    text = page.read_text(encoding="utf-8")
    missing = [each for each in paths_of(text) if not (ROOT / each).exists()]
    assert missing == []


def test_a_path_that_is_gone_is_found():
    assert paths_of("see `kanon_sql/gone.py`, `docs/index.md` and `a.py`") == [
        "kanon_sql/gone.py",
        "docs/index.md",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_path_begins_at_the_root(page):
    """`cli/print.py` is looked for nowhere, so that it would stay when the module goes."""
    modules = re.findall(r"`([\w./-]+/\w+\.(?:py|j2))`", page.read_text(encoding="utf-8"))
    assert [each for each in modules if each.split("/")[0] not in FOLDERS] == []
