"""A table of each format of lakes, made and read by the library of the format, and not by what is tested."""

from __future__ import annotations

import importlib.util
import json
import re
import struct
import uuid
import zlib
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

DELETED = "age < 25"


def deltalake():
    return importlib.import_module("deltalake")


@contextmanager
def with_extension(*names):
    """A connection of our own that has loaded extensions: each of a wheel, or as DuckDB finds it."""
    with duckdb.connect() as connection:
        for name in names:
            _load(connection, name)
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def _load(connection, name):
    wheel = importlib.util.find_spec(f"duckdb_extension_{name}")
    files = [] if wheel is None else Path(wheel.origin).parent.rglob("*.duckdb_extension")
    file = next((f"'{each}'" for each in files if f"v{duckdb.__version__}" in each.parts), name)
    try:
        connection.execute(f"LOAD {file}")
    except duckdb.Error:
        pytest.skip(f"DuckDB {duckdb.__version__} finds no extension {name}")


class Delta:
    """The table `people` in the current folder."""

    name, form, at = "delta:people", "delta", "version"
    place, released = "people", "released"

    def __init__(self, tmp_path):
        pytest.importorskip("deltalake")
        self.folder = tmp_path

    def make(self, rows):
        deltalake().write_deltalake("people", rows, partition_by=["zip"])

    def append(self, rows, place="people"):
        deltalake().write_deltalake(place, rows, mode="append", schema_mode="merge")

    def delete(self):
        deltalake().DeltaTable("people").delete(DELETED)

    def delete_by_vectors(self, is_deleted):
        """Delete rows as Databricks does, which deltalake cannot write: a bitmap of their numbers for each file."""
        from pyarrow import parquet

        log = self.folder / "people" / "_delta_log"
        actions = [json.loads(each) for each in (log / f"{0:020}.json").read_text().splitlines()]
        features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
        protocol = {"minReaderVersion": 3, "minWriterVersion": 7, **features}
        lines, deleted = [{"protocol": protocol}], 0
        for add in (each["add"] for each in actions if "add" in each):
            rows = parquet.ParquetFile(self.folder / "people" / add["path"]).read().to_pylist()
            numbers = [at for at, row in enumerate(rows) if is_deleted(row)]
            if numbers:
                deleted += len(numbers)
                gone = {key: add[key] for key in ("path", "partitionValues", "size")}
                gone |= {"dataChange": True, "deletionTimestamp": 0, "extendedFileMetadata": True}
                lines += [
                    {"remove": gone},
                    {"add": {**add, "deletionVector": self._vector(numbers)}},
                ]
        (log / f"{1:020}.json").write_text("\n".join(map(json.dumps, lines)))
        return deleted

    def _vector(self, numbers):
        bitmap, own = _bitmap(numbers), uuid.uuid4()
        stored = struct.pack(">i", len(bitmap)) + bitmap + struct.pack(">I", zlib.crc32(bitmap))
        (self.folder / "people" / f"deletion_vector_{own}.bin").write_bytes(b"\x01" + stored)
        place = {"storageType": "u", "pathOrInlineDv": _z85(own.bytes), "offset": 1}
        return {**place, "sizeInBytes": len(bitmap), "cardinality": len(numbers)}

    def make_mapped(self, rows):
        """Write a table whose files name its columns otherwise, as after a renaming."""
        mapped = rows.rename_columns([f"col-{n}" for n in range(rows.num_columns)])
        deltalake().write_deltalake("people", mapped)
        log = self.folder / "people" / "_delta_log" / f"{0:020}.json"
        lines = [json.loads(each) for each in log.read_text().splitlines()]
        mapping = "delta.columnMapping"
        for each in lines:
            if "protocol" in each:
                each["protocol"] = {"minReaderVersion": 2, "minWriterVersion": 5}
            elif "metaData" in each:
                schema = json.loads(each["metaData"]["schemaString"])
                for at, field in enumerate(schema["fields"]):
                    field["metadata"] = {
                        f"{mapping}.id": at + 1,
                        f"{mapping}.physicalName": field["name"],
                    }
                    field["name"] = rows.column_names[at]
                each["metaData"]["schemaString"] = json.dumps(schema)
                last = str(rows.num_columns)
                each["metaData"]["configuration"] = {
                    f"{mapping}.mode": "name",
                    f"{mapping}.maxColumnId": last,
                }
        log.write_text("\n".join(map(json.dumps, lines)))

    def version(self, place="people"):
        return deltalake().DeltaTable(place).version()

    def rows(self, place="people", version=None):
        return deltalake().DeltaTable(place, version=version).to_pyarrow_table()

    def versions(self, place="people"):
        return len(deltalake().DeltaTable(place).history())

    def text(self, place):
        return f"delta:{place}"

    def files(self, place="people"):
        return [each for each in (self.folder / place).rglob("*") if each.is_file()]


def _bitmap(numbers):
    """A Roaring bitmap of 64 bits, with one container that lists fewer than 4,096 numbers below 65,536."""
    head = struct.pack("<IQI", 1681511377, 1, 0) + struct.pack("<II", 12346, 1)
    listed = struct.pack(f"<{len(numbers)}H", *numbers)
    return head + struct.pack("<HHI", 0, len(numbers) - 1, 16) + listed


