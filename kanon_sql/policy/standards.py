"""What a policy says for readers: the standard that it names, what the release is for, and why columns have their roles.

The pages of a release print it. It changes no row and is not part of the policy's hash, so a corrected sentence makes
no plan stale. A certificate repeats the text, and `verify` compares it with the policy.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Parsed, Shape, Text, check
from kanon_sql.base.late_dataclass import dataclass


class StandardName(StrEnum):
    """The name of a standard in a policy."""

    ISO27559 = "iso27559"
    EMA0070 = "ema0070"
    HIPAA_EXPERT = "hipaa_expert"
    HIPAA_SAFE_HARBOR = "hipaa_safe_harbor"
    GDPR_RELEASE = "gdpr_release"


@dataclass(frozen=True, slots=True)
class Standard:
    """A standard: its source with section and year, what a release by it does, and the least k that it sets, if any.

    `threshold` is the reason for k in a first policy.
    """

    title: str
    source: str
    words: str
    k: int | None = None
    threshold: str | None = None


STANDARDS = {
    StandardName.ISO27559: Standard(
        "ISO/IEC 27559:2022",
        "ISO/IEC 27559:2022, Privacy enhancing data de-identification framework: clauses 6 (context), 7 (data, attribute types, attacks), "
        "8 (identifiability and mitigation) and 9 (governance)",
        "The framework sets no number: it asks to state the context, the attributes, the threshold and its reason, and who answers for them. "
        "The roles and thresholds of this report are the data assessment (7.2.4, 7.3.2), its counts the identifiability assessment (8.2.2).",
    ),
    StandardName.EMA0070: Standard(
        "EMA Policy 0070",
        "European Medicines Agency, External guidance on the implementation of Policy 0070 (EMA/90915/2016, version 1.4, 2018), chapter 3",
        "For reports that are public, the guidance takes a threshold of 0.09 for the maximum risk of re-identification. Classes of at least 12 "
        "people have a risk of at most 1/12 = 0.0833; 1/11 = 0.0909 is above 0.09.",
        12,
        "the highest risk is 1/12 = 0.0833, at most the 0.09 of EMA Policy 0070 (EMA/90915/2016, 2018, chapter 3)",
    ),
    StandardName.HIPAA_EXPERT: Standard(
        "HIPAA, expert determination",
        "45 CFR 164.514(b)(1); US Department of Health and Human Services, guidance on de-identification, 26 November 2012",
        "An expert determines that the risk is very small, and documents the methods and results. Neither the rule nor the guidance sets a "
        "number; the report's figures are for the expert.",
        11,
        "the highest risk is 1/11: 11 is the least cell size of Medicare's public files; HIPAA sets no number, and an expert decides (45 CFR 164.514(b)(1))",
    ),
    StandardName.HIPAA_SAFE_HARBOR: Standard(
        "HIPAA, Safe Harbor",
        "45 CFR 164.514(b)(2)(i), (A) to (R); US Department of Health and Human Services, guidance on de-identification, 26 November 2012",
        "The 18 identifiers are removed: dates to years, ZIP codes to three digits (000 where at most 20,000 people live), ages above 89 as one. "
        "Columns are checked by names, types and hierarchies; texts within values are not. Whoever releases the data must not know that "
        "they could identify a person (45 CFR 164.514(b)(2)(ii)). The method sets no k: classes protect beyond it.",
    ),
    StandardName.GDPR_RELEASE: Standard(
        "GDPR, anonymous information",
        "Regulation (EU) 2016/679, Recital 26; Article 29 Working Party, Opinion 05/2014 (WP216), 10 April 2014; ICO (UK), Anonymisation guidance, "
        "28 March 2025 (motivated intruder)",
        "Nobody can be singled out by the quasi-identifiers, as each class holds at least k people; linkage and inference are what the limits "
        "below say. Neither text sets a number. An attack by a motivated intruder is what kanon-sql attack measures.",
    ),
}  # fmt: skip
"""Every standard, by the name that a policy has for it."""


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


BY_NAME = "its name suggests"
MEASUREMENT = "looks like a measurement"
NAMELESS = "its name says nothing"
GUESSED = (NAMELESS, MEASUREMENT)
"""The beginnings of the reasons that `init` writes for columns that it releases as they are, of which no name says what they are."""
BY_INIT = (BY_NAME, *GUESSED, "not named as what could be known")
"""The beginnings of the reasons that `init` writes for insensitive columns, the last one once: nobody has given them."""
WHY = words("why it has this role, for readers of the report")


@dataclass(frozen=True, slots=True)
class About:
    """The publisher's description of a release: what the data are, and what the release is for."""

    title: Annotated[str | None, words("what the data are")] = None
    purpose: Annotated[str | None, words("what the release is for")] = None
    contact: Annotated[str | None, words("who answers for it")] = None
    recipients: Annotated[str | None, words("who gets it")] = None
    terms: Annotated[
        str | None, words("the terms of use, such as a ban on linking, and how long it may be kept")
    ] = None
    review: Annotated[str | None, words("when the release is reviewed, and by whom")] = None
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
