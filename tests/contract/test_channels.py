"""The page's table of where kanon-sql runs: each channel names tests, which are there and speak of it."""

from __future__ import annotations

import ast
import re

import pages
import pytest

TESTS = pages.ROOT / "tests"
ROW = re.compile(
    r"^\| (?P<channels>.+?) \| (?P<how>.+?) \| (?P<run>.+?) \| (?P<waits>.*?) ?\|$", re.MULTILINE
)


def rows():
    section = pages.text_of("docs/guides/install.md").partition("## Where it runs\n")[2]
    return list(ROW.finditer(section.partition("\n## ")[0]))[1:]


def test_every_channel_has_a_row():
    channels = [each for row in rows() for each in row["channels"].split(", ")]
    assert len(channels) == len(set(channels)) == 15


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["channels"])
def test_what_is_said_to_run_is_a_test(row):
    files = [TESTS / each for each in re.findall(r"`([\w/]+\.py)`", row["run"])]
    assert files
    texts = [each.read_text(encoding="utf-8") for each in files]
    for text in texts:
        defined = [each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
        assert any(each.name.startswith("test_") for each in defined)
    for channel in row["channels"].split(", "):
        word = channel.removesuffix("s").rpartition(" ")[2]
        assert re.search(word, "".join(texts) + row["run"], re.IGNORECASE), channel
