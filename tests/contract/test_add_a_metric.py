"""The page on adding a metric is carried out in a copy of the repository, and the metric is used everywhere."""

from __future__ import annotations

import json
import re

import pytest
from house_copy import extended, lines_stated, lines_taken, run, section_of

SECTION = section_of("docs/contributing/add-to-the-search.md", "A metric")
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
def copy(tmp_path_factory):
    """The repository with the metric, and a table of people with a policy that names it."""
    made = extended(SECTION, tmp_path_factory.mktemp("metric"))
    rows = [f"7{i % 7}9{i % 3}{i % 2},{20 + i * 7 % 50}" for i in range(60)]
    (made / "people.csv").write_text("\n".join(["zip,age", *rows]) + "\n")
    (made / "policy.yml").write_text(POLICY)
    return made


def kanon_sql(copy, *args):
    return run(copy, "-m", "kanon_sql", *args)


def test_it_takes_the_lines_that_the_page_states():
    assert lines_taken(SECTION) == lines_stated(SECTION)


@pytest.mark.slow
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
    asked = ("--wide", "--algorithms", "optimal,samarati")
    table = kanon_sql(copy, "compare", "policy.yml", *asked)
    assert len(re.findall(r"^ +WHD: 0\.\d+$", table, re.MULTILINE)) == 2
    assert "metric weighted_distance" in table


@pytest.mark.slow
def test_it_is_held_to_its_definition_and_its_floor_to_the_rules(copy):
    told = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/test_metric.py")
    assert re.search(r"\d+ passed", told)
    assert "failed" not in told
