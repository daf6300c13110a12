"""Hierarchies of codes that people share: diagnoses, drugs, industries, occupations, countries, areas.

A code scheme says how a code is written, and which groups it is in. Its groups are the lines of a file in
`code_tables`: facts, with their source in its first lines. A scheme that nests by prefix needs no line for that.
"""

from __future__ import annotations

import hashlib
from dataclasses import field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar

from kanon_sql.base.documents.keys import Only
from kanon_sql.base.documents.shapes import OneOf, Parsed
from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.hierarchies.entries import HierarchyKind, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

DIGIT = "0123456789"
LETTER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SIGNS = {"9": DIGIT, "A": LETTER, "X": DIGIT + LETTER}
"""The characters that each sign of a pattern stands for."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a scheme: its labels from the finest level on, and its codes, each a range of stems."""

    labels: tuple[str, ...]
    codes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CodeLevel:
    """A level of a scheme: the labels of its groups if it is `grouped`, else the first `kept` characters of a code.

    Without `kept` a prefix is the stem. A `grouped` level with `kept` has the prefix where a stem is in no group.
    """

    words: str
    kept: int = 0
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class CodeScheme:
    """A scheme of codes, which are compared without blanks around them, in upper case, without the `dropped` characters.

    A code has one of the `lengths`, and at each place a character that the `pattern` allows (none is asked for beyond it). Its first
    `stem` characters find its group; all of them with 0. A code that begins with the letter `longer` has a stem of one character
    more. A prefix shows a `mark` after so many characters. With `ranges`, a range of codes is a label, the finest of its group.
    """

    name: str
    title: str
    levels: tuple[CodeLevel, ...]
    table: str
    pattern: str = ""
    lengths: tuple[int, ...] = ()
    dropped: str = ""
    stem: int = 0
    longer: str = ""
    mark: tuple[str, int] = field(default=("", 0))
    ranges: bool = False

    @property
    def plural(self) -> str:
        return "countries" if self.title == "country" else f"{self.title}s"

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of the scheme's file, with the codes that can be stems."""
        return _groups(self.table, self.stem, self.pattern, ranges=self.ranges)

    @property
    def leaves(self) -> dict[str, object]:
        """What templates read of the form of a code."""
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        without = self.table and not any(each.grouped for each in self.levels)
        among = [low for group in self.groups for low, _ in group.codes] if without else []
        return {
            "dropped": [literal(each) for each in self.dropped],
            "lengths": list(self.lengths),
            "places": [
                {
                    "at": at,
                    "characters": [literal(each) for each in SIGNS[sign]],
                    "needed": at <= min(self.lengths),
                }
                for at, sign in enumerate(self.pattern, 1)
            ],
            "among": [literal(each) for each in among],
            "stem": self.stem,
            "longer": literal(self.longer) if self.longer else None,
        }

    @property
    def digest(self) -> str:
        """A hash of the scheme and its groups, so that a plan is stale if another version of the package groups otherwise."""
        return hashlib.sha256(repr((self, self.groups)).encode()).hexdigest()


@cache
def _groups(table: str, stem: int, pattern: str, *, ranges: bool) -> tuple[Group, ...]:
    """Read a file of groups: `label / finer label: code; code`, or the codes on lines below it, which are indented."""
    text = (
        files("kanon_sql") / "policy" / "hierarchies" / "code_tables" / f"{table}.txt"
    ).read_text("utf-8")
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    labels: tuple[str, ...] = ()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        codes = line
        if not line.startswith(" "):
            names, _, codes = line.partition(":")
            labels = tuple(reversed(names.split(" / ")))
        for written in filter(None, (each.strip() for each in codes.split(";"))):
            own = (written, *labels) if ranges else labels
            found.setdefault(own, []).extend(
                _stems(written) if stem == 0 else _range(written, pattern)
            )
    return tuple(Group(own, tuple(dict.fromkeys(codes))) for own, codes in found.items())


