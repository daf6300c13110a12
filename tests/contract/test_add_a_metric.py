"""The page on adding a metric is carried out in a copy of the repository, and the metric is used everywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/contributing/add-a-metric.md"
BLOCK = re.compile(r'^```(\w+) title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
POLICY = """\
version: 1
source: people.csv
entity: row
columns:
  zip: {role: quasi, hierarchy: {mask: 5}}
  age: {role: quasi, hierarchy: {intervals: [5, 10]}}
privacy: {k: 3}
suppression: 10%
search: {metric: weighted_distance}
"""


@pytest.fixture(scope="module")
def blocks():
    if not PAGE.is_file():
        pytest.skip("no pages beside the tests")
    return BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def edited(text, hunks):
    """A file after the hunks of a page: lines with a plus are put between those that are there."""
    for hunk in hunks.split("...\n"):
        lines = hunk.splitlines()
        before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
        after = "\n".join(line[1:] for line in lines)
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


@pytest.fixture(scope="module")
def copy(blocks, tmp_path_factory):
    """The repository with the metric, and a table of people with a policy that names it."""
    made = tmp_path_factory.mktemp("metric")
    for folder in ("kanon_sql", "templates", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "golden")
        shutil.copytree(ROOT / folder, made / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", made)
    for kind, path, text in blocks:
        file = made / path
        assert file.exists() == (kind == "diff")
        file.write_text(edited(file.read_text(), text) if kind == "diff" else text)
    rows = [f"7{i % 7}9{i % 3}{i % 2},{20 + i * 7 % 50}" for i in range(60)]
    (made / "people.csv").write_text("\n".join(["zip,age", *rows]) + "\n")
    (made / "policy.yml").write_text(POLICY)
    return made


def run(copy, *args):
    done = subprocess.run(
        [sys.executable, *args],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "NO_COLOR": "1", "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def kanon_sql(copy, *args):
    return run(copy, "-m", "kanon_sql", *args)


def test_it_takes_the_lines_that_the_page_states(blocks):
    own, registry, oracle = (text for *_, text in blocks)
    taken = (len(own.splitlines()), *(text.count("\n+") for text in (registry, oracle)))
    stated = re.findall(r"(\d+) lines", PAGE.read_text(encoding="utf-8"))
    assert taken == tuple(map(int, stated))


def test_it_is_searched_for_and_shown_by_its_name_and_direction(copy):
    kanon_sql(copy, "plan", "policy.yml", "-o", "old.plan.yml")
    kanon_sql(copy, "plan", "policy.yml", "-k", "6", "-o", "new.plan.yml")
    explained = kanon_sql(copy, "explain", "new.plan.yml")
    assert "costs less than this one, which has weighted_distance 0." in explained
    assert "; WHD 0." in explained
    told = kanon_sql(copy, "diff", "old.plan.yml", "new.plan.yml")
    assert "WHD is " in told.splitlines()[0]
    (row,) = [line for line in told.splitlines() if line.startswith("| WHD, weighted")]
    assert "; lower is better |" in row
    assert row.endswith("| worse |")
    told = json.loads(kanon_sql(copy, "diff", "old.plan.yml", "new.plan.yml", "--json"))
    assert told["figures"]["whd"]["change"] == "worse"
    table = kanon_sql(copy, "compare", "policy.yml", "--algorithms", "optimal,samarati")
    assert "WHD" in table.splitlines()[1]
    assert "metric weighted_distance" in table


@pytest.mark.slow
def test_it_is_held_to_its_definition_and_its_floor_to_the_rules(copy):
    told = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/test_metric.py")
    assert re.search(r"\d+ passed", told)
    assert "failed" not in told
