"""A release in place: what changes in the table that it replaces, what depends on that table, and the statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import CatalogText, column, literal, name, standard_name
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import ReleaseError, VerificationError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine

NO_JOINING = (
    "has a transaction open, which may not see rows that others committed since; commit it first, "
    "for a release in place needs one of its own"
)


class WrittenMeanwhileError(ReleaseError):
    """Rows were written to the source after the run's snapshot was taken. The run has to start again."""


LISTS = "lists every value of a column, and stays; drop it after the release"
"""Why an ENUM type is a dependent: it loses nothing, but it still shows all raw values."""


@dataclass(frozen=True, slots=True)
class ColumnChanges:
    """What may happen to the columns of a source, derived from the policy before a level is chosen.

    `removed` are not released under their names: of these, `bounded` are released as two columns. `changed`
    get other values, perhaps of another type; of these, `nulled` become NULL.
    """

    removed: frozenset[str]
    bounded: frozenset[str]
    changed: frozenset[str]
    nulled: frozenset[str]

    def lose(self, columns: Collection[str] | None) -> bool:
        return not self.removed.isdisjoint(columns or ())

    def touch(self, columns: Collection[str] | None) -> bool:
        """Whether one of the columns is dropped or changes."""
        return self.lose(columns) or not self.changed.isdisjoint(columns or ())


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that depends on a table. A policy accepts its loss by `name`.

    `loss` says what is lost, or what still shows raw values afterwards; the swap keeps a dependent without it.
    A policy cannot accept one that is `barred`. `before` and `after` are executed around the swap.
    """

    name: str
    loss: str | None = None
    barred: bool = False
    before: tuple[Statement, ...] = ()
    after: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Swap:
    """The staged rows that replace those of a table. `kept` is a table for the original rows, or None."""

    table: exp.Table
    staged: exp.Table
    columns: tuple[str, ...]
    rows: int
    kept: exp.Table | None
    changes: ColumnChanges
    dependents: tuple[Dependent, ...]

    def recount(self, engine: Engine, table: exp.Table) -> None:
        """Count the rows of a written table. Raises VerificationError unless they are as many as verified."""
        rows = engine.fetch_count(source_sql.count_rows(table))
        if rows != self.rows:
            raise VerificationError(
                f"{counted(self.rows, 'row')} should be written, and {rows:,} were; nothing was published"
            )


def _quoted(table: exp.Table) -> exp.Expr:
    return literal(standard_name(table))


def _parts(table: exp.Table) -> dict[str, object]:
    return {"schema": literal(table.db) if table.db else None, "table": literal(table.name)}


def dependents(table: exp.Table) -> Statement:
    """List what depends on a table of DuckDB or PostgreSQL."""
    return Statement("engines/dependents", {"quoted": _quoted(table), **_parts(table)})


def table_definition(table: exp.Table) -> Statement:
    """Describe a table as DuckDB's catalog does; no row if it is not of the current database."""
    catalog = literal(table.catalog) if table.catalog else None
    return Statement("engines/table_definition", {"catalog": catalog, **_parts(table)})


def insert_rows(
    table: exp.Table, columns: Sequence[str], staged: exp.Table, *, overriding: bool = False
) -> Statement:
    """Insert staged rows; `overriding` the values that a server would compute for identity columns."""
    return Statement(
        "engines/insert_rows",
        {
            "table": table,
            "columns": [name(c) for c in columns],
            "staged": staged,
            "released": [column(c) for c in columns],
            "overriding": overriding,
        },
    )


# ---- PostgreSQL: the table stays, its rows and columns change ----


def reshape(
    table: exp.Table,
    *,
    not_null: Sequence[str],
    removed: Sequence[str],
    retyped: Mapping[str, str],
    new: Mapping[str, str],
) -> Statement:
    """Change the columns of an empty table to those of the release; `retyped` and `new` are names with types."""
    return Statement(
        "engines/reshape",
        {
            "table": table,
            "not_null": [name(c) for c in not_null],
            "removed": [name(c) for c in removed],
            "retyped": [
                {"name": name(c), "type": CatalogText(kind)} for c, kind in retyped.items()
            ],
            "new": [{"name": name(c), "type": CatalogText(kind)} for c, kind in new.items()],
        },
    )


