"""Hashes in a plan, and which of them can be compared.

A keyed hash is `hmac-sha256:KEY:HASH`, after the name of the database if only that can compute it.
KEY is the beginning of a hash of the key.
"""

from __future__ import annotations

import re

KEYED = "hmac-sha256"
SNAPSHOT = re.compile(r"(delta|iceberg|ducklake) \S+ (version|snapshot) \d+")
"""A version of a table of a lake, in place of a hash of its rows."""
IN_THE_POLICY = "in the policy"
"""Written instead of the hash of a hierarchy whose entries are in the policy."""


def is_snapshot(text: str) -> bool:
    return SNAPSHOT.fullmatch(text) is not None


def is_portable(hashed: str | None) -> bool:
    """Whether every database computes the same hash of the source.

    >>> is_portable("hmac-sha256:aa:1"), is_portable("duckdb 2.0 hmac-sha256:aa:1"), is_portable(None)
    (True, False, False)
    """
    return hashed is not None and hashed.startswith(KEYED)


def differ(old: str, new: str) -> bool | None:
    """Whether two hashes are of different content; None if they cannot be compared.

    >>> differ("hmac-sha256:aa:1", "hmac-sha256:aa:2"), differ("hmac-sha256:aa:1", "hmac-sha256:bb:1")
    (True, None)
    >>> differ("b3781c", "b3781c"), differ("b3781c", "in the policy"), differ("b3781c", "hmac-sha256:aa:1")
    (False, True, True)
    """
    if KEYED in old and KEYED in new and old.rpartition(":")[0] != new.rpartition(":")[0]:
        return None
    return old != new


def why_not_compared(old: str, new: str) -> str:
    """Explain why two hashes under a kept key cannot be compared."""
    if old.partition(KEYED)[0] != new.partition(KEYED)[0]:
        return "was hashed by another database, or another version of it"
    return "was hashed under another key: set KANON_SQL_PLAN_KEY to the key of the machine that made the plan"
