"""The pages of the reference are what the code gives now.

So the calls that docs/reference/python.md shows have the arguments that the functions take.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import re

import pages
import pytest

import kanon_sql

SCRIPT = pages.ROOT / "docs" / "reference.py"


@pytest.fixture(scope="module")
def made():
    if not SCRIPT.is_file():
        pytest.skip("no docs beside the tests")
    spec = importlib.util.spec_from_file_location("reference", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


@pytest.mark.parametrize("name", ["policy.md", "cli.md", "python.md", "engines.md", "proofs.md"])
def test_a_page_of_the_reference_is_what_the_code_gives(name, made):
    committed = pages.text_of(f"docs/reference/{name}")
    assert committed == made[name], "write the pages again: python docs/reference.py"


def test_no_page_of_the_reference_is_written_by_hand(made):
    committed = {path.name for path in (SCRIPT.parent / "reference").iterdir()}
    assert committed == made.keys()


def test_the_python_page_names_every_argument_and_attribute(made):
    """What several functions share stands once, above them; a name that stands nowhere is lost."""
    shown = set(re.findall(r"\w+", made["python.md"]))
    for name in kanon_sql.__all__:
        each = getattr(kanon_sql, name)
        if inspect.isfunction(each):
            assert set(inspect.signature(each).parameters) <= shown, name
        elif dataclasses.is_dataclass(each):
            fields = {field.name for field in dataclasses.fields(each)}
            assert {field for field in fields if not field.startswith("_")} <= shown, name


def test_the_python_page_is_read_in_half_an_hour(made):
    assert len(made["python.md"].split()) <= 6_000
