"""Statements that open a source, describe it and hash its rows."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING
from urllib.parse import unquote

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.base.sql.quoting import (
    PLACEHOLDER,
    CatalogText,
    column,
    literal,
    name,
    query,
    standard_name,
    table,
)
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.files.file_texts import CODES_OF_MISSING, STAND_FOR_MISSING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.locations import Source

SEED = "#1#"
"""What a lot is drawn with, between the texts that are hashed."""
SLACK = Fraction(21, 20)
"""How many rows are drawn for each that is kept; a lot does not draw exactly the share that it is to."""
UNKNOWN_FUNCTIONS = (exp.Anonymous, exp.AnonymousAggFunc, exp.Command)
"""Functions and statements that sqlglot knows by their names alone."""
MOST_SPELLINGS = 12
"""The most spellings of texts that stand for a missing value which are listed of a column."""
TEXT_FILES, JSON_FILES = (
    (".csv", ".tsv", ".tab", ".txt", ".zip", ".xlsx"),
    (".json", ".jsonl", ".ndjson"),
)


def has_ending(path: str) -> bool:
    """Return whether a path ends as a file of data does, and not as a folder."""
    return _stem(path).endswith((*TEXT_FILES, *JSON_FILES, ".parquet"))


def _stem(path: str) -> str:
    return path.lower().removesuffix(".gz").removesuffix(".zst")


def hadoop_path(pattern: str) -> str:
    r"""Write a pattern as Hadoop reads it; it finds a folder's partitions by itself.

    >>> print(hadoop_path("/a{b}/[[]c]/**/*.parquet"))
    /a\{b\}/\[c]
    """
    text = pattern.removesuffix("/**/*.parquet").replace("\\", "\\\\")
    text = re.sub(r"\[([*?[])\]", r"\\\1", text)
    return text.replace("{", "\\{").replace("}", "\\}")


def kind_of(path: str) -> str:
    """Recognize by the ending of a path or glob what is in it: csv, json, or else parquet."""
    if _stem(path).endswith(TEXT_FILES):
        return "csv"
    return "json" if _stem(path).endswith(JSON_FILES) else "parquet"


def open_file(
    view: exp.Table,
    path: str,
    *,
    kind: str,
    base: str | None = None,
    delimiter: str | None = None,
    union_by_name: bool = False,
    partitions: Sequence[str] = (),
    above: Sequence[str] = (),
    columns: Sequence[tuple[str, str]] = (),
    skip: int = 0,
    names: Sequence[str] = (),
    every_folder: bool = False,
) -> Statement:
    """Open a path or glob: text files are loaded once, Parquet is read where it is.

    Folders below `base` may be `partitions`; None where there are none. DuckDB needs their keys, as they are
    spelled, and those of the folders `above`, which it would read too. Spark needs `columns` with their types,
    where files have narrower ones. `skip` is the number of lines above the header of a text file;
    one without a header gets `names`. In `every_folder` Spark finds files, of which none is a partition then.
    """
    leaves: dict[str, object] = {
        "view": view,
        "path": literal(path),
        "base": literal(base) if base is not None else None,
    }
    if kind == "csv":
        leaves["delimiter"] = literal(delimiter) if delimiter else None
        leaves["absent"] = literal(ABSENT)
        leaves["skip"] = skip
        leaves["names"] = [{"name": name(text), "text": literal(text)} for text in names]
        leaves["union_by_name"] = union_by_name
        return Statement("source/read_csv", leaves)
    if kind == "json":
        return Statement("source/read_json", leaves)
    leaves["union_by_name"] = union_by_name
    leaves["partitions"] = [{"folder": name(key), "as": name(unquote(key))} for key in partitions]
    leaves["columns"] = [{"name": name(text), "type": CatalogText(kind)} for text, kind in columns]
    leaves["every_folder"] = every_folder
    leaves["folders"] = [name(key) for key in dict.fromkeys((*partitions, *above))]
    return Statement("source/read_parquet", leaves)


def write_plainly(path: str, copy: str, source: Source) -> Statement:
    """Write a text file with the quotes and comments of a source again, as CSV with commas and double quotes."""
    leaves = {**_marked_lines(path, source), "copy": literal(copy)}
    return Statement("source/write_plainly", leaves)


def count_marked_lines(path: str, source: Source) -> Statement:
    """Count the lines of a text file with the quotes and comments of a source; an error, if one does not fit."""
    return Statement("source/counts/count_marked_lines", _marked_lines(path, source))


def _marked_lines(path: str, source: Source) -> dict[str, object]:
    return {
        "path": literal(path),
        "delimiter": literal(source.delimiter) if source.delimiter else None,
        "quote": literal(source.quote or '"'),
        "comment": literal(source.comment or ""),
        "skip": source.skip,
    }


def find_marks(path: str, delimiter: str | None) -> Statement:
    """Find the quote and the comment of a text file as DuckDB guesses them."""
    leaves = {"path": literal(path), "delimiter": literal(delimiter) if delimiter else None}
    return Statement("source/find_marks", leaves)


def header_signs(
    source: exp.Table, columns: Sequence[tuple[str, str]], missing: Sequence[str], *, most: int
) -> Statement:
    """Count values, numbers, days and the text beside its name, of each column, in the first rows of a text file."""
    described = [{"column": column(text, of="f"), "text": literal(own)} for text, own in columns]
    leaves = {
        "source": source,
        "columns": described,
        "missing": [literal(each) for each in missing],
        "one": literal(1),
        "most": most,
    }
    return Statement("source/header_signs", leaves)


def count_named_fields(
    source: exp.Table, columns: Sequence[tuple[str, str]], *, most: int
) -> Statement:
    """Count the first rows of a text file in which a column has the text beside its name for a value."""
    described = [{"column": column(text, of="f"), "text": literal(own)} for text, own in columns]
    leaves = {"source": source, "columns": described, "most": most}
    return Statement("source/counts/count_named_fields", leaves)


ABSENT = "\ue000 no value \ue000"
"""How Spark's reader of CSV reads an empty field, so that it differs from an empty text."""


