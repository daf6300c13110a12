"""Hierarchies of codes that people share: diagnoses, drugs, industries, occupations, countries, areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.documents.keys import Only
from kanon_sql.documents.shapes import OneOf, Parsed
from kanon_sql.documents.text import joined
from kanon_sql.hierarchies.code_schemes import SCHEMES
from kanon_sql.hierarchies.hierarchy_kind import HierarchyKind, Rule
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.hierarchies.code_schemes import CodeScheme


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
        from kanon_sql.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

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
