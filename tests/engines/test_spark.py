"""What holds on Spark alone: its sessions and settings, its files, a cluster, a release in place."""

from __future__ import annotations

import glob
import json
import re
import signal
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pages
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import (
    POLICY,
    TABLE,
    comparable,
    in_bytes,
    people,
    policy_of_people,
    shown,
    small_policy,
)

import kanon_sql
from kanon_sql import Destination
from kanon_sql.engines import commands_sql
from kanon_sql.engines.scratch import scratch


@pytest.fixture
def spark(spark):
    return spark.connection


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["people.parquet", "people.csv", "people.json", "folder"])
def test_files_and_folders_are_read(spark, tmp_path, name):
    ways = {"parquet": "FORMAT PARQUET", "csv": "FORMAT CSV", "json": "FORMAT JSON"}
    way = ways.get(name.rpartition(".")[2], "FORMAT PARQUET, PARTITION_BY (place)")
    with duckdb.connect() as connection:
        connection.register("people", TABLE)
        connection.execute(f"COPY (SELECT * FROM people) TO '{tmp_path / name}' ({way})")
    with kanon_sql.anonymize(POLICY, str(tmp_path / name), connection=spark) as release:
        assert release.verification.passed
        assert release.relation.count() == 24
        assert set(release.relation.columns) == {"sex", "place", "n"}


