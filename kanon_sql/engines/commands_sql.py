"""Commands: statements of fixed words and at most two names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp


def command(words: str, object_: exp.Expr | None = None, to: exp.Expr | None = None) -> Statement:
    """Build a command that a database has, by the name under which its template lists it: `truncate`, `begin`."""
    return Statement("engines/command", {"command": words, "object": object_, "to": to})


def drop_table(table: exp.Table) -> Statement:
    return Statement("engines/drop", {"command": "drop_table", "object": table})


def drop_view(view: exp.Table) -> Statement:
    return Statement("engines/drop", {"command": "drop_view", "object": view})
