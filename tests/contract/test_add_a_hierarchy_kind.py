"""The page on adding a kind of hierarchy, carried out in a copy of the repository: each channel releases by it, or says why not."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from house_copy import extended, lines_stated, lines_taken, run, section_of

SECTION = section_of("docs/contributing/add-to-the-policy.md", "A kind of hierarchy")
CODES = ["", "é", "0213", "02134", "02139", "02139", "99'99", "99'98", "99'", None] * 3
RUN = """
import json, sys
import duckdb
import kanon_sql

connection = duckdb.connect()
connection.execute("CREATE TABLE people AS SELECT unnest(?) AS zip", [json.loads(sys.argv[1])])
policy = {
    "version": 1, "source": "people", "entity": "row",
    "columns": {"zip": {"role": "quasi", "hierarchy": {"prefixes": [3, 1]}}},
    "privacy": {"k": 9}, "suppression": "40%", "release": "released",
}
released = kanon_sql.anonymize(policy, connection=connection)
found = {"levels": released.plan.levels, "passed": released.verification.passed}
found["labels"] = connection.sql("FROM released").fetchall()
report = kanon_sql.report("released", plan=released.plan, policy=policy, connection=connection)
found["report"] = report.to_html()
for dialect in ("duckdb", "postgres", "snowflake"):
    try:
        found[dialect] = kanon_sql.compile_sql(released.plan, policy=policy, dialect=dialect, connection=connection)
    except kanon_sql.KanonError as error:
        found[dialect] = f"refused: {error}"
connection.execute("DROP TABLE released")
connection.execute(found["duckdb"])
found["by_script"] = connection.sql("FROM released").fetchall()
policy["columns"]["zip"]["hierarchy"] = {"prefixes": [1, 3]}
try:
    kanon_sql.read_policy(policy)
except kanon_sql.PolicyError as error:
    found["faults"] = str(error)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    copy = extended(SECTION, tmp_path_factory.mktemp("prefixes"))
    return json.loads(run(copy, "-c", RUN, json.dumps(CODES)).splitlines()[-1])


def test_it_takes_the_lines_that_the_page_states():
    assert lines_taken(SECTION) == lines_stated(SECTION)


def labels(rows):
    return Counter(label for (label,) in rows)


def test_a_release_has_the_labels_of_its_rule(found):
    level = found["levels"]["zip"]
    kept = {0: 1_000, 1: 3, 2: 1}
    wanted = Counter("*" if level == 3 else each and each[: kept[level]] for each in CODES)
    assert level == 1
    assert labels(found["labels"]) == {each: n for each, n in wanted.items() if n >= 9}
    assert found["passed"]


def test_a_script_releases_the_same_and_a_warehouse_is_refused_in_words(found):
    assert labels(found["by_script"]) == labels(found["labels"])
    assert "refused" not in found["postgres"]
    assert found["snowflake"].startswith("refused")
    assert "is generalized by prefixes, for which no rule is known" in found["snowflake"]


def test_its_words_are_those_of_the_report(found):
    assert "texts by their first 3 characters, or fewer" in found["report"]
    assert "its first 3 characters" in found["report"]


def test_what_a_policy_states_wrongly_is_a_fault(found):
    assert "must shrink, level by level" in found["faults"]
