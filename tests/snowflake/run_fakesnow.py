"""Steps in a Snowflake that fakesnow emulates, in a folder that keeps its databases: JSON on standard input.

It runs by the Python that has fakesnow, and imports nothing of kanon-sql: rows go in and out as Parquet.
"""

from __future__ import annotations

import json
import sys

import fakesnow
import pyarrow as pa
import pyarrow.parquet as pq
import snowflake.connector

TYPES = {"name": "TEXT", "zip": "TEXT", "sex": "TEXT", "age": "INT", "born": "DATE"}


def load(cursor, path, table):
    """Create a table of the rows of a Parquet file."""
    rows = pq.read_table(path)
    names = rows.column_names
    quoted = {each: each.replace('"', '""') for each in names}
    columns = ", ".join(f'"{quoted[each]}" {TYPES.get(each, "TEXT")}' for each in names)
    cursor.execute(f"CREATE TABLE {table} ({columns})")
    marks = f"({', '.join(['%s'] * len(names))})"
    found = rows.to_pylist()
    values = [each[name] for each in found for name in names]
    cursor.execute(f"INSERT INTO {table} VALUES {', '.join([marks] * len(found))}", values)


def export(cursor, query, path):
    """Write what a query finds to a Parquet file."""
    cursor.execute(query)
    names = [each.name for each in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    pq.write_table(pa.Table.from_pylist(rows), path)


def main():
    steps = {"load": load, "export": export, "run": lambda cursor, text: cursor.execute(text)}
    with fakesnow.patch(db_path=sys.argv[1]):
        connection = snowflake.connector.connect(database="CLINIC", schema="PUBLIC")
        for step, *arguments in json.load(sys.stdin):
            steps[step](connection.cursor(), *arguments)


if __name__ == "__main__":
    main()
