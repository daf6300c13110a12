"""The masking actions that a column may have, and the list of them."""

from __future__ import annotations

from kanon_sql.policy.mask import Mask


class DropMask(Mask):
    """The column is left out of the release."""

    key = "drop"
    treatment = shown = "dropped"
    unprotected = "nothing of the column is released"
    is_dropped = True
    no_warehouse = no_dbt = ""
    in_dbt = "nothing"


class HashMask(Mask):
    """A pseudonym: the hash of the value under a secret key (HMAC-SHA-256), in hexadecimal."""

    key = "hash"
    treatment = "replaced by a keyed hash"
    shown = "pseudonym"
    unprotected = "which rows have one value, and how many; whoever has the key can try values"
    keeps = ("equality", "frequencies")
    keyed = links = told_apart = True
    staged_as = "hash"
    no_dbt = ""
    in_dbt = "pseudonym"


class NullMask(Mask):
    """NULL in every row, of the column's own type."""

    key = "null"
    treatment = "set to NULL"
    shown = "NULL in every row"
    unprotected = "nothing of the values is released"
    staged_as = "null"
    no_warehouse = no_dbt = ""
    in_dbt = "null"


DROP, HASH, NULL = DropMask(), HashMask(), NullMask()
MASKS: tuple[Mask, ...] = (DROP, HASH, NULL)
"""Every masking action."""
