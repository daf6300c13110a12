"""Numbers of things, as they are read."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """Give a number of things, named in the singular.

    >>> counted(1, "check"), counted(1420, "check"), counted(2, "class")
    ('1 check', '1420 checks', '2 classes')
    """
    if number == 1:
        return f"1 {what}"
    return f"{number} {what}{'es' if what.endswith(('s', 'x')) else 's'}"
