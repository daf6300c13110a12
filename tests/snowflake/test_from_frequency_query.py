"""From a frequency query to a published table in Snowflake, as fakesnow emulates it, and the same plan as from the rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import pytest
import yaml
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main

TABLE = 'CLINIC.PUBLIC."people of ""A"""'
# fakesnow itself cannot create a column with a single quote in its name.
COLUMNS = {
    "name": {"role": "identifying", "action": "drop"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "born": {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}},
    'the "ward" ; -- x': {"role": "quasi", "hierarchy": {"csv": "ward.csv"}},
    "disease": {"role": "sensitive"},
    "visits": {"role": "insensitive"},
}
ROWS = """
    SELECT
      'name ' || i AS name,
      18 + (i * 7919) % 61 AS age,
      CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'F' WHEN 2 THEN 'f' WHEN 3 THEN 'F ' ELSE 'M' END AS sex,
      lpad(CAST((i * 31) % 37 * 100 AS VARCHAR), 5, '0') AS zip,
      CASE WHEN i % 11 = 0 THEN NULL ELSE DATE '1950-01-01' + CAST((i * 13) % 17 * 700 AS INTEGER) END AS born,
      ['east', 'West', 'süd'][1 + i % 3] AS "the ""ward"" ; -- x",
      ['flu', 'cold', 'gout', 'hiv'][1 + (i * i) % 4] AS disease,
      'v' || i % 5 AS visits
    FROM range(600) AS r(i)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The policy of a table in the warehouse, and that of the same rows in a file."""
    monkeypatch.chdir(tmp_path)
    duckdb.sql(f"COPY ({ROWS}) TO 'rows.parquet'")
    Path("ward.csv").write_text("east;side;*\nWest;side;*\nsüd;down;*\n", encoding="utf-8")
    policy = {
        "version": 1,
        "columns": COLUMNS,
        "entity": "row",
        "privacy": {"k": 5, "distinct_l": {"column": "disease", "l": 2}},
        "suppression": "10%",
    }
    for name, source in (("there", {"table": TABLE}), ("here", "rows.parquet")):
        text = yaml.safe_dump({**policy, "source": source}, sort_keys=False, allow_unicode=True)
        Path(f"{name}.yml").write_text(text, encoding="utf-8")
    return tmp_path


def done(*arguments):
    ran = CliRunner().invoke(main, [str(each) for each in arguments])
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def of_plan(name):
    """A plan without what says where its rows are."""
    plan = yaml.safe_load(Path(f"{name}.plan.yml").read_text(encoding="utf-8"))
    policy, source = plan.pop("policy"), plan.pop("source")
    return plan, policy["sha256"], source["rows"]


def test_from_the_query_to_a_published_table(warehouse, folder):
    query = done("frequency-query", "there.yml", "--dialect", "snowflake").rstrip(";\n")
    warehouse.run(["load", "rows.parquet", TABLE], ["export", query, "counted.parquet"])
    exported = duckdb.sql("FROM 'counted.parquet'").columns
    assert exported == [n for n in COLUMNS if n not in {"name", "visits"}] + ["kanon_rows"]

    done("plan", "there.yml", "--frequency-set", "counted.parquet")
    done("plan", "here.yml")
    assert of_plan("there") == of_plan("here")
    scripts = [
        done(
            "compile",
            f"{name}.plan.yml",
            "--dialect",
            "snowflake",
            "--table",
            TABLE,
            "--release",
            "OUT",
        )
        for name in ("there", "here")
    ]
    assert scripts[0] == scripts[1]

    warehouse.run(["run", scripts[0]], ["export", 'SELECT * FROM "OUT"', "out.parquet"])
    quasi = ", ".join(
        '"{}"'.format(name.replace('"', '""'))
        for name in COLUMNS
        if COLUMNS[name]["role"] == "quasi"
    )
    classes = duckdb.sql(
        f"SELECT COUNT(*), COUNT(DISTINCT disease) FROM 'out.parquet' GROUP BY {quasi}"
    ).fetchall()
    assert min(size for size, _ in classes) >= 5
    assert min(values for _, values in classes) >= 2
    plan, _, rows = of_plan("there")
    assert sum(size for size, _ in classes) == rows - plan["recoding"]["suppressed_rows"]
    assert len(classes) == plan["figures"]["classes"]

    done("apply", "here.plan.yml", "--release", "own.parquet")
    texts = "SELECT CAST(COLUMNS(*) AS VARCHAR)"
    released = [
        Counter(duckdb.sql(f"{texts} FROM '{of}.parquet'").fetchall()) for of in ("out", "own")
    ]
    assert released[0] == released[1]


def test_a_table_that_changed_since_is_not_published(warehouse, folder):
    """The script counts again: rows that the frequency set did not have are refused, or their classes are."""
    query = done("frequency-query", "there.yml", "--dialect", "snowflake").rstrip(";\n")
    warehouse.run(["load", "rows.parquet", TABLE], ["export", query, "counted.parquet"])
    done("plan", "there.yml", "--frequency-set", "counted.parquet")
    script = done("compile", "there.plan.yml", "--dialect", "snowflake", "--release", "OUT")
    change = f'UPDATE {TABLE} SET "the ""ward"" ; -- x" = \'canary\' WHERE "age" = 18'
    told = warehouse.run(["run", change], ["run", script], fails=True)
    assert "rows without a place in the hierarchies" in told
    assert "OUT" in warehouse.run(["export", 'SELECT * FROM "OUT"', "out.parquet"], fails=True)