def survey_files(path: str, *, depth: int) -> Statement:
    """Count how Parquet files differ; `depth` folders are above what may be partitions."""
    return Statement("source/survey_files", {"path": literal(path), "depth": depth})


def find_format_marks(patterns: Sequence[str], path: str) -> Statement:
    """Find a file of some patterns whose path matches a regular expression."""
    leaves = {"patterns": [literal(each) for each in patterns], "path": literal(path)}
    return Statement("source/find_format_marks", leaves)


PATH_FORMATS = frozenset({"parquet", "csv", "json", "orc", "avro", "text", "binaryfile"})
"""Formats that Spark SQL names before the path of files that it reads as they are."""
NAMED_ARGUMENTS = (exp.EQ, exp.PropertyEQ, exp.Kwarg)
"""Arguments by name, which are options of a reader."""
OF_FORMATS = re.compile("delta|iceberg|ducklake|hudi", re.IGNORECASE)


def files_in(text: str, *, dialect: str) -> list[str]:
    """Return the paths and patterns of files that a user's query reads as they are.

    Not those that are read by a function of a table format, nor paths that are no constants.

    >>> files_in("SELECT * FROM read_parquet(['a/*.parquet', 'b'], x = 'y'), 'c.csv'", dialect="duckdb")
    ['a/*.parquet', 'b', 'c.csv']
    >>> files_in("SELECT * FROM delta_scan('a'), b", dialect="duckdb")
    []
    >>> files_in("SELECT * FROM parquet.`/a`, delta.`/b`", dialect="spark")
    ['/a']
    """
    found = []
    for each in query(text, dialect=dialect).find_all(exp.Table, bfs=False):
        if isinstance(each.this, exp.Func):
            if not OF_FORMATS.search(
                each.this.name if isinstance(each.this, exp.Anonymous) else ""
            ):
                inside = each.this.walk(
                    bfs=False, prune=lambda node: isinstance(node, NAMED_ARGUMENTS)
                )
                found += [node.name for node in inside if node.is_string]
        elif has_ending(each.name) or each.db.lower() in PATH_FORMATS:
            found.append(each.name)
    return found


def tables_of(text: str, *, dialect: str) -> tuple[list[exp.Table], set[str]] | None:
    """Return the tables in the text of a view, and the subqueries that it names itself.

    Without files. None where a function is unknown, which may read anything.

    >>> tables, own = tables_of("WITH a AS (FROM b) SELECT * FROM a, c.d", dialect="duckdb")
    >>> sorted(each.name for each in tables), own
    (['a', 'b', 'd'], {'a'})
    >>> tables_of("SELECT * FROM my_macro('d')", dialect="duckdb")
    """
    try:
        tree = sqlglot.parse_one(text, read=dialect)
    except (SqlglotError, RecursionError):
        return None
    query = tree.expression if isinstance(tree, exp.Create) else tree
    if not isinstance(query, exp.Query) or query.find(*UNKNOWN_FUNCTIONS) is not None:
        return None
    found = [
        table(each.name, schema=each.db or None, catalog=each.catalog or None)
        for each in query.find_all(exp.Table)
        if isinstance(each.this, exp.Identifier) and not has_ending(each.name)
    ]
    return found, {cte.alias for cte in query.find_all(exp.CTE)}


