"""The names in a user's query: tables, paths of files, and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot import Dialect, TokenType, exp

from kanon_sql.source.source_sql import UNKNOWN_FUNCTIONS
from kanon_sql.sql.quoting import literal, table
from kanon_sql.sql.templates import Statement
from kanon_sql.sql.words import dialect_of_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

READERS = frozenset({
    "read_parquet", "parquet_scan", "parquet_metadata", "parquet_schema", "read_csv", "read_csv_auto",
    "sniff_csv", "read_json", "read_json_auto", "read_json_objects", "read_json_objects_auto", "read_ndjson",
    "read_ndjson_auto", "read_ndjson_objects", "read_text", "read_blob", "read_xlsx", "read_avro", "st_read",
    "delta_scan", "iceberg_scan", "glob",
})  # fmt: skip
"""Functions of DuckDB whose first argument is a path, a pattern, or a list of them."""
FORMATS = frozenset({"parquet", "csv", "json", "text", "orc", "avro", "binaryfile", "delta"})
"""Schemas of Spark whose tables are paths."""


class Named(NamedTuple):
    """The names in a query. `paths` are nodes of paths; names in `tables` may be files, too.

    `own` are the names of its CTEs. If it is not `known`, the query may also read data that it does
    not name: it computes paths, or calls functions that are not known here.
    """

    paths: list[exp.Expr]
    tables: list[exp.Table]
    own: set[str]
    known: bool


def named_in(tree: exp.Query, *, dialect: str) -> Named:
    """Find the names in a query.

    >>> from kanon_sql.sql.quoting import query
    >>> found = named_in(query("FROM read_csv(['a', 'b']), c", dialect="duckdb"), dialect="duckdb")
    >>> [node.name for node in found.paths], [each.name for each in found.tables], found.known
    (['a', 'b'], ['c'], True)
    >>> named_in(query("FROM read_csv('a' || 'b')", dialect="duckdb"), dialect="duckdb").known
    False
    """
    paths: list[exp.Expr] = []
    known = True
    for call in tree.find_all(exp.Func):
        reader = (call.name if isinstance(call, exp.Anonymous) else call.sql_name()).lower()
        if reader in READERS:
            texts = list(_texts(call))
            known = known and None not in texts
            paths += [node for node in texts if node is not None]
        elif isinstance(call, UNKNOWN_FUNCTIONS):
            known = False
    tables = []
    for each in tree.find_all(exp.Table):
        if isinstance(each.this, exp.Identifier):
            if dialect_of_words(dialect).names_paths and each.db.lower() in FORMATS:
                paths.append(each.this)
            else:
                tables.append(each)
    known = known and tree.find(exp.Command) is None
    return Named(paths, tables, {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}, known)


def _texts(call: exp.Func) -> Iterator[exp.Expr | None]:
    """Yield the nodes of the paths that a function reads; None for a path that is computed."""
    arguments = [call.this] if isinstance(call.this, exp.Expr) else call.expressions
    first = arguments[0] if arguments else None
    for node in first.expressions if isinstance(first, exp.Array) else [first]:
        yield node if isinstance(node, exp.Literal) and node.is_string else None


def bare_name(each: exp.Table) -> exp.Table:
    """Return a table's name with its schema and catalog, but without its alias and other parts."""
    return table(each.name, schema=each.db or None, catalog=each.catalog or None)


class Word(NamedTuple):
    """A name in a query that may be a function's: it is `called`, or follows a dot (`row.function`)."""

    text: str
    called: bool
    schema: str | None = None


def words_in(tree: exp.Expr, *, dialect: str) -> list[Word]:
    """Return the names in a query that may be functions', from its printed form, which is executed.

    PostgreSQL alone calls `row.function` without parentheses.

    >>> from kanon_sql.sql.quoting import query
    >>> tree = query("SELECT f(a), s.g(), t.h, 'i(' FROM t", dialect="postgres")
    >>> [tuple(word) for word in words_in(tree, dialect="postgres")]
    [('F', True, None), ('g', True, 's'), ('h', False, None)]
    """
    tokens = Dialect.get_or_raise(dialect).tokenize(tree.sql(dialect=dialect, comments=False))
    by_dot = dialect_of_words(dialect).calls_by_dot
    kinds = [None, *(token.token_type for token in tokens), None]
    found = []
    for n, token in enumerate(tokens):
        called, dotted = kinds[n + 2] is TokenType.L_PAREN, kinds[n] is TokenType.DOT
        if called or (dotted and by_dot):
            schema = tokens[n - 2].text if called and dotted and n > 1 else None
            found.append(Word(token.text, called, schema))
    return list(dict.fromkeys(found))


def volatile_functions(words: Sequence[Word]) -> Statement:
    """Return the statement that lists which of these functions the database calls volatile."""
    described = [
        {
            "text": literal(word.text),
            "called": word.called,
            "schema": literal(word.schema) if word.schema else None,
        }
        for word in words
    ]
    return Statement("source/volatile_functions", {"words": described})