def test_lines_of_csv_that_do_not_fit_are_told(spark, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("sex,place,n\n" + "f,a,1\n" * 50 + "canary\n", encoding="utf-8")
    with pytest.raises(
        kanon_sql.SourceError, match="line 52 has 1 field, and line 1 has 3"
    ) as error:
        kanon_sql.verify(str(path), quasi=["sex"], k=1, connection=spark)
    assert "canary" not in str(error.value)
    source = {"path": str(path), "skip": 1}
    with pytest.raises(kanon_sql.SourceError, match="skips no lines of CSV"):
        kanon_sql.plan({**POLICY, "source": source}, connection=spark)


def test_paths_of_a_query_start_from_the_policy_s_folder(spark, tmp_path, monkeypatch):
    folder = tmp_path / "policy"
    folder.mkdir()
    pq.write_table(TABLE, folder / "people.parquet")
    query = "SELECT * FROM parquet.`people.parquet`"
    text = json.dumps({**POLICY, "source": {"query": query}})
    (folder / "policy.yml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with kanon_sql.anonymize(folder / "policy.yml", connection=spark) as release:
        assert release.relation.count() == 24
    with pytest.raises(kanon_sql.ReleaseError, match="is the source itself"):
        kanon_sql.anonymize(
            folder / "policy.yml",
            connection=spark,
            release=str(folder / "people.parquet"),
            replace=True,
        )


def test_a_data_frame_is_read(spark):
    frame = spark.createDataFrame(TABLE)
    with kanon_sql.anonymize(POLICY, frame, connection=spark) as release:
        assert release.relation.count() == 24


@pytest.mark.parametrize(
    "kind", [pl.DataFrame, lambda t: pl.DataFrame(t).lazy(), pa.Table.to_reader]
)
def test_a_frame_of_another_library_is_read(spark, kind):
    with kanon_sql.anonymize(POLICY, kind(TABLE), connection=spark) as release:
        assert len(release.frame()) == release.relation.count() == 24


BEYOND_ARROW = {
    "complex numbers": pd.Series([1j * n for n in range(6)]),
    "a number of 71 bits": pd.Series([2**70, *range(5)], dtype=object),
    "texts and numbers": pd.Series(["a", *range(5)], dtype=object),
}


@pytest.mark.parametrize("kind", BEYOND_ARROW)
def test_what_arrow_has_no_type_for_is_refused(spark, kind):
    """Spark would read a number that is too great as NULL."""
    frame = pd.DataFrame({"zip": ["a"] * 6, "other": BEYOND_ARROW[kind]})
    with pytest.raises(
        kanon_sql.SourceError, match=r"that Spark can read|no type for the values of other"
    ):
        kanon_sql.verify(frame, quasi=["zip"], k=6, connection=spark)


def test_half_floats_are_read(spark):
    frame = pd.DataFrame({"zip": ["a"] * 6, "n": pd.Series(range(6), dtype="float16")})
    verdict = kanon_sql.verify(frame, quasi=["zip"], k=6, distinct_l={"n": 6}, connection=spark)
    assert verdict.passed


def test_settings_of_a_session_stay_until_its_last_run_has_ended(spark):
    """Runs of several threads share one session, and end in any order."""
    key, own = "spark.sql.variable.substitute", spark.conf.get("spark.sql.variable.substitute")
    spark.conf.set(key, "true")
    frame = spark.createDataFrame(TABLE)
    try:
        first = kanon_sql.anonymize(POLICY, frame, connection=spark)
        with kanon_sql.anonymize(POLICY, frame, connection=spark):
            first.close()
            assert spark.conf.get(key) == "false"
        assert spark.conf.get(key) == "true"
    finally:
        spark.conf.set(key, own)


ODD = {
    "spark.sql.adaptive.nonEmptyPartitionRatioForBroadcastJoin": "0.9",
    "spark.sql.constraintPropagation.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.caseSensitive": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.crossJoin.enabled": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.groupByAliases": "false",
    "spark.sql.groupByOrdinal": "false",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "true",
    "spark.sql.legacy.literal.pickMinimumPrecision": "false",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.orderByOrdinal": "false",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "true",
    "spark.sql.storeAssignmentPolicy": "LEGACY",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.variable.substitute": "true",
}
"""A session as far from what we need as it can be set."""


@contextmanager
def set_to(spark, settings):
    before = {key: spark.conf.get(key, None) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        yield
        assert {key: spark.conf.get(key) for key in settings} == settings, "put back by every run"
    finally:
        for key, value in before.items():
            spark.conf.unset(key) if value is None else spark.conf.set(key, value)


@pytest.mark.rare
def test_settings_of_the_session_change_nothing(places, spark, with_key, reference):
    from kanon_sql.engines.spark.session import SETTINGS

    plan, rows, _ = reference
    assert SETTINGS.keys() <= ODD.keys()
    assert all(ODD[key] != value for key, value in SETTINGS.items())
    place, policy = places("spark"), policy_of_people()
    place.put("people_of_the_test", people())
    with set_to(spark, ODD):
        own = kanon_sql.plan(policy, connection=spark)
        assert in_bytes(own) == in_bytes(plan)
        kanon_sql.apply(own, policy=policy, connection=spark, release="people_k3")
    assert shown(place.read("people_k3")) == shown(rows)
    place.drop("people_k3")


def test_settings_of_the_session_are_put_back_after_an_error(spark):
    with set_to(spark, ODD), pytest.raises(kanon_sql.SourceError):
        kanon_sql.plan({**POLICY, "source": "nowhere"}, connection=spark)


def test_a_setting_that_cannot_be_changed_is_one_clear_error(spark, monkeypatch):
    """Some servers let no session change its settings."""
    fixed = {"spark.sql.warehouse.dir": "elsewhere", "spark.sql.catalogImplementation": "other"}
    monkeypatch.setattr(
        "kanon_sql.engines.spark.session.SETTINGS", {**fixed, "spark.sql.ansi.enabled": "true"}
    )
    with (
        set_to(spark, {"spark.sql.ansi.enabled": "false"}),
        pytest.raises(kanon_sql.SourceError, match="2 faults"),
    ):
        kanon_sql.plan({**POLICY, "source": "nowhere"}, connection=spark)


@pytest.fixture
def tables(spark):
    """The table in every shape that a catalog knows."""
    frame = spark.createDataFrame(TABLE).coalesce(1)
    spark.sql("CREATE DATABASE other")
    frame.createOrReplaceTempView("`a view`")
    frame.createOrReplaceGlobalTempView("everywhere")
    frame.write.saveAsTable("other.people")
    frame.write.partitionBy("place").saveAsTable("in_parts")
    spark.sql("CREATE VIEW seen AS SELECT * FROM in_parts WHERE sex IS NOT NULL")
    yield
    spark.sql("DROP VIEW seen")
    spark.sql("DROP TABLE in_parts")
    spark.sql("DROP DATABASE other CASCADE")
    spark.catalog.dropGlobalTempView("everywhere")
    spark.sql("DROP VIEW `a view`")


def test_tables_and_views_of_every_kind_are_read(spark, tables):
    names = ["a view", "global_temp.everywhere", "seen", "in_parts", "default.in_parts",
             "other.people", "spark_catalog.other.people", 'spark_catalog."other".people']  # fmt: skip
    for name in names:
        found = kanon_sql.verify(name, quasi=["sex", "place"], k=4, connection=spark)
        assert (found.passed, found.rows, found.classes) == (True, 24, 6), name


def test_scratch_tables_rest_on_no_other(spark):
    """However long the chain, the plan of the last is a scan of rows that were computed."""
    from kanon_sql.engines.spark.engine import Spark

    engine = Spark(spark)
    engine.on_driver.most_rows = 0
    with scratch(engine) as made:
        last = made.table("first")
        engine.load(last, ["value"], [("a",), ("b",)])
        for _ in range(20):
            finer, last = last, made.table("next")
            engine.execute(commands_sql.materialize(last, finer))
        plan = spark.table(last.name)._jdf.queryExecution().optimizedPlan().toString()
        assert plan.count("\n") == 1, "one node"
        assert "LogicalRDD" in plan


def test_a_batch_of_checks_is_one_count(places, spark, monkeypatch):
    from kanon_sql.engines.spark.engine import Spark

    place, asked, ask = places("spark"), [], Spark.fetch
    place.put("people_of_the_test", people())
    monkeypatch.setattr(
        "kanon_sql.engines.tables_here.MOST_ROWS", 0
    )  # a set that is too large for the driver

    def noted(self, statement, params=()):
        ready = self.prepare(statement) if not hasattr(statement, "text") else statement
        asked.append(ready.step)
        spark.sparkContext.setJobGroup(f"{ready.step} {len(asked)}", "")
        return ask(self, ready, params)

    monkeypatch.setattr(Spark, "fetch", noted)
    plan = kanon_sql.plan(small_policy(search={"algorithm": "exhaustive"}, entity="row", privacy={"k": 3}),
                          connection=spark)  # fmt: skip
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    tracker = spark.sparkContext.statusTracker()
    batches = [f"check {n}" for n, step in enumerate(asked, start=1) if step == "check"]
    jobs = [len(tracker.getJobIdsForGroup(batch)) for batch in batches]
    assert set(jobs) == {1}
    assert 0 < len(batches) < plan.checks


@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("connect", ()),
        pytest.param("connect", ("--kill",), marks=pytest.mark.rare),
        pytest.param("cluster", (), marks=pytest.mark.rare),
    ],
)
def test_a_spark_elsewhere(*, places, java, with_key, tmp_path, kind, kills):
    """Two executors; a Connect server. The plan and the release are DuckDB's."""
    own, policy = places("duckdb"), small_policy()
    hashed = policy_of_people()["columns"]["na me"]
    tree = {"role": "quasi", "hierarchy": {"tree": {"*": ["true", "false"]}}}
    policy["columns"] = {**policy["columns"], "na me": hashed, "member": tree}
    (program,) = pages.by_kind("docs/guides/spark.md")["python"]
    (tmp_path / "release.py").write_text(program, encoding="utf-8")
    (tmp_path / "people.yml").write_text(json.dumps(policy), encoding="utf-8")
    rows = [f"{sex};{30 + n % 4};{n % 3}" for n in range(20) for sex in ("Male", "Female")]
    (tmp_path / "adult.csv").write_text("\n".join(["sex;age;occupation", *rows]), encoding="utf-8")
    pq.write_table(people(), tmp_path / "people.parquet")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("elsewhere.py")), kind, "people.yml", *kills],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout.splitlines()[-1])
    own.put("people_of_the_test", people())
    plan = kanon_sql.plan(policy, connection=own.connection, portable=True)
    kanon_sql.apply(plan, policy=policy, connection=own.connection, release="people_k3")
    document = comparable(plan)
    assert told["plan"] == {
        key: str(document[key]) for key in document.keys() - {"policy", "source"}
    }
    assert shown(told["rows"]) == shown(own.read("people_k3"))
    assert told["left"] == []
    assert told["recounted"] == (240 if kind == "connect" else 40)
    own.drop("people_k3")
    if kills:
        whole_after_every_kill(told["killed"])