def undo_escapes(
    view: exp.Table, origin: exp.Table, columns: Sequence[str], misread: Collection[str]
) -> Statement:
    """See files with the values that the names of their folders mean, where Spark read bytes as characters."""
    seen = [{"column": column(c, of="o"), "as": name(c), "misread": c in misread} for c in columns]
    return Statement("source/undo_escapes", {"view": view, "origin": origin, "columns": seen})


def count_other_labels(
    listed: exp.Table, path: str, key: str, own: ColumnType, *, union_by_name: bool
) -> Statement:
    """Count the rows of files, and those of which a column differs from what the folders of that name say."""
    leaves = {
        "listed": listed,
        "path": literal(path),
        "folder": literal(f".*/{re.escape(key)}=([^/]*)/"),
        "column": column(own.name, of="f"),
        "type": CatalogText(own.type),
        "union_by_name": union_by_name,
    }
    return Statement("source/counts/count_other_labels", leaves)


def open_table(view: exp.Table, origin: exp.Table) -> Statement:
    """Open a table of the database under a name of this run."""
    return Statement("source/read_table", {"view": view, "origin": origin, "is_query": False})


def open_query(view: exp.Table, text: str, *, dialect: str) -> Statement:
    """Open a user's own query under a name of this run; raises ValueError if it is not one SELECT."""
    return open_tree(view, query(text, dialect=dialect))


def open_tree(view: exp.Table, origin: exp.Query) -> Statement:
    """Open a parsed query under a name of this run."""
    return Statement("source/read_table", {"view": view, "origin": origin, "is_query": True})


def locate(table: exp.Table) -> Statement:
    """Find a table or view by name; binds the name itself."""
    return Statement(
        "source/locate",
        {
            "bind": PLACEHOLDER,
            "schema": literal(table.db) if table.db else None,
            "catalog": literal(table.catalog) if table.catalog else None,
        },
        params=(table.name,),
    )


def list_tables() -> Statement:
    """List the tables and views of a database: schema, or none where a bare name finds it, and name first."""
    return Statement("source/list_tables")


def commented_tables(schema: str | None, catalog: str | None) -> Statement:
    """List the tables of a schema, or of the current one, that have a comment."""
    leaves = {
        "schema": literal(schema) if schema else None,
        "catalog": literal(catalog) if catalog else None,
    }
    return Statement("source/commented_tables", leaves)


def catalog_of(view: exp.Table) -> Statement:
    """Find the database in which a view of this name would be created."""
    first = view.catalog or view.db
    return Statement("source/catalog_of", {"first": literal(first) if first else None})


def view_texts(view: exp.Table | None = None) -> Statement:
    """Read the texts of all views, or of one that is named in full."""
    parts = (None, None, None) if view is None else (view.name, view.db, view.catalog)
    leaves = {
        part: literal(text) if text else None
        for part, text in zip(("view", "schema", "catalog"), parts, strict=True)
    }
    return Statement("source/view_texts", leaves)


def collation_probe(table: exp.Table, origin: exp.Table, columns: Sequence[str]) -> Statement:
    """Create an empty table whose columns have the collations of others, in their order."""
    leaves = {"collations": table, "origin": origin, "columns": [column(each) for each in columns]}
    return Statement("source/collation_probe", leaves)


def table_text(table: exp.Table) -> Statement:
    return Statement("source/table_text", {"table": literal(table.name)})


def collated_columns(table: exp.Table) -> Statement:
    """List the columns that compare texts as equal whose bytes differ."""
    return Statement("source/collated_columns", {"quoted": _quoted(table)})


def columns_of(table: exp.Table) -> Statement:
    return Statement("source/columns_of", {"table": table, "quoted": _quoted(table)})


def _quoted(table: exp.Table) -> exp.Expr:
    return literal(standard_name(table))


def text_columns(
    view: exp.Table, origin: exp.Table, columns: Sequence[tuple[str, bool]]
) -> Statement:
    """Read some columns of a source as plain text; each column is a name and whether it is one of them."""
    described = [
        {"column": column(text), "as": name(text), "plainly": plainly} for text, plainly in columns
    ]
    return Statement("source/text_columns", {"view": view, "origin": origin, "columns": described})


