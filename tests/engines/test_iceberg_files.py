"""Rows of Iceberg as DuckDB reads them from the files, compared with pyiceberg's; and what is left to pyiceberg."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from iceberg_deletes import delete_by_positions, delete_by_values, files_of
from lake_formats import Iceberg
from pyarrow import parquet

import kanon_sql
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.lakes.lake import open_lake
from kanon_sql.engines.lakes.lake_tables import LakeFormat, LakeTable
from kanon_sql.engines.scratch import scratch

PLACE = "lake.clinic.people"


@pytest.fixture
def lake(tmp_path, monkeypatch):
    pytest.importorskip("pyiceberg.utils.config")
    monkeypatch.chdir(tmp_path)
    made = Iceberg(tmp_path)
    with made.known():
        yield made


def rows_of(number=3, **more):
    """Rows with NULLs, of types that may become wider."""
    at = range(number)
    return pa.table(
        {
            "n": pa.array([None if i == 1 else i for i in at], pa.int32()),
            "t": [None if i == 2 else f"t{i}" for i in at],
            "f": pa.array([i / 10 for i in at], pa.float32()),
            **more,
        }
    )


def made(lake, rows=None, **options):
    rows = rows_of() if rows is None else rows
    table = lake.catalog.create_table("clinic.people", schema=rows.schema, **options)
    table.append(rows)
    return table


def comparable(rows):
    return sorted(map(repr, rows.to_pylist()))


def read(version=None):
    """The types and rows that a run sees of the table, and whether DuckDB reads the files itself."""
    with duckdb.connect() as connection, scratch(engine := DuckDB(connection)) as tables:
        connection.execute("SET TimeZone = 'UTC'")
        opened = open_lake(engine, LakeTable(LakeFormat.ICEBERG, PLACE, version=version))
        opened.open_rows(view := tables.table("rows"))
        text = view.sql("duckdb", identify=True)
        (found,) = connection.execute(
            "SELECT COUNT(*) FROM duckdb_views() WHERE view_name = ? AND sql LIKE '%read_parquet%'",
            [view.name],
        ).fetchone()
        types = connection.execute(f"DESCRIBE {text}").fetchall()
        rows = connection.sql(f"FROM {text}").to_arrow_table()
        return [each[:2] for each in types], comparable(rows), bool(found)


def expected(lake, version=None):
    rows = lake.rows(version=version)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("given", rows)
        types = connection.execute("DESCRIBE given").fetchall()
        return [each[:2] for each in types], comparable(
            connection.sql("FROM given").to_arrow_table()
        )


def agrees(lake, *, by_files=True, version=None):
    types, rows, found = read(version)
    assert (types, rows) == expected(lake, version)
    assert found is by_files
    return rows


def renamed(table, **names):
    with table.update_schema() as update:
        for before, after in names.items():
            update.rename_column(before, after)


def test_all_types_of_values_and_null(lake):
    given = {
        "u": pa.array([uuid.UUID(int=5).bytes, None], pa.uuid()),
        "z": pa.array([dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None], pa.timestamp("us", "UTC")),
        "s": pa.array([dt.datetime(1960, 1, 1, 0, 0, 0, 1), None], pa.timestamp("us")),
        "d": pa.array([dt.date(2024, 1, 1), None]),
        "t": pa.array([dt.time(1, 2, 3), None], pa.time64("us")),
        "x": pa.array([b"a\x00b", None], pa.binary()),
        "fixed": pa.array([b"abc", None], pa.binary(3)),
        "dec": pa.array([decimal.Decimal("1.2"), None], pa.decimal128(38, 10)),
        "b": [True, None],
        "f": [-0.0, None],
        "i": pa.array([2**62, None]),
    }  # fmt: skip
    made(lake, pa.table(given))
    agrees(lake)


def test_columns_that_were_renamed_or_changed_names_with_each_other(lake):
    table = made(lake, rows_of(3, m=pa.array([7, 8, 9], pa.int32())))
    first = lake.version()
    renamed(table, n="tmp")
    renamed(table, m="n")
    renamed(table, tmp="m")
    agrees(lake)  # by the table's columns, though no snapshot has them
    table.append(rows_of(2, m=pa.array([5, 6], pa.int32())).select(["m", "t", "f", "n"]))
    agrees(lake)
    rows = agrees(lake, version=first)
    assert "'m': 7" in rows[0]


def test_columns_that_were_added_dropped_and_added_again(lake):
    from pyiceberg.types import LongType, StringType

    table = made(lake)
    with table.update_schema() as update:
        update.delete_column("t")
    with table.update_schema() as update:
        update.add_column("t", LongType())
        update.add_column("o'd \"name", StringType())
    rows = agrees(lake)
    assert all("'t': None" in each for each in rows)  # no older text is a number of the new one
    more = rows_of().drop_columns(["t"])
    more = more.append_column("t", pa.array([1, 2, 3])).append_column(
        "o'd \"name", [["x", "y", None]]
    )
    table.append(more)
    agrees(lake)
    with table.update_schema() as update:
        update.move_first("f")
    agrees(lake)


def test_types_that_became_wider(lake):
    from pyiceberg.types import DecimalType, DoubleType, LongType

    table = made(lake, rows_of(3, d=pa.array([decimal.Decimal("1.23")] * 3, pa.decimal128(9, 2))))
    with table.update_schema() as update:
        update.update_column("n", LongType())
        update.update_column("f", DoubleType())
        update.update_column("d", DecimalType(20, 2))
    more = {"n": [2**40], "t": ["x"], "f": [0.1], "d": pa.array([decimal.Decimal("12345678901234.23")], pa.decimal128(20, 2))}  # fmt: skip
    table.append(pa.table(more))
    agrees(lake)


def test_rows_that_are_deleted_by_their_numbers(lake):
    table = made(lake, rows_of(10))
    table.append(rows_of(5))
    before = lake.version()
    files = files_of(table)
    delete_by_positions(table, (files[0], 0), (files[0], 3), (files[1], 1))
    assert len(agrees(lake)) == 12
    assert len(agrees(lake, version=before)) == 15
    renamed(table, n="tmp")
    delete_by_positions(table, (files[1], 1), (files[1], 2), ("file:///elsewhere.parquet", 0))
    table.append(rows_of(2).rename_columns(["tmp", "t", "f"]))
    assert len(agrees(lake)) == 13


def test_rows_that_are_deleted_by_their_values_are_refused_in_words(lake):
    table = made(lake)
    before = lake.version()
    delete_by_values(table, t="t0")
    with pytest.raises(kanon_sql.SourceError, match=r"equality deletes.*rewrite") as caught:
        read()
    assert "t0" not in str(caught.value)
    agrees(lake, version=before)


def test_columns_that_are_called_as_what_deletes_are_joined_by(lake):
    rows = pa.table({"File_Row_Number": [7, 8], "x": [1, 2]})
    table = made(lake, rows)
    agrees(lake)
    delete_by_positions(table, (files_of(table)[0], 0))
    agrees(lake, by_files=False)


def test_partitions_that_came_later_and_whose_values_are_odd(lake):
    from pyiceberg.transforms import IdentityTransform

    table = made(lake)
    with table.update_spec() as update:
        update.add_field("t", IdentityTransform(), "t")
    table.append(rows_of(3, t=["a/b %41 [x]*'\"ü", "y=z", None]))
    agrees(lake)
    table.delete("t = 'y=z'")
    agrees(lake)


def test_plain_partitions_are_read_from_the_files(lake):
    from pyiceberg.transforms import IdentityTransform

    table = made(lake, rows_of(3).slice(0, 0))
    with table.update_spec() as update:
        update.add_field("n", IdentityTransform(), "n")
    table.append(rows_of(30))
    agrees(lake)
    renamed(table, n="m")
    agrees(lake)


def test_a_partition_whose_value_is_in_no_file_is_left_to_pyiceberg(lake):
    from pyiceberg.transforms import IdentityTransform

    table = made(lake, rows_of(3).slice(0, 0))
    with table.update_spec() as update:
        update.add_field("n", IdentityTransform(), "n")
    table.append(rows_of(3))
    for each in map(Path, (file.removeprefix("file://") for file in files_of(table))):
        parquet.write_table(parquet.ParquetFile(each).read().drop_columns(["n"]), each)
    rows = agrees(lake, by_files=False)
    assert "'n': 2" in "".join(rows)


def test_files_without_ids_are_read_by_the_names_that_the_table_gives_them(lake):
    """Of such files are tables that were migrated, and the releases of kanon-sql."""
    from pyiceberg.types import LongType, StringType

    table = made(lake)
    parquet.write_table(rows_of(), lake.folder / "plain.parquet")
    table.add_files([(lake.folder / "plain.parquet").as_uri()])
    assert len(agrees(lake)) == 6
    with table.update_schema() as update:
        update.update_column("n", LongType())
        update.rename_column("n", "m")
        update.add_column("more", LongType())
    agrees(lake)
    rows = rows_of().rename_columns(["m", "t", "f"]).append_column("more", pa.array([1, 2, 3]))
    table.append(rows.set_column(0, "m", pa.array([2**40, None, 1])))
    agrees(lake)
    with table.update_schema() as update:
        update.add_column("n", StringType())  # by now files without ids have its name, too
    from pyiceberg.exceptions import ResolveError

    with pytest.raises((ResolveError, ValueError)):
        lake.rows()
    with pytest.raises(kanon_sql.KanonError):
        read()


def test_nested_columns_are_left_to_pyiceberg_and_dropped_ones_are_not(lake):
    rows = pa.table({"x": [1], "s": [{"x": 1, "b": [1, 2]}]})
    table = made(lake, rows)
    agrees(lake, by_files=False)
    with table.update_schema() as update:
        update.delete_column("s")
    agrees(lake, by_files=False)  # a field within has the name of the column
    lake.catalog.drop_table("clinic.people")
    table = made(lake, pa.table({"x": [1], "s": [{"a": 1, "b": [1, 2]}]}))
    with table.update_schema() as update:
        update.delete_column("s")
    agrees(lake)


def test_a_file_whose_column_is_of_another_type_than_its_id_says_is_left_to_pyiceberg(lake):
    table = made(lake)
    (file,) = (Path(each.removeprefix("file://")) for each in files_of(table))
    rows = parquet.ParquetFile(file).read()
    parquet.write_table(
        rows.set_column(0, rows.schema.field(0).with_type(pa.string()), [["1", "x", None]]), file
    )
    with pytest.raises(Exception, match=r"promote|string"):
        lake.rows()
    with pytest.raises(kanon_sql.KanonError):
        read()


@pytest.mark.parametrize("version", ["1", "2"])
def test_tables_without_rows_and_of_the_first_version_of_the_format(lake, version):
    schema = rows_of().schema
    lake.catalog.create_table(
        "clinic.people", schema=schema, properties={"format-version": version}
    )
    agrees(lake, by_files=False)
    lake.table().append(rows_of())
    agrees(lake)
    lake.table().delete("f >= 0")
    agrees(lake, by_files=False)


@pytest.mark.parametrize(("folder", "by_files"), [("it's [x] *", False), ("100%41 ü", True)])
def test_folders_whose_names_are_patterns_or_look_like_escapes(lake, folder, by_files):
    table = made(lake, location=f"file://{lake.folder}/{folder}")
    agrees(lake, by_files=by_files)
    delete_by_positions(table, (files_of(table)[0], 0))
    assert len(agrees(lake, by_files=by_files)) == 2


@pytest.mark.parametrize("folder", ["a b", "100%41 ü"])
def test_a_release_into_a_folder_of_an_odd_name_and_its_purge(lake, folder):
    rows = rows_of(30)
    made(lake, rows, location=f"file://{lake.folder}/{folder}")
    given = {
        "version": 1, "source": {"iceberg": PLACE}, "entity": "row", "privacy": {"k": 2},
        "columns": {each: {"role": "quasi", "hierarchy": "suppress"} for each in "ntf"},
        "release": {"in_place": True, "drop_original": True},
    }  # fmt: skip
    kanon_sql.anonymize(given, purge=True)
    assert lake.rows().num_rows == 30
    assert set(lake.rows().column("t").to_pylist()) == {"*"}
    assert len(list(lake.folder.rglob("*.parquet"))) == 1


def test_files_that_are_gone_are_an_error_that_names_the_table(lake):
    table = made(lake)
    Path(files_of(table)[0].removeprefix("file://")).unlink()
    with pytest.raises(kanon_sql.KanonError, match="cannot be read as Iceberg"):
        kanon_sql.plan(
            {
                "version": 1,
                "source": {"iceberg": PLACE},
                "entity": "row",
                "columns": {each: {"role": "quasi", "hierarchy": "suppress"} for each in "ntf"},
                "privacy": {"k": 2},
            }
        )


def test_columns_of_now_make_a_plan_stale_though_the_snapshot_is_the_same(lake):
    table = made(lake, rows_of(30, m=pa.array(range(30), pa.int32())))
    given = {
        "version": 1, "source": {"iceberg": PLACE}, "entity": "row", "privacy": {"k": 2},
        "columns": {each: {"role": "quasi", "hierarchy": "suppress"} for each in "ntfm"},
        "release": "released.parquet",
    }  # fmt: skip
    plan = kanon_sql.plan(given)
    assert plan.source_fingerprint.endswith(f" snapshot {lake.version()}")
    renamed(table, n="tmp")
    renamed(table, m="n")
    renamed(table, tmp="m")
    with pytest.raises(kanon_sql.StalePlanError, match="another version than the plan"):
        kanon_sql.apply(plan, policy=given)
    changed = kanon_sql.plan(given)
    assert changed.source_fingerprint.endswith(f" snapshot {lake.version()}")
    kanon_sql.apply(changed, policy=given)