def whole_after_every_kill(killed):
    """Raw rows are whole, under their name or that of the original, until the release is, under its."""
    *kills, (last, at_the_end) = killed
    assert (last, at_the_end) == (0, {"placed": "released"})
    for signalled, left in kills:
        assert signalled == signal.SIGKILL
        original = left.pop("placed__kanon_original", None)
        made = left.pop("placed__kanon_release", None)
        assert left in ({"placed": "raw"}, {"placed": "released"}, {})
        assert original in {"raw", None}
        assert "raw" in {left.get("placed"), original} or left == {"placed": "released"}
        assert made in {"released", "in part", None}
    seen = [str(left.get("placed")) for _, left in kills]
    assert [name for name, before in zip(seen, ["", *seen], strict=False) if name != before] == [
        "raw", "None", "released"
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_a_connect_server_that_is_not_there_is_one_clear_error(monkeypatch):
    monkeypatch.setattr("kanon_sql.engines.spark.session.PATIENCE", 1)
    with pytest.raises(kanon_sql.SourceError, match="no Spark Connect server answers there"):
        kanon_sql.plan({**POLICY, "source": "people", "database": "sc://127.0.0.1:1"})


def test_a_session_of_the_process_is_not_taken(spark):
    with pytest.raises(kanon_sql.SourceError, match="hand it in as the connection"):
        kanon_sql.plan({**POLICY, "source": "people", "database": "spark:local[1]"})
    assert spark.sql("SELECT 1").collect()


# ---- Spark: lakes -------------------------------------------------------------------------

NAMES = {"$(x) я": "sex", "a b`c;": "place", "n": "n"}
LAKE = TABLE.rename_columns(
    [next(k for k, v in NAMES.items() if v == n) for n in TABLE.schema.names]
)
LAKE_POLICY = {**POLICY, "columns": {k: POLICY["columns"][v] for k, v in NAMES.items()}}


def rows_of(frame):
    return sorted(tuple(str(row[name]) for name in NAMES) for row in frame.collect())


@pytest.mark.parametrize("scheme", ["", "file://"])
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "out",
    [
        ("parquet", "out{1}.parquet", ()),
        ("parquet", "parts", ("a b`c;", "$(x) я")),
        ("csv", "out.csv", ()),
    ],
    ids=["Parquet", "partitions", "CSV"],
)
def test_spark_writes_files_that_both_engines_read(spark, tmp_path, out, scheme):
    format_, name, parts = out
    target = tmp_path / name
    options = {"row_group_rows": 10, "compression": "gzip"} if format_ == "parquet" else {}
    release = Destination(format_, f"{scheme}{target}", parts, **options)
    frame = spark.createDataFrame(LAKE)
    made = kanon_sql.anonymize(LAKE_POLICY, frame, connection=spark, release=release)
    assert made.verification.rows == 24
    assert [path.name for path in tmp_path.iterdir()] == [name]
    files = [path for path in target.rglob("*") if path.is_file() and path.suffix != ".crc"]
    assert all(path.name.startswith("part-") for path in files)
    with pytest.raises(kanon_sql.ReleaseError, match="already"):
        kanon_sql.anonymize(LAKE_POLICY, frame, connection=spark, release=release)
    quasi = [name for name in NAMES if name != "n"]
    if format_ == "csv":
        assert duckdb.read_csv(str(target / "*.csv"), header=True, all_varchar=True).shape == (
            24,
            3,
        )
        return
    assert kanon_sql.verify(str(target), quasi=quasi, k=4).rows == 24
    with kanon_sql.anonymize(LAKE_POLICY, str(target), connection=spark) as again:
        assert rows_of(again.relation) == rows_of(frame)
    assert set(duckdb.sql(f"FROM '{glob.escape(str(target))}/**/*.parquet'").columns) == set(NAMES)
    text = "SELECT DISTINCT compression, row_group_num_rows <= 10 FROM parquet_metadata(?)"
    assert duckdb.execute(text, [str(files[0])]).fetchall() == [("GZIP", True)]


