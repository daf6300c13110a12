"""Statements of fixed words and a few names: about tables and views, the session, and the keys of pseudonyms.

They create, copy, publish and drop tables; change settings that would change the meaning of other statements; begin and
end transactions; and keep padded keys in the session and remove them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import PLACEHOLDER, column, literal, name, standard_name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.base.sql.words import DUCKDB, POSTGRES, SPARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.locations import Destination


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


def command(words: str, object_: exp.Expr | None = None, to: exp.Expr | None = None) -> Statement:
    """Build a command that a database has, by the name under which its template lists it: `truncate`, `begin`."""
    return Statement("engines/command", {"command": words, "object": object_, "to": to})


def drop_table(table: exp.Table) -> Statement:
    return Statement("engines/drop", {"command": "drop_table", "object": table})


def drop_view(view: exp.Table) -> Statement:
    return Statement("engines/drop", {"command": "drop_view", "object": view})


def copy_out(
    staged: exp.Table,
    columns: Sequence[str],
    out: Destination,
    path: str,
    *,
    verdict: exp.Table | None = None,
) -> Statement:
    """Write the staged table to a file, or to a folder of partitions.

    With a `verdict` nothing is written unless that table could be created.
    """
    leaves: dict[str, object] = {
        "table": staged,
        "columns": [column(c) for c in columns],
        "texts": [{"column": column(c), "as": name(c)} for c in columns],
        "path": literal(path),
        "verdict": verdict,
        "marked": name(f"\ufeff{columns[0]}") if out.bom else None,
    }
    kind = out.format.kind
    return Statement(kind.template, {**leaves, **kind.leaves(out, path)})


def count_formulas(table: exp.Table, columns: Sequence[str], *, rows: int) -> Statement:
    """Count the texts of each column that a spreadsheet would run as formulas."""
    begins = {"equals": "=_%", "at": "@_%", "plus": "+_%", "minus": "-_%"}
    leaves: dict[str, object] = {key: literal(pattern) for key, pattern in begins.items()}
    leaves |= {"table": table, "columns": [column(each) for each in columns]}
    return Statement("engines/count_formulas", leaves, scans=rows)


def relation(table: exp.Table, columns: Sequence[str]) -> Statement:
    return Statement("engines/relation", {"table": table, "columns": [column(c) for c in columns]})


def copy_client(table: exp.Table, columns: Sequence[str] = (), *, as_csv: bool = True) -> Statement:
    """Copy columns of a scratch table to the client, or without columns rows of the client into the table."""
    leaves = {"table": table, "columns": [name(c) for c in columns], "as_csv": as_csv}
    return Statement("engines/copy_client", leaves)


def take_csv(table: exp.Table, path: str, columns: Sequence[tuple[str, bool]]) -> Statement:
    """Create a scratch table of DuckDB from whole numbers in a file; each column has a name, and whether it is wide."""
    described = [{"name": name(c), "text": literal(c), "wide": wide} for c, wide in columns]
    leaves = {"table": table, "path": literal(path), "columns": described}
    return Statement("engines/take_csv", leaves)


def empty_copy(table: exp.Table, like: exp.Table) -> Statement:
    """Create a scratch table with the columns of another, without rows."""
    return Statement("engines/empty_copy", {"table": table, "like": like})


def publish_table(
    release: exp.Table,
    staged: exp.Table,
    columns: Sequence[str],
    *,
    replace: bool,
    verdict: exp.Table | None = None,
    note: str | None = None,
) -> Statement:
    """Create the release as a table, in one statement that is executed whole or not at all.

    With a `verdict` it fails unless that table could be created. A `note` is set on
    the table by the same statement where there are no transactions, on Spark.
    """
    leaves = {
        "release": release,
        "staged": staged,
        "columns": [column(c) for c in columns],
        "replace": replace,
        "verdict": verdict,
        "note": literal(note) if note is not None else None,
    }
    return Statement("engines/publish_table", leaves)


def materialize(kept: exp.Table, origin: exp.Table) -> Statement:
    """Copy a stream into a scratch table."""
    return Statement("engines/materialize", {"kept": kept, "origin": origin})


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


def allow_folders(folders: tuple[str, ...]) -> Statement:
    """Name the folders of DuckDB whose files statements may use once other files are closed to them."""
    return Statement("engines/allow_folders", {"folders": [literal(each) for each in folders]})


def extension_installed(extension: str) -> Statement:
    """Count the extensions of DuckDB of a name that could be loaded without fetching one."""
    return Statement("engines/extension_installed", {"extension": literal(extension)})


def bound_texts(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Create a table of texts in DuckDB; binds a list of texts for each column."""
    bound = [{"bind": PLACEHOLDER, "as": name(each)} for each in columns]
    return Statement("engines/bound_texts", {"table": table, "columns": bound})


def text_table(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Create a table of texts: a scratch table in PostgreSQL, or in a script a table that users load."""
    leaves = {"table": table, "columns": [name(c) for c in columns]}
    return Statement("engines/text_table", leaves)


def key_variables(key_env: str) -> tuple[str, str]:
    """Name the session variables of the padded keys of one secret."""
    return f"kanon_inner_{_mark(key_env)}", f"kanon_outer_{_mark(key_env)}"


def _secret_variable(key_env: str) -> str:
    return f"kanon_key_{_mark(key_env)}"


def _mark(key_env: str) -> str:
    """Make environment variables distinct in names that fold case."""
    return hashlib.sha256(key_env.encode()).hexdigest()[:8]


BLOCK = 64


PADS = (0x36, 0x5C)


def padded_keys(key_env: str, secret: bytes) -> dict[str, bytes]:
    """Compute the inner and outer key of HMAC-SHA-256 (RFC 2104), by their session variables."""
    block = (hashlib.sha256(secret).digest() if len(secret) > BLOCK else secret).ljust(BLOCK, b"\0")
    pads = (bytes(byte ^ pad for byte in block) for pad in PADS)
    return dict(zip(key_variables(key_env), pads, strict=True))


def store_key(variable: str, brought: exp.Table | None = None) -> Statement:
    """Keep a key in the session; binds it, or takes it from a table that was loaded with it."""
    return Statement(
        "engines/store_key",
        {
            "variable": name(variable),
            "setting": _setting(variable),
            "bind": PLACEHOLDER,
            "brought": brought,
        },
    )


def forget_key(variable: str) -> Statement:
    return Statement(
        "engines/forget_key", {"variable": name(variable), "setting": _setting(variable)}
    )


def _setting(variable: str) -> exp.Expr:
    return literal(f"kanon.{variable}")


def insert_key(table: exp.Table, key_env: str) -> Statement:
    """Put the padded keys of one secret, which the session keeps, into a table of keys."""
    inner, outer = key_variables(key_env)
    leaves = {"label": literal(key_env), "inner": literal(inner), "outer": literal(outer)}
    return Statement("engines/insert_key", {"table": table, **leaves})


def delete_keys(table: exp.Table) -> Statement:
    return Statement("engines/delete_keys", {"table": table})


def set_keys(key_env: str) -> list[Statement]:
    """Prepare the padded keys in a script: the database's shell reads the environment itself."""
    secret = _secret_variable(key_env)
    leaves = {
        "variable": name(secret),
        "value": literal(key_env),
        "short": literal("the key must have 16 bytes or more"),
    }
    statements = [Statement("engines/set_key", leaves)]
    for variable, pad in zip(key_variables(key_env), PADS, strict=True):
        statements.append(
            Statement(
                "engines/set_pad",
                {"variable": name(variable), "key": literal(secret), "pad": literal(pad)},
            )
        )
    return statements
