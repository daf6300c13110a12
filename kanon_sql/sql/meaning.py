"""Statements about the session: what would change the meaning of the others, and its transaction."""

from __future__ import annotations

from kanon_sql.sql.leaves import literal, name
from kanon_sql.sql.templates import Statement


def isolation() -> Statement:
    """Ask what other transactions let this one see; takes no snapshot."""
    return Statement("isolation")


def transaction() -> Statement:
    """Ask for the number of the transaction: another for each statement where none is open."""
    return Statement("transaction")


def begin() -> Statement:
    """Begin a transaction."""
    return Statement("begin")


def commit() -> Statement:
    """End a transaction."""
    return Statement("commit")


def rollback() -> Statement:
    """Undo a transaction."""
    return Statement("rollback")


def one_snapshot() -> Statement:
    """Let every statement of this transaction see the same rows."""
    return Statement("one_snapshot")


def setting(text: str) -> Statement:
    """Read a setting of the session."""
    return Statement("setting", {"name": name(text), "setting": literal(text)})


def change(text: str, value: str) -> Statement:
    """Change a setting; PostgreSQL does so for the rest of a transaction."""
    return Statement("change", {"name": name(text), "value": literal(value)})