def _stems(written: str) -> list[tuple[str, str]]:
    """Return a whole code as databases write it in upper case: some leave letters beyond ASCII as they are."""
    ascii_only = "".join(each.upper() if each.isascii() else each for each in written)
    return [(each, each) for each in dict.fromkeys((written.upper(), ascii_only))]


def _range(written: str, pattern: str) -> list[tuple[str, str]]:
    """Return codes and ranges of codes, separated by commas, as ranges; none if they are no codes of the pattern, but a name."""
    found = []
    for each in written.split(","):
        low, _, high = each.partition("-")
        if all(sign in SIGNS[of] for sign, of in zip(low, pattern, strict=False)):
            found.append((low, high or low))
    return found


CATEGORY_BLOCK_CHAPTER = (
    CodeLevel("category"),
    CodeLevel("block", grouped=True),
    CodeLevel("chapter", grouped=True),
)
STATE_DIVISION_REGION = tuple(
    CodeLevel(each, grouped=True) for each in ("state", "division", "region")
)

SCHEMES = {
    each.name: each
    for each in (
        CodeScheme(
            "icd10", "ICD-10 code", CATEGORY_BLOCK_CHAPTER, "icd10",
            pattern="AXX", lengths=(3, 4, 5, 6, 7, 8), dropped=".", stem=3, ranges=True,
        ),
        CodeScheme(
            "icd9", "ICD-9-CM code", CATEGORY_BLOCK_CHAPTER, "icd9",
            pattern="X9999", lengths=(3, 4, 5), dropped=".", stem=3, longer="E", ranges=True,
        ),
        CodeScheme(
            "atc", "ATC code",
            (
                CodeLevel("chemical subgroup", 5), CodeLevel("pharmacological subgroup", 4), CodeLevel("therapeutic subgroup", 3),
                CodeLevel("anatomical main group", grouped=True),
            ),
            "atc", pattern="A99AA99", lengths=(1, 3, 4, 5, 7), stem=1,
        ),
        CodeScheme(
            "nace", "NACE code", (CodeLevel("group", 3), CodeLevel("division", 2), CodeLevel("section", grouped=True)),
            "nace", pattern="9999", lengths=(2, 3, 4), dropped=".", stem=2, mark=(".", 2),
        ),
        CodeScheme(
            "naics", "NAICS code",
            (CodeLevel("industry", 5), CodeLevel("industry group", 4), CodeLevel("subsector", 3), CodeLevel("sector", grouped=True)),
            "naics", pattern="999999", lengths=(2, 3, 4, 5, 6), stem=2,
        ),
        CodeScheme(
            "isco08", "ISCO-08 code",
            (CodeLevel("minor group", 3), CodeLevel("sub-major group", 2), CodeLevel("major group", grouped=True)),
            "isco08", pattern="9999", lengths=(1, 2, 3, 4), stem=2,
        ),
        CodeScheme(
            "soc", "SOC code",
            (CodeLevel("first five digits", 5), CodeLevel("first three digits", 3), CodeLevel("major group", grouped=True)),
            "soc", pattern="99999999", lengths=(6, 8), dropped="-.", stem=2, mark=("-", 2),
        ),
        CodeScheme(
            "country", "country", (CodeLevel("subregion", grouped=True), CodeLevel("region", grouped=True)), "country"
        ),
        CodeScheme(
            "nuts", "NUTS code", (CodeLevel("NUTS 2 region", 4), CodeLevel("NUTS 1 region", 3), CodeLevel("country", 2)),
            "nuts", pattern="AAXXX", lengths=(2, 3, 4, 5), stem=2,
        ),
        CodeScheme(
            "fips", "FIPS code", STATE_DIVISION_REGION, "us_states", pattern="99999", lengths=(2, 5), stem=2
        ),
        CodeScheme("us_state", "US state", (CodeLevel("name", grouped=True), *STATE_DIVISION_REGION[1:]), "us_states"),
        CodeScheme(
            "us_zip", "US ZIP code",
            (CodeLevel("three-digit area (small ones as 000)", 3, grouped=True), CodeLevel("first digit", 1, grouped=True)),
            "us_zip", pattern="999999999", lengths=(5, 9), dropped="-", stem=3,
        ),
    )
}  # fmt: skip
"""Every scheme, by the name that a policy has for it."""


