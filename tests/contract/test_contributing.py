"""What the pages of docs/contributing say to write is written here, within the lines that they state, and runs."""

from __future__ import annotations

import re

import duckdb
import pytest
from pages import by_kind, text_of

import kanon_sql

PEOPLE = """
    CREATE TABLE people AS
    SELECT range % 7 AS ward, range % 3 AS shift, CAST(1000 + range * 37 % 50 AS VARCHAR) AS zip, range AS pay
    FROM range(500)
"""
POLICY = {
    "version": 1,
    "source": "people",
    "entity": "row",
    "columns": {
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        "shift": {"role": "quasi", "hierarchy": {"intervals": {"widths": [2]}}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 4}},
        "pay": {"role": "sensitive"},
    },
    "privacy": {"k": 3, "distinct_l": {"column": "pay", "l": 2}},
    "suppression": "2%",
    "release": "released",
}


def code_of(page):
    (code,) = by_kind(f"docs/contributing/{page}.md")["python"]
    return code


def lines_of(code, start="class "):
    """The lines that somebody writes: those of the code from its first class or function on."""
    return [line for line in code[code.index(start) :].splitlines() if line.strip()]


def connected():
    connection = duckdb.connect()
    connection.execute(PEOPLE)
    return connection


def test_an_engine_of_the_page_plans_and_releases_as_duckdb_does():
    code = code_of("add-an-engine")
    space = {}
    exec(compile(code, "add-an-engine.md", "exec"), space)
    stated = int(
        re.search(
            r"This one is complete: (\d+) lines", text_of("docs/contributing/add-an-engine.md")
        )[1]
    )
    assert len(lines_of(code)) == stated
    own, known = connected(), connected()
    released = kanon_sql.anonymize(POLICY, connection=space["Minimal"](own))
    expected = kanon_sql.anonymize(POLICY, connection=known)
    assert released.plan.cost == expected.plan.cost
    assert released.plan.levels == expected.plan.levels
    assert released.verification.passed
    rows = "SELECT * FROM released ORDER BY ALL"
    assert own.sql(rows).fetchall() == known.sql(rows).fetchall()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"release": {"in_place": True, "drop_original": True}}, "releases no table in place"),
        ({"columns": {**POLICY["columns"], "pay": {"role": "identifying", "action": "hash", "key_env": "KEY"}}}, "pseudonyms"),
    ],
)  # fmt: skip
def test_what_such_an_engine_lacks_it_refuses(change, says, monkeypatch):
    monkeypatch.setenv("KEY", "0123456789abcdef")
    space = {}
    exec(compile(code_of("add-an-engine"), "add-an-engine.md", "exec"), space)
    policy = {**POLICY, "privacy": {"k": 3}, **change}
    own = connected()
    before = own.sql("SHOW ALL TABLES").fetchall()
    with pytest.raises(kanon_sql.KanonError, match=says):
        kanon_sql.anonymize(policy, connection=space["Minimal"](own))
    assert own.sql("SHOW ALL TABLES").fetchall() == before