@pytest.mark.parametrize("name", ["a/b", "it's", 'a"b', "x=y", "50%", "{x}"])
def test_spark_makes_no_partitions_of_a_column_that_it_would_rename(spark, tmp_path, name):
    renamed = {name if key == "sex" else key: value for key, value in POLICY["columns"].items()}
    given = {**POLICY, "columns": renamed}
    release = Destination("parquet", str(tmp_path / "out"), (name,))
    frame = spark.createDataFrame(TABLE).withColumnRenamed("sex", name)
    with pytest.raises(kanon_sql.ReleaseError, match="would be a column of another name"):
        kanon_sql.anonymize(given, frame, connection=spark, release=release)
    assert list(tmp_path.iterdir()) == []


def test_spark_replaces_a_folder_and_keeps_it_when_it_fails(spark, tmp_path, monkeypatch):
    target = tmp_path / "out"
    release = Destination("parquet", str(target), ("place",))
    frame = spark.createDataFrame(TABLE)
    kanon_sql.anonymize(POLICY, frame, connection=spark, release=release)
    odd = frame.replace({"a": ""}, subset=["place"])
    with pytest.raises(kanon_sql.VerificationError, match="place"):
        kanon_sql.anonymize(POLICY, odd, connection=spark, release=release, replace=True)
    assert {path.name for path in target.iterdir()} == {"place=a", "place=b", "place=c"}
    few = frame.where("place = 'a'")
    kanon_sql.anonymize(POLICY, few, connection=spark, release=release, replace=True)
    assert {path.name for path in target.iterdir()} == {"place=a"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for own, other in ((f"file://{target}", str(target)), (str(target), f"file://{target}")):
        whole = Destination("parquet", other, ("place",))
        with pytest.raises(kanon_sql.ReleaseError, match="is the source itself"):
            kanon_sql.anonymize(POLICY, own, connection=spark, release=whole, replace=True)


def test_spark_and_duckdb_read_a_lake_alike(spark, tmp_path):
    rows = "SELECT '0213' || i % 2 AS zip, '2024-01-0' || (1 + i % 2) AS day, i AS n FROM range(8) AS r(i)"
    lake = tmp_path / "year=2024" / "a{b}[c]"
    lake.parent.mkdir()
    duckdb.execute(f"COPY ({rows}) TO '{lake}' (FORMAT PARQUET, PARTITION_BY (zip, day))")
    columns = {c: {"role": "quasi", "hierarchy": "suppress"} for c in ("zip", "day")}
    policy = {**POLICY, "columns": {"n": {"role": "insensitive"}, **columns}, "source": str(lake)}
    plans = [kanon_sql.plan(policy, connection=each) for each in (None, spark)]
    assert in_bytes(plans[0]) == in_bytes(plans[1])
    with kanon_sql.anonymize(policy, connection=spark) as made:
        assert {row["zip"] for row in made.relation.collect()} == {"02130", "02131"}


def test_spark_reads_names_of_folders_as_utf_8(spark, tmp_path):
    """Spark makes one character of each escaped byte; what is released is what other readers read."""
    zones = ["\u00e4nn \u65e5", "b%", "a+b"]
    rows = pa.table({"zip": [*zones] * 2, "n": list(range(6))})
    duckdb.sql("FROM rows").write_parquet(str(tmp_path / "lake"), partition_by=["zip"])
    columns = {"zip": {"role": "quasi", "hierarchy": "suppress"}, "n": {"role": "insensitive"}}
    given = {**POLICY, "privacy": {"k": 2}, "columns": columns}
    release = Destination("parquet", str(tmp_path / "out"), ("zip",))
    kanon_sql.anonymize(given, str(tmp_path / "lake"), connection=spark, release=release)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "zip=\u00e4nn \u65e5", "zip=b%25", "zip=a+b"
    }  # fmt: skip
    wanted = Counter(zip(rows["zip"].to_pylist(), rows["n"].to_pylist(), strict=True))
    text = (
        f"SELECT zip, n FROM read_parquet('{tmp_path}/out/*/*.parquet', hive_partitioning = true)"
    )
    assert Counter(duckdb.sql(text).fetchall()) == wanted
    own = Destination("parquet", str(tmp_path / "own"), ("zip",))
    kanon_sql.anonymize(given, str(tmp_path / "lake"), release=own)
    read = spark.read.parquet(str(tmp_path / "own")).select("zip", "n").collect()
    assert Counter(map(tuple, read)) == wanted, "Spark reads what DuckDB releases"
    (tmp_path / "lake" / "zip=\u00e9").mkdir()
    duckdb.sql("SELECT 7::BIGINT AS n").write_parquet(
        str(tmp_path / "lake" / "zip=\u00e9" / "a.parquet")
    )
    with pytest.raises(kanon_sql.SourceError, match="the folders of zip are written in two ways"):
        kanon_sql.plan(given, str(tmp_path / "lake"), connection=spark)
    (tmp_path / "csv" / "zip=%C3%A4").mkdir(parents=True)
    (tmp_path / "csv" / "zip=%C3%A4" / "a.csv").write_text("n\n1\n2\n")
    with kanon_sql.anonymize(given, str(tmp_path / "csv/*/*.csv"), connection=spark) as made:
        assert {row["zip"] for row in made.relation.collect()} == {"\u00e4"}
    (tmp_path / "out" / "_kanon_unfinished").touch()
    for scheme in ("", "file://"):
        with pytest.raises(kanon_sql.SourceError, match="is an unfinished release"):
            kanon_sql.plan(given, f"{scheme}{tmp_path}/out", connection=spark)


