"""The page on adding a destination, carried out in a copy of the repository: a release is published whole, or says why not."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from house_copy import extended, lines_stated, lines_taken, run, section_of

SECTION = section_of("docs/contributing/add-to-the-policy.md", "A destination")
CODES = ["", "é", "02134", "02139", '9"9\\9', "9\n9", "null", None] * 4
RUN = """
import json, subprocess, sys
from pathlib import Path
import duckdb
import kanon_sql

connection = duckdb.connect()
connection.execute("CREATE TABLE people AS SELECT zip, 1.5 AS pay FROM (SELECT unnest(?) AS zip)", [json.loads(sys.argv[1])])
policy = {
    "version": 1, "source": "people", "entity": "row",
    "columns": {"zip": {"role": "quasi", "hierarchy": "suppress"}, "pay": {"role": "identifying", "action": "drop"}},
    "privacy": {"k": 4}, "suppression": "0%", "release": {"jsonl": "released.jsonl"},
}
folder = Path(sys.argv[2])
policy["release"] = {"jsonl": str(folder / "released.jsonl")}
own = {"connection": connection}

def refused(call):
    try:
        call()
    except kanon_sql.KanonError as error:
        return f"{type(error).__name__}: {error}"

def rows():
    return [json.loads(line)["zip"] for line in (folder / "released.jsonl").read_text().splitlines()]

plan = kanon_sql.plan(policy, **own)
released = kanon_sql.apply(plan, policy=policy, **own)
found = {"rows": rows(), "passed": released.verification.passed}
found["again"] = [each["zip"] for each in released.to_arrow().to_pylist()]
found["verified"] = kanon_sql.verify(released.place, quasi=["zip"], k=4).passed
found["there"] = refused(lambda: kanon_sql.apply(plan, policy=policy, **own))
connection.execute("DELETE FROM people WHERE zip = '02134'")
killed = '''
import duckdb, json, os, sys
import kanon_sql
from kanon_sql.engines.local_files import AtomicWrite

AtomicWrite.move = lambda *_, **__: os._exit(9)
connection = duckdb.connect()
connection.execute("CREATE TABLE people AS SELECT 'a' AS zip, 1.5 AS pay FROM range(4)")
kanon_sql.anonymize(json.loads(sys.argv[1]), connection=connection, replace=True)
'''
found["code"] = subprocess.run([sys.executable, "-c", killed, json.dumps(policy)]).returncode
found["beside"] = len(list(folder.iterdir()))
found["after a kill"] = rows()
found["cleaned"] = [each.removed for each in kanon_sql.clean(folder)]
found["by name"] = kanon_sql.anonymize(policy, release=str(folder / "released.jsonl"), replace=True, **own).place
found["replaced"] = rows()
found["beside then"] = len(list(folder.iterdir()))
found["script"] = kanon_sql.compile_sql(kanon_sql.plan(policy, **own), policy=policy, **own)
policy["columns"]["pay"] = {"role": "insensitive"}
found["no script"] = refused(lambda: kanon_sql.compile_sql(kanon_sql.plan(policy, **own), policy=policy, **own))
connection.execute("CREATE OR REPLACE TABLE people AS SELECT zip, CAST('1234567890123456789.0123456789' AS DECIMAL(38, 10)) AS pay FROM people")
found["lost"] = refused(lambda: kanon_sql.anonymize(policy, replace=True, **own))
from kanon_sql.release.destination import why_not_written
from kanon_sql.engines.locations import Format
found["spark"] = why_not_written(Format.JSONL.kind, "spark")
found["other"] = refused(lambda: kanon_sql.read_policy({**policy, "release": "released.ndjson"}))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return extended(SECTION, tmp_path_factory.mktemp("jsonl"))


@pytest.fixture(scope="module")
def found(copy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    return json.loads(run(copy, "-c", RUN, json.dumps(CODES), str(folder)).splitlines()[-1])


def test_it_takes_the_lines_that_the_page_states():
    assert lines_taken(SECTION) == lines_stated(SECTION)


def test_a_release_has_the_rows_that_were_recounted(found):
    assert Counter(found["rows"]) == Counter(found["again"]) == Counter(CODES)
    assert found["passed"]
    assert found["verified"]


def test_a_run_that_is_killed_leaves_the_old_release_which_the_next_replaces(found):
    assert "already exists" in found["there"]
    assert (found["code"], found["beside"] > 1) == (9, True)
    assert found["after a kill"] == found["rows"]
    assert all(found["cleaned"])
    assert found["cleaned"]
    assert Counter(found["replaced"]) == Counter(each for each in CODES if each != "02134")
    assert found["beside then"] == 1


def test_a_script_writes_it_and_refuses_what_it_does_not_hold(found):
    assert "(FORMAT JSON)" in found["script"]
    assert "of a type that JSON lines does not have (DECIMAL(2,1))" in found["no script"]


def test_what_it_cannot_hold_or_write_is_refused_in_words(found):
    assert "the files do not hold what was verified (pay)" in found["lost"]
    assert "is JSON lines, which kanon-sql does not write by spark" in found["spark"]
    assert re.search(r"another kind than .+ and \.jsonl", found["other"])


def test_it_answers_every_channel(copy):
    told = run(
        copy,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/contract/test_closed.py",
        "-k",
        "destination",
    )
    assert "passed" in told
