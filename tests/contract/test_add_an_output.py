"""The page on adding an output, carried out in a copy of the repository: each channel releases by it, or says why not."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pytest
from house_copy import extended, lines_stated, lines_taken, run, section_of

SECTION = section_of("docs/contributing/add-to-the-policy.md", "An output")
ROWS = [[zip_, age] for zip_ in ("021", "987") for age in (3, 1, 1, 1, 2, 2, 9, None)]
RUN = """
import json, sys
import duckdb
import kanon_sql
from kanon_sql import KanonError

connection = duckdb.connect()
connection.execute("CREATE TABLE people (zip VARCHAR, age INTEGER)")
connection.executemany("INSERT INTO people VALUES (?, ?)", json.loads(sys.argv[1]))
ages = {"role": "quasi", "hierarchy": {"intervals": [10]}, "output": "mode"}
policy = {
    "version": 1, "source": "people", "entity": "row",
    "columns": {"zip": {"role": "quasi", "hierarchy": {"mask": 3}}, "age": ages},
    "privacy": {"k": 5}, "suppression": "20%", "release": "released",
}
found = {}


def released(**search):
    connection.execute("DROP TABLE IF EXISTS released")
    made = kanon_sql.anonymize({**policy, "search": search}, connection=connection)
    report = kanon_sql.report("released", plan=made.plan, policy={**policy, "search": search}, connection=connection)
    own = {"passed": made.verification.passed, "report": report.to_html(), "notes": made.plan.notes}
    return made, {**own, "rows": connection.sql("FROM released").fetchall()}


made, found["levels"] = released()
for dialect in ("duckdb", "snowflake"):
    try:
        found[dialect] = kanon_sql.compile_sql(made.plan, policy=policy, dialect=dialect, connection=connection)
    except KanonError as error:
        found[dialect] = f"refused: {error}"
connection.execute("DROP TABLE released")
connection.execute(found["duckdb"])
found["by_script"] = connection.sql("FROM released").fetchall()
policy["columns"]["age"] = {**ages, "order": "number"}
policy["columns"]["zip"] = {"role": "quasi", "order": "text"}
_, found["regions"] = released(algorithm="mondrian", choose="width", grouping="cuts")
refused = {
    "view": {"release": {"table": "seen", "view": True}},
    "wildcard": {"nulls": "wildcard"},
    "column": {"columns": {"age": {"role": "quasi", "order": "number", "output": "mode"}}},
}
policy["columns"] = {"zip": {"role": "quasi", "hierarchy": {"mask": 3}}, "age": ages}
for name, change in refused.items():
    try:
        kanon_sql.anonymize({**policy, **change}, connection=connection)
        found[name] = "released"
    except KanonError as error:
        found[name] = str(error)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    copy = extended(SECTION, tmp_path_factory.mktemp("mode"))
    return json.loads(run(copy, "-c", RUN, json.dumps(ROWS)).splitlines()[-1])


def test_it_takes_the_lines_that_the_page_states():
    assert lines_taken(SECTION) == lines_stated(SECTION)


def modes():
    """The age that most rows of a zip code have; the smaller of two."""
    ages = defaultdict(Counter)
    for code, age in ROWS:
        if age is not None:
            ages[code][age] += 1
    return {
        code: min(each, key=lambda age, of=each: (-of[age], age)) for code, each in ages.items()
    }


@pytest.mark.parametrize("way", ["levels", "regions"])
def test_each_class_shows_its_most_frequent_value(found, way):
    assert dict(found[way]["rows"]) == modes()
    assert found[way]["passed"]
    assert "the value that most rows of its class have" in found[way]["report"]


def test_values_of_few_rows_are_warned_of(found):
    (warning,) = [each for each in found["levels"]["notes"] if "columns.age" in each]
    assert "output: mode releases values as they are" in warning


def test_a_script_releases_the_same_and_other_channels_refuse_it_in_words(found):
    assert Counter(map(tuple, found["by_script"])) == Counter(map(tuple, found["levels"]["rows"]))
    assert found["snowflake"].startswith("refused")
    assert "output: mode: it has the labels of values, and not what the rows" in found["snowflake"]
    assert "a view cannot release output: mode" in found["view"]


def test_what_a_policy_states_wrongly_is_a_fault(found):
    assert "mode goes with a hierarchy" in found["column"]
    assert "has output: mode, in which NULL is a value among others" in found["wildcard"]
