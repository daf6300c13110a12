"""Tables of a database by their names, as a user writes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import parse_table_name, table
from kanon_sql.engines.files.file_kinds import ENDINGS as LIBRARY_ENDINGS
from kanon_sql.engines.files.file_kinds import way_on
from kanon_sql.errors import Fault, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.engines.base import Engine

ENDINGS = f"csv, tsv, txt, zip, parquet, json, jsonl, ndjson, {', '.join(each[1:] for each in LIBRARY_ENDINGS)}"
"""The endings of files that are read."""


def not_read(path: str) -> str:
    """Say of a file's ending that none like it is read, and what to do.

    >>> not_read("a.xls").partition("; ")[2]
    'save it as .xlsx or .csv'
    """
    way = way_on(path)
    return f"its ending is none of {ENDINGS}" + ("" if way is None else f"; {way}")


def has_table(engine: Engine, text: str) -> bool:
    return next(_tables_named(engine, text), None) is not None


def _tables_named(engine: Engine, text: str) -> Iterator[exp.Table]:
    """Yield the tables of this name: first with the whole text as name, then with the text split at dots."""
    for candidate in dict.fromkeys((table(text), parse_table_name(text))) if text else ():
        if engine.locate(candidate):
            yield candidate


def find_table(engine: Engine, text: str) -> exp.Table:
    """Find a table. Raises SourceError, with what else the name may refer to."""
    found = next(_tables_named(engine, text), None)
    if found is not None:
        return found
    what = "there is no such table; name a file by its path, or the database by database: FILE"
    if text.endswith((".duckdb", ".db")) and not os.path.exists(text):  # noqa: PTH110
        what = "there is no such file, and no such table"
    if os.path.isdir(text) and engine.capabilities.reads_files:  # noqa: PTH112
        what = f"is a folder; write ./{text}, {text}/ or {{path: {text}}}"
    elif os.path.exists(text):  # noqa: PTH110
        what = f"is a file, but {not_read(text)}"
    raise SourceError(text or "source", [Fault("source", what)])