@dataclass(frozen=True, slots=True)
class CodeHierarchy(HierarchyKind):
    """Codes of a scheme by the groups that they are in, then the root.

    >>> spec = CodeHierarchy("icd10")
    >>> spec.height, spec.described, spec.label_words(2)
    (4, 'ICD-10 codes by category, block or chapter', 'the block of its ICD-10 code')
    """

    key: ClassVar[str] = "code"
    part: ClassVar[str] = "sql/hierarchies/part/by_code.sql.j2"
    no_path: ClassVar[str] = "are no codes of the scheme that code: names"

    name: str

    @property
    def codes(self) -> str:
        return self.name

    @property
    def scheme(self) -> CodeScheme:
        return SCHEMES[self.name]

    @property
    def height(self) -> int:
        return len(self.scheme.levels) + 1

    @property
    def digest(self) -> str:
        return self.scheme.digest

    @property
    def described(self) -> str:
        return (
            f"{self.scheme.plural} by {joined([each.words for each in self.scheme.levels], 'or')}"
        )

    def label_words(self, level: int) -> str:
        return f"the {self.scheme.levels[level - 1].words} of its {self.scheme.title}"

    def made_up(self, levels: Sequence[int], label: str) -> None:
        """Show no example: only somebody who has the scheme's list knows which codes there are in a group."""

    def leaves(self, *, bounded: bool) -> dict[str, object]:
        del bounded
        levels = [self._level(n) for n in range(1, self.height)]
        return {"known": self._known, "code": {**self.scheme.leaves, "levels": levels}}

    @property
    def _known(self) -> int:
        """The level at which each code has the label of a group; 0 if no level has one of each."""
        grouped = [
            n for n, each in enumerate(self.scheme.levels, 1) if each.grouped and not each.kept
        ]
        return grouped[0] if grouped else 0

    def _level(self, number: int) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        level = self.scheme.levels[number - 1]
        mark, after = self.scheme.mark
        marked = mark if level.kept > after else ""
        groups: dict[str, list[tuple[str, str]]] = {}
        if level.grouped:
            at = sum(each.grouped for each in self.scheme.levels[: number - 1])
            for group in self.scheme.groups:
                groups.setdefault(group.labels[at], []).extend(group.codes)
        return {
            "kept": level.kept,
            "mark": literal(marked) if marked else None,
            "after": after,
            "groups": [
                {
                    "label": literal(label),
                    "stems": [literal(low) for low, high in codes if low == high],
                    "ranges": [
                        {"low": literal(low), "high": literal(high)}
                        for low, high in codes
                        if low != high
                    ],
                }
                for label, codes in groups.items()
            ],
        }

    def rule(self, level: int) -> Rule | None:
        # A value that is no code has no label at any level.
        return HierarchyKind.rule(self, level) or self.label_rule(0)

    def label_rule(self, level: int) -> Rule:
        own = self._level(level) if level else None
        known = self._level(self._known) if self._known else None
        return Rule("code", {}, code={**self.scheme.leaves, "own": own, "known": known})

    def why_no_rule(self, level: int, family: str, *, characters: bool) -> str | None:
        del level
        if not characters:
            return "is of codes, whose characters that database counts otherwise"
        if family not in {"text", "integer"}:
            return f"is of {family} values, whose texts differ"
        return None


CodeHierarchy.shape = Only(CodeHierarchy.key, Parsed(OneOf(list(SCHEMES)), CodeHierarchy))
