"""Print quoted names and constants for the three databases without sqlglot's SQL generators.

Nearly all leaves of a statement are a quoted name, a column or table of such names, or a constant. sqlglot's
dialects print them identically (a test compares every case), but importing one takes as long as a dozen
statements. The caller leaves any other leaf to sqlglot.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Callable

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
