"""Parquet lakes on DuckDB: folders whose files differ, partitions, kills, and stores of objects."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.local_files import atomic_write, remove_leftovers
from kanon_sql.engines.locations import Destination, Format
from kanon_sql.engines.source import source_sql

pytestmark = pytest.mark.sampled(3)

HOSTILE = ['a"b', "it's; --", "ключ😀", "a.b", "select", "${x}", "a/b", "..", "x=y", "%2F", " z "]
VALUES = [*HOSTILE, "02138", None, "", "NULL", ".", "a\nb", "a\\b", "*?[x]{y}", "A", "a", "_h"]


ZONES = [
    "\u00e4nn",
    "\u65e5\u672c",
    "\U0001f600",
    "a b",
    "x/y",
    "100%",
    "a+b",
    "k=v",
    "%C3%A4",
    "\u00e9:\u00fc",
    "b",
]


def odd_zones():
    return pa.table({"zip": [*ZONES, *ZONES], "n": list(range(2 * len(ZONES)))})


def rows_of_zones():
    return Counter(zip(*(column.to_pylist() for column in odd_zones().columns), strict=True))


def by_duckdb(folder):
    rows = odd_zones()
    assert rows.num_rows
    duckdb.execute(f"COPY (FROM rows) TO '{folder}' (FORMAT PARQUET, PARTITION_BY (zip))")


def by_pyarrow(folder):
    dataset = pytest.importorskip("pyarrow.dataset")
    parts = dataset.partitioning(pa.schema([("zip", pa.string())]), flavor="hive")
    dataset.write_dataset(odd_zones(), folder, format="parquet", partitioning=parts)


def by_polars(folder):
    polars = pytest.importorskip("polars")
    polars.from_arrow(odd_zones()).write_parquet(folder, partition_by="zip", mkdir=True)


def by_deltalake(folder):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(folder, odd_zones(), partition_by=["zip"])
    shutil.rmtree(folder / "_delta_log")


def in_duckdb(folder):
    text = f"FROM read_parquet('{folder}/*/*.parquet', hive_partitioning = true) SELECT zip, n"
    return Counter(duckdb.sql(text).fetchall())


def in_pyarrow(folder):
    dataset = pytest.importorskip("pyarrow.dataset")
    parts = dataset.partitioning(pa.schema([("zip", pa.string())]), flavor="hive")
    rows = dataset.dataset(folder, format="parquet", partitioning=parts).to_table()
    return Counter(zip(rows["zip"].to_pylist(), rows["n"].to_pylist(), strict=True))


def in_polars(folder):
    polars = pytest.importorskip("polars")
    rows = polars.scan_parquet(f"{folder}/*/*.parquet", hive_partitioning=True).collect()
    return Counter(zip(rows["zip"], rows["n"], strict=True))


WRITERS = [by_duckdb, by_pyarrow, by_polars, by_deltalake]
READERS = [in_duckdb, in_pyarrow, in_polars]


def policy(columns=("zip", "n"), **changes):
    named = {name: {"role": "insensitive"} for name in columns}
    named[columns[0]] = {"role": "quasi", "hierarchy": "suppress"}
    return {"version": 1, "entity": "row", "columns": named, "privacy": {"k": 1}, **changes}


def parquet(path, select):
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{str(path).replace(chr(39), chr(39) * 2)}'")


def read(made):
    return Counter(made.relation.fetchall())


def refused(given, source, **options):
    with pytest.raises(kanon_sql.SourceError) as caught:
        kanon_sql.anonymize(given, source, **options)
    return str(caught.value)


# ---- files that differ --------------------------------------------------------------------


def test_columns_that_some_files_lack_are_told_in_counts(tmp_path):
    for part, select in enumerate(
        (
            "SELECT 'canary' AS zip, 1 AS n",
            "SELECT 'canary' AS zip",
            "SELECT '3' AS zip, 1 AS N, 2 AS m",
        )
    ):
        parquet(tmp_path / "lake" / f"place=canary{part}" / "a.parquet", select)
    told = refused(policy(), tmp_path / "lake")
    assert "the column m is in 1 of its 3 files; union_by_name: true" in told
    assert "the column N is spelt in 2 ways" in told
    assert "canary" not in told


def test_columns_that_some_files_lack_are_null_where_the_policy_says_so(tmp_path):
    parquet(tmp_path / "a.parquet", "SELECT 'x' AS zip, 1 AS n")
    parquet(tmp_path / "b.parquet", "SELECT 'y' AS zip")
    source = {"path": str(tmp_path / "*.parquet"), "union_by_name": True}
    with kanon_sql.anonymize(policy(source=source)) as made:
        assert read(made) == Counter([("x", 1), ("y", None)])


def test_spellings_of_a_column_are_one_where_the_policy_says_so(tmp_path):
    parquet(tmp_path / "a.parquet", "SELECT 'x' AS zip, 1 AS n")
    parquet(tmp_path / "b.parquet", "SELECT 2 AS N, 'y' AS ZIP")
    source = {"path": str(tmp_path / "*.parquet"), "union_by_name": True}
    told = refused(policy(source=source | {"union_by_name": False}), None)
    assert "zip is spelt in 2 ways; union_by_name: true reads them as one" in told.casefold()
    with kanon_sql.anonymize(policy(source=source)) as made:
        assert made.relation.columns == ["zip", "n"]
        assert read(made) == Counter([("x", 1), ("y", 2)])


@pytest.mark.parametrize("first", ["narrow", "wide"])
@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("7::TINYINT", "300::SMALLINT"), ("7::INTEGER", "5000000000"), ("1.5::FLOAT", "0.1::DOUBLE"),
     ("1.25::DECIMAL(4, 2)", "1234567890123456789.25::DECIMAL(38, 2)")],
)  # fmt: skip
def test_a_column_that_widened_is_read_as_the_widest(tmp_path, narrow, wide, first):
    for name, select in (("narrow", narrow), ("wide", wide)):
        parquet(tmp_path / f"{name != first}.parquet", f"SELECT 'x' AS zip, {select} AS n")
    source = {"path": str(tmp_path / "*.parquet"), "union_by_name": True}
    told = refused(policy(source=source | {"union_by_name": False}), None)
    assert "n has 2 types in its 2 files; union_by_name: true reads all as the widest" in told
    kind = duckdb.sql(f"SELECT typeof({wide})").fetchall()[0][0]
    wanted = duckdb.sql(f"SELECT 'x', {narrow}::{kind} UNION ALL SELECT 'x', {wide}")
    with kanon_sql.anonymize(policy(source=source)) as made:
        assert made.relation.types == wanted.types
        assert read(made) == Counter(wanted.fetchall())


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "'1'"), ("1::BIGINT", "1::DOUBLE"), ("1::INTEGER", "1::UINTEGER"), ("1::FLOAT", "1::INTEGER"),
     ("1::DECIMAL(4, 2)", "1::DECIMAL(9, 3)"), ("[{'a': 1}]", "[{'a': 1::BIGINT}]"),
     ("DATE '2024-01-01'", "TIMESTAMP '2024-01-01'")],
)  # fmt: skip
def test_types_that_differ_otherwise_are_refused_whatever_the_policy_says(tmp_path, one, other):
    for name, select in (("a", one), ("b", other)):
        parquet(tmp_path / f"{name}.parquet", f"SELECT 'x' AS zip, {select} AS n")
    for union in (True, False):
        source = {"path": str(tmp_path / "*.parquet"), "union_by_name": union}
        told = refused(policy(source=source), None)
        assert "the column n has 2 types in its 2 files; write them alike" in told
        assert "zip" not in told


def test_nested_columns_are_no_drift(tmp_path):
    nested = "{'zip': 'a', 'n': [1, 2], 'deep': [{'n': MAP {'k': 1}}]} AS s, [[1]] AS l, 1 AS n"
    parquet(tmp_path / "a.parquet", f"SELECT 'x' AS zip, {nested}")
    parquet(tmp_path / "b.parquet", f"SELECT {nested}, 'y' AS zip")
    with kanon_sql.anonymize(policy(("zip", "s", "l", "n")), tmp_path / "*.parquet") as made:
        assert len(made.relation.fetchall()) == 2


def test_files_in_and_out_of_partitions_and_hidden_ones_are_refused(tmp_path):
    for place in ("zip=1/a", "a", "_temporary/b", "zip=2/.c"):
        parquet(tmp_path / f"{place}.parquet", "SELECT 1 AS n")
    told = refused(policy(), tmp_path)
    assert "2 of its 4 files lie in a partition by zip" in told
    assert "2 of its 4 files are hidden" in told


def test_a_folder_of_another_table_format_is_refused(tmp_path):
    parquet(tmp_path / "a.parquet", "SELECT 'x' AS zip, 1 AS n")
    (tmp_path / "_delta_log").mkdir()
    assert "deleted and older rows" in refused(policy(), tmp_path)


# ---- tables of other formats ------------------------------------------------------------------

MARKS = {
    "Delta Lake": "_delta_log/00000000000000000000.json",
    "Hudi": ".hoodie/hoodie.properties",
    "Iceberg": "metadata/00001-5f2b.metadata.json",
    "DuckLake": "ducklake-0198-delete.parquet",
    "transactional Hive": "delta_0000001_0000001_0000/000000_0",
}
ANYWHERE = ("Delta Lake", "Hudi", "Iceberg")


def tables(folder):
    """A table of each format, in which one file lies in its folder and one in a partition."""
    for name, mark in MARKS.items():
        for place in ("", "p=1/"):
            (folder / name / place).mkdir(parents=True, exist_ok=True)
            parquet(folder / name / place / "a.parquet", "SELECT 'x' AS zip, 1 AS n")
            (folder / name / place / "a.csv").write_text("zip,n\nx,1\n")
            (folder / name / place / "a.json").write_text('{"zip": "x", "n": 1}')
        for place in ("", "p=1/") if name not in ANYWHERE else ("",):
            (folder / name / place / mark).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / place / mark).write_text("")


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lake")
    tables(folder)
    return folder


WAYS = ("", "/", "/*.parquet", "/**/*.parquet", "/p=*/*.parquet", "/p=1", "/p=1/a.parquet", "/a.parquet",
        "/*.csv", "/a.csv", "/p=1/*.json")  # fmt: skip


@pytest.mark.parametrize("name", MARKS)
def test_files_of_a_table_of_another_format_are_refused(lake, name):
    """Its files hold deleted rows too, whichever of them are named, and however."""
    for way in (*WAYS, "/../*/p=1/*.parquet", "/../*/a.parquet", "/../**/*.parquet"):
        told = refused(policy(), f"{lake}/{name}{way}")
        assert "deleted and older rows" in told
        assert name in told or ".." in way
        assert "glob" not in told
    place = lake / name / "p=1"
    for function in (f"'{place}/a.parquet'", f"read_parquet(['{place}/*.parquet'], filename = false)",
                     f"(SELECT * FROM parquet_scan('{place}/a.p*'))"):  # fmt: skip
        given = policy(source={"query": f"SELECT zip, n FROM {function}"})
        assert f"a table of {name}" in refused(given, None)
    given = policy(columns=("zip", "n"))
    given["columns"]["zip"]["hierarchy"] = {"query": f"SELECT zip, '*' FROM '{place}/a.parquet'"}
    with pytest.raises(kanon_sql.HierarchyError, match="deleted and older rows"):
        kanon_sql.anonymize(given, pa.table({"zip": ["x"], "n": [1]}))
    with pytest.raises(kanon_sql.InputError, match="deleted and older rows"):
        kanon_sql.verify(place, quasi=["zip"], k=1)


def test_files_behind_a_link_are_those_of_the_table(lake, tmp_path):
    (tmp_path / "folder").symlink_to(lake / "Delta Lake" / "p=1")
    (tmp_path / "file.parquet").symlink_to(lake / "Delta Lake" / "p=1" / "a.parquet")
    for name in ("folder", "file.parquet"):
        assert "a table of Delta Lake" in refused(policy(), tmp_path / name)


def test_files_beside_tables_of_other_formats_are_read(lake):
    """No table of those is a folder above theirs, or one that the pattern goes through."""
    for place in ("plain", "plain/metadata", "plain/delta_export", "delta_2/new"):
        parquet(lake / place / "a.parquet", "SELECT 'x' AS zip, 1 AS n")
    (lake / "plain" / "metadata" / "notes.json").write_text("{}")
    (lake / "delta_0000001_0000001").mkdir()
    for source in ("plain/a.parquet", "pl*/a.parquet", "plain/*/*.parquet", "delta_2/new"):
        with kanon_sql.anonymize(policy(), lake / source) as made:
            assert {row[:2] for row in made.relation.fetchall()} <= {("x", 1)}
    given = policy(source={"query": f"SELECT zip, n FROM '{lake}/plain/a.parquet'"})
    with kanon_sql.anonymize(given) as made:
        assert made.verification.rows == 1


# ---- partitions that are read ---------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["", "/**/*.parquet", "/zip=*/*.parquet"])
def test_partitions_are_text_and_folders_above_are_none(tmp_path, pattern):
    lake = tmp_path / "year=2024" / "la[k]e"
    for zip_ in ("02138", "2138", "2024-01-01"):
        parquet(lake / f"zip={zip_}" / "a.parquet", "SELECT 1 AS n")
    escaped = str(lake) if not pattern else str(lake).replace("[k]", "[[]k]")
    with kanon_sql.anonymize(policy(), escaped + pattern) as made:
        assert read(made) == Counter((1, zip_) for zip_ in ("02138", "2138", "2024-01-01"))


def test_no_folder_above_a_file_is_a_column_of_it(tmp_path):
    parquet(tmp_path / "zip=7" / "a.parquet", "SELECT 'x' AS zip, 1 AS n")
    (tmp_path / "zip=7" / "a.csv").write_text("zip,n\nx,1\n")
    (tmp_path / "zip=7" / "h.csv").write_text("x;*\n")
    columns = policy()["columns"]
    columns["zip"]["hierarchy"] = {"csv": str(tmp_path / "zip=7" / "h.csv"), "delimiter": ";"}
    for name in ("a.parquet", "a.csv"):
        given = policy(columns=("zip", "n")) | {"columns": columns}
        with kanon_sql.anonymize(given, tmp_path / "zip=7" / name) as made:
            assert [tuple(map(str, row)) for row in made.relation.fetchall()] == [("x", "1")]


# ---- partitions that are written ------------------------------------------------------------


def frame():
    return pa.table({"zip": [v for v in VALUES for _ in "ab"], "n": list(range(2 * len(VALUES)))})


def test_hostile_values_round_trip_and_stay_in_their_folder(tmp_path):
    target = tmp_path / "out"
    release = Destination(Format.PARQUET, str(target), ("zip",))
    kanon_sql.anonymize(policy(), frame(), release=release)
    assert {path.parent.parent for path in target.rglob("*.parquet")} == {target}
    with kanon_sql.anonymize(policy(), target) as again:
        found = Counter((zip_, n) for n, zip_ in again.relation.fetchall())
    assert found == Counter(zip(*(column.to_pylist() for column in frame().columns), strict=True))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_partitions_that_other_writers_escaped_are_read_as_they_are_meant(tmp_path, name):
    folder = tmp_path / "lake[1]{2}"
    quoted = name.replace('"', '""')
    rows = f"SELECT ['x', 'y'][1 + i % 2] AS \"{quoted}\", i AS n FROM range(6) AS r(i)"
    duckdb.execute(f"COPY ({rows}) TO '{folder}' (FORMAT PARQUET, PARTITION_BY (\"{quoted}\"))")
    with kanon_sql.anonymize(policy((name, "n")), folder) as made:
        assert read(made) == Counter((i, "xy"[i % 2]) for i in range(6))


def test_a_release_has_folders_that_every_reader_undoes(tmp_path, memory):
    """Spark reads `%C3%A4` as two characters, so that no name of a folder escapes what is not ASCII."""
    release = Destination(Format.PARQUET, str(tmp_path / "out"), ("zip",))
    kanon_sql.anonymize(policy(), odd_zones(), release=release)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "zip=" + "".join(quote(c, safe="") if c.isascii() else c for c in zone) for zone in ZONES
    }
    for reader in READERS:
        assert reader(tmp_path / "out") == rows_of_zones(), reader.__name__
    store = Destination(Format.PARQUET, "memory://kanon/out", ("zip",))
    kanon_sql.anonymize(policy(), odd_zones(), release=store)
    found = {path.split("/")[3] for path in memory.find("/kanon/out")}
    assert found == names
    with kanon_sql.anonymize(policy(), "memory://kanon/out") as again:
        assert Counter((zip_, n) for n, zip_ in again.relation.fetchall()) == rows_of_zones()


def test_a_script_refuses_partitions_whose_folders_spark_would_read_otherwise(tmp_path):
    given = policy(source=str(tmp_path / "in.parquet"))
    given["release"] = {"parquet": str(tmp_path / "out"), "partition_by": ["zip"]}
    rows = odd_zones()  # read by name
    duckdb.sql("FROM rows").write_parquet(str(tmp_path / "in.parquet"))
    script = kanon_sql.compile_sql(kanon_sql.plan(given), policy=given)
    with pytest.raises(duckdb.InvalidInputException, match="values that are not ASCII"):
        duckdb.connect().execute(script)
    assert not (tmp_path / "out").exists()
    assert rows.num_rows == 2 * len(ZONES)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_lake_of_another_writer_is_read_as_it_is_meant(tmp_path, writer):
    writer(tmp_path / "lake")
    with kanon_sql.anonymize(policy(), str(tmp_path / "lake/*/*.parquet")) as made:
        names = made.relation.columns
        found = Counter(made.relation.select(*("zip", "n")).fetchall())
    assert {*names} == {"zip", "n"}
    assert found == rows_of_zones()


def typed_rows():
    polars = pytest.importorskip("polars")
    day = dt.date(2026, 11, 1)
    return polars.DataFrame(
        {
            "zip": [*ZONES, None, "02138"],
            "number": [-1, 0, 2, None] * 3 + [7],
            "share": [0.5, 1.0, None, -2.25] * 3 + [1e10],
            "day": [day, None, day + dt.timedelta(1)] * 4 + [day],
            "at": [dt.datetime(2026, 11, 1, 8, 30), None, dt.datetime(2026, 1, 1)] * 4 + [None],
            "yes": [True, False, None] * 4 + [True],
            "n": list(range(13)),
        }
    )


KEYS = ["zip", "number", "share", "day", "at", "yes"]


def moved_lake(folder, key):
    """Write rows with polars, whose files keep the column of their folders, and then a folder of which rows say otherwise."""
    polars = pytest.importorskip("polars")
    typed_rows().write_parquet(folder, partition_by=key, mkdir=True)
    files = list(folder.rglob("*.parquet"))
    assert all(key in polars.read_parquet(each, hive_partitioning=False).columns for each in files)
    moved = max(files, key=lambda each: polars.read_parquet(each, hive_partitioning=False).height)
    rows = polars.read_parquet(moved, hive_partitioning=False).height
    return lambda: moved.parent.rename(folder / f"{key}=other"), rows


@pytest.mark.parametrize("key", KEYS)
def test_a_column_that_is_in_files_and_their_folders_is_compared(tmp_path, key):
    """polars writes it so, and every reader takes what the folders say."""
    move, rows = moved_lake(tmp_path / "lake", key)
    given = policy((key, *(name for name in typed_rows().columns if name != key)))
    with kanon_sql.anonymize(given, str(tmp_path / "lake")) as made:
        assert made.verification.rows == 13
    move()
    told = refused(given, str(tmp_path / "lake"))
    assert f"{rows} of 13 rows have another value of {key} in their file than" in told


@pytest.mark.parametrize("name", [*HOSTILE, "b c", "a-b", "Stra\u00dfe"])
def test_a_column_that_a_folder_would_rename_is_no_partition(tmp_path, name):
    """Any reader sees the column of that name, or there is no release."""
    parquet(tmp_path / "in.parquet", "SELECT i % 2 AS zip, i AS n FROM range(6) AS r(i)")
    table = pa.table({name: ["x", "y"] * 3, "n": list(range(6))})
    target = tmp_path / "out"
    release = Destination(Format.PARQUET, str(target), (name,))
    if re.fullmatch(r"[\w.~-]+", name, re.ASCII):
        kanon_sql.anonymize(policy((name, "n")), table, release=release)
        found = duckdb.sql(f"FROM read_parquet('{target}/**/*.parquet')")
        assert sorted(found.columns) == sorted((name, "n"))
        assert Counter(found.fetchall()) == Counter((i, "xy"[i % 2]) for i in range(6))
        return
    with pytest.raises(kanon_sql.ReleaseError, match="would be a column of another name"):
        kanon_sql.anonymize(policy((name, "n")), table, release=release)
    assert not target.exists()
    source = {
        "query": f"SELECT zip AS \"{name.replace(chr(34), chr(34) * 2)}\", n FROM '{tmp_path}/in.parquet'"
    }
    given = policy((name, "n"), source=source)
    parts = {"parquet": str(target), "partition_by": [name]}
    plan = kanon_sql.plan(given)
    for steps in (
        lambda: kanon_sql.plan({**given, "release": parts}),
        lambda: kanon_sql.apply(plan, policy=given, release=release),
        lambda: kanon_sql.compile_sql(plan, policy={**given, "release": parts}),
    ):
        with pytest.raises(kanon_sql.InputError, match="would be a column of another name"):
            steps()


def test_a_text_that_reads_as_null_is_written_apart_or_refused(tmp_path):
    table = pa.table({"zip": ["__HIVE_DEFAULT_PARTITION__", None] * 2, "n": list(range(4))})
    release = Destination(Format.PARQUET, str(tmp_path / "out"), ("zip",))
    try:
        kanon_sql.anonymize(policy(), table, release=release)
    except kanon_sql.VerificationError:
        assert not (tmp_path / "out").exists()
    else:
        with kanon_sql.anonymize(policy(), tmp_path / "out") as again:
            assert {zip_ for _, zip_ in again.relation.fetchall()} == set(table["zip"].to_pylist())


def test_a_type_that_parquet_has_not_is_refused_by_the_comparison(tmp_path):
    with duckdb.connect() as connection:
        source = connection.sql("SELECT 'x' AS zip, 170141183460469231731687303715884105727 AS n")
        target = str(tmp_path / "out.parquet")
        with pytest.raises(kanon_sql.VerificationError, match=r"verified \(n\)"):
            kanon_sql.anonymize(policy(), source, connection=connection, release=target)
    assert list(tmp_path.iterdir()) == []


def test_row_groups_and_compression_are_as_the_policy_says(tmp_path):
    parquet(tmp_path / "in.parquet", "SELECT 'x' AS zip, i AS n FROM range(10_000) AS r(i)")
    for name, compression in (("a", "snappy"), ("b", "gzip"), ("c", "uncompressed"), ("d", "zstd")):
        target = str(tmp_path / f"{name}.parquet")
        out = {"parquet": target, "compression": compression, "row_group_rows": 4096}
        kanon_sql.anonymize(policy(release=out), tmp_path / "in.parquet")
        text = f"SELECT DISTINCT compression, row_group_num_rows FROM parquet_metadata('{target}')"
        found = duckdb.sql(text).fetchall()
        assert {kind.lower() for kind, _ in found} == {compression}
        assert max(rows for _, rows in found) == 4096


@pytest.mark.parametrize("parts", [(), ("zip",)])
def test_a_release_may_be_of_files_of_a_size(tmp_path, parts):
    parquet(tmp_path / "in.parquet", "SELECT i % 2 AS zip, hash(i) AS n FROM range(60_000) AS r(i)")
    out = {"parquet": str(tmp_path / "out"), "file_size": "40 kb", "row_group_rows": 2048}
    given = policy(release=out | ({"partition_by": [*parts]} if parts else {}))
    if parts and duckdb.__version__ < "2":
        with pytest.raises(kanon_sql.ReleaseError, match="splits no partition into files"):
            kanon_sql.anonymize(given, tmp_path / "in.parquet")
        return
    kanon_sql.anonymize(given, tmp_path / "in.parquet")
    files = [*(tmp_path / "out").rglob("*.parquet")]
    assert len(files) > 8
    assert all(path.stat().st_size < 40_000 + 2 * 2048 * 9 for path in files)
    assert len({path.parent for path in files}) == max(2 * len(parts), 1)
    with kanon_sql.anonymize(policy(), tmp_path / "out") as again:
        assert again.verification.rows == 60_000
    told = duckdb.sql(f"SELECT COUNT(*), COUNT(DISTINCT n) FROM '{tmp_path}/out/**/*.parquet'")
    assert told.fetchall() == [(60_000, 60_000)]
    with pytest.raises(kanon_sql.ReleaseError, match="already exists"):
        kanon_sql.anonymize(given, tmp_path / "in.parquet")
    kanon_sql.anonymize(given, tmp_path / "in.parquet", replace=True)
    assert len([*(tmp_path / "out").rglob("*.parquet")]) > 8


@pytest.mark.parametrize("size", ["0MB", "12", "1TB", "-1MB", "x", "1e3MB", "0.0000001KB"])
def test_a_size_of_files_has_a_unit(tmp_path, size):
    given = policy(release={"parquet": str(tmp_path / "out"), "file_size": size})
    with pytest.raises(
        kanon_sql.PolicyError, match=r"release.file_size: must be a size such as 256MB or 1GB"
    ):
        kanon_sql.anonymize(given, frame())


def test_footers_are_read_once_however_many_files_there_are():
    text = source_sql.survey_files("lake/**/*.parquet", depth=1).render("duckdb")
    assert text.count("parquet_schema(") == 1


# ---- what a killed run leaves ---------------------------------------------------------------


def killed(target, *, old=False, after=None):
    """A process that writes beside a target, puts an old release aside, and is killed."""
    code = f"""
