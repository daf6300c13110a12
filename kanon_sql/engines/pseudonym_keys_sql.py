"""Statements that keep the padded keys of pseudonyms in the session, and remove them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import PLACEHOLDER, literal, name
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp


def key_variables(key_env: str) -> tuple[str, str]:
    """Name the session variables of the padded keys of one secret."""
    return f"kanon_inner_{_mark(key_env)}", f"kanon_outer_{_mark(key_env)}"


def _secret_variable(key_env: str) -> str:
    return f"kanon_key_{_mark(key_env)}"


def _mark(key_env: str) -> str:
    """Make environment variables distinct in names that fold case."""
    return hashlib.sha256(key_env.encode()).hexdigest()[:8]


BLOCK = 64


PADS = (0x36, 0x5C)


def padded_keys(key_env: str, secret: bytes) -> dict[str, bytes]:
    """Compute the inner and outer key of HMAC-SHA-256 (RFC 2104), by their session variables."""
    block = (hashlib.sha256(secret).digest() if len(secret) > BLOCK else secret).ljust(BLOCK, b"\0")
    pads = (bytes(byte ^ pad for byte in block) for pad in PADS)
    return dict(zip(key_variables(key_env), pads, strict=True))


def store_key(variable: str, brought: exp.Table | None = None) -> Statement:
    """Keep a key in the session; binds it, or takes it from a table that was loaded with it."""
    return Statement(
        "engines/store_key",
        {
            "variable": name(variable),
            "setting": _setting(variable),
            "bind": PLACEHOLDER,
            "brought": brought,
        },
    )


def forget_key(variable: str) -> Statement:
    return Statement(
        "engines/forget_key", {"variable": name(variable), "setting": _setting(variable)}
    )


def _setting(variable: str) -> exp.Expr:
    return literal(f"kanon.{variable}")


def insert_key(table: exp.Table, key_env: str) -> Statement:
    """Put the padded keys of one secret, which the session keeps, into a table of keys."""
    inner, outer = key_variables(key_env)
    leaves = {"label": literal(key_env), "inner": literal(inner), "outer": literal(outer)}
    return Statement("engines/insert_key", {"table": table, **leaves})


def delete_keys(table: exp.Table) -> Statement:
    return Statement("engines/delete_keys", {"table": table})


def set_keys(key_env: str) -> list[Statement]:
    """Prepare the padded keys in a script: the database's shell reads the environment itself."""
    secret = _secret_variable(key_env)
    leaves = {
        "variable": name(secret),
        "value": literal(key_env),
        "short": literal("the key must have 16 bytes or more"),
    }
    statements = [Statement("engines/set_key", leaves)]
    for variable, pad in zip(key_variables(key_env), PADS, strict=True):
        statements.append(
            Statement(
                "engines/set_pad",
                {"variable": name(variable), "key": literal(secret), "pad": literal(pad)},
            )
        )
    return statements
