"""Text of a policy for readers: what the release is for, and why columns have their roles.

The pages of a release print it. It changes no row and is not part of the policy's hash, so a corrected sentence makes
no plan stale. A certificate repeats the text, and `verify` compares it with the policy.
"""

from __future__ import annotations

import re
from typing import Annotated

from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Parsed, Shape, Text, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.standards import STANDARDS, Standard, StandardName

MOST_CHARACTERS = 4000
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
WORDS = {"words": True}
"""The metadata of a policy's field that is text for readers and is not part of the policy's hash."""


def _words(text: str) -> str:
    text = text.strip()
    check(
        ("", text != "", "must be a text"),
        ("", len(text) <= MOST_CHARACTERS, f"must have at most {MOST_CHARACTERS:,} characters"),
        ("", not CONTROL.search(text), "contains a control character"),
    )
    return text


def words(description: str) -> Shape[str]:
    """Return the shape of a text for readers, with a description for the schema. It trims the text."""
    described = {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS}
    return Parsed(Text(), _words, {**described, "description": description})


WHY = words("why it has this role, for readers of the report")


@dataclass(frozen=True, slots=True)
class About:
    """The publisher's description of a release: what the data are, and what the release is for."""

    title: Annotated[str | None, words("what the data are")] = None
    purpose: Annotated[str | None, words("what the release is for")] = None
    contact: Annotated[str | None, words("who answers for it")] = None
    recipients: Annotated[str | None, words("who gets it, and under which terms")] = None
    threshold: Annotated[str | None, words("why this k, and these other thresholds")] = None
    standard: StandardName | None = None

    @property
    def is_stated(self) -> bool:
        """Whether anything is stated."""
        return self != NOTHING_SAID

    @property
    def made_by(self) -> Standard | None:
        """The standard that the release is made by, with its words for readers."""
        return None if self.standard is None else STANDARDS[self.standard]


ABOUT = Record(About)
NOTHING_SAID = About()
