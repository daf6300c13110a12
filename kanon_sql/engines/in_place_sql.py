"""Statements of a release in place: what hangs on a table, and how another takes its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import (
    CatalogText,
    column,
    literal,
    name,
)
from kanon_sql.sql.quoting import table as named
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp


def _quoted(table: exp.Table) -> exp.Expr:
    return literal(table.sql(dialect="postgres", identify=True))


def _parts(table: exp.Table) -> dict[str, object]:
    return {"schema": literal(table.db) if table.db else None, "table": literal(table.name)}


def dependents(table: exp.Table) -> Statement:
    """List what hangs on a table of DuckDB or PostgreSQL."""
    return Statement("engines/dependents", {"quoted": _quoted(table), **_parts(table)})


def table_definition(table: exp.Table) -> Statement:
    """Describe a table of DuckDB as its catalog knows it; no row where it is none of the database in use."""
    catalog = literal(table.catalog) if table.catalog else None
    return Statement("engines/table_definition", {"catalog": catalog, **_parts(table)})


def insert_rows(
    table: exp.Table, columns: Sequence[str], staged: exp.Table, released: Sequence[str]
) -> Statement:
    """Put the staged rows into the table that stands under the source's name."""
    return Statement(
        "engines/insert_rows",
        {
            "table": table,
            "columns": [name(c) for c in columns],
            "staged": staged,
            "released": [column(c) for c in released],
        },
    )


# ---- PostgreSQL: the table stays, its rows and columns change ----


def lock_table(table: exp.Table) -> Statement:
    """Let nobody else write to a table until the transaction ends."""
    return Statement("engines/lock_table", {"table": table})


def truncate(table: exp.Table) -> Statement:
    """Take all rows away."""
    return Statement("engines/truncate", {"table": table})


def reshape(
    table: exp.Table,
    *,
    not_null: Sequence[str],
    gone: Sequence[str],
    retyped: Mapping[str, str],
    new: Mapping[str, str],
) -> Statement:
    """Give an empty table the columns of the release; `retyped` and `new` are names with types."""
    return Statement(
        "engines/reshape",
        {
            "table": table,
            "not_null": [name(c) for c in not_null],
            "gone": [name(c) for c in gone],
            "retyped": [
                {"name": name(c), "type": CatalogText(kind)} for c, kind in retyped.items()
            ],
            "new": [{"name": name(c), "type": CatalogText(kind)} for c, kind in new.items()],
        },
    )


def rewrite_table(table: exp.Table, mark: str) -> list[Statement]:
    """Write an empty table anew, by a column that comes and goes.

    The catalog then forgets what each added column held in the rows that were there before it.
    """
    return [
        Statement("engines/rewrite_table", {"table": table, "mark": name(mark)}),
        reshape(table, not_null=[], gone=[mark], retyped={}, new={}),
    ]


def drop_dependent(
    kind: str, table: exp.Table, object_: exp.Table | None, part: str | None
) -> Statement:
    """Drop what hangs on a table, or a part of it."""
    leaves = {
        "kind": kind,
        "table": table,
        "object": object_,
        "part": None if part is None else name(part),
    }
    return Statement("engines/drop_dependent", leaves)


def refresh_view(view: exp.Table) -> Statement:
    """Compute a materialized view again."""
    return Statement("engines/refresh_view", {"view": view})


def count_statistics(table: exp.Table) -> Statement:
    """Count the statistics of a table and its indexes, and those this transaction wrote of any."""
    return Statement("engines/count_statistics", {"quoted": _quoted(table)})


def check_constraints() -> Statement:
    """Check deferred constraints before the transaction ends."""
    return Statement("engines/check_constraints")


def grantees(table: exp.Table) -> Statement:
    """Ask who has rights on a new table, but for its owner; None is everybody."""
    return Statement("engines/grantees", {"quoted": _quoted(table)})


def owner_of(table: exp.Table) -> Statement:
    """Ask who owns a table."""
    return Statement("engines/owner_of", {"quoted": _quoted(table)})


def set_owner(table: exp.Table, owner: str) -> Statement:
    """Give a table to an owner."""
    return Statement("engines/set_owner", {"table": table, "owner": name(owner)})


def revoke(table: exp.Table, who: str | None) -> Statement:
    """Take every right on a table from someone; None is everybody."""
    return Statement("engines/revoke", {"table": table, "who": None if who is None else name(who)})


def vacuum_full(table: exp.Table) -> Statement:
    """Write a table of the server anew."""
    return Statement("engines/vacuum_full", {"table": table})