def test_spark_compares_a_column_of_files_with_their_folders(spark, tmp_path):
    """polars writes it in both, and Spark reads what the folders say."""
    zones = ["\u00e4nn \u65e5", "b%", "a+b", "a/b", "02138", None]
    rows = pl.DataFrame({"zip": zones, "number": [1, 2, 3, 4, None, 6], "n": list(range(6))})
    for key in ("zip", "number"):
        lake = tmp_path / key
        rows.write_parquet(lake, partition_by=key, mkdir=True)
        columns = {name: {"role": "insensitive"} for name in rows.columns}
        columns[key] = {"role": "quasi", "hierarchy": "suppress"}
        given = {**POLICY, "privacy": {"k": 1}, "columns": columns}
        with kanon_sql.anonymize(given, str(lake), connection=spark) as made:
            assert {str(row[key]) for row in made.relation.collect()} == set(
                map(str, rows[key].to_list())
            )
        (lake / f"{key}={'02138' if key == 'zip' else 2}").rename(lake / f"{key}=77")
        told = f"1 of 6 rows have another value of {key} in their file than"
        with pytest.raises(kanon_sql.SourceError, match=told):
            kanon_sql.plan(given, str(lake), connection=spark)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["narrow first", "wide first"])
def test_spark_and_duckdb_read_columns_that_widened_alike(spark, tmp_path, order):
    selects = (
        "1::INTEGER AS age, 1.5::FLOAT AS f, 1.25::DECIMAL(4, 2) AS d, 1::TINYINT AS t, 'w' AS \"a`b\"",
        "5000000000 AS age, 0.1::DOUBLE AS f, 123456789012345678.25::DECIMAL(20, 2) AS d, 40000::INTEGER AS t",
    )
    for name, number in zip("ab", order, strict=True):
        (tmp_path / f"ward={name}").mkdir()
        duckdb.execute(f"COPY (SELECT {selects[number]}) TO '{tmp_path}/ward={name}/a.parquet'")
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 100]}},
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        **{each: {"role": "insensitive"} for each in ("f", "d", "t", "a`b")},
    }
    source = {"path": str(tmp_path), "union_by_name": True}
    policy = {**POLICY, "columns": columns, "privacy": {"k": 1}, "source": source}
    plans = [kanon_sql.plan(policy, connection=each) for each in (None, spark)]
    one, two = (re.sub("fingerprint: .*", "", in_bytes(plan)) for plan in plans)
    assert one == two
    with kanon_sql.anonymize(policy) as one, kanon_sql.anonymize(policy, connection=spark) as two:
        names = one.relation.columns
        found = two.relation.select(*(f"`{each.replace('`', '``')}`" for each in names)).collect()
        assert {tuple(map(str, row)) for row in one.relation.fetchall()} == {
            tuple(map(str, r)) for r in found
        }
        assert dict(two.relation.dtypes)["d"] == "decimal(20,2)"
    given = {**policy, "source": {**source, "union_by_name": False}}
    with pytest.raises(kanon_sql.SourceError, match="union_by_name: true reads all as the widest"):
        kanon_sql.plan(given, connection=spark)


