"""The tables and files that a query or a view of a source reads, through views of any depth, and tables found by name.

Files of tables in formats such as Delta Lake are refused before they are read: they hold deleted rows, too.
"""

from __future__ import annotations

import glob
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import Dialect, TokenType, exp

from kanon_sql.base.sql.quoting import literal, parse_table_name, query, table
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.base.sql.templates import Statement
from kanon_sql.base.sql.words import dialect_of_words
from kanon_sql.counting.run.session import on_disk, resolve
from kanon_sql.engines.files.file_kinds import ENDINGS as LIBRARY_ENDINGS
from kanon_sql.engines.files.file_kinds import way_on
from kanon_sql.engines.local_files import slashes
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.source.source_sql import UNKNOWN_FUNCTIONS
from kanon_sql.engines.source.table_formats import (
    TABLE_FORMATS,
    TableFormat,
    format_named,
    format_of,
)
from kanon_sql.errors import Fault, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from kanon_sql.engines.base import Engine, Located

    Formats = tuple[TableFormat, ...]


ANYWHERE = tuple(each for each in TABLE_FORMATS if each.anywhere)
BELOW = "/**"
ESCAPED = re.compile(r"\[([*?[])\]")
BRACES = re.compile(r"\{[^{}]*\}")
"""Alternatives in a pattern of Hadoop. Here they are replaced by `*`, which matches any name."""
UNLISTED = ("http://", "https://")
"""Schemes of addresses whose folders cannot be listed."""


def check_plain(engine: Engine, pattern: str, base: str | None) -> None:
    """Raise SourceError if the files of a pattern belong to a table of a format.

    Looks into the folders of the files, the folders between them and the pattern's fixed part, `base` (None for one
    file), and all folders above that. Raises StatementError if the folders of the pattern cannot be listed. The walk
    upwards ends at the first folder that cannot be listed.
    """
    if pattern.lower().startswith(UNLISTED):
        return
    found = _found(engine, pattern, base)
    if found:
        raise SourceError(pattern, [Fault("source", found.refusal)])


def check_query(engine: Engine, text: str, base: str) -> None:
    """Raise SourceError if a query of the policy names files of a table of a format.

    Raises ValueError if the text is not one SELECT.
    """
    for each in (
        source_sql.files_in(text, dialect=engine.dialect) if engine.capabilities.reads_files else ()
    ):
        path = resolve(on_disk(BRACES.sub("*", each), engine), base)
        if "://" in path:
            engine.make_readable(path)
        check_plain(engine, path, fixed_part(path) if glob.has_magic(path) else None)
        if not source_sql.has_ending(path):  # it may be a folder
            found = f"{path.rstrip('/')}{BELOW}/*.parquet"
            check_plain(engine, found, fixed_part(found))


def fixed_part(pattern: str) -> str:
    """Return the folders of a pattern before its first wildcard."""
    parts = []
    for part in pattern.split("/")[:-1]:
        plain = ESCAPED.sub(r"\1", part)
        if glob.escape(plain) != part:
            break
        parts.append(plain)
    return "/".join(parts)


def _found(engine: Engine, pattern: str, base: str | None) -> TableFormat | None:
    """Return the format of the table that files of a pattern belong to; None if they belong to no table."""
    parts = pattern.split("/")[:-1]
    fixed = len(parts) if base is None else len(base.split("/"))
    is_local = "://" not in pattern
    real = _real(parts[:fixed], pattern if base is None else None) if is_local else []
    for name in (*parts[:fixed][-2:], *real[-2:]):
        if found := format_named(name):
            return found
    for n in range(len(parts), fixed - 1, -1):
        formats = TABLE_FORMATS if n == len(parts) else _of_children(parts[n])
        if found := _marked(engine, "/".join(parts[:n]), formats):
            return found
    try:
        for n in range(fixed - 1, 0 if is_local else 2, -1):
            if found := _marked(engine, "/".join(parts[:n]), ANYWHERE):
                return found
    except StatementError:  # a role may read a folder without the right to list those above
        return None
    for n in range(len(real), 0, -1):
        if found := _marked(engine, "/".join(real[:n]), ANYWHERE):
            return found
    return None


def _of_children(pattern: str) -> Formats:
    """Return ANYWHERE, and the formats of which a mark may be a child folder that the pattern matches."""
    start = re.split(r"[*?[]", pattern)[0]

    def may_be(mark: str) -> bool:
        own = mark.partition("[")[0]
        return own.startswith(start) or start.startswith(own)

    own = (each for each in TABLE_FORMATS if each.own and any(map(may_be, each.marks)))
    return *ANYWHERE, *own


def _real(fixed: Sequence[str], file: str | None) -> list[str]:
    """Return the parts of the real folder of a path on this machine; none where no link leads elsewhere."""
    path = ESCAPED.sub(r"\1", file or "/".join(fixed))
    real = slashes(os.path.realpath(path))
    if real == path:
        return []
    return glob.escape(real if file is None else os.path.dirname(real)).split("/")  # noqa: PTH120


def _marked(engine: Engine, folder: str, formats: Formats) -> TableFormat | None:
    """Return the format of a folder, or of one that the pattern matches, if it has a mark; else None."""
    there = engine.format_marks(folder, formats) if "://" in folder else _on_disk(folder, formats)
    return next((found for path in there if (found := format_of(path, formats))), None)


