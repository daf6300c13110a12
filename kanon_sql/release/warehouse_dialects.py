"""Describes the databases that have no engine here but can get a script or a frequency query.

A release relies on three properties: texts differ if their bytes do, a text that is no number cannot be cast to one,
and one statement sees one state of its tables. A dialect gets no script unless it is known to have all three.
"""

from __future__ import annotations

from enum import StrEnum

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.words import DUCKDB, POSTGRES, SPARK

OWN = (DUCKDB, POSTGRES, SPARK)
"""The dialects with their own templates, whose scripts the tests run."""


class Apart(StrEnum):
    """How a query distinguishes texts by their bytes in a database whose own comparison may not."""

    TEXT = "text"
    BYTES = "bytes"
    OWN_BYTES = "own_bytes"
    ENCODED = "encoded"
    C_COLLATION = "c_collation"
    HASH = "hash"


@dataclass(frozen=True, slots=True)
class Warehouse:
    """The properties of a database, by its sqlglot dialect.

    `bytes`: texts must be cast to bytes to be distinguished. `blanks`: comparisons ignore blanks at the end of a text.
    `national`: texts and their types are of a code page unless they are declared as Unicode, and bytes are cut unless
    their length is declared. `raises`: a cast may give NULL instead of an error, but a function raises one.
    `characters`: LENGTH and SUBSTRING count code points. `longest_name` is in bytes; `barred` has characters that no
    column's name may have. `transaction`: a failed statement leaves an empty table unless it has its own transaction.
    `replaced`: a text that shells substitute, so that no text may contain it. `collations`: how a query distinguishes
    texts, because columns may have a collation. `loose`: a text that is no number may be equal to one. `bytes_type` is
    the type of bytes that texts are cast to, where the columns' type cannot be. `lists_columns`: a table, `listed_in`,
    has the columns of all tables. `runs_models`: the tests run its models of SQLMesh.
    """

    name: str
    title: str
    longest_name: int
    bytes: bool = False
    blanks: bool = False
    national: bool = False
    raises: bool = False
    characters: bool = True
    barred: str = ""
    transaction: bool = False
    replaced: str = ""
    collations: Apart | None = None
    loose: bool = False
    bytes_type: str = ""
    lists_columns: bool = True
    listed_in: str = ""
    runs_models: bool = False

    @property
    def folds(self) -> bool:
        """True if different texts may be equal, so that a condition may mean something else there."""
        return self.apart is not None

    @property
    def apart(self) -> Apart | None:
        """How a query distinguishes texts; None if comparing them does."""
        if self.bytes:
            return Apart.BYTES
        return Apart.TEXT if self.blanks else self.collations


WAREHOUSES = {
    each.name: each
    for each in (
        Warehouse("snowflake", "Snowflake", 255),
        Warehouse("bigquery", "BigQuery", 300, barred="!\"$()*,./;?@[\\]^`{}~", lists_columns=False),
        Warehouse("redshift", "Amazon Redshift", 127, blanks=True),
        Warehouse("databricks", "Databricks SQL", 255, raises=True, barred=" ,;{}()\n\t=", replaced="${", lists_columns=False),
        Warehouse("trino", "Trino", 255),
        Warehouse("presto", "Presto", 255),
        # LEN leaves spaces out and counts halves of characters; texts are equal whatever their case.
        Warehouse("tsql", "SQL Server (T-SQL)", 128, bytes=True, blanks=True, national=True, characters=False, transaction=True, replaced="$("),
    )
}  # fmt: skip

HERE = {
    each.name: each
    for each in (
        Warehouse("duckdb", "DuckDB", 255, listed_in="system.information_schema.columns", runs_models=True),
        Warehouse("postgres", "PostgreSQL", 63),
        Warehouse("spark", "Spark SQL", 255, raises=True, barred=" ,;{}()\n\t=", replaced="${", lists_columns=False),
    )
}  # fmt: skip
"""Our own engines, described as warehouses, so that the tests can run the warehouses' statement there."""

COUNTING = WAREHOUSES | {
    each.name: each
    for each in (
        Warehouse("duckdb", "DuckDB", 255, collations=Apart.ENCODED),
        Warehouse("postgres", "PostgreSQL", 63, collations=Apart.C_COLLATION),
        Warehouse("spark", "Spark SQL", 255, collations=Apart.BYTES),
        Warehouse("sqlite", "SQLite", 255, collations=Apart.OWN_BYTES, loose=True),
        Warehouse("mysql", "MySQL", 64, barred="\\", collations=Apart.OWN_BYTES, loose=True, bytes_type="BINARY"),
        Warehouse("clickhouse", "ClickHouse", 255, barred="\\"),
        # A text of no characters is NULL there, in the table as in what the query gives.
        Warehouse("oracle", "Oracle", 128, barred='"', collations=Apart.HASH, loose=True),
        Warehouse("athena", "Amazon Athena", 255),
    )
}  # fmt: skip
"""The databases that can count a frequency set: this needs no failing casts and no atomic statement."""

NO_COUNTING = {
    "fabric": "its texts have one collation, and its bytes are cut short",
    "teradata": "texts are equal whatever their case, and no query of this program that tells them apart was tried there",
}
"""The known reasons why a dialect of sqlglot gets no query of a frequency set."""

NO_MODEL = {
    "presto": "SQLMesh runs no models in Presto",
    "tsql": "a statement that fails leaves an empty table there, but in a transaction",
}
"""The reasons why a dialect with scripts gets no model of SQLMesh."""

MODELS = {**HERE, **{name: each for name, each in WAREHOUSES.items() if name not in NO_MODEL}}
"""The databases that a model of SQLMesh can be written for."""

WHY_NOT = {
    "athena": "a statement that fails leaves files behind",
    "clickhouse": "a join tells NULL from no row by other rules",
    "doris": "a cast that fails gives NULL, and the release would be an empty table",
    "drill": "a table is files, which a statement that fails leaves behind",
    "fabric": "its texts have one collation, and its bytes are cut short",
    "hive": "a cast that fails gives NULL, and the release would be an empty table",
    "mysql": "texts are equal whatever their case, and a cast that fails gives 0",
    "oracle": "an empty text is NULL",
    "spark2": "a cast that fails gives NULL, and the release would be an empty table",
    "sqlite": "a cast that fails gives 0, and the release would be an empty table",
    "starrocks": "a cast that fails gives NULL, and the release would be an empty table",
    "teradata": "texts are equal whatever their case",
}
"""The known reasons why a dialect of sqlglot gets no script."""
