"""The first table of the README and of the site shows what its own commands release of three people of the sample."""

from __future__ import annotations

from importlib.resources import files

import duckdb
import pages
import pytest
import yaml

import kanon_sql
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.apps.getting_started.propose_columns import Answers

PEOPLE = str(files("kanon_sql") / "apps" / "sample" / "people.csv")
SHOWN = "concat_ws(', ', sex, age, zip, education)"


def shown_of(name):
    """The rows of the first table of a page, as their cells."""
    lines = pages.text_of(name).partition("|---|---|---|---|---|\n")[2].splitlines()[:3]
    return [[cell.strip().replace("\\*", "*") for cell in line.strip("| ").split(" | ")] for line in lines]  # fmt: skip


def released_for(use):
    """Each patient's released cells, by the policy of `init`; the number of the patient is kept to find the rows."""
    policy = yaml.safe_load(first_policy(PEOPLE, answers=Answers(use=use)))
    assert policy["privacy"][0] == {"k": 11}
    del policy["release"]
    kept = {"patient_id": {"role": "insensitive", "linkable": "accept"}}
    policy |= {"source": PEOPLE, "columns": {**policy["columns"], **kept}}
    with kanon_sql.anonymize(policy) as release:
        assert release.verification.smallest_class >= 11
        rows = duckdb.from_arrow(release.to_arrow())
        return dict(rows.project(f"patient_id, {SHOWN}").fetchall())


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_the_first_table_is_what_the_commands_release(name):
    records, counts = released_for("records"), released_for("counts")
    people = duckdb.read_csv(PEOPLE, all_varchar=True).order("patient_id").limit(3)
    held = people.project(f"name, {SHOWN}, disease, patient_id").fetchall()
    shown = shown_of(name)
    for row, (person, cells, disease, number) in zip(shown, held, strict=True):
        assert row == [person, cells, records[number], counts[number], disease]
