"""The databases that a script can be written for and that no engine of ours runs in: facts, not guesses.

What a release relies on is that texts differ where their bytes do, that a text which is no number cannot
be cast to one, and that one statement sees one state of its tables. A dialect in which one of these is
not so, or is not known to be so, gets no script.
"""

from __future__ import annotations

from enum import StrEnum

from kanon_sql.late_dataclass import dataclass
from kanon_sql.sql.words import DUCKDB, POSTGRES, SPARK

OWN = (DUCKDB, POSTGRES, SPARK)
"""The dialects that have templates of their own, and scripts that the tests run."""


class Apart(StrEnum):
    """How a database tells texts apart by their bytes, where its own comparison may not."""

    TEXT = "text"
    BYTES = "bytes"
    OWN_BYTES = "own_bytes"
    ENCODED = "encoded"
    C_COLLATION = "c_collation"
    HASH = "hash"


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A database by its sqlglot dialect.

    `bytes`: texts have to be cast to bytes to be distinguished. `blanks` at the end of a text are ignored. `national`: texts and their types are of a
    code page unless they say that they are of Unicode, and bytes are cut unless they say how many. `raises`: a cast may give NULL instead of an
    error, but a function raises one. `characters`: LENGTH and SUBSTRING count code points.
    `longest_name` is in bytes; `barred` are characters that no column's name may have. In a
    `transaction` of its own a failed statement leaves no empty table behind. What a shell puts
    something in the place of, `replaced`, must stand in no text. `collations`: how a query tells texts apart, as
    columns may have such collations. `loose`: a text that is no number may be equal to one.
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

    @property
    def folds(self) -> bool:
        """Whether texts are equal that a reader tells apart, so that a condition may mean another thing."""
        return self.apart is not None

    @property
    def apart(self) -> Apart | None:
        """How a query tells texts apart, if it does not by comparing them."""
        if self.bytes:
            return Apart.BYTES
        return Apart.TEXT if self.blanks else self.collations


WAREHOUSES = {
    each.name: each
    for each in (
        Warehouse("snowflake", "Snowflake", 255),
        Warehouse("bigquery", "BigQuery", 300, barred="!\"$()*,./;?@[\\]^`{}~"),
        Warehouse("redshift", "Amazon Redshift", 127, blanks=True),
        Warehouse("databricks", "Databricks SQL", 255, raises=True, barred=" ,;{}()\n\t=", replaced="${"),
        Warehouse("trino", "Trino", 255),
        Warehouse("presto", "Presto", 255),
        # LEN leaves spaces out and counts halves of characters; texts are equal whatever their case.
        Warehouse("tsql", "SQL Server (T-SQL)", 128, bytes=True, blanks=True, national=True, characters=False, transaction=True, replaced="$("),
    )
}  # fmt: skip

HERE = {
    each.name: each
    for each in (
        Warehouse("duckdb", "DuckDB", 255),
        Warehouse("postgres", "PostgreSQL", 63),
        Warehouse("spark", "Spark SQL", 255, raises=True, barred=" ,;{}()\n\t=", replaced="${"),
    )
}
"""The engines of our own, as the statement for warehouses is written for them: the tests run it there."""

COUNTING = WAREHOUSES | {
    each.name: each
    for each in (
        Warehouse("duckdb", "DuckDB", 255, collations=Apart.ENCODED),
        Warehouse("postgres", "PostgreSQL", 63, collations=Apart.C_COLLATION),
        Warehouse("spark", "Spark SQL", 255, collations=Apart.BYTES),
        Warehouse("sqlite", "SQLite", 255, collations=Apart.OWN_BYTES, loose=True),
        Warehouse("mysql", "MySQL", 64, barred="\\", collations=Apart.OWN_BYTES, loose=True),
        Warehouse("clickhouse", "ClickHouse", 255, barred="\\"),
        # A text of no characters is NULL there, in the table as in what the query gives.
        Warehouse("oracle", "Oracle", 128, barred='"', collations=Apart.HASH, loose=True),
        Warehouse("athena", "Amazon Athena", 255),
    )
}
"""The databases that can count a frequency set: its query needs neither casts that fail nor a statement that makes all or nothing."""

NO_COUNTING = {
    "fabric": "its texts have one collation, and its bytes are cut short",
    "teradata": "texts are equal whatever their case, and no query of this program that tells them apart was tried there",
}
"""Why a dialect that sqlglot writes gets no query of a frequency set, where that is known."""

NO_MODEL = {
    "presto": "SQLMesh runs no models in Presto",
    "tsql": "a statement that fails leaves an empty table there, but in a transaction",
}
"""Why a dialect that scripts are written in gets no model of SQLMesh."""

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
"""Why a dialect that sqlglot writes gets no script, where that is known."""