def in_place_of_table(statement: Statement, *, dialect: str) -> exp.Subquery:
    """Give a query as what other statements read in the place of a table."""
    return query(statement.render(dialect), dialect=dialect).subquery()


def count_missing_texts(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the rows of columns of texts that have a text of the list of those that stand for a missing value."""
    leaves = {
        "source": source,
        "columns": [column(each, of="s") for each in columns],
        "listed": [literal(text) for text in STAND_FOR_MISSING],
        "most": MOST_SPELLINGS,
    }
    return Statement("source/counts/count_missing_texts", leaves)


def count_codes(source: exp.Table, columns: Sequence[str], weight: str | None = None) -> Statement:
    """Count the rows of columns of numbers that have a code which may stand for a missing value."""
    leaves = {
        "source": source,
        "columns": [column(each, of="s") for each in columns],
        "weight": None if weight is None else column(weight, of="s"),
        "codes": [literal(code) for code in CODES_OF_MISSING],
    }
    return Statement("source/counts/count_codes", leaves)


def filter_rows(view: exp.Table, origin: exp.Table, condition: exp.Paren) -> Statement:
    """Keep the rows of a source that meet a condition."""
    return Statement("source/filter_rows", {"view": view, "origin": origin, "condition": condition})


def rows_of_partition(
    view: exp.Table, origin: exp.Table, values: Sequence[tuple[str, str]]
) -> Statement:
    """Keep the rows of a source whose columns have these values, as texts."""
    described = [{"column": column(each, of="s"), "value": literal(text)} for each, text in values]
    leaves = {"view": view, "origin": origin, "columns": described}
    return Statement("source/rows_of_partition", leaves)


def without_nulls(view: exp.Table, origin: exp.Table, columns: Sequence[str]) -> Statement:
    """Keep the rows of a source that are NULL in none of some columns."""
    leaves = {"view": view, "origin": origin, "columns": [column(each, of="s") for each in columns]}
    return Statement("source/without_nulls", leaves)


def without_suppressed(
    view: exp.Table, origin: exp.Table, columns: Sequence[str], label: str
) -> Statement:
    """Keep the rows of a table of which not every one of these columns reads as a label."""
    leaves = {
        "view": view,
        "origin": origin,
        "columns": [column(each, of="s") for each in columns],
        "label": literal(label),
    }
    return Statement("source/without_suppressed", leaves)


def fingerprint(table: exp.Table, columns: Sequence[str], *, rows: int = 0) -> Statement:
    """Count the rows and hash them whatever their order: the same on every engine."""
    described = [(text, False) for text in columns]
    return Statement("source/fingerprint", row_texts(table, described), scans=rows)


def seal(source: exp.Table, columns: Sequence[tuple[str, bool]], *, rows: int) -> Statement:
    """Count the rows and hash them whatever their order, so that nobody can construct others of that hash."""
    return Statement("source/seal", row_texts(source, columns), scans=rows)


def row_texts(source: exp.Table, columns: Sequence[tuple[str, bool]]) -> dict[str, object]:
    """Build the leaves by which each row is one text; each column is a name and whether it is nested."""
    described = [{"column": column(text, of="s"), "nested": nested} for text, nested in columns]
    return {"source": source, "columns": described}


def hash_rows(
    table: exp.Table,
    columns: Sequence[str],
    *,
    rows: int,
    typed: Collection[str] = (),
    types: Mapping[str, exp.Table | None] | None = None,
    wholes: Collection[str] = (),
) -> Statement:
    """Count rows and hash them by what this engine hashes fastest, to notice that they change.

    Columns are hashed as texts, so that a hash depends on no type, but for those that are `typed`, and as numbers if they are `wholes`,
    of 64 bits at most. Those in `types` are hashed as labels of that type, or as they are if it is None, and counted.
    """
    types = types or {}
    described = [
        {
            "column": column(text, of="s"),
            "typed": text in typed or text in types,
            "type": types.get(text),
            "counted": text in types,
            "whole": text in wholes,
        }
        for text in columns
    ]
    return Statement("source/hash_rows", {"source": table, "columns": described}, scans=rows)


def count_rows(table: exp.Table) -> Statement:
    return Statement("source/counts/count_rows", {"table": table})


def count_weights(table: exp.Table, weight: str) -> Statement:
    """Count tuples, the rows that they stand for, and the weights that are no whole number of at least 1."""
    return Statement("source/counts/count_weights", {"table": table, "weight": column(weight)})


def repeated_rows(
    view: exp.Table,
    origin: exp.Table,
    columns: Sequence[str],
    weight: str,
    *,
    most: int | None = None,
) -> Statement:
    """See each tuple as often as its weight says, at `most` so often, in some of its columns."""
    own = (name(text) for text in free_names(3, columns))
    described = [{"column": column(text, of="s"), "as": name(text)} for text in columns]
    return Statement(
        "source/repeated_rows",
        {
            "view": view,
            "origin": origin,
            "columns": described,
            "weight": column(weight, of="s"),
            "most": None if most is None else literal(most),
            **dict(zip(("block", "blocks", "times"), own, strict=True)),
        },
    )


def policy_columns(
    view: exp.Table, origin: exp.Table, columns: Sequence[tuple[str, bool]], weight: str
) -> Statement:
    """See a frequency set with all columns of a policy; each column is a name and whether it was counted."""
    described = [
        {"column": column(text, of="f"), "as": name(text), "counted": counted}
        for text, counted in columns
    ]
    leaves = {"columns": described, "weight": column(weight, of="f"), "count": name(weight)}
    return Statement("source/policy_columns", {"view": view, "origin": origin, **leaves})


def read_weight(
    view: exp.Table, origin: exp.Table, columns: Sequence[str], weight: str
) -> Statement:
    """See a source of texts with the numbers of rows that its tuples stand for as numbers."""
    leaves = {
        "columns": [column(each, of="f") for each in columns],
        "weight": column(weight, of="f"),
        "count": name(weight),
    }
    return Statement("source/read_weight", {"view": view, "origin": origin, **leaves})


def free_names(many: int, taken: Iterable[str]) -> list[str]:
    """Choose names that no column has, whatever its case.

    >>> free_names(2, ["Kanon_1", "age"])
    ['kanon_0', 'kanon_2']
    """
    folded = {text.casefold() for text in taken}
    numbered = (f"kanon_{number}" for number in range(many + len(folded)))
    return [text for text in numbered if text not in folded][:many]


def count_missing(source: exp.Table, entity: str, *, rows: int) -> Statement:
    """Count the rows whose entity is NULL."""
    leaves = {"source": source, "entity": column(entity)}
    return Statement("source/counts/count_missing", leaves, scans=rows)


def count_repeats(source: exp.Table, columns: Sequence[str], *, rows: int) -> Statement:
    """Count, for each column, the values that were there before."""
    leaves = {"source": source, "columns": [column(text) for text in columns]}
    return Statement("source/counts/count_repeats", leaves, scans=rows)


LEAST_DRAWN = 5_000
"""The least sample that is drawn from a part of a source's rows."""


def sample_rows(
    sample: exp.Table, source: exp.Table, rows: int, *, of: int, columns: Sequence[str] = ()
) -> Statement:
    """Draw a random sample of so many rows `of` a source's rows, which are more, with these columns or all."""
    many = rows >= LEAST_DRAWN  # of few rows, a tenth more can be fewer by chance
    share = min(Decimal(110 * rows) / of, Decimal(100)) if many else Decimal(100)
    leaves = {
        "sample": sample,
        "source": source,
        "rows": rows,
        "percent": share.quantize(Decimal("0.0001"), rounding=ROUND_UP),
        "columns": [column(text, of="s") for text in columns],
    }
    return Statement("source/sample_rows", leaves)


def numbered_sample(
    sample: exp.Table,
    source: exp.Table,
    columns: Sequence[str],
    told_apart: Iterable[str],
    number: str,
    *,
    entity: str | None,
    share: Fraction | None,
    most: int,
    rows: int,
) -> Statement:
    """Copy rows by lot, with their numbers; rows are told apart by some columns. No `share` means all of them.

    A few rows more than the share are drawn, so that `most` are left; of entities, whose rows stay together, a few less.
    """
    drawn = None
    if share is not None:
        drawn = literal(int(min(share / SLACK if entity else share * SLACK, Fraction(1)) * 2**60))
    return Statement(
        "source/numbered_sample",
        {
            "sample": sample,
            "source": source,
            "columns": [{"from": column(each, of="s"), "as": name(each)} for each in columns],
            "texts": [column(each, of="s") for each in told_apart],
            "entity": None if entity is None else column(entity, of="s"),
            "share": drawn,
            "most": None if share is None else literal(most),
            "seed": literal(SEED),
            "number": name(number),
        },
        scans=rows,
    )


def first_rows(table: exp.Table, rows: int) -> Statement:
    return Statement("source/first_rows", {"table": table, "rows": rows})
