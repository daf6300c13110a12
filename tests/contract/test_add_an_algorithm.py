"""The page on adding an algorithm is carried out in a copy of the repository, and the search runs there."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import yaml
from house_copy import extended, lines_stated, lines_taken, run, section_of

SECTION = section_of("docs/contributing/add-to-the-search.md", "An algorithm")
NAMES = ("sex", "age", "race", "marital-status", "education")
OTHERS = ("native-country", "workclass", "occupation", "salary-class")


@pytest.fixture(scope="module")
def copy(tmp_path_factory, shared):
    """The repository with the search, and five columns of Adult with a policy that names it."""
    made = extended(SECTION, tmp_path_factory.mktemp("descent"))
    shutil.copytree(shared / "data" / "adult", made, dirs_exist_ok=True)
    columns = {
        name: {"role": "quasi", "hierarchy": {"csv": f"hierarchy_{name}.csv"}} for name in NAMES
    }
    columns |= {name: {"role": "insensitive"} for name in OTHERS}
    policy = {
        "version": 1, "source": "adult.csv", "entity": "row", "columns": columns,
        "privacy": {"k": 5}, "suppression": "1%", "search": {"algorithm": "descent"},
    }  # fmt: skip
    (made / "policy.yml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
    return made


def kanon_sql(copy, *args):
    return run(copy, "-m", "kanon_sql", *args)


def test_it_takes_the_lines_that_the_page_states():
    assert lines_taken(SECTION) == lines_stated(SECTION)


def test_it_finds_the_optimum_of_adult(copy):
    compared = ("compare", "policy.yml", "--algorithms", "descent,optimal,exhaustive", "--json")
    found = {of["algorithm"]: of for of in json.loads(kanon_sql(copy, *compared))["searches"]}
    assert found["descent"]["optimal"]
    for other in ("optimal", "exhaustive"):
        assert found["descent"]["levels"] == found[other]["levels"]
        assert found["descent"]["cost"] == found[other]["cost"]


@pytest.mark.slow
def test_its_option_stops_it_without_a_proof(copy):
    policy = (copy / "policy.yml").read_text(encoding="utf-8")
    policy = policy.replace("algorithm: descent", "algorithm: descent\n  checks: 3")
    (copy / "stopped.yml").write_text(policy, encoding="utf-8")
    kanon_sql(copy, "plan", "policy.yml", "-o", "ended.plan.yml")
    kanon_sql(copy, "plan", "stopped.yml", "-o", "stopped.plan.yml")
    ended, stopped = (
        yaml.safe_load((copy / f"{each}.plan.yml").read_text(encoding="utf-8"))
        for each in ("ended", "stopped")
    )
    assert ended["search"]["optimal"]
    assert not stopped["search"]["optimal"]
    assert stopped["search"]["cost"] > ended["search"]["cost"]
    told = kanon_sql(copy, "algorithms")
    assert "checks: " in told[told.index("\ndescent") :].partition("\n\n")[0]


@pytest.mark.slow
def test_it_is_held_to_its_promise_and_its_option_to_the_rules(copy):
    suites = ("tests/unit/test_borders.py", "tests/unit/test_search_options.py")
    told = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suites)
    assert re.search(r"\d+ passed", told)
    assert "failed" not in told