def test_spark_tells_of_files_that_differ(spark, tmp_path):
    selects = {"a": "'x' AS sex, 'y' AS place, 1 AS n", "b": "'x' AS sex, 'y' AS place, '1' AS n",
               "c": "'x' AS Sex, '1' AS n, 2 AS more", "deep/d": "1 AS n"}  # fmt: skip
    (tmp_path / "deep").mkdir()
    for name, select in selects.items():
        duckdb.execute(f"COPY (SELECT {select}) TO '{tmp_path}/{name}.parquet'")
    with pytest.raises(kanon_sql.SourceError) as caught:
        kanon_sql.plan(POLICY, str(tmp_path), connection=spark)
    for told in ("1 of its 4 files lie in folders that are no partitions", "n has 2 types in its 3",
                 "the column more is in 1 of its 3", "the column place is in 2", "is spelt in 2 ways"):  # fmt: skip
        assert told in str(caught.value)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "mark",
    ["_delta_log/0.json", ".hoodie/", "metadata/v1.metadata.json", "p=1/ducklake-1-delete.parquet",
     "p=1/base_0000005/bucket_0"],
)  # fmt: skip
def test_spark_refuses_files_of_a_table_of_another_format(spark, tmp_path, mark):
    """By an address as by a path: the files are asked for where Spark reads them."""
    for folder in ("table/p=1", "plain/p=1"):
        (tmp_path / folder).mkdir(parents=True)
        duckdb.execute(
            f"COPY (SELECT 'f' AS sex, 'a' AS place, 1 AS n) TO '{tmp_path}/{folder}/a.parquet'"
        )
    (tmp_path / "table" / mark).parent.mkdir(exist_ok=True, parents=True)
    if mark.endswith("/"):
        (tmp_path / "table" / mark).mkdir()
    else:
        (tmp_path / "table" / mark).write_text("{}")
    given = {**POLICY, "privacy": {"k": 1}}
    for way in ("table", "table/p=1", "table/p=*/a.parquet", "table/p=1/a.parquet"):
        for scheme in ("", "file://"):
            with pytest.raises(kanon_sql.SourceError, match="deleted and older rows"):
                kanon_sql.plan(given, f"{scheme}{tmp_path}/{way}", connection=spark)
    query = f"SELECT sex, place, n FROM parquet.`file://{tmp_path}/t{{able}}/p=1`"
    with pytest.raises(kanon_sql.SourceError, match="deleted and older rows"):
        kanon_sql.plan({**given, "source": {"query": query}}, connection=spark)
    assert kanon_sql.plan(given, f"file://{tmp_path}/plain/p=1", connection=spark).source_rows == 1


