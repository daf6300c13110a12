"""The only values a SQL template may print: names, literals, placeholders, checked SQL of a user.

Templates set the shape of a statement; this module makes its leaves. A leaf is a sqlglot node,
so each dialect quotes it in its own way, and a plain string never reaches a statement.

Nearly all leaves are a quoted name, a column or table of such names, or a constant: `plain_printer` prints these
without sqlglot's SQL generators, which print them identically (a test compares every case) but take long to import.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import UnsafeSqlError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


PURE = frozenset(
    {
        exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Tuple,
        exp.And, exp.Or, exp.Not,
        exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ,
        exp.In, exp.Between, exp.Like, exp.ILike, exp.Escape,
        exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod,
        exp.Case, exp.If, exp.Coalesce, exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Abs,
        exp.Extract, exp.Var,
        exp.Cast, exp.TryCast, exp.DataType, exp.DataTypeParam,
    }
)  # fmt: skip
"""The node types that a user's condition may have. They can read one row and nothing else."""

TYPES = frozenset(
    exp.DataType.Type[kind]
    for kind in (
        "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE",
        "TEXT", "VARCHAR", "DATE", "TIMESTAMP", "TIMESTAMPNTZ", "TIMESTAMPTZ",
    )
)  # fmt: skip

WORD = re.compile("[A-Za-z_]+")

DOTTED = re.compile(r'(?:"(?:[^"]|"")+"|[^."]+)(?:\.(?:"(?:[^"]|"")+"|[^."]+)){0,2}')
PART = re.compile(r'"(?:[^"]|"")+"|[^."]+')

PLACEHOLDER = exp.Placeholder()
"""The place of a value that the engine binds."""


@dataclass(frozen=True, slots=True)
class CatalogText:
    """Text of the database's own catalog about an object: a type, a default, a constraint.

    The database has quoted such a text itself; none comes from a policy or from a row.
    """

    text: str


def name(text: str) -> exp.Identifier:
    """Quote one identifier; dots, quotes and keywords in it stay part of the name."""
    if not text or "\x00" in text:
        raise UnsafeSqlError(
            "an empty text or one with a NUL cannot be the name of a table or column"
        )
    return exp.to_identifier(text, quoted=True)


def column(text: str, *, of: str | None = None) -> exp.Column:
    """Return a quoted column; `of` is the alias of its table, where a statement has several tables."""
    return exp.column(name(text), table=name(of) if of else None, copy=False)


CODE = "code"


def code(text: str, *, of: str | None = None) -> exp.Column:
    """Return a column marked as holding codes. A code stands for one text: codes are compared, not bytes."""
    named = column(text, of=of)
    named.meta[CODE] = True
    return named


def is_code(leaf: object) -> bool:
    """Return whether a leaf names a column that holds codes."""
    return isinstance(leaf, exp.Column) and bool(leaf.meta.get(CODE))


def table(text: str, *, schema: str | None = None, catalog: str | None = None) -> exp.Table:
    """Return a quoted table name."""
    return exp.table_(
        name(text),
        db=name(schema) if schema else None,
        catalog=name(catalog) if catalog else None,
    )


def parse_table_name(text: str) -> exp.Table:
    """Split a table's name into its parts: dots separate them, double quotes keep a dot in a name.

    >>> parse_table_name('clinic."a.b"').sql(identify=True)
    '"clinic"."a.b"'
    """
    if not DOTTED.fullmatch(text):
        return table(text)
    catalog, schema, own = [
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in ["", "", *PART.findall(text)][-3:]
    ]
    return table(own, schema=schema or None, catalog=catalog or None)


