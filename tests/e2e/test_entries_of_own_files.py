"""A text with an entry in the user's own hierarchy is a value for `init` and `suggest`, also one that reads as missing."""

from __future__ import annotations

import random

import duckdb
import pandas as pd
import yaml

import kanon_sql

NONE, OTHERS = "None", ("A", 'B "b"', "C c")
ROWS = 900


def write_people(lab, *, entries):
    take = random.Random(5)
    rows = [
        {"nr": n, "age": take.randint(18, 80), "my religion": take.choice((NONE, *OTHERS))}
        for n in range(ROWS)
    ]
    frame = pd.DataFrame(rows)
    frame.to_csv(lab.folder / "people.csv", index=False)
    lines = pd.DataFrame(entries)
    lines.to_csv(lab.folder / "hierarchy_my religion.csv", index=False, header=False)
    return frame


def column(text):
    return yaml.safe_load(text)["columns"]["my religion"]


def test_an_entry_makes_a_word_for_missing_a_value_in_all_that_follows(lab):
    frame = write_people(
        lab, entries=[(NONE, "none", "*"), *((each, "some", "*") for each in OTHERS)]
    )
    lab.done("init", "people.csv", "-o", "own.yml", "--known", "my religion,age")
    assert column((lab.folder / "own.yml").read_text()) == {
        "role": "quasi",
        "hierarchy": {"csv": "hierarchy_my religion.csv"},
    }
    lab.done("anonymize", "own.yml", "--release", "own.parquet", "--no-rows")
    shown = dict(
        duckdb.sql(
            f"""SELECT "my religion", count(*) FROM '{lab.folder}/own.parquet' GROUP BY 1"""
        ).fetchall()
    )
    assert None not in shown
    assert shown[NONE] + shown.get("none", 0) <= (frame["my religion"] == NONE).sum()
    assert shown[NONE] > ROWS / 10


def test_a_word_without_an_entry_is_missing_as_before(lab):
    write_people(lab, entries=[(each, "some", "*") for each in OTHERS])
    lab.done("init", "people.csv", "-o", "own.yml", "--known", "my religion,age")
    assert column((lab.folder / "own.yml").read_text())["missing"] == [NONE]


def test_a_hierarchy_of_a_call_counts_like_a_file():
    frame = pd.DataFrame(
        {"nr": range(ROWS), "faith": [(NONE, *OTHERS)[n % 4] for n in range(ROWS)]}
    )
    tree = {"*": {"none": [NONE], "some": list(OTHERS)}}
    roles = {"quasi": "faith", "drop": "nr"}
    own = kanon_sql.suggest(frame, **roles, hierarchies={"faith": {"tree": tree}})
    assert "missing" not in own["columns"]["faith"]
    unknown = frame.replace({"faith": {NONE: "NA"}})
    partly = {"*": {"some": list(OTHERS)}}
    for source, missing in ((frame, None), (unknown, ["NA"])):  # None is an answer, and NA is not
        other = kanon_sql.suggest(source, **roles, hierarchies={"faith": {"tree": partly}})
        assert other["columns"]["faith"].get("missing") == missing
