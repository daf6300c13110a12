"""A table of each format of lakes, made and read by the library of the format, and not by what is tested."""

from __future__ import annotations

import importlib.util
import re
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
            catalog = f"{scheme}{':' if scheme else ''}{self.folder / file}".replace("'", "''")
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
