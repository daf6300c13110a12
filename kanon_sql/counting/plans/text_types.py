"""The types that columns of texts are released as: a type holds all texts of a column and gives them back unchanged.

A text file has no types, so that every field is read as a text. A text such as `007`, `+1` or `1e5` is not how any type
writes a value, and its column stays text.
"""

from __future__ import annotations

import re
from enum import StrEnum

from kanon_sql.base.documents.keys import MapOf
from kanon_sql.base.documents.shapes import Parsed, Text, Wrong
from kanon_sql.base.late_dataclass import dataclass


class Form(StrEnum):
    """How a type writes values as texts. Of several forms that all texts of a column have, the first is its type's."""

    WHOLE = "whole"
    FIXED = "fixed"
    POINTED = "pointed"
    PLAIN = "plain"
    DATE = "date"
    MOMENT = "moment"
    ISO_MOMENT = "iso_moment"
    LOWER = "lower"
    TITLE = "title"
    UPPER = "upper"


WRITTEN = {
    Form.WHOLE: "BIGINT",
    Form.POINTED: "DOUBLE",
    Form.PLAIN: "DOUBLE, whole numbers without a point",
    Form.DATE: "DATE",
    Form.MOMENT: "TIMESTAMP",
    Form.ISO_MOMENT: "TIMESTAMP, written with a T",
    Form.LOWER: "BOOLEAN",
    Form.TITLE: "BOOLEAN, written True and False",
    Form.UPPER: "BOOLEAN, written TRUE and FALSE",
}
"""The words of a plan for a type and its form; a form that is the type's own in SQL is not named."""
EXACT = frozenset({Form.WHOLE, Form.FIXED, Form.POINTED, Form.DATE, Form.MOMENT, Form.LOWER})
"""The forms that the database itself writes: a value of the type has the text that it had."""
FIXED = re.compile(r"DECIMAL\(18, ([1-9]|1[0-8])\)")
"""The words for numbers that all have the same number of decimals."""


@dataclass(frozen=True, slots=True)
class TextType:
    """The type that texts of one form are released as, with the number of `decimals` that each of them has."""

    form: Form
    decimals: int = 0

    @classmethod
    def of(cls, text: str) -> TextType:
        """Return the type that a plan states. Raises Wrong where it is none of them."""
        if found := FIXED.fullmatch(text):
            return cls(Form.FIXED, int(found[1]))
        for form, written in WRITTEN.items():
            if text == written:
                return cls(form)
        raise Wrong(
            ("", f"is no type; write one of: {'; '.join(WRITTEN.values())}; DECIMAL(18, 2)")
        )

    def __str__(self) -> str:
        return WRITTEN.get(self.form) or f"DECIMAL(18, {self.decimals})"


TYPES = MapOf(Parsed(Text(), TextType.of, unparse=str))
"""The shape of a plan's types: each column by its name."""