def rewrite_table(table: exp.Table, mark: str) -> list[Statement]:
    """Rewrite an empty table, by a column that is added and dropped.

    The catalog then forgets the default that each added column had for the rows that existed before it.
    """
    return [
        command("rewrite_table", table, name(mark)),
        reshape(table, not_null=[], removed=[mark], retyped={}, new={}),
    ]


def drop_dependent(
    kind: str, table: exp.Table, object_: exp.Table | None, part: str | None
) -> Statement:
    """Drop an object that depends on a table, or a part of the table."""
    leaves = {
        "kind": kind,
        "table": table,
        "object": object_,
        "part": None if part is None else name(part),
    }
    return Statement("engines/drop_dependent", leaves)


def count_statistics(table: exp.Table, *, own: bool = False) -> Statement:
    """Count the statistics of a table, its partitions and indexes, and those that this transaction wrote of any.

    Of a table that is above others, `own` counts only those of the table itself over all of them.
    """
    return Statement("engines/count_statistics", {"quoted": _quoted(table), "own": own})


def row_versions(table: exp.Table) -> Statement:
    """Count the row versions of a table that this snapshot sees, and hash where they lie."""
    return Statement("engines/row_versions", {"table": table})


def holds_definition(table: exp.Table, session: int) -> Statement:
    """Count 1 if a session of this server holds the definition of a table, all rows of which this one may read."""
    leaves = {"quoted": _quoted(table), "session": literal(session)}
    return Statement("engines/holds_definition", leaves)


def grantees(table: exp.Table) -> Statement:
    """List who has rights on a new table, but for its owner; NULL is everybody."""
    return Statement("engines/grantees", {"quoted": _quoted(table)})


def owner_of(table: exp.Table) -> Statement:
    return Statement("engines/owner_of", {"quoted": _quoted(table)})


# ---- DuckDB: another table is created under the name ----


def comment_on(kind: str, object_: exp.Expr, text: str | None) -> Statement:
    """Comment on a `table`, a `column` or an `index`, or remove its comment."""
    leaves = {"kind": kind, "object": object_, "text": None if text is None else literal(text)}
    return Statement("engines/comment_on", leaves)


def comment_on_view(view: exp.Table, note: str) -> Statement:
    return Statement("engines/comment_on_view", {"view": view, "note": literal(note)})


def create_in_place(
    table: exp.Table,
    columns: Sequence[tuple[str, str, str | None, bool]],
    constraints: Sequence[str],
) -> Statement:
    """Create the table: names with types, defaults, and whether they are NOT NULL."""
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


def recreate(text: str) -> Statement:
    """Create an index again from the catalog's own text."""
    return Statement("engines/recreate", {"text": CatalogText(text.rstrip("; \n"))})


def database_in_use() -> Statement:
    return Statement("engines/database_in_use")


def tables_of_database(database: str) -> Statement:
    return Statement("engines/tables_of_database", {"database": literal(database)})


def count_rows_of_each(database: str, tables: Sequence[tuple[str, str]]) -> Statement:
    """Count the rows of each table, which is a schema and a name, of a database."""
    leaves = [
        {"number": literal(n), "table": named(text, schema=schema, catalog=database)}
        for n, (schema, text) in enumerate(tables)
    ]
    return Statement("engines/count_rows_of_each", {"tables": leaves})


def inventory(database: str) -> Statement:
    """Count and hash what a database declares."""
    return Statement("engines/inventory", {"database": literal(database)})


# ---- Spark: a second table is created, and the two are renamed ----


def create_replacement(
    table: exp.Table,
    columns: Sequence[tuple[str, str, str | None]],
    *,
    provider: str,
    partitions: Sequence[str],
    comment: str | None,
    settings: Mapping[str, str],
) -> Statement:
    """Create a table of the same kind as the original: names with types and comments."""
    return Statement(
        "engines/create_replacement",
        {
            "table": table,
            "columns": [
                {
                    "name": name(text),
                    "type": CatalogText(kind),
                    "comment": None if note is None else literal(note),
                }
                for text, kind, note in columns
            ],
            "provider": name(provider),
            "partitions": [name(c) for c in partitions],
            "comment": None if comment is None else literal(comment),
            "properties": [
                {"key": literal(key), "value": literal(value)} for key, value in settings.items()
            ],
        },
    )
