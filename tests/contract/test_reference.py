"""The pages of the reference are what the code gives now."""

from __future__ import annotations

import importlib.util

import pages
import pytest

SCRIPT = pages.ROOT / "docs" / "reference.py"


@pytest.fixture(scope="module")
def made():
    if not SCRIPT.is_file():
        pytest.skip("no docs beside the tests")
    spec = importlib.util.spec_from_file_location("reference", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


@pytest.mark.parametrize(
    "name",
    ["policy.md", "cli.md", "python.md", "errors.md", "engines.md", "privacy-models.md"],
)
def test_a_page_of_the_reference_is_what_the_code_gives(name, made):
    committed = pages.text_of(f"docs/reference/{name}")
    assert committed == made[name], "write the pages again: python docs/reference.py"


def test_no_page_of_the_reference_is_written_by_hand(made):
    committed = {path.name for path in (SCRIPT.parent / "reference").iterdir()}
    assert committed == made.keys()