import os, sys
from pathlib import Path
from kanon_sql.engines.local_files import atomic_write
with atomic_write(Path({str(target)!r})) as place:
    place.written.mkdir()
    (place.written / "a.parquet").write_text("new")
    if {old}:
        place.target.rename(place.aside)
    if {after == "renamed"}:
        place.written.rename(place.target)
    os.kill(os.getpid(), {int(signal.SIGKILL)})
"""
    subprocess.run([sys.executable, "-c", code], check=False)


def test_the_next_run_removes_what_a_dead_one_left(tmp_path):
    killed(tmp_path / "it's out")
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == 2
    wanted = {(str(tmp_path / name), removed) for name in left for removed in (False, True)}
    told = [
        each for dry_run in (True, False) for each in kanon_sql.clean(tmp_path, dry_run=dry_run)
    ]
    assert {(each.place, each.removed) for each in told} == wanted
    assert list(tmp_path.iterdir()) == []


def test_the_next_run_puts_an_old_release_back(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.parquet").write_text("old")
    killed(tmp_path / "out", old=True)
    assert not (tmp_path / "out").exists()
    remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "a.parquet").read_text() == "old"


def test_a_new_release_that_was_in_place_stays(tmp_path):
    (tmp_path / "out").mkdir()
    killed(tmp_path / "out", old=True, after="renamed")
    remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "a.parquet").read_text() == "new"


def test_what_a_living_run_writes_is_left_alone(tmp_path):
    with atomic_write(tmp_path / "out") as place:
        place.written.write_text("x")
        assert remove_leftovers(tmp_path) == []
        assert place.written.exists()
    assert list(tmp_path.iterdir()) == []


def test_two_runs_that_sweep_and_write_at_once_do_not_disturb_each_other(tmp_path):
    errors = []

    def run(number):
        try:
            for _ in range(50):
                remove_leftovers(tmp_path)
                with atomic_write(tmp_path / f"out{number}") as place:
                    place.written.write_text("x")
                    place.move(replace=True)
        except BaseException as error:  # noqa: BLE001  told below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert {path.name for path in tmp_path.iterdir()} == {f"out{n}" for n in range(4)}


@pytest.mark.usefixtures("killer")
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_release_is_killed_and_made_again(tmp_path):
    """The path of the command line: whatever a kill left, the next run leaves the release alone."""
    parquet(tmp_path / "in.parquet", "SELECT i % 50 AS zip, i AS n FROM range(400_000) AS r(i)")
    given = policy(source="in.parquet", release={"parquet": "out", "partition_by": ["zip"]})
    (tmp_path / "policy.yml").write_text(json.dumps(given))
    command = [sys.executable, "-m", "kanon_sql", "anonymize", "policy.yml", "--replace"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    while run.poll() is None and not any(tmp_path.glob(".out*/**/*.parquet")):
        time.sleep(0.002)
    run.kill()
    run.wait()
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert {path.name for path in tmp_path.iterdir()} == {
        "in.parquet",
        "policy.yml",
        "out",
        "out.plan.yml",
    }
    assert duckdb.sql(f"FROM '{tmp_path}/out/**/*.parquet'").shape == (400_000, 2)


# ---- stores of objects ------------------------------------------------------------------------

fsspec = pytest.importorskip("fsspec", reason="no fsspec: install kanon-sql[objects]")


@pytest.fixture
def memory():
    store = fsspec.filesystem("memory")
    yield store
    store.rm("/kanon", recursive=True) if store.exists("/kanon") else None


ROWS = "SELECT '0213' || i % 3 AS zip, i AS n FROM range(60) AS r(i)"
TOLD = Counter((f"0213{i % 3}", i) for i in range(60))


def test_a_store_is_written_and_read(tmp_path, memory):
    parquet(tmp_path / "in.parquet", ROWS)
    for name, parts in (("a'b.parquet", ()), ("c.csv", ()), ("parts", ("zip",))):
        address = f"memory://kanon/{name}"
        format_ = Format.CSV if "csv" in name else Format.PARQUET
        release = Destination(format_, address, parts)
        made = kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=release)
        assert made.place == address
        with kanon_sql.anonymize(policy(), address) as again:
            found = Counter(
                tuple(map(str, sorted(row, key=str))) for row in again.relation.fetchall()
            )
        assert found == Counter(tuple(sorted(map(str, row))) for row in TOLD)
        assert kanon_sql.verify(address, quasi=["zip"], k=20).passed
    assert not [path for path in memory.find("/kanon") if "/." in path or "unfinished" in path]


@pytest.mark.slow
@pytest.mark.parametrize("name", MARKS)
def test_files_of_a_table_of_another_format_are_refused_on_a_store(lake, memory, name):
    memory.put(str(lake / name), "/kanon/tables/t", recursive=True)
    for way in (*WAYS, "/../*/p=1/*.parquet", "/../**/*.parquet"):
        told = refused(policy(), f"memory://kanon/tables/t{way}".replace("/t/..", ""))
        assert f"a table of {name}, whose files also hold deleted and older rows" in told
    query = "SELECT zip, n FROM 'memory://kanon/tables/t/p=1/a.parquet'"
    assert "deleted and older rows" in refused(policy(source={"query": query}), None)
    memory.put(str(lake / name / "a.parquet"), "/kanon/plain/metadata/a.parquet")
    for way in ("plain", "plain/*/*.parquet", "p*/*/a.parquet", "plain/metadata/a.parquet"):
        with kanon_sql.anonymize(policy(), f"memory://kanon/{way}") as made:
            assert made.verification.rows == 1


def test_a_store_is_left_as_it_was(tmp_path, memory):
    parquet(tmp_path / "in.parquet", ROWS)
    address = "memory://kanon/out.parquet"
    kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=address)
    with pytest.raises(kanon_sql.ReleaseError, match="already exists; --replace"):
        kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=address)
    kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=address, replace=True)
    with pytest.raises(kanon_sql.ReleaseError, match="is the source itself"):
        kanon_sql.anonymize(policy(), address, release=address, replace=True)
    for own, other in (("memory:///kanon/out.parquet", address), (address, "MEMORY:///kanon/*")):
        with pytest.raises(kanon_sql.ReleaseError, match="is the source itself"):
            kanon_sql.anonymize(policy(), other, release=own, replace=True)
    parts = Destination(Format.PARQUET, "memory://kanon/parts", ("zip",))
    kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=parts)
    with pytest.raises(kanon_sql.ReleaseError, match="cannot replace a folder as one"):
        kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=parts, replace=True)


def test_an_address_of_this_machine_is_a_path(tmp_path):
    path = tmp_path / "in.parquet"
    parquet(path, ROWS)
    before = path.read_bytes()
    for scheme in ("file://", "file://localhost"):
        with pytest.raises(kanon_sql.ReleaseError, match="is the source itself"):
            kanon_sql.anonymize(policy(), path, release=f"{scheme}{path}", replace=True)
        with pytest.raises(kanon_sql.ReleaseError, match="is the source itself"):
            kanon_sql.anonymize(policy(), f"{scheme}{path}", release=str(path), replace=True)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW seen AS FROM '{path}'")
        with pytest.raises(kanon_sql.ReleaseError, match="is a view or a relation"):
            kanon_sql.anonymize(
                policy(), "seen", connection=connection, release=f"file://{path}", replace=True
            )
        memory = fsspec.filesystem("memory")
        connection.register_filesystem(memory)
        memory.pipe_file("/kanon/in.parquet", before)
        connection.execute("CREATE OR REPLACE VIEW seen AS FROM 'memory://kanon/in.parquet'")
        with pytest.raises(kanon_sql.ReleaseError, match="is a view or a relation"):
            kanon_sql.anonymize(policy(), "seen", connection=connection,
                                release="memory://kanon/in.parquet", replace=True)  # fmt: skip
    assert path.read_bytes() == memory.cat_file("/kanon/in.parquet") == before
    memory.rm("/kanon", recursive=True)
    kanon_sql.anonymize(policy(), f"file://{path}", release=f"file://{tmp_path}/out.parquet")
    assert kanon_sql.verify(tmp_path / "out.parquet", quasi=["zip"], k=20).passed


@pytest.mark.parametrize("pair", [("s3a://b/k", "s3://b/k"), ("s3://b/k", "S3A://b/*")])
def test_a_scheme_of_two_names_is_one_store(pair):
    from kanon_sql.engines.local_files import Objects
    from kanon_sql.release.object_files import store_faults

    store = Objects(fsspec.filesystem("memory"))
    (fault,) = store_faults(
        store, pair[0], replace=True, is_folder=False, read=[("the source", pair[1])], opaque=False
    )
    assert "what a run reads" in fault.what


def test_a_store_that_fails_half_way_keeps_nothing(tmp_path, memory, monkeypatch):
    parquet(tmp_path / "in.parquet", ROWS)
    copied = []

    def copy(origin, target, **_):
        copied.append(origin)
        if len(copied) > 1:
            raise PermissionError("secret words of a store")
        memory.pipe_file(target, memory.cat_file(origin))

    monkeypatch.setattr(memory, "copy", copy)
    parts = Destination(Format.PARQUET, "memory://kanon/parts", ("zip",))
    with pytest.raises(kanon_sql.ReleaseError, match="nothing was published") as caught:
        kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=parts)
    assert "secret" not in str(caught.value)
    assert memory.find("/kanon") == []


@pytest.mark.parametrize("parts", [(), ("zip",)])
def test_a_store_that_lets_nothing_be_removed_is_told_as_it_is(
    tmp_path, memory, monkeypatch, parts
):
    """Rights without that to delete: nothing claims that the release is not there."""
    parquet(tmp_path / "in.parquet", ROWS)

    def rm(*_, **__):
        raise PermissionError("secret words of a store")

    memory.pipe_file("/kanon/.out.parquet.0a1b2c3d.kanon", b"x")
    memory.store["/kanon/.out.parquet.0a1b2c3d.kanon"].modified = dt.datetime(
        2026, 1, 1, tzinfo=dt.UTC
    )
    with monkeypatch.context() as patch:
        patch.setattr(memory, "rm", rm)
        release = Destination(Format.PARQUET, "memory://kanon/out.parquet", parts)
        with pytest.raises(kanon_sql.ReleaseError) as caught:
            kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=release)
        assert "nothing was published" not in str(caught.value)
        told = "nor be removed again" if parts else "is there, whole and verified"
        assert told in str(caught.value)
    if not parts:
        assert kanon_sql.verify("memory://kanon/out.parquet", quasi=["zip"], k=20).passed


def test_no_script_is_printed_for_what_a_shell_cannot_do(tmp_path, memory):
    parquet(tmp_path / "in.parquet", ROWS)
    memory.pipe_file("/kanon/in.parquet", (tmp_path / "in.parquet").read_bytes())
    for source, release, told in (
        (str(tmp_path / "in.parquet"), "memory://kanon/out.parquet", "release to an object store"),
        (str(tmp_path / "in.parquet"), "s3://kanon/out.parquet", "release to an object store"),
        (
            "memory://kanon/in.parquet",
            "out.parquet",
            "memory://, which the database's shell does not know",
        ),
    ):
        given = policy(source=source, release=release)
        plan = kanon_sql.plan(given)
        with pytest.raises(kanon_sql.InputError, match=told):
            kanon_sql.compile_sql(plan, policy=given)


def test_clean_sweeps_a_store(memory):
    names = (".out.parquet.0a1b2c3d.kanon.parquet", ".out.parquet.0a1b2c3e.kanon.parquet")
    for name in (*names, "out.parquet", ".hidden"):
        memory.pipe_file(f"/kanon/{name}", b"x")
    memory.store[f"/kanon/{names[0]}"].modified = dt.datetime.now(dt.UTC) - dt.timedelta(days=2)
    for dry_run in (True, False):
        found = kanon_sql.clean("memory://kanon/", dry_run=dry_run)
        assert [(each.place.rpartition("/")[2], each.removed) for each in found] == [
            (names[0], True), (names[1], False)
        ]  # fmt: skip
    assert set(memory.find("/kanon")) == {
        f"/kanon/{n}" for n in (names[1], "out.parquet", ".hidden")
    }
    with pytest.raises(kanon_sql.InputError, match="cannot be reached"):
        kanon_sql.clean("nope://kanon")


@pytest.fixture
def half(tmp_path, memory, monkeypatch):
    """A release of which a run was killed when some of its objects were there."""
    parquet(tmp_path / "in.parquet", ROWS)
    whole = memory.copy

    def copy(origin, target, **options):
        whole(origin, target, **options)
        raise KeyboardInterrupt

    release = Destination(Format.PARQUET, "memory://kanon/half", ("zip",))
    with monkeypatch.context() as patch:
        patch.setattr(memory, "copy", copy)
        patch.setattr(memory, "rm", lambda *_, **__: None)  # nobody is there to remove anything
        with pytest.raises(KeyboardInterrupt):
            kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=release)
    assert any("/half/" in path for path in memory.find("/kanon"))
    return release


def test_half_a_release_is_not_read(half):
    for way in ("", "/", "/*/*.parquet", "/zip=02130/*.parquet", "/.."):
        told = refused(policy(), f"{half.name}{way}".replace("/half/..", ""))
        assert "is an unfinished release" in told
    with pytest.raises(kanon_sql.SourceError, match="clean --path FOLDER --older-than 0"):
        kanon_sql.verify(half.name, quasi=["zip"], k=1)
    query = f"SELECT zip, n FROM '{half.name}/*/*.parquet'"
    assert "is an unfinished release" in refused(policy(source={"query": query}), None)


@pytest.mark.parametrize("place", ["memory://kanon/half", "memory://kanon"])
def test_clean_removes_half_a_release_and_what_it_was_copied_from(memory, half, tmp_path, place):
    with pytest.raises(kanon_sql.ReleaseError, match="clean --path memory://kanon/half"):
        kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=half)
    assert not any(each.removed for each in kanon_sql.clean(place)), "it may be written still"
    found = kanon_sql.clean(place, older_than=0)
    assert [each.removed for each in found] == [True, True]
    assert memory.find("/kanon") == []
    kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=half)
    assert kanon_sql.clean(place, older_than=0) == []
    assert kanon_sql.verify(half.name, quasi=["zip"], k=20).rows == 60


def test_a_run_removes_half_a_release_of_a_day_ago(memory, half, tmp_path):
    for each in memory.find("/kanon"):
        memory.store[each].modified = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release=half)
    assert kanon_sql.verify(half.name, quasi=["zip"], k=20).rows == 60


def test_clean_takes_the_name_of_a_release_for_its_folder(tmp_path):
    for name in ("out", "other"):
        (tmp_path / f".{name}.0a1b2c3d.kanon.lock").write_text(name)
        (tmp_path / f".{name}.0a1b2c3d.kanon").mkdir()
    found = [each.place for each in kanon_sql.clean(tmp_path / "out")]
    assert {place.rpartition("/")[2] for place in found} == {
        ".out.0a1b2c3d.kanon", ".out.0a1b2c3d.kanon.lock"
    }  # fmt: skip
    assert {path.name for path in tmp_path.iterdir()} == {
        ".other.0a1b2c3d.kanon", ".other.0a1b2c3d.kanon.lock"
    }  # fmt: skip


def test_a_store_is_swept_of_what_is_a_day_old(tmp_path, memory):
    parquet(tmp_path / "in.parquet", ROWS)
    names = (".out.parquet.0a1b2c3d.kanon.parquet", ".out.parquet.0a1b2c3e.kanon.parquet")
    for name in names:
        memory.pipe_file(f"/kanon/{name}", b"x")
    memory.store[f"/kanon/{names[0]}"].modified = dt.datetime.now(dt.UTC) - dt.timedelta(days=2)
    kanon_sql.anonymize(policy(), tmp_path / "in.parquet", release="memory://kanon/out.parquet")
    found = {path.rpartition("/")[2] for path in memory.find("/kanon")}
    assert found == {"out.parquet", names[1]}, "a run that may be alive is left alone"


def test_a_connection_of_the_caller_keeps_its_own_file_systems(tmp_path, memory):
    memory.pipe_file("/kanon/in.csv", b"zip,n\nx,1\n")
    with duckdb.connect() as connection:
        with kanon_sql.anonymize(policy(), "memory://kanon/in.csv", connection=connection):
            pass
        assert connection.list_filesystems() == []


@pytest.mark.parametrize("scheme", ["nope", "s3x"])
def test_an_address_of_no_known_kind_is_one_clear_error(tmp_path, scheme):
    assert f"{scheme}:// cannot be reached" in refused(policy(), f"{scheme}://a/b.parquet")


@pytest.mark.parametrize("way", ["policy", "source", "override"])
def test_an_address_with_a_password_is_refused_and_not_repeated(way):
    address = "s3://key:canary@bucket/a.parquet"
    given = policy(source=address if way == "policy" else "a.csv")
    options = {"overrides": {"source": address}} if way == "override" else {}
    with pytest.raises(kanon_sql.InputError, match="contains a password") as caught:
        kanon_sql.plan(given, address if way == "source" else None, **options)
    assert "canary" not in str(caught.value)
    with pytest.raises(kanon_sql.InputError, match="contains a password") as caught:
        kanon_sql.anonymize(policy(), frame(), release=address)
    assert "canary" not in str(caught.value)


@pytest.mark.slow
def test_s3_is_read_and_written(tmp_path, monkeypatch):
    moto = pytest.importorskip("moto.server", reason="no moto: install moto[s3] and flask")
    s3fs = pytest.importorskip("s3fs", reason="no s3fs: install kanon-sql[objects]")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for key, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "canary",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(key, value)
        s3fs.S3FileSystem.clear_instance_cache()
        store = fsspec.filesystem("s3")
        store.mkdir("kanon")
        parquet(tmp_path / "in.parquet", ROWS)
        store.put(str(tmp_path / "in.parquet"), "kanon/lake/year=2024/in.parquet")
        release = Destination(Format.PARQUET, "s3://kanon/out", ("zip",))
        kanon_sql.anonymize(policy(), "s3://kanon/lake/year=2024", release=release)
        with kanon_sql.anonymize(policy(), "s3://kanon/out") as again:
            assert Counter((zip_, n) for n, zip_ in again.relation.fetchall()) == TOLD
        store.pipe("kanon/lake/_delta_log/0.json", b"{}")
        for way in ("year=2024", "year=2024/in.parquet", "year=*/*.parquet", ""):
            assert "deleted and older rows" in refused(policy(), f"s3://kanon/lake/{way}")
        with pytest.raises(kanon_sql.KanonError) as caught:
            kanon_sql.anonymize(policy(), "s3://no-such-bucket/a.parquet")
        assert not re.search("canary|127.0.0.1", str(caught.value))
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()
