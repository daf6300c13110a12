"""The hashes in a plan, and whether two of them can be compared.

A keyed hash is `hmac-sha256:KEY:HASH`, where KEY is the beginning of a hash of the key. The name of a database comes
first if only that database can compute the hash.
"""

from __future__ import annotations

import re

KEYED = "hmac-sha256"
SNAPSHOT = re.compile(r"(delta|iceberg|ducklake) \S+ (version|snapshot) \d+")
"""The version of a lake's table, which a plan states in place of a hash of the table's rows."""
IN_THE_POLICY = "in the policy"
"""The text in place of the hash of a hierarchy whose entries are in the policy."""


def is_snapshot(text: str) -> bool:
    return SNAPSHOT.fullmatch(text) is not None


def is_portable(hashed: str | None) -> bool:
    """Return True if every database computes the same hash of the source.

    >>> is_portable("hmac-sha256:aa:1"), is_portable("duckdb 2.0 hmac-sha256:aa:1"), is_portable(None)
    (True, False, False)
    """
    return hashed is not None and hashed.startswith(KEYED)


def differ(old: str, new: str) -> bool | None:
    """Return True if two hashes are of different content, None if they have different keys or databases.

    >>> differ("hmac-sha256:aa:1", "hmac-sha256:aa:2"), differ("hmac-sha256:aa:1", "hmac-sha256:bb:1")
    (True, None)
    >>> differ("b3781c", "b3781c"), differ("b3781c", "in the policy"), differ("b3781c", "hmac-sha256:aa:1")
    (False, True, True)
    """
    if KEYED in old and KEYED in new and old.rpartition(":")[0] != new.rpartition(":")[0]:
        return None
    return old != new


def why_not_compared(old: str, new: str) -> str:
    """Explain why two keyed hashes cannot be compared, as a predicate of a sentence."""
    if old.partition(KEYED)[0] != new.partition(KEYED)[0]:
        return "was hashed by another database, or another version of it"
    return "was hashed under another key: set KANON_SQL_PLAN_KEY to the key of the machine that made the plan"
