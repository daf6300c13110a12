"""Each case of a template says on a server what it says on DuckDB, from the same tables.

The cases are those of the recorded statements, in whose order DuckDB makes the tables. What a statement reads is
copied to the server first, so that each case is compared by itself.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest
from offenders import offenders

from tests.engines.conftest import quoted
from tests.golden.test_golden import CASES, people_beside, templates_of

TAKEN_FROM_THE_SAMPLE = "each server draws its own sample"
OWN_NAMES = "names of the database's own schemas, types or views"
KEYS = "reads the key of pseudonyms, which the engine sets"
DRAWN = "is drawn by lot"
ANY_ROW = "takes any of the values that are recoded alike, which each server finds first"
FILES = "is for releases to files, which this server does not write"
TEXT_FILES = "is of the texts of a file, which PostgreSQL never reads"
APART = {
    "begin_script": "is for psql",
    "class_rows": ANY_ROW,
    "class_values": "compares bytes, which are a type there",
    "column_sets": TAKEN_FROM_THE_SAMPLE,
    "columns_of": OWN_NAMES,
    "count_each_unique": TAKEN_FROM_THE_SAMPLE,
    "count_formulas": FILES,
    "count_misfits": TEXT_FILES,
    "count_missing_entries": "compares a column of numbers, which is one of texts here",
    "count_unique": TAKEN_FROM_THE_SAMPLE,
    "count_unique_rows": TAKEN_FROM_THE_SAMPLE,
    "crossed_people": KEYS,
    "dependents": OWN_NAMES,
    "draw_cells": DRAWN,
    "fail_script": "is for psql",
    "forget_key": KEYS,
    "fresh_rows": KEYS,
    "hashed_values": KEYS,
    "hash_rows": "is a hash of the engine's own",
    "insert_key": KEYS,
    "list_tables": OWN_NAMES,
    "listed_values": "reads a type that lists its values, which is text here",
    "locate": OWN_NAMES,
    "masked_rows": KEYS,
    "publish_table": OWN_NAMES,
    "read_texts": "compares a column of numbers, which is one of texts here",
    "required_columns": OWN_NAMES,
    "row_hashes": KEYS,
    "rows_of_table": KEYS,
    "sample_columns": TAKEN_FROM_THE_SAMPLE,
    "sample_rows": TAKEN_FROM_THE_SAMPLE,
    "see_masked": KEYS,
    "stage": KEYS,
    "store_key": KEYS,
    "table_keys": OWN_NAMES,
    "text_forms": TEXT_FILES,
    "texts_query": "compares a column of numbers, which is one of texts here",
    "typed_rows": TEXT_FILES,
    "value_distances": "reads what class_values makes, whose keys are hashes on DuckDB alone",
    "view_texts": OWN_NAMES,
}
"""Templates whose rows are not compared with PostgreSQL's, and why."""
PARTED = ("constant_columns", "count_keys")
"""Templates that are compared where they count all keys: each server chooses a part of them by its own hash."""
KNOWN = templates_of("postgres")
VERDICTS = ("require",)
"""Their first cell is a word on DuckDB and a number on PostgreSQL, which has no word for success."""


def cell(value):
    """A value as it is compared: numbers by their size, bytes as what they stand for."""
    match value:
        case bool() | int() | float() | Decimal():
            return round(float(value), 9)
        case bytes() | bytearray() | memoryview():
            return bytes(value).decode("utf-8", "backslashreplace")
        case list() | tuple():
            return tuple(cell(each) for each in value)
        case str() | None:
            return value
        case _:
            return str(value)


def bag(rows):
    return Counter(tuple(cell(each) for each in row) for row in rows)


class Server:
    """PostgreSQL's tables and statements, under the names that they have on DuckDB."""

    def __init__(self, place):
        self.place = place

    def put(self, name, frame, uuids=()):
        self.clear(name)
        listed = {
            field.name
            for field in frame.schema
            if str(field.type).startswith(("dictionary", "binary"))
        }
        kinds = [
            field.with_type(pa.string()) if field.name in listed else field
            for field in frame.schema
        ]
        self.place.put(name, frame.cast(pa.schema(kinds)))
        for each in uuids:  # Arrow brings them as texts
            text = f"ALTER TABLE {quoted(name)} ALTER {quoted(each)} TYPE uuid USING {quoted(each)}::uuid"
            self.place.connection.execute(text.encode())

    def clear(self, name):
        for kind in ("VIEW", "TABLE"):
            with contextlib.suppress(Exception):  # it is of the other kind
                text = f"DROP {kind} IF EXISTS {quoted(name)} CASCADE"
                self.place.connection.execute(text.encode())

    def rows(self, text, params=()):
        psycopg = pytest.importorskip("psycopg")
        with psycopg.RawCursor(self.place.connection) as cursor:
            cursor.execute(text.encode(), list(params) or None)
            return cursor.fetchall() if cursor.description else []


def tables(own):
    text = "SELECT table_name FROM information_schema.tables"
    return {name for (name,) in own.execute(text).fetchall()}


def apart(case, own, server):
    """Say a case on both, and give what the one has and the other has not."""
    here, there = (case.statement.rendered(each) for each in ("duckdb", "postgres"))
    read = {
        name: own.sql(f"FROM {quoted(name)}").to_arrow_table()
        for name in tables(own)
        if name in there.text
    }
    described = {name: own.sql(f"DESCRIBE {quoted(name)}").fetchall() for name in read}
    rows = own.execute(here.text, list(case.params)).fetchall()
    made = here.makes or here.opens
    for name, frame in read.items():
        server.put(name, frame, [column for column, kind, *_ in described[name] if kind == "UUID"])
    if made is not None:
        server.clear(made.name)
    others = server.rows(there.text, case.params)
    if made is not None:
        text = f"SELECT * FROM {quoted(made.name)}"
        rows, others = own.execute(text).fetchall(), server.rows(text)
    if case.statement.name in VERDICTS:
        rows, others = ([each[1:] for each in some] for some in (rows, others))
    return (bag(rows) - bag(others), bag(others) - bag(rows))


def compared(case):
    """Whether a case makes rows or a table on PostgreSQL, and not a change of the database."""
    statement = case.statement
    if statement.name not in KNOWN or statement.name in APART:
        return False
    if statement.name in PARTED and statement.leaves["parts"] is not None:
        return False
    rendered = statement.rendered("postgres")
    made = rendered.makes or rendered.opens
    return made is not None or rendered.text.lstrip(" (").startswith(("SELECT", "WITH"))


def test_each_case_says_on_postgres_what_it_says_on_duckdb(postgres, tmp_path):
    server = Server(postgres)
    with contextlib.chdir(tmp_path), duckdb.connect() as own:
        people_beside(tmp_path, own)

        def check(case):
            if compared(case):
                assert apart(case, own, server) == (Counter(), Counter())
            else:
                own.execute(case.statement.render("duckdb"), list(case.params))

        assert offenders(check, [(case,) for case in CASES]) == {}
    assert sum(map(compared, CASES)) > 700


def test_each_template_that_is_left_out_is_there():
    assert {*APART, *VERDICTS} <= KNOWN
