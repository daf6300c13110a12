"""Counts, numbers and names formatted for readers."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


T = TypeVar("T")
UNQUOTED = re.compile(r"[^\s,\"][^,\"\r\n]*")
"""A name that stands in a list as it is."""


def counted(number: int, what: str) -> str:
    """Format a count of things; `what` is the singular.

    >>> counted(1, "check"), counted(1420, "check"), counted(2, "class")
    ('1 check', '1,420 checks', '2 classes')
    """
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what}{'es' if what.endswith(('s', 'x')) else 's'}"


def clause(number: int, what: str, does: str) -> str:
    """Format a count of things as the subject of a clause; `does` is in the plural and begins with its verb.

    >>> clause(1, "row", "have no person"), clause(2, "value", "repeat"), clause(1, "value", "are not numbers below 9")
    ('1 row has no person', '2 values repeat', '1 value is no number below 9')
    """
    if number == 1:
        does = re.sub(r"^are (?:not|no) ((?:finite )?[a-z]+)s\b", r"is no \1", does)
        verb, _, rest = does.partition(" ")
        verb = {"are": "is", "have": "has", "is": "is"}.get(verb, f"{verb}s")
        does = f"{verb} {rest}".strip()
    return f"{counted(number, what)} {does}"


def joined(names: Sequence[str], last_word: str = "and") -> str:
    """Format names as a sentence lists them.

    >>> joined(["a"]), joined(["a", "b", "c"]), joined(["a", "b"], "or")
    ('a', 'a, b and c', 'a or b')
    """
    *others, last = names
    return f"{', '.join(others)} {last_word} {last}" if others else last


def listed(names: Sequence[str], most: int = 6) -> str:
    """Format names as `joined` does, at most so many of them.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], 2)
    ('a, b and c', 'a, b and 2 others')
    """
    if len(names) <= most + 1:
        return joined(names)
    return joined([*names[:most], f"{len(names) - most} others"])


def split_list(text: str) -> list[str]:
    """Split a list that a user writes at its commas; double quotes keep a comma in a name. Raises csv.Error.

    >>> split_list('age, "town, or select"')
    ['age', 'town, or select']
    """
    import csv  # noqa: PLC0415  help and most commands split no list

    return [each for row in csv.reader([text], skipinitialspace=True) for each in row]


def list_text(names: Iterable[str]) -> str:
    """Write names as a list that `split_list` reads.

    >>> list_text(["age", "town, or select"])
    'age,"town, or select"'
    """
    return ",".join(
        name if UNQUOTED.fullmatch(name) else '"' + name.replace('"', '""') + '"' for name in names
    )


def decimal_text(value: float | None, digits: int = 4) -> str:
    """Format a number in few digits. None, and a number that is not finite, become a dash.

    >>> decimal_text(0.22001), decimal_text(52000123.0), decimal_text(9.0), decimal_text(None)
    ('0.2200', '52,000,123', '9', '-')
    """
    if value is None or not math.isfinite(value):
        return "-"
    if value == int(value) or abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:#.{digits}g}"


def apart(one: T, other: T, text: Callable[[T, int], str]) -> tuple[str, str]:
    """Format two values, with enough digits to show that they differ.

    >>> apart(0.26611, 0.2019, decimal_text), apart(1.0001, 1.00011, decimal_text)
    (('0.2661', '0.2019'), ('1.00010', '1.00011'))
    """
    digits = 4
    while one != other and digits < 17 and text(one, digits) == text(other, digits):
        digits += 1
    return text(one, digits), text(other, digits)


def printable(text: str) -> str:
    r"""Format a text on one line. Characters that are not printable are escaped.

    Names of columns and files may contain escape sequences, line ends and marks of direction.

    >>> print(printable("a\x1b]0;x\nb"))
    a\x1b]0;x\nb
    """
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def simple_counts(
    error: float | None, plain: float | None, tenth: float | None = None
) -> str | None:
    """Return a sentence on the errors of simple counts; None if they were not measured.

    >>> simple_counts(0.016, 0.016, 0.05)
    'half of the counts by two columns are off by at most 1.6%, one in ten by 5.0% or more'
    >>> simple_counts(0.13, 0.524, 0.6).partition(" or more")[2]
    ', if each label is spread over the values that it covers; if not, half are off by 52.4% or more'
    >>> simple_counts(0.13, 1.0).partition("covers; ")[2]
    'if not, most values are not found'
    """
    if error is None or plain is None:
        return None
    off = f"half of the counts by two columns are off by at most {error:.1%}{one_in_ten(tenth)}"
    if error == plain:
        return off
    if_not = "most values are not found" if plain >= 1 else f"half are off by {plain:.1%} or more"
    return f"{off}, if each label is spread over the values that it covers; if not, {if_not}"


def one_in_ten(tenth: float | None) -> str:
    """Return the clause on the counts that are furthest off; nothing where it was not measured."""
    return "" if tenth is None else f", one in ten by {tenth:.1%} or more"
