"""Spark as a cluster: what small tables are brought to its driver, and what the loss of an executor costs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.engines.tables_here import DRIVER_ROWS
from kanon_sql.policy.hierarchies.mapping_sql import domain_codes

PEOPLE = pa.table(
    {
        "sex": ["f", "m", None][:2] * 300,
        "age": [20 + n * 7 % 40 for n in range(600)],
        "zip": [f"021{n * 13 % 30:02}" for n in range(600)],
        "visit": [n // 2 for n in range(600)],
        "disease": ["flu", "cold", "gout", None] * 150,
    }
)
COLUMNS = {
    "sex": {"role": "quasi", "hierarchy": {"tree": {"*": ["f", "m"]}}},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "visit": {"role": "insensitive"},
    "disease": {"role": "sensitive"},
}
POLICY = {
    "version": 1,
    "source": "people",
    "entity": "row",
    "columns": COLUMNS,
    "suppression": "5%",
}
OF_VISITS = {"visit": {"role": "identifying", "action": "drop"}}
CASES = {
    "k": {"privacy": {"k": 5}},
    "values": {"privacy": {"k": 5, "distinct_l": {"column": "disease", "l": 3}}},
    "entities": {"privacy": {"k": 5}, "entity": "visit", "columns": {**COLUMNS, **OF_VISITS}},
    "boxes": {"privacy": {"k": 5}, "suppression": 0, "search": {"algorithm": "mondrian"}},
    "levels": {"privacy": {"k": 9}, "search": {"recoding": "local", "max_nodes": 3}},
}


@pytest.fixture
def spark(spark):
    spark.put("people", PEOPLE)
    session = spark.connection
    yield session
    session.conf.unset(DRIVER_ROWS)


def recoded(policy, session, rows):
    session.conf.set(DRIVER_ROWS, str(rows))
    with kanon_sql.anonymize(policy, connection=session) as release:
        names = release.relation.columns
        found = Counter(tuple(map(str, row)) for row in release.relation.collect())
        return release.plan, names, found


@pytest.mark.parametrize("case", CASES)
def test_small_tables_on_the_driver_change_nothing(spark, case):
    """The plan and the rows are those of the cluster alone; a bound between brings some tables and not others."""
    policy = {**POLICY, **CASES[case]}
    bounds = (0, 35, 1_000_000) if case == "k" else (0, 1_000_000)
    made = [recoded(policy, spark, rows) for rows in bounds]
    assert len({plan.to_yaml() for plan, _, _ in made}) == 1
    assert all(each[1:] == made[0][1:] for each in made)
    if case == "k":  # counted once more, by another database
        rows = [row for row, count in made[2][2].items() for _ in range(count)]
        (least,) = duckdb.execute(
            "SELECT MIN(n) FROM (SELECT COUNT(*) AS n FROM (SELECT UNNEST(?) AS r) GROUP BY r)",
            [["|".join(row[:3]) for row in rows]],
        ).fetchone()
        assert least >= 5


def test_a_plan_says_where_it_was_searched(spark):
    policy = {**POLICY, **CASES["k"]}
    plans = [recoded(policy, spark, rows)[0] for rows in (0, 1_000_000)]
    told = [[each for each in plan.remarks if "searched by DuckDB" in each] for plan in plans]
    assert told[0] == []
    assert len(told[1]) == 1
    assert told[1][0] not in plans[1].warnings
    assert told[1] == plans[1].summary()["remarks"]
    assert plans[1].run["rows_fetched"] < 60


def test_rows_stay_in_the_cluster(spark, monkeypatch):
    """What is brought has a row a value or a tuple of codes, and no values beside a tuple."""
    from kanon_sql.engines.tables_here import DriverTables

    came, take = {}, DriverTables.take

    def noted(self, table, rows):
        came[table.name.rpartition("_")[2]] = rows
        take(self, table, rows)

    monkeypatch.setattr(DriverTables, "take", noted)
    recoded({**POLICY, **CASES["values"]}, spark, 1_000_000)
    types = {str(each) for each in came["set"].schema.types}
    assert types <= {"int32", "int64"}
    values = 2 + 40 + 30  # of all columns, in one table
    assert max(rows.num_rows for name, rows in came.items() if name != "set") <= values
    came.clear()
    recoded({**POLICY, **CASES["entities"]}, spark, 1_000_000)
    assert "set" not in came, "a frequency set with a value of each person"


def test_tuples_are_cut_on_the_driver(spark, monkeypatch):
    """The cluster counts the tuples once, and makes none of the tables of their cuts."""
    from kanon_sql.engines.spark.engine import Spark

    made, make = [], Spark._made

    def noted(self, ready, table, params, name):
        made.append(name)
        return make(self, ready, table, params, name)

    monkeypatch.setattr(Spark, "_made", noted)
    recoded({**POLICY, **CASES["boxes"]}, spark, 1_000_000)
    assert "places" in made
    assert not {"axis_parts", "region_cuts", "regions"} & {*made}


def test_tuples_are_brought_by_how_many_numbers_they_have(spark):
    from kanon_sql.engines.tables_here import DriverTables

    tables = DriverTables(10)
    tuples = spark.sql("SELECT 1 AS region, 2 AS place_0, 3 AS place_1, 4 AS row_count")
    assert [tables.takes("places", tuples, rows) for rows in (5, 6)] == [True, False]
    assert tables.takes("frequency_set", tuples, 10), "is packed"
    people = spark.sql("SELECT 1 AS region, 2 AS place_0, 'a' AS entity, 4 AS row_count")
    assert not tables.takes("places", people, 1), "has a value of each person"


def test_a_setting_that_is_no_number_of_rows_is_refused(spark):
    for text in ("many", "-1", "1e6"):
        spark.conf.set(DRIVER_ROWS, text)
        with pytest.raises(kanon_sql.InputError, match=r"driverRows: must be a whole number"):
            kanon_sql.plan({**POLICY, **CASES["k"]}, connection=spark)


def test_no_table_of_rows_is_sorted_as_a_whole(spark, monkeypatch):
    from kanon_sql.engines.spark.cluster import KeptRows

    plans, keep = {}, KeptRows.keep

    def noted(self, name, frame):
        plans[name.rpartition("_")[2]] = frame._jdf.queryExecution().executedPlan().toString()
        return keep(self, name, frame)

    monkeypatch.setattr(KeptRows, "keep", noted)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    recoded({**POLICY, **CASES["k"]}, spark, 1_000_000)
    spark.conf.set("spark.sql.shuffle.partitions", before)
    assert {"staged", "set"} <= plans.keys()
    for name in ("staged", "set"):
        assert "rangepartitioning" not in plans[name], "samples, and so computes twice"
        assert "SinglePartition" not in plans[name], "is one task, whatever the rows"


def test_a_value_of_nearly_all_rows_changes_nothing(spark):
    """Nine of ten rows are alike: partial counts are what is sent, and DuckDB makes the same plan and release."""
    rest = PEOPLE.slice(0, 200)
    alike = PEOPLE.take([0] * 1800)
    skewed = pa.concat_tables([rest, alike])
    spark.createDataFrame(skewed).createOrReplaceTempView("skewed")
    columns = {**COLUMNS, "visit": {"role": "identifying", "action": "drop"}}
    policy = {**POLICY, "columns": columns, "privacy": {"k": 5}, "source": "skewed"}
    plan, _, found = recoded(policy, spark, 1_000_000)
    release = kanon_sql.anonymize({k: v for k, v in policy.items() if k != "source"}, skewed)
    assert found == Counter(tuple(map(str, row)) for row in release.relation.fetchall())
    assert plan.to_yaml().partition("\nsql:")[0] == release.plan.to_yaml().partition("\nsql:")[0]
    assert max(found.values()) >= 1800
    assert min(Counter(row[:3] for row in found.elements()).values()) >= 5


def test_many_values_are_numbered_by_several_tasks(spark):
    """Each has a number of its own, and NULL has none, whatever the buckets."""
    spark.sql(
        "SELECT IF(id % 1000 = 7, NULL, CONCAT('v', id % 30000)) AS word FROM RANGE(60000)"
    ).createOrReplaceTempView("words")
    numbered = domain_codes(
        table("many"), table("words"), "word", rows=20_000_000, counts_null=False
    )
    spark.sql(numbered.render("spark"))
    plan = spark.table("many")._jdf.queryExecution().executedPlan().toString()
    assert "SinglePartition" not in plan
    rows = spark.table("many").collect()
    codes = {row["value"]: row["code"] for row in rows}
    assert len(rows) == len(codes) == 30_000 - 30 + 1
    assert codes.pop(None) is None
    assert len(set(codes.values())) == len(codes)
    assert 1 <= min(codes.values()) <= max(codes.values()) < 4 * len(codes)


def test_the_order_of_a_release_is_not_that_of_its_source(spark):
    """One task reads the source in order, and rows of one class differ in nothing but what is released of them."""
    with kanon_sql.anonymize({**POLICY, **CASES["k"]}, connection=spark) as release:
        visits = [row["visit"] for row in release.relation.collect()]
    ascending = sum(b > a for a, b in pairwise(visits))
    assert 0.4 < ascending / len(visits) < 0.6


def test_files_are_surveyed_without_a_job_for_each(spark, tmp_path):
    for n in range(24):
        kind = "BIGINT" if n % 5 == 0 else "INTEGER"
        folder = tmp_path / f"ward={n % 3}"
        folder.mkdir(exist_ok=True)
        duckdb.execute(f"COPY (SELECT 'f' AS sex, 1::{kind} AS age) TO '{folder}/a b{n}.parquet'")
    from kanon_sql.engines.spark.cluster import survey

    spark.sparkContext.setJobGroup("survey", "")
    found = survey(spark, f"{tmp_path}/**/*.parquet", str(tmp_path))
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    jobs = spark.sparkContext.statusTracker().getJobIdsForGroup("survey")
    assert len(jobs) <= 4
    (drift,) = found.drifts
    assert (drift.name, drift.types, drift.files) == ("age", ["bigint", "int"], 24)
    assert found.columns == (("sex", "string"), ("age", "bigint"))


@pytest.mark.parametrize(
    ("killed", "folder", "told"),
    [
        (1, False, "released"),
        pytest.param(2, True, "released", marks=pytest.mark.rare),
        pytest.param(2, False, "lost", marks=pytest.mark.rare),
    ],
)
def test_a_lost_executor_costs_a_retry(*, java, tmp_path, killed, folder, told):
    """One of two executors may be lost; both, where there is a folder; else the error says what to do."""
    words = [sys.executable, str(Path(__file__).with_name("lost_executors.py")), str(killed)]
    done = subprocess.run(
        [*words, *(["checkpoints"] if folder else [])],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["killed"] == killed
    if told == "released":
        assert found["rows"] == found["distinct"] == 4000
        assert found["smallest"] >= 5
    else:
        assert found["tables"] == ["people"], "nothing is published"
        assert "executors of the cluster were lost" in found["error"]
        assert "run it again" in found["error"]
        assert "spark.checkpoint.dir" in found["error"]
        assert "canary" not in found["error"]
    assert found["files"] == [], "what was kept in the folder is removed"