def _on_disk(folder: str, formats: Formats) -> Iterator[str]:
    """List paths that may be marks in a folder of this machine; `**` matches all folders below."""
    if folder.endswith(BELOW):
        for top in glob.iglob(folder.removesuffix(BELOW) + "/", recursive=True):  # noqa: PTH207
            for root, names, files in os.walk(top):
                yield from (f"{root.rstrip('/')}/{name}" for name in (*names, *files))
        return
    for mark in (mark for each in formats for mark in each.marks):
        yield from glob.iglob(f"{folder}/{mark}", recursive=True)  # noqa: PTH207


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

    >>> from kanon_sql.base.sql.quoting import query
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

    >>> from kanon_sql.base.sql.quoting import query
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


def may_read(engine: Engine, origins: Iterable[Located], targets: Collection[Located]) -> bool:
    """Return whether an origin is one of the targets, or a view that may read one. In doubt, return True.

    A table with a target's name counts as the target, whatever its schema.
    """
    names = {target.name.casefold() for target in targets}
    seen: set[Located] = set()
    to_see = list(origins)
    while to_see:
        found = to_see.pop()
        if found in targets:
            return True
        if found in seen or found.kind != "view":
            continue
        seen.add(found)
        text = engine.view_text(found)
        read = None if text is None else source_sql.tables_of(text, dialect=engine.dialect)
        if read is None:
            return True
        tables, own = read
        for each in tables:
            there = _located(engine, each, found)
            if each.name.casefold() in names or not (there or each.name in own):
                return True
            to_see += there
    return False


def _located(engine: Engine, table: exp.Table, view: Located) -> list[Located]:
    """Find the tables that a name in a view's text may refer to: it may be resolved in the view's schema."""
    if table.db:
        return engine.locate(table)
    in_schema = named(table.name, schema=view.schema or None, catalog=view.catalog or None)
    return [*engine.locate(table), *engine.locate(in_schema)]


def open_query(engine: Engine, view: exp.Table, text: str, base: str) -> Statement:
    """Return the statement that opens a query of a policy. Raises ValueError if it is not one SELECT.

    Raises ValueError, too, if it calls a function that may write, and SourceError if it names files of a table that
    only its format can read. Paths in the query are relative to the policy's folder, as all paths of a policy are,
    whatever the working folder or a setting of the session.
    """
    check_query(engine, text, base)
    tree = _resolve_paths(engine, text, base)[0]
    check_not_volatile(engine, tree)
    return source_sql.open_tree(view, tree)


def check_not_volatile(engine: Engine, tree: exp.Expr) -> None:
    """Raise ValueError if SQL of a policy calls a function that may write.

    Databases do not distinguish functions that write from those that return another value at each call. Functions
    that views, operators, casts and other functions call are not found.
    """
    words, facts = words_in(tree, dialect=engine.dialect), engine.capabilities
    found = set()
    if facts.volatile is not None:
        known = re.compile(facts.volatile, re.IGNORECASE)
        found = {word.text.lower() for word in words if word.called and known.fullmatch(word.text)}
    if words and facts.lists_volatile:
        found |= {str(name) for (name,) in engine.fetch(volatile_functions(words))}
    if found:
        raise ValueError(
            f"calls {', '.join(sorted(found))}, which may write, or return other values at every call "
            f"(the database calls it volatile), and a run calls it several times; store its result in a "
            f"table of your own, or declare a function of your own that does neither as stable"
        )


def files_of(engine: Engine, text: str, base: str) -> tuple[list[str], bool]:
    """Return the files that a query of a policy names, and whether it can read no other file.

    A view, an unknown function and a computed path may read any file.
    """
    try:
        return _resolve_paths(engine, text, base)[1:]
    except ValueError:
        return [], False


def _resolve_paths(engine: Engine, text: str, base: str) -> tuple[exp.Query, list[str], bool]:
    tree = query(text, dialect=engine.dialect)
    found = named_in(tree, dialect=engine.dialect)
    paths, known = list(found.paths), found.known
    for each in found.tables:
        there = engine.locate(bare_name(each))
        if any(located.kind == "view" for located in there):
            known = False
        elif there or (not each.db and each.name.casefold() in found.own):
            continue
        elif each.db or not (source_sql.has_ending(each.name) or glob.has_magic(each.name)):
            known = False
        elif engine.capabilities.local_files:
            paths.append(each.this)
    for node in paths:
        node.set("this", _from_folder(base, node.name, engine))
    return tree, [on_disk(node.name, engine) for node in paths], known


def _from_folder(base: str, path: str, engine: Engine) -> str:
    """Return a path or pattern of a query, resolved against a folder."""
    path = os.path.expanduser(path)  # noqa: PTH111
    if "://" in path or os.path.isabs(path):  # noqa: PTH117
        return path
    folder = glob.escape(resolve("", base))
    if not engine.capabilities.local_files:
        folder = source_sql.hadoop_path(folder)
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118


ENDINGS = f"csv, tsv, tab, txt, zip, parquet, json, jsonl, ndjson, {', '.join(each[1:] for each in LIBRARY_ENDINGS)}"
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