def _z85(content):
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    words = struct.unpack(f">{len(content) // 4}I", content)
    return "".join(digits[word // 85**at % 85] for word in words for at in (4, 3, 2, 1, 0))


class Iceberg:
    """The table `people` of a catalog in SQLite."""

    name, form, at = "iceberg:lake.clinic.people", "iceberg", "snapshot"
    place, released = "lake.clinic.people", "lake.clinic.released"

    def __init__(self, tmp_path):
        pytest.importorskip("pyiceberg")
        from pyiceberg.catalog import load_catalog

        self.folder = tmp_path
        (tmp_path / "lake").mkdir()
        options = {
            "uri": f"sqlite:///{tmp_path}/catalog.db",
            "warehouse": f"file://{tmp_path}/lake",
        }
        lines = (f"    {key}: {value}" for key, value in options.items())
        known = "\n".join(("catalog:", "  lake:", *lines, ""))
        (tmp_path / ".pyiceberg.yaml").write_text(known)
        self.catalog = load_catalog("lake", **options)
        self.catalog.create_namespace("clinic")

    @contextmanager
    def known(self):
        """Let pyiceberg know the catalog, as it does where it is imported in that folder."""
        from pyiceberg.utils.config import Config

        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYICEBERG_HOME", str(self.folder))
            patch.setattr("pyiceberg.catalog._ENV_CONFIG", Config())
            yield

    def table(self, place="lake.clinic.people"):
        return self.catalog.load_table(place.removeprefix("lake."))

    def make(self, rows):
        self.catalog.create_table("clinic.people", schema=rows.schema).append(rows)

    def append(self, rows, place="lake.clinic.people"):
        table = self.table(place)
        with table.update_schema() as update:
            update.union_by_name(rows.schema)
        table.append(rows)

    def delete(self):
        self.table().delete(DELETED)

    def version(self, place="lake.clinic.people"):
        return self.table(place).current_snapshot().snapshot_id

    def rows(self, place="lake.clinic.people", version=None):
        return self.table(place).scan(snapshot_id=version).to_arrow()

    def versions(self, place="lake.clinic.people"):
        return len(self.table(place).snapshots())

    def text(self, place):
        return f"iceberg:{place}"

    def files(self, place="lake.clinic.people"):
        folder = self.folder.joinpath(*place.split("."))
        return [each for each in folder.rglob("*") if each.is_file()]


class DuckLake:
    """The table `people` of a catalog in the current folder."""

    name, form, at = "ducklake:lake.ducklake#people", "ducklake", "snapshot"
    place, released = {"ducklake": "lake.ducklake", "table": "people"}, "released"
    catalog = "lake.ducklake"

    def __init__(self, tmp_path, catalog=catalog, extension=None):
        self.folder = tmp_path
        self.catalog, self.extension = catalog, extension
        with self.open():
            pass

    @contextmanager
    def open(self):
        others = () if self.extension is None else (self.extension,)
        with with_extension("ducklake", *others) as connection:
            scheme, _, file = self.catalog.rpartition(":")
            catalog = f"{scheme}{':' if scheme else ''}{self.folder / file}"
            if scheme == "postgres":
                catalog = self.catalog
            catalog = catalog.replace("'", "''")
            connection.execute(
                f"ATTACH 'ducklake:{catalog}' AS lake (DATA_PATH '{self.folder}/data/')"
            )
            connection.execute("USE lake")
            yield connection

    def run(self, *statements):
        with self.open() as connection:
            for each in statements:
                connection.execute(each)

    def _values(self, statement):
        with self.open() as connection:
            return [value for (value,) in connection.execute(statement).fetchall()]

    def tables(self):
        with self.open() as connection:
            return [name for (name,) in connection.execute("SHOW TABLES").fetchall()]

    def make(self, rows):
        with self.open() as connection:
            connection.register("given", rows)
            connection.execute("CREATE TABLE people AS FROM given")

    def append(self, rows, place="people"):
        with self.open() as connection:
            connection.register("given", rows)
            there = {name for name, *_ in connection.execute(f"DESCRIBE {place}").fetchall()}
            for name, kind, *_ in connection.execute("DESCRIBE given").fetchall():
                if name not in there:
                    connection.execute(f"ALTER TABLE {place} ADD COLUMN {name} {kind}")
            connection.execute(f"INSERT INTO {place} BY NAME FROM given")

    def delete(self):
        self.run(f"DELETE FROM people WHERE {DELETED}")

    def version(self, place="people"):
        return self._values("SELECT MAX(snapshot_id) FROM ducklake_snapshots('lake')")[0]

    def rows(self, place="people", version=None):
        at = "" if version is None else f" AT (VERSION => {version})"
        with self.open() as connection:
            return connection.sql(f"FROM {place}{at}").to_arrow_table()

    def versions(self, place="people"):
        ids = self._values(
            f"SELECT table_id FROM __ducklake_metadata_lake.ducklake_table WHERE table_name = '{place}'"
        )
        changed = "|".join(rf":{each}\b" for each in ids)
        changes = self._values(
            "SELECT changes_made FROM __ducklake_metadata_lake.ducklake_snapshot_changes"
        )
        return sum(re.search(changed, each) is not None for each in changes)

    def text(self, place):
        return f"ducklake:{self.catalog}#{place}"

    def files(self, place="people"):
        found = [each for each in (self.folder / "data").rglob("*") if each.is_file()]
        of_table = [each for each in found if place in each.parts]
        return of_table if place != "people" else [*of_table, self.folder / self.catalog]


def in_format(lake, place, **more):
    """Name a table as a policy does, as a source or a release."""
    if lake.form == "ducklake":
        return {
            "ducklake": lake.catalog,
            "table": place if isinstance(place, str) else place["table"],
            **more,
        }
    return {lake.form: place, **more}
