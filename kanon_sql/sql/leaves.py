"""The only values a SQL template may print: quoted names, literals, placeholders, checked queries.

Shape lives in templates/, leaves live here. A leaf is a sqlglot node, so it is quoted
for whichever dialect prints it; a plain string never reaches a statement.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.errors import UnsafeSqlError

PLACEHOLDER = exp.Placeholder()
"""Where the engine binds a value."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the database's own catalog said of an object: a type, a default, a constraint.

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
    """Name a column, of one of the statement's tables where there are several."""
    return exp.column(name(text), table=name(of) if of else None)


def table(text: str, *, schema: str | None = None, catalog: str | None = None) -> exp.Table:
    """Name a table."""
    return exp.table_(
        name(text),
        db=name(schema) if schema else None,
        catalog=name(catalog) if catalog else None,
    )


def literal(value: str | int | Decimal) -> exp.Expr:
    """Quote one constant. Floats are refused: bounds in a hierarchy are exact or text."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise UnsafeSqlError(f"a {type(value).__name__} has no portable SQL literal")
    if isinstance(value, str) and "\x00" in value:
        raise UnsafeSqlError("a text with a NUL has no SQL literal")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise UnsafeSqlError("a number that is not finite has no SQL literal")
        number = exp.Literal.number(format(abs(value), "f"))
        return exp.Neg(this=number) if value < 0 else number
    return exp.convert(value)


def query(text: str, *, dialect: str) -> exp.Query:
    """Take a user's own query: exactly one SELECT, which cannot write.

    What is printed is the parsed tree, so what was checked is what runs. Raises ValueError.
    """
    try:
        statements = sqlglot.parse(text, read=dialect)
    except SqlglotError as error:
        raise ValueError("cannot be parsed as SQL") from error
    found = [statement for statement in statements if statement is not None]
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise ValueError("must be exactly one SELECT")
    if any(found[0].find_all(exp.DML, exp.DDL, exp.Command, exp.Into)) and any(
        not isinstance(node, exp.Query)
        for node in found[0].find_all(exp.DML, exp.DDL, exp.Command, exp.Into)
    ):
        raise ValueError("must only read")
    return found[0]
