"""Hashes in a plan: which of them can be compared, and what to say of those that cannot.

What was hashed under a key is `hmac-sha256:KEY:HASH`, behind the database that counted it where the hash is its own.
KEY is the beginning of a hash of the key.
"""

from __future__ import annotations

KEYED = "hmac-sha256"
IN_THE_POLICY = "in the policy"
"""What stands for the hash of a hierarchy that the policy's own text holds."""


def is_portable(hashed: str | None) -> bool:
    """Whether a hash of the source is one that every database counts alike.

    >>> is_portable("hmac-sha256:aa:1"), is_portable("duckdb 2.0 hmac-sha256:aa:1"), is_portable(None)
    (True, False, False)
    """
    return hashed is not None and hashed.startswith(KEYED)


def differ(old: str, new: str) -> bool | None:
    """Whether two hashes are of different things; None where that cannot be known.

    >>> differ("hmac-sha256:aa:1", "hmac-sha256:aa:2"), differ("hmac-sha256:aa:1", "hmac-sha256:bb:1")
    (True, None)
    >>> differ("b3781c", "b3781c"), differ("b3781c", "in the policy"), differ("b3781c", "hmac-sha256:aa:1")
    (False, True, True)
    """
    if KEYED in old and KEYED in new and old.rpartition(":")[0] != new.rpartition(":")[0]:
        return None
    return old != new


def why_not_compared(old: str, new: str) -> str:
    """Say why two hashes of a kept key cannot be compared."""
    if old.partition(KEYED)[0] != new.partition(KEYED)[0]:
        return "was hashed by another database, or release of it"
    return "was hashed under another key than the one here: set KANON_SQL_PLAN_KEY to that of the machine that made the plan"