# ---- DuckDB: another table is made under the name ----


def alter_nothing(table: exp.Table, comment: str | None) -> Statement:
    """Alter a table in nothing: its comment becomes what it is."""
    if comment is None:
        return Statement("engines/comment_on_nothing", {"table": table})
    return comment_on("table", table, comment)


def comment_on(kind: str, object_: exp.Expr, text: str) -> Statement:
    """Say what a `table`, a `column` or an `index` is for."""
    return Statement("engines/comment_on", {"kind": kind, "object": object_, "text": literal(text)})


def create_in_place(
    table: exp.Table,
    columns: Sequence[tuple[str, str, str | None, bool]],
    constraints: Sequence[str],
) -> Statement:
    """Make the table: names with types, defaults, and whether they are never NULL."""
    listed = [
        {
            "name": name(text),
            "type": CatalogText(kind),
            "default": None if default is None else CatalogText(default),
            "not_null": not_null,
        }
        for text, kind, default, not_null in columns
    ]
    leaves = {
        "table": table,
        "columns": listed,
        "constraints": [CatalogText(text) for text in constraints],
    }
    return Statement("engines/create_in_place", leaves)


def drop_index(index: exp.Table) -> Statement:
    """Drop an index."""
    return Statement("engines/drop_index", {"index": index})


def recreate(text: str) -> Statement:
    """Make an index again as the catalog wrote it."""
    return Statement("engines/recreate", {"text": CatalogText(text.rstrip("; \n"))})


def checkpoint() -> Statement:
    """Write what was committed into the file."""
    return Statement("engines/checkpoint")


def database_in_use() -> Statement:
    """Name the database in use, and its file."""
    return Statement("engines/database_in_use")


def attach_file(path: str, as_: str) -> Statement:
    """Open a new file beside."""
    return Statement("engines/attach_file", {"path": literal(path), "as": name(as_)})


def copy_database(from_: str, to: str) -> Statement:
    """Copy one database to another."""
    return Statement("engines/copy_database", {"from": name(from_), "to": name(to)})


def detach(database: str) -> Statement:
    """Close another database."""
    return Statement("engines/detach", {"name": name(database)})


def tables_of_database(database: str) -> Statement:
    """Name the tables of a database with their schemas."""
    return Statement("engines/tables_of_database", {"database": literal(database)})


def count_rows_of_each(database: str, tables: Sequence[tuple[str, str]]) -> Statement:
    """Count the rows of each of the tables, by schema and name, of a database."""
    leaves = [
        {"number": literal(n), "table": named(text, schema=schema, catalog=database)}
        for n, (schema, text) in enumerate(tables)
    ]
    return Statement("engines/count_rows_of_each", {"tables": leaves})


def inventory(database: str) -> Statement:
    """Count and hash what a database declares."""
    return Statement("engines/inventory", {"database": literal(database)})


# ---- Spark: a table is made beside, and two names change ----


def describe_extended(table: exp.Table) -> Statement:
    """Describe a table of Spark: its columns, and after them what kind of table it is."""
    return Statement("engines/describe_extended", {"table": table})


def table_properties(table: exp.Table) -> Statement:
    """List the properties of a table."""
    return Statement("engines/table_properties", {"table": table})


def create_replacement(
    table: exp.Table,
    columns: Sequence[tuple[str, str, str | None]],
    *,
    provider: str,
    partitions: Sequence[str],
    comment: str | None,
    settings: Mapping[str, str],
) -> Statement:
    """Make a table of the same kind as the original: names with types and comments."""
    return Statement(
        "engines/create_replacement",
        {
            "table": table,
            "columns": [
                {
                    "name": name(text),
                    "type": CatalogText(kind),
                    "comment": None if said is None else literal(said),
                }
                for text, kind, said in columns
            ],
            "provider": name(provider),
            "partitions": [name(c) for c in partitions],
            "comment": None if comment is None else literal(comment),
            "properties": [
                {"key": literal(key), "value": literal(value)} for key, value in settings.items()
            ],
        },
    )


def uncache(table: exp.Table) -> Statement:
    """Let executors forget a table's rows."""
    return Statement("engines/uncache", {"table": table})


def rename_table(table: exp.Table, to: exp.Table) -> Statement:
    """Give a table another name."""
    return Statement("engines/rename_table", {"table": table, "to": to})


def purge_table(table: exp.Table) -> Statement:
    """Drop a table and its files."""
    return Statement("engines/purge_table", {"table": table})
