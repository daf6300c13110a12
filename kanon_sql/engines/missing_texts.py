"""Texts that stand for a missing value: the one list of them, and the key `missing` of a policy.

An entry of blanks alone stands for every text that is empty or consists of spaces. All other entries are compared
exactly, without trimming or folding of case. A column of numbers is compared with the entries that are numbers.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import yaml

from kanon_sql.base.documents.shapes import Schema, Several, Shape, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.base.documents.lines import Item

STAND_FOR_MISSING = (
    "", "na", "n/a", "#n/a", "n.a.", "<na>", "nan", "null", "none", "nil", "unknown", "unk", "not known", "missing",
    "not available", "not stated", "not applicable", "unspecified", "?", "-", "--", ".",
    "0000-00-00", "0000-00-00 00:00:00", "00.00.0000", "00/00/0000", "9999-99-99", "99.99.9999", "99/99/9999",
    "#nv", "#div/0!", "#num!", "#null!", "#ref!", "#value!", "#name?",
)  # fmt: skip
"""Texts that stand for a missing value, in lower case and trimmed; '' stands for blanks alone."""
CODES_OF_MISSING = (-9999, -999, -99, -9, -1, 9, 99, 999, 9999)
"""Numbers that may stand for a missing value, where they stand apart from the other values of a column."""
WHOLE = re.compile(r"-?[1-9]\d{0,8}", re.ASCII)
"""Entries that are the same written as a number."""
NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})", re.ASCII)


def stands_for_missing(text: str) -> bool:
    """Return whether a text is one of the list, whatever its case and the blanks at its ends.

    >>> [stands_for_missing(each) for each in ("NA", " unknown ", "", "flu", "999")]
    [True, True, True, False, False]
    """
    return text.strip().lower() in STAND_FOR_MISSING


def number_of(text: str) -> Decimal | None:
    """Parse an entry as a number; None if it is not a number.

    >>> number_of("999"), number_of("-1.50"), number_of("NA")
    (Decimal('999'), Decimal('-1.50'), None)
    """
    return Decimal(text) if NUMBER.fullmatch(text) else None


def written(texts: Iterable[str]) -> str:
    """Write the `missing` key of a policy, which makes it read these texts as NULL.

    >>> written(["NA", "n/a", "", "null", "999"])
    "missing: [NA, n/a, '', 'null', 999]"
    """
    plain = [int(each) if WHOLE.fullmatch(each) else each for each in texts]
    return f"missing: {yaml.safe_dump(plain, default_flow_style=True, width=10**6, allow_unicode=True).strip()}"


class _Entry(Shape[str]):
    """A text; a number is read as its text, and blanks alone as ''."""

    written = "TEXT"

    def read(self, item: Item) -> str:
        value = item.value
        if isinstance(value, str) and "\x00" not in value:
            return value if value.strip(" ") else ""
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return str(value)
        raise refuse(
            item,
            "must be a text or a number; quote null, true, false, yes and no, which YAML does not read as texts",
        )

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string"}, {"type": "number"}]}


MISSING: Shape[tuple[str, ...]] = Several(_Entry(), empty="must name at least one text")
Missing = Annotated[tuple[str, ...], MISSING]
