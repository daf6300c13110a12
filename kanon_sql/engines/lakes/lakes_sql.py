"""Statements about tables of Delta Lake and Iceberg, and about a catalog of DuckLake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import CatalogText, column, literal
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.commands_sql import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def read_delta(view: exp.Table, folder: str, version: int) -> Statement:
    """See the living rows of a version of a table."""
    leaves = {"view": view, "folder": literal(folder), "version": literal(version)}
    return Statement("engines/read_delta", leaves)


def stored_columns(files: Sequence[str]) -> Statement:
    """List the columns that files of Parquet have, and the files that have them."""
    return Statement(
        "engines/ducklake/stored_columns", {"files": [literal(each) for each in files]}
    )


def read_files(
    view: exp.Table,
    parts: Sequence[tuple[Sequence[tuple[str | None, str, str]], Sequence[str]]],
    deletes: Sequence[str],
) -> Statement:
    """See the rows of files, but those that files of deletes number.

    Each part has its files and, for each column, the name in these files, None where they lack it, its own, and its type.
    """
    leaves = {
        "view": view,
        "parts": [
            {
                "columns": [
                    {
                        "stored": None if stored is None else column(stored, of="r"),
                        "name": name_of(text),
                        "type": CatalogText(type_),
                    }
                    for stored, text, type_ in columns
                ],
                "files": [literal(each) for each in files],
            }
            for columns, files in parts
        ],
        "deletes": [literal(each) for each in deletes],
    }
    return Statement("engines/read_files", leaves)


def _in_catalog(lake: str, table: str) -> exp.Table:
    """Name a table of the catalog's own database, as the extension has attached it."""
    return named(table, schema=f"__ducklake_metadata_{lake}")


def _tables(lake: str, *keys: str) -> dict[str, object]:
    return {f"{key}s": _in_catalog(lake, f"ducklake_{key}") for key in keys}


def attached_ducklakes() -> Statement:
    """List the catalogs that are attached: name, path, and whether it is only read."""
    return Statement("engines/ducklake/attached_ducklakes")


def attach_ducklake(catalog: str, name: str, *, read_only: bool) -> Statement:
    leaves = {
        "catalog": literal(f"ducklake:{catalog}"),
        "name": name_of(name),
        "read_only": read_only,
    }
    return Statement("engines/ducklake/attach_ducklake", leaves)


def ducklake_table(lake: str, schema: str, table: str, snapshot: int | None) -> Statement:
    """Find a table as it was at a snapshot, or is now; no row where there is none."""
    leaves: dict[str, object] = {
        "lake": literal(lake),
        "snapshot": None if snapshot is None else literal(snapshot),
        "schema": literal(schema),
        "table": literal(table),
        "metadata": _in_catalog(lake, "ducklake_metadata"),
        **_tables(lake, "schema", "table"),
    }
    return Statement("engines/ducklake/ducklake_table", leaves)


def read_snapshot(view: exp.Table, origin: exp.Table, snapshot: int) -> Statement:
    leaves = {"view": view, "origin": origin, "snapshot": literal(snapshot)}
    return Statement("engines/read_snapshot", leaves)


def ducklake_layout(lake: str, table_id: int, *, may_sort: bool) -> Statement:
    """Ask whether a table has partitions, and whether it has a sort order; older catalogs know of none."""
    leaves = {
        "id": literal(table_id),
        "partitions": _in_catalog(lake, "ducklake_partition_info"),
        "partition_columns": _in_catalog(lake, "ducklake_partition_column"),
        "sorts": _in_catalog(lake, "ducklake_sort_info") if may_sort else None,
    }
    return Statement("engines/ducklake/ducklake_layout", leaves)


def ducklake_changes(lake: str, table_id: int, after: int) -> Statement:
    """Count the commits after a snapshot that changed a table."""
    leaves = {"lake": literal(lake), "id": literal(table_id), "snapshot": literal(after)}
    return Statement("engines/ducklake/ducklake_changes", leaves)


def older_snapshots(lake: str, schema: str, table: str) -> Statement:
    """List the snapshots but the newest that may show older rows of a table."""
    leaves: dict[str, object] = {
        "lake": literal(lake),
        "schema": literal(schema),
        "table": literal(table),
        **_tables(lake, "schema", "table"),
    }
    return Statement("engines/ducklake/older_snapshots", leaves)


def expire_snapshots(lake: str, snapshots: Sequence[int]) -> Statement:
    leaves = {"lake": literal(lake), "snapshots": [literal(each) for each in snapshots]}
    return Statement("engines/ducklake/expire_snapshots", leaves)


def remove_expired_files(lake: str) -> Statement:
    """Remove the files that only expired snapshots read."""
    return command("remove_expired_files", literal(lake))


def ducklake_orphans(lake: str) -> Statement:
    """List files beside the data that no snapshot has ever read, as a killed commit leaves them."""
    return Statement("engines/ducklake/ducklake_orphans", {"lake": literal(lake)})


def ducklake_folder(lake: str, table_id: int) -> Statement:
    """Name the parts of the path of a table's folder."""
    leaves: dict[str, object] = {
        "id": literal(table_id),
        "metadata": _in_catalog(lake, "ducklake_metadata"),
        **_tables(lake, "schema", "table"),
    }
    return Statement("engines/ducklake/ducklake_folder", leaves)


def vacuum() -> Statement:
    """Write the file of a catalog in SQLite anew."""
    return Statement("engines/vacuum")
