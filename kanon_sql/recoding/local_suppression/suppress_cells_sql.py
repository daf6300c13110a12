"""Statements that blank cells of classes until no outlier is left (mu-Argus's local suppression).

Classes are told apart by parts: keys of a frequency set, or codes of a release. A combination of
columns is the bits that it keeps of each part, and a blanked column has its bits cleared; which
columns a class lost is a number with a bit a column, so that blank is a value of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.hierarchies.labels_sql import class_rows, classes
from kanon_sql.privacy.demands import sensitive_attributes
from kanon_sql.privacy.fitting_sql import FittingSet, KeyPart, rest
from kanon_sql.sql.quoting import literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.privacy.fitting_sql import ClassRows
    from kanon_sql.privacy.privacy_model import Requirement

BLANKED = "blanked"


@dataclass(frozen=True)
class Blanking:
    """How classes are told apart, and which combinations of columns are tested.

    `parts` are the names of what tells classes apart, and `places` says, a column, which bits of
    each part are its own.
    """

    parts: Sequence[str]
    places: Sequence[Sequence[int]]
    combinations: Sequence[tuple[int, ...]]
    asked: Sequence[Requirement]
    rows: ClassRows

    @property
    def columns(self) -> list[int]:
        """Give the columns that some combination has, and that may be blanked."""
        return sorted({at for each in self.combinations for at in each})

    @property
    def _parts(self) -> list[exp.Identifier]:
        return [name(part) for part in self.parts]

    def outliers(self, outliers: exp.Table, classes: exp.Table) -> Statement:
        """Find the combinations of each class whose values do not fit, over all classes."""
        combined = []
        for each in self.combinations:
            masks = [sum(self.places[at][n] for at in each) for n in range(len(self.parts))]
            members = sum(1 << at for at in each)
            combined.append({"members": literal(members), "masks": [literal(m) for m in masks]})
        return Statement(
            "local_suppression/outliers",
            {
                "outliers": outliers,
                "classes": classes,
                "parts": [
                    {"as": part, "mask": name(f"mask_{n}")} for n, part in enumerate(self._parts)
                ],
                "combinations": combined,
                "groups": [literal(n + 1) for n in range(len(self.parts) + 1)],
                "requirements": self.rows.requirements(self.asked),
            },
        )

    def blank(self, after: exp.Table, before: exp.Table) -> Statement:
        """Blank one more column of each class: the one in most of the outliers it still has."""
        return Statement(
            "local_suppression/blank",
            {
                "after": after,
                "before": before,
                "parts": self._parts,
                "bits": [literal(1 << at) for at in self.columns],
            },
        )

    def unresolved(self, outliers: exp.Table) -> Statement:
        """Count the outliers none of whose columns is blanked."""
        return Statement("local_suppression/unresolved", {"outliers": outliers})

    def shown(
        self,
        shown: DisplayedClasses,
        classes: exp.Table,
        outliers: exp.Table,
        *,
        held: Sequence[str],
    ) -> Statement:
        """Make the table of classes as they are shown, which columns were blanked beside them."""
        parts = []
        for n, (part, own) in enumerate(zip(self._parts, shown.keys, strict=True)):
            blanks = [
                {"bit": literal(1 << at), "mask": literal(self.places[at][n])}
                for at in self.columns
                if self.places[at][n]
            ]
            parts.append({"from": part, "as": name(own), "blanks": blanks})
        return Statement(
            "local_suppression/shown",
            {
                "shown": shown.table,
                "classes": classes,
                "outliers": outliers,
                "parts": parts,
                "keys": self._parts,
                "held": [name(text) for text in held],
                "blanked": name(BLANKED),
            },
        )


@dataclass(frozen=True, slots=True)
class DisplayedClasses:
    """The table of classes as they are shown: what tells them apart then has names of its own."""

    table: exp.Table
    parts: Sequence[str]

    @property
    def keys(self) -> list[str]:
        """Name the parts without the bits of blanked columns."""
        return [f"shown_{part}" for part in self.parts]

    def short(self, short: exp.Table, asked: Sequence[Requirement], rows: ClassRows) -> Statement:
        """Find the classes that fall short as they are shown."""
        parts = [KeyPart(name(text), name(text)) for text in (BLANKED, *self.keys)]
        return rest(short, self.table, FittingSet(parts, asked, rows))

    def patterns(self, table: exp.Table, without: exp.Table | None) -> Statement:
        """Count classes and rows by the columns that are blanked, but those of another table."""
        keys = [name(text) for text in (BLANKED, *self.keys)]
        leaves = {"shown": table, "without": without, "keys": keys, "blanked": keys[0]}
        return Statement("local_suppression/patterns", leaves)


def released_with_blanks(
    source: exp.Table,
    released: Sequence[Released],
    combinations: Sequence[tuple[int, ...]],
    needed: Sequence[Requirement],
    *,
    steps: Sequence[exp.Table],
    moved: exp.Table,
    failing: exp.Table,
    entity: str | None,
    rows: int = 0,
) -> Iterator[Statement]:
    """Find out which cells are blanked and which classes are suppressed, by the source's own rows.

    `steps` become the table of all classes, that of outliers, one a round, and classes as shown.
    """
    made, outliers, *rounds, shown = steps
    yield classes(made, source, released, needed, entity=entity, rows=rows)
    codes = [f"class_{n}" for n in range(len(released))]
    own = [[-(code == at) for code in range(len(codes))] for at in range(len(codes))]
    where = class_rows(needed, source, entity=entity)
    blanking = Blanking(codes, own, combinations, needed, where)
    yield blanking.outliers(outliers, made)
    before = outliers
    for after in rounds:
        yield blanking.blank(after, before)
        before = after
    levels = [
        {
            "as": name(f"level_{at}"),
            "bit": literal(1 << at),
            "level": literal(each.level),
            "root": literal(each.height),
        }
        for at, each in enumerate(released)
    ]
    leaves = {"moved": moved, "outliers": before, "codes": [name(code) for code in codes]}
    yield Statement("local_suppression/blanked", {**leaves, "levels": levels})
    spreads = [f"spread_{n}" for n in range(len(sensitive_attributes(needed)))]
    held = [*codes, *spreads, *([] if entity is None else ["entity"]), "row_count"]
    view = DisplayedClasses(shown, codes)
    yield blanking.shown(view, made, before, held=held)
    yield view.short(failing, needed, where)