def literal(value: str | int | Decimal) -> exp.Expr:
    """Quote one constant. Floats are refused: bounds in a hierarchy are exact or text."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise UnsafeSqlError(f"a {type(value).__name__} has no portable SQL literal")
    if isinstance(value, str) and "\x00" in value:
        raise UnsafeSqlError("a text with a NUL has no SQL literal")
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, Decimal) and not value.is_finite():
        raise UnsafeSqlError("a number that is not finite has no SQL literal")
    number = exp.Literal.number(format(Decimal(value).copy_abs(), "f"))
    return exp.Neg(this=number) if value < 0 else number


def query(text: str, *, dialect: str) -> exp.Query:
    """Parse a user's query: exactly one SELECT, with no nested statement that writes. Raises ValueError.

    A function in it may still write: the caller refuses functions that the database calls volatile. The parsed
    tree is printed, so the database executes exactly what was checked.
    """
    try:
        statements = sqlglot.parse(text, read=dialect)
    except SqlglotError as error:
        raise ValueError("cannot be parsed as SQL") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    found = [statement for statement in statements if statement is not None]
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise ValueError("must be exactly one SELECT")
    if any(found[0].find_all(exp.DML, exp.DDL, exp.Command, exp.Into)) and any(
        not isinstance(node, exp.Query)
        for node in found[0].find_all(exp.DML, exp.DDL, exp.Command, exp.Into)
    ):
        raise ValueError("must only read")
    return found[0]


def condition(text: str, *, dialect: str, nodes: Collection[type] = PURE) -> exp.Paren:
    """Parse a user's condition on the columns of one row, of some types of `nodes`. Raises ValueError.

    The parsed condition is printed and parsed again, and refused if it then prints differently. The database
    executes the tree that was checked, in parentheses and without comments.
    """
    if "\x00" in text:
        raise ValueError("holds a NUL")
    try:
        first = _one_condition(text, dialect)
        if not all(WORD.fullmatch(node.this.name) for node in first.find_all(exp.Extract)):
            raise ValueError("extracts a part of a date that is not supported")
        printed = _print(first, dialect)
        whole = exp.Paren(this=_one_condition(printed, dialect))
        if _print(whole, dialect) != f"({printed})":
            raise ValueError("has a form that is not supported; write it in a simpler way")
    except SqlglotError as error:
        raise ValueError("cannot be read as one SQL condition") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    found = list(whole.walk())
    foreign = {node.key for node in found if type(node) not in nodes}
    if foreign:
        what = "may only hold columns, constants, operators and a few plain functions"
        raise ValueError(f"{what}, not {', '.join(sorted(foreign))}")
    if any(isinstance(node, exp.DataType) and node.this not in TYPES for node in found):
        raise ValueError("casts to a type that is not supported")
    if not (named := list(whole.find_all(exp.Column))):
        raise ValueError("names no column")
    if any(node.table for node in named):
        raise ValueError("names a table; name the column alone, quoted if it has a dot")
    return whole


OF_VALUES = (PURE - {exp.Div, exp.Like, exp.ILike, exp.Escape, exp.Extract, exp.Var}) | {
    exp.DPipe, exp.Substring, exp.Replace, exp.Nullif, exp.Left, exp.Right,
}  # fmt: skip
"""The node types that an expression over one value may have: those that mean the same in every database."""


def expression(text: str, of: str) -> exp.Paren:
    """Parse a user's expression over one column, `of`, in standard SQL as DuckDB reads it. Raises ValueError."""
    try:
        whole = condition(text, dialect="duckdb", nodes=OF_VALUES)
    except UnsafeSqlError as error:
        raise ValueError("holds a name that no database has") from error
    if any(each.name != of for each in whole.find_all(exp.Column)):
        raise ValueError(f"reads another column than {of}")
    return whole


def _one_condition(text: str, dialect: str) -> exp.Expr:
    found = sqlglot.Dialect.get_or_raise(dialect).parse_into(exp.Condition, text)
    if len(found) != 1 or found[0] is None:
        raise ValueError("must be exactly one condition")
    return found[0]


def _print(tree: exp.Expr, dialect: str) -> str:
    return tree.sql(dialect=dialect, identify=True, comments=False)


NUMBER = re.compile(r"\d+(\.\d+)?([eE][+-]?\d+)?")
DOUBLED = {"duckdb": '"', "postgres": '"', "spark": "`"}
"""The mark that quotes names in each dialect. Within a name it is written twice."""
STANDARD = frozenset({"duckdb", "postgres"})
"""Dialects whose string literals escape only the apostrophe, by writing it twice."""
PLAIN_NAME = {"this", "quoted"}
PARTS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Column: ("catalog", "db", "table", "this"),
    exp.Table: ("catalog", "db", "this"),
}
"""The parts of a column's and a table's name, in the order in which they are written."""


def plain_printer(dialect: str) -> Callable[[exp.Expr], str | None]:
    """Return a function that prints a plain leaf in a dialect, and returns None for any other leaf."""
    mark = DOUBLED.get(dialect)
    texts = dialect in STANDARD

    def name(leaf: object) -> str | None:
        if type(leaf) is not exp.Identifier:
            return None
        given = leaf.args
        text = given["this"]
        if type(text) is not str or not given.get("quoted") or not given.keys() <= PLAIN_NAME:
            return None
        return f"{mark}{text.replace(mark, mark + mark)}{mark}" if mark else None

    def print_plain(leaf: exp.Expr) -> str | None:
        kind = type(leaf)
        if kind is exp.Identifier:
            return name(leaf)
        if kind in PARTS:
            given = {at: part for at, part in leaf.args.items() if part}
            parts = [name(given.pop(at)) for at in PARTS[kind] if at in given]
            # A leaf with more to print, such as an alias, is left to sqlglot.
            return None if given or None in parts else ".".join(part or "" for part in parts)
        if kind is exp.Neg and type(leaf.this) is exp.Literal:
            number = print_plain(leaf.this)
            return None if number is None or leaf.this.is_string else f"-{number}"
        if kind is exp.Literal and type(leaf.this) is str:
            if not leaf.is_string:
                return leaf.this if mark and NUMBER.fullmatch(leaf.this) else None
            return "'" + leaf.this.replace("'", "''") + "'" if texts else None
        return None

    return print_plain


def standard_name(named: exp.Table | exp.Identifier) -> str:
    """Return the name of a table or schema, each part in double quotes as in standard SQL."""
    return plain_printer("postgres")(named) or named.sql(dialect="postgres", identify=True)
