"""The pages of explanations, decisions and benchmarks say what the program does."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Page

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "explanation").glob("*.md"))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("path", [*PAGES, *DECISIONS], ids=lambda path: path.stem)
def test_every_block_of_a_page_runs_and_prints_what_it_shows(path, tmp_path):
    Page(tmp_path).run(path.read_text(encoding="utf-8"))
