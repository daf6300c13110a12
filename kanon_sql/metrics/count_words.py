"""The error of simple counts in words."""

from __future__ import annotations


def simple_counts(error: float | None, plain: float | None) -> str | None:
    """Return a sentence on the error of simple counts; None if it was not measured.

    >>> simple_counts(0.016, 0.016)
    'a GROUP BY of two columns is off by 1.6% (median)'
    >>> simple_counts(0.13, 0.524).partition(", ")[2]
    'or by 13.0% with labels spread over what they cover'
    """
    if error is None or plain is None:
        return None
    off = f"a GROUP BY of two columns is off by {plain:.1%} (median)"
    if error == plain:
        return off
    return f"{off}, or by {error:.1%} with labels spread over what they cover"