def test_spark_refuses_text_files_whose_columns_stand_otherwise(spark, tmp_path):
    (tmp_path / "a.csv").write_text("sex,place,n\nf,a,1\n")
    (tmp_path / "b.csv").write_text("place,sex,n\nf,a,1\n")
    with pytest.raises(kanon_sql.SourceError, match="cannot be read"):
        kanon_sql.plan(POLICY, str(tmp_path / "*.csv"), connection=spark)


def test_a_program_with_a_frame_replaces_its_release_each_time(spark):
    """As the one of the guide; a view may read the table that is to be replaced."""
    frame = spark.createDataFrame(TABLE)
    for _ in range(2):
        kanon_sql.anonymize(POLICY, frame, connection=spark, release="again_k4", replace=True)
    frame.createOrReplaceTempView("again_seen")
    with pytest.raises(kanon_sql.ReleaseError, match="reads a view or a query"):
        kanon_sql.anonymize(
            POLICY, "again_seen", connection=spark, release="again_k4", replace=True
        )
    spark.catalog.dropTempView("again_seen")


# ---- Spark: in place ----------------------------------------------------------------------

IN_PLACE = {
    **POLICY,
    "source": "placed",
    "columns": {
        **POLICY["columns"],
        "name": {"role": "identifying", "action": "drop"},
        "day": {"role": "insensitive"},
    },
    "release": {"in_place": True, "keep_original": "placed_raw"},
}
DROPPED = {**IN_PLACE, "release": {"in_place": True, "drop_original": True}}


@pytest.fixture
def placed(spark):
    """A partitioned table of Spark with comments and properties, and a view of it."""
    spark.sql(
        "CREATE TABLE placed (name STRING, sex STRING COMMENT 'it''s', place STRING, n STRING, day INT) "
        "USING parquet PARTITIONED BY (day) COMMENT 'of people' TBLPROPERTIES ('team' = 'a b')"
    )
    spark.sql(
        "INSERT INTO placed SELECT 'canary', IF(id % 2 = 0, 'f', 'm'), 'a', STRING(id), id % 3 FROM RANGE(24)"
    )
    spark.sql("CREATE VIEW seen AS SELECT n FROM placed")
    yield spark
    spark.sql("DROP VIEW seen")
    for name in tables_of(spark):
        if name.startswith("placed"):
            spark.sql(f"DROP TABLE {name}")


def tables_of(spark):
    return {row["tableName"] for row in spark.sql("SHOW TABLES").collect()} - {"seen"}


def counted_rows(spark, table):
    return Counter(tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect())


