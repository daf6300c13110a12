"""Each claim of SECURITY.md names tests and pages that are there."""

from __future__ import annotations

import re

import pages
import pytest

PAGE = pages.ROOT / "SECURITY.md"


def test_each_claim_is_backed_by_what_exists():
    if not PAGE.is_file():
        pytest.skip("no SECURITY.md beside the tests")
    text = PAGE.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "shown by" not in line]
    assert len(rows) >= 18
    for row in rows:
        named = re.findall(r"`(tests/[\w/.]+)`", row)
        assert named, row
        assert all((pages.ROOT / each).is_file() for each in named), row
    linked = re.findall(r"\]\((docs/[\w/.-]+)\)", text.replace("\n", " "))
    assert linked
    assert all((pages.ROOT / each).is_file() for each in linked)
