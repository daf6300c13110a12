"""Statements about the session: settings that would change the meaning of others, and transactions."""

from __future__ import annotations

from kanon_sql.sql.quoting import literal, name, standard_name
from kanon_sql.sql.templates import Statement
from kanon_sql.sql.words import DUCKDB, POSTGRES, SPARK

OF_DUCKDB = {
    "TimeZone": "UTC",  # how timestamps print
    "default_collation": "",  # what texts are equal
    "default_order": "ASC",
}
"""Settings of DuckDB that would change what our statements mean."""
OF_POSTGRES = {
    "TimeZone": "UTC",  # how timestamps print
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "standard_conforming_strings": "on",  # how literals are quoted
    "transform_null_equals": "off",
}
"""Settings of PostgreSQL that would change what our statements mean."""
PLANS_OF_POSTGRES = {
    "enable_nestloop": "off",  # it cannot guess joins in which NULLs are equal, and takes them for tiny
    "jit": "off",
}
"""Settings that make PostgreSQL plan our statements well."""
WORK_MEM = 64 << 10
"""How many kB a sort or a hash table of PostgreSQL may take at least: with its default of 4 MB, classes are
counted by sorting all rows on disk, which costs three times as much as hashing them."""
UNITS_OF_POSTGRES = {"kB": 1, "MB": 1 << 10, "GB": 1 << 20, "TB": 1 << 30}
OF_SPARK = {
    # Few labels leave most partitions empty, by which Spark would not send them to all: one task then has all rows.
    "spark.sql.adaptive.nonEmptyPartitionRatioForBroadcastJoin": "0",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",  # a query of the user's is read so, too
    "spark.sql.ansi.enabled": "true",  # an overflow is an error, not another number
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.constraintPropagation.enabled": "false",  # a union of kept tables can be refused by it
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",  # else wide products are NULL
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.parser.escapedStringLiterals": "false",  # how literals are quoted
    "spark.sql.parser.quotedRegexColumnNames": "false",  # a quoted name is a name
    "spark.sql.session.timeZone": "UTC",  # how timestamps print
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # zip=02138 stays a text
    "spark.sql.variable.substitute": "false",  # ${x} within a literal is text
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "false",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",  # old dates as they are
}
"""Settings of Spark that would change what our statements mean, and one of how many tasks they are."""
FIRST = "spark.sql.variable.substitute"
"""The setting of Spark without which it would change the statements of the others."""
OF_SCRIPTS = {
    DUCKDB: OF_DUCKDB,
    POSTGRES: {**OF_POSTGRES, **PLANS_OF_POSTGRES},
    SPARK: {FIRST: OF_SPARK[FIRST], **OF_SPARK},
}
"""The settings at the beginning of a script, by its dialect."""


def read_setting(text: str) -> Statement:
    return Statement("engines/read_setting", {"name": name(text), "setting": literal(text)})


def session_setting(text: str) -> Statement:
    """Read a setting of our own, which a session of PostgreSQL may not have."""
    return Statement("engines/session_setting", {"setting": literal(text)})


def work_mem(shown: str) -> str:
    """Give the memory of a run, from what SHOW says of the session: more is kept.

    >>> work_mem("4MB"), work_mem("1GB")
    ('64MB', '1GB')
    """
    has = int(shown[:-2]) * UNITS_OF_POSTGRES[shown[-2:]]
    return shown if has >= WORK_MEM else f"{WORK_MEM >> 10}MB"


def set_config(text: str, value: str) -> Statement:
    """Change a setting of PostgreSQL that is a list, for the rest of the transaction."""
    return Statement("engines/set_config", {"name": literal(text), "value": literal(value)})


def list_schemas() -> Statement:
    """List the schemas of DuckDB's current database, the current one first."""
    return Statement("engines/list_schemas")


def own_functions(schema: str | None) -> Statement:
    """Resolve names of functions to DuckDB's own, and those of tables in one more schema."""
    quoted = None if schema is None else literal(standard_name(name(schema)))
    return Statement("engines/own_functions", {"schema": quoted})


def change_setting(text: str, value: str) -> Statement:
    """Change a setting; in PostgreSQL for the rest of the transaction."""
    word = name(value) if value else None  # Spark quotes values as names, of which none is empty
    leaves = {"name": name(text), "value": literal(value), "word": word}
    return Statement("engines/change_setting", leaves)


def extension_installed(extension: str) -> Statement:
    """Count the extensions of DuckDB of a name that could be loaded without fetching one."""
    return Statement("engines/extension_installed", {"extension": literal(extension)})
