"""What kanon-sql uses of DuckDB's Python package, over DuckDB-WASM: one connection to one database in memory."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import duckdb_wasm

__version__ = duckdb_wasm.version()


class Error(Exception):
    """An error of a statement, whose words begin with its kind."""


class FatalException(Error): ...


class InterruptException(Error): ...


class InvalidInputException(Error): ...


class IOException(Error): ...


class OutOfMemoryException(Error): ...


class TransactionException(Error): ...


KINDS = {
    "FATAL": FatalException,
    "INTERRUPT": InterruptException,
    "Invalid Input": InvalidInputException,
    "IO": IOException,
    "Out of Memory": OutOfMemoryException,
    "TransactionContext": TransactionException,
}
"""The kinds that kanon-sql tells apart."""
PLACES = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|(?P<place>\?|\$\d+)""", re.DOTALL
)
"""A place for a value, or what can hold its sign as text."""
ZONE = "current_setting('TimeZone')"
"""A setting of DuckDB's extension icu. Without it, as here, times have no zone but UTC."""
EXTENSIONS = ("autoload_known_extensions", "autoinstall_known_extensions")
"""What would ask another server for files of DuckDB."""


class DuckDBPyRelation:
    """A lazy result, of which the page makes none."""


class DuckDBPyConnection:
    def __init__(self, settings):
        self._connection = duckdb_wasm.open()
        self._rows = []
        for name, value in {**dict.fromkeys(EXTENSIONS, False), **settings}.items():
            self.execute(f"SET {name} = {literal(value)}")

    def execute(self, text, parameters=()):
        """Run a statement. DuckDB-WASM binds texts and numbers alone, so values are written into it."""
        try:
            written = filled(text, list(parameters)).replace(ZONE, "'UTC'")
            answer = duckdb_wasm.run(self._connection, written)
        except Exception as error:
            words = str(error).removeprefix("Error: ")
            raise KINDS.get(words.partition(" Error:")[0], Error)(words) from None
        columns = [
            [read(value, kind) for value in column]
            for kind, column in zip(answer.types.to_py(), answer.columns.to_py(), strict=True)
        ]
        self._rows = [*zip(*columns, strict=True)]
        return self

    def fetchall(self):
        return self._rows

    def interrupt(self):
        """Do nothing: no other thread could ask for it."""

    def list_filesystems(self):
        return []

    def close(self):
        duckdb_wasm.close(self._connection)


def connect(_=":memory:", *, read_only=False, config=None):
    """Open an empty database in memory; the one before it is gone."""
    del read_only
    return DuckDBPyConnection(config or {})


def filled(text, values):
    """Write the values into a statement at its places, as literals of their types."""
    rest = iter(values)

    def one(match):
        place = match["place"]
        if place is None:
            return match[0]
        return literal(next(rest) if place == "?" else values[int(place[1:]) - 1])

    return PLACES.sub(one, text) if values else text


def literal(value):
    match value:
        case None:
            return "NULL"
        case bool() | int():
            return str(value)
        case float():
            return f"CAST('{value!r}' AS DOUBLE)"
        case bytes():
            return "CAST('" + "".join(f"\\x{each:02X}" for each in value) + "' AS BLOB)"
        case list():
            return f"CAST([{', '.join(map(literal, value))}] AS VARCHAR[])"
        case str():
            quoted = value.replace("'", "''")
            return f"CAST('{quoted}' AS VARCHAR)"
    raise TypeError(type(value).__name__)


def read(value, kind):
    """Return a value of Arrow as the Python value of DuckDB's own package."""
    if value is None:
        return None
    for start, reads in READS.items():
        if kind.startswith(start):
            return reads(value)
    return value


FIRST = dt.datetime(1970, 1, 1)
READS = {
    "Decimal": lambda digits: Decimal(digits) if "." in digits else int(digits),
    "Date": lambda passed: (FIRST + dt.timedelta(milliseconds=int(passed))).date(),
    "Timestamp": lambda passed: FIRST + dt.timedelta(milliseconds=float(passed)),
    "Int": int,
    "Uint": int,
    "Float": float,
    "Binary": bytes,
}
"""How a value is read, by how the name of its type begins."""
