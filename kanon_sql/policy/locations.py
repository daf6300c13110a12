"""Where rows come from and go to, as a policy or a word of the user says it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.policy.model import (
    Action,
    Column,
    Compression,
    Destination,
    Format,
    InPlace,
    Role,
    Source,
)

if TYPE_CHECKING:
    from kanon_sql.documents.lines import Item

PARQUET = ("partition_by", "compression", "row_group_rows")
DATA_FILE = re.compile(
    r"[*?\[]|\.(csv|tsv|txt|parquet|json|jsonl|ndjson)(\.(gz|zst))?$", re.IGNORECASE
)
OTHER_FILE = re.compile(
    r"[/\\]|\.(xlsx?|ods|json|jsonl|ndjson|tsv|txt|gz|zst|zip|pq|parq|arrow|feather|avro|orc|db|duckdb|"
    r"sqlite3?|ya?ml)$",
    re.IGNORECASE,
)
HOLDS_KEY = "holds a password or key; leave it to the environment"
PASSWORD = re.compile(r"://[^/@]*:[^/@]+@")


def read_source(item: Item, *, needed: bool) -> Source:
    """Read where the rows are; a source that is given in another way may still say `where`."""
    if isinstance(item.value, dict):
        known = ("path", "table", "query", "delimiter", "union_by_name", "skip", "where")
        entries = item.mapping(known=known)
        given = [name for name in ("path", "table", "query") if name in entries]
        if len(given) > 1 or (needed and not given):
            item.fault("must have exactly one of path, table and query")
            return Source()
        delimiter = entries["delimiter"].text() if "delimiter" in entries else None
        if delimiter is not None and given != ["path"]:
            entries["delimiter"].fault("goes with path")
        where = entries["where"].text() if "where" in entries else None
        if where is not None and given == ["query"]:
            entries["where"].fault("goes with path or table; say it in the query")
        union = "union_by_name" in entries and entries["union_by_name"].boolean()
        if union and given != ["path"]:
            entries["union_by_name"].fault("goes with path")
        skip = (entries["skip"].integer(least=0) if "skip" in entries else None) or 0
        if skip and given != ["path"]:
            entries["skip"].fault("goes with path")
        places = {name: _place(entries[name]) or None for name in given}
        return Source(**places, delimiter=delimiter, where=where, union_by_name=union, skip=skip)
    text = _place(item)
    return source_from_text(text) if text else Source()


def read_database(item: Item) -> str | None:
    """Read where the database is; a policy is read by many, so it holds no password."""
    text = item.text()
    if text is not None and (holds_password(text) or "password=" in text.lower()):
        item.fault("holds a password; leave it to PGPASSWORD or a password file")
    if text is not None and text.startswith("sc://") and "token=" in text.lower():
        item.fault("holds a token; leave it to SPARK_CONNECT_AUTHENTICATE_TOKEN")
    return text


def holds_password(address: str) -> bool:
    """Whether an address has a password in it, which must not stand in files and messages."""
    return PASSWORD.search(address) is not None


def _place(item: Item) -> str:
    """Read a path or an address."""
    text = item.text() or ""
    if holds_password(text):
        item.fault(HOLDS_KEY)
    return text


def read_attached(item: Item, database: Item | None) -> tuple[tuple[str, str], ...]:
    """Read which other database files are to be seen, by the names that they get."""
    found = {}
    for name, entry in item.mapping().items():
        path = entry.text()
        if path is not None and ("://" in path or path.startswith("spark:")):
            entry.fault("must be a DuckDB file; a server is named by database")
        if not name or name.casefold() in {"temp", "system", "main", "memory"}:
            entry.fault("cannot be the name of a database")
        if name.casefold() in found:
            entry.fault("differs from another name only in case; databases fold case")
        found[name.casefold()] = (name, path or "")
    if database is not None and re.match(r"(spark|sc|postgres|postgresql):", str(database.value)):
        item.fault("goes with DuckDB; the database named is another")
    return tuple(found.values())


def source_from_text(text: str) -> Source:
    """Tell a path or glob from a table's name: by its ending, a wildcard, or a slash.

    >>> source_from_text("adult.csv").path, source_from_text("warehouse.people").table
    ('adult.csv', 'warehouse.people')
    """
    if DATA_FILE.search(text) or "/" in text or "\\" in text:
        return Source(path=text)
    return Source(table=text)


def read_release(item: Item, columns: tuple[Column, ...]) -> Destination | None:
    if not isinstance(item.value, dict):
        text = _place(item)
        if not text:
            return None
        chosen = destination_from_text(text)
        if chosen.format is Format.TABLE and OTHER_FILE.search(text):
            item.fault(
                "is a file of another kind than .parquet, .csv and .csv.gz; if a table or folder of "
                "that name is meant, say {table: ...} or {parquet: ..., partition_by: [...]}"
            )
        return chosen
    if "in_place" in item.value:
        return _in_place(item)
    entries = item.mapping(known=("table", "view", "parquet", "csv", "in_place", *PARQUET))
    given = [name for name in ("table", "parquet", "csv") if name in entries]
    if len(given) != 1:
        item.fault("must have exactly one of table, parquet, csv and in_place")
        return None
    name = _place(entries[given[0]])
    parts = (
        tuple(own for part in entries["partition_by"].items() if (own := part.text()) is not None)
        if "partition_by" in entries
        else ()
    )
    if "partition_by" in entries and not parts:
        entries["partition_by"].fault("must name at least one column")
    for key in PARQUET:
        if key in entries and given[0] != "parquet":
            entries[key].fault("goes with parquet")
    kept = {
        name: c.name
        for c in columns
        if c.role is not Role.IDENTIFYING or c.action is not Action.DROP
        for name in c.released_as
    }
    for part in parts:
        if part not in kept:
            ends = [name for name, own in kept.items() if own == part]
            hint = f"; {part} is released as {' and '.join(ends)}" if ends else ""
            entries["partition_by"].fault(f"must name columns that are released{hint}")
    if parts and set(parts) >= set(kept):
        entries["partition_by"].fault("must leave a column that the files hold")
    compression = entries["compression"].choice(Compression) if "compression" in entries else None
    rows = entries["row_group_rows"].integer(least=1) if "row_group_rows" in entries else None
    view = entries["view"].boolean() if "view" in entries else False
    if view and given[0] != "table":
        entries["view"].fault("goes with table")
    return Destination(
        Format(given[0]), name, parts, compression or Compression.ZSTD, rows, view=view
    )


def _in_place(item: Item) -> Destination:
    """Read a release that takes its source's name; what becomes of the original must be said."""
    entries = item.mapping(known=("in_place", "keep_original", "drop_original", "accept"))
    for name in ("in_place", "drop_original"):
        if name in entries and entries[name].value is not True:
            entries[name].fault("must be true, or left out")
    if ("keep_original" in entries) == ("drop_original" in entries):
        item.fault("in place, must have either keep_original: NAME or drop_original: true")
    keep = entries["keep_original"].text() if "keep_original" in entries else None
    accept = entries["accept"].items() if "accept" in entries else []
    named = tuple(text for each in accept if (text := each.text()) is not None)
    return Destination(Format.TABLE, "", in_place=InPlace(keep, named))


def destination_from_text(text: str) -> Destination:
    """Tell a Parquet or CSV file from a table's name by its ending.

    >>> destination_from_text("out/adult.parquet").format, destination_from_text("adult_k5").format
    (<Format.PARQUET: 'parquet'>, <Format.TABLE: 'table'>)
    """
    lowered = text.lower()
    if lowered.endswith(".parquet"):
        return Destination(Format.PARQUET, text)
    if lowered.endswith((".csv", ".csv.gz")):
        return Destination(Format.CSV, text)
    return Destination(Format.TABLE, text)
