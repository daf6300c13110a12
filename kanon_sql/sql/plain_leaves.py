"""Names and constants as the databases that we run on read them, printed without a generator of SQL.

Nearly all leaves of a statement are a quoted name, a column or table of such names, or a constant. sqlglot's own
dialects print them alike (a test compares all that is here with them), but to import one takes as long as a
dozen statements. Whatever is not exactly one of these is not printed here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBER = re.compile(r"\d+(\.\d+)?([eE][+-]?\d+)?")
DOUBLED = {"duckdb": '"', "postgres": '"', "spark": "`"}
"""What stands around a name in each dialect, and is written twice within it."""
STANDARD = frozenset({"duckdb", "postgres"})
"""Dialects whose texts have no other character to escape than the apostrophe, which is written twice."""
PLAIN_NAME = {"this", "quoted"}
PARTS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Column: ("catalog", "db", "table", "this"),
    exp.Table: ("catalog", "db", "this"),
}
"""What a name is made of, in the order in which it is written."""


def plain_printer(dialect: str) -> Callable[[exp.Expr], str | None]:
    """Return what prints the plain leaves of a dialect, and gives None for every other."""
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
            # Whatever else it has, as an alias, is not printed here.
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
    """Write the name of a table or schema as standard SQL and the catalogs of databases do."""
    return plain_printer("postgres")(named) or named.sql(dialect="postgres", identify=True)