def test_a_table_of_spark_is_released_in_place(placed):
    raw, before = counted_rows(placed, "placed"), tables_of(placed)
    kanon_sql.anonymize(IN_PLACE, connection=placed)
    released = counted_rows(placed, "placed")
    assert sum(released.values()) == 24
    assert placed.table("placed").columns == ["sex", "place", "n", "day"]
    assert {row[2] for row in released} == {row[0] for row in counted_rows(placed, "seen")}
    assert counted_rows(placed, "placed_raw") == raw
    assert tables_of(placed) == before | {"placed_raw"}
    assert kanon_sql.verify("placed", quasi=["sex", "place"], k=4, connection=placed).passed
    told = {row[0]: row for row in placed.sql("DESCRIBE TABLE EXTENDED placed").collect()}
    assert (told["Comment"][1], told["sex"][2]) == ("of people", "it's")
    assert "# Partition Information" in told
    assert ("team", "a b") in map(tuple, placed.sql("SHOW TBLPROPERTIES placed").collect())
    with pytest.raises(kanon_sql.ReleaseError, match="seems to be in place already"):
        kanon_sql.anonymize(DROPPED, connection=placed)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", [2, 4, 5, 6])
def test_a_run_on_spark_that_dies_while_it_renames_is_put_right(placed, monkeypatch, step):
    """Whatever statement is the last, the raw rows are there, and the next run finds them."""
    from kanon_sql.engines.spark import session
    from kanon_sql.engines.spark.engine import Spark

    said, left = Spark.execute, [step]

    def dying(self, statement, params=()):
        if statement.name in {
            "create_replacement",
            "insert_rows",
            "uncache",
            "rename_table",
            "purge_table",
        }:
            left[0] -= 1
            if left[0] == 0:
                raise SystemExit
        said(self, statement, params)

    raw, before = counted_rows(placed, "placed"), tables_of(placed)
    with monkeypatch.context() as patched:
        patched.setattr(Spark, "execute", dying)
        patched.setattr(session, "restore", lambda *_: None)  # a killed process restores nothing
        with pytest.raises(SystemExit):
            kanon_sql.anonymize(DROPPED, connection=placed)
    if step == 6:  # the release stands, and the original is still to be dropped
        assert tables_of(placed) == before | {"placed__kanon_original"}
        assert counted_rows(placed, "placed__kanon_original") == raw
        columns = {n: c for n, c in DROPPED["columns"].items() if n != "name"}
        again = {**DROPPED, "columns": columns}
        with pytest.raises(
            kanon_sql.ReleaseError, match="placed__kanon_original: holds the raw rows"
        ):
            kanon_sql.anonymize(again, connection=placed)
        return
    whole = "placed" if placed.catalog.tableExists("placed") else "placed__kanon_original"
    assert counted_rows(placed, whole) == raw
    kanon_sql.anonymize(DROPPED, connection=placed)
    assert tables_of(placed) == before
    assert sum(counted_rows(placed, "placed").values()) == 24


def test_a_name_that_spark_cannot_give_leaves_the_raw_table(placed):
    raw, before = counted_rows(placed, "placed"), tables_of(placed)
    nowhere = {**IN_PLACE, "release": {"in_place": True, "keep_original": "nowhere.kept"}}
    with pytest.raises(kanon_sql.ReleaseError, match="nothing was published"):
        kanon_sql.anonymize(nowhere, connection=placed)
    assert (counted_rows(placed, "placed"), tables_of(placed)) == (raw, before)


def test_other_tables_of_spark_are_not_released_in_place(placed, tmp_path):
    placed.sql(f"CREATE TABLE placed_csv USING csv LOCATION '{tmp_path}' AS SELECT * FROM placed")
    for source, told in (
        ("placed_csv", "managed tables of orc and parquet"),
        ("seen", "plain table"),
    ):
        columns = IN_PLACE["columns"] if source != "seen" else {"n": POLICY["columns"]["sex"]}
        given = {**DROPPED, "source": source, "columns": columns}
        with pytest.raises(kanon_sql.ReleaseError, match=told):
            kanon_sql.anonymize(given, connection=placed)


def test_texts_that_a_spreadsheet_would_run_are_counted(spark, tmp_path):
    notes = {**POLICY, "columns": {**POLICY["columns"], "note": {"role": "insensitive"}}}
    texts = [["=canary", "-canary", "-5", "a=b"][n % 4] for n in range(TABLE.num_rows)]
    table = TABLE.append_column("note", [texts])
    release = str(tmp_path / "out.csv")
    with kanon_sql.anonymize(notes, table, connection=spark, release=release) as made:
        told = [each for each in made.plan.warnings if "formula" in each]
    assert [each.split(" begin")[0] for each in told] == ["release: 12 values of note"]
