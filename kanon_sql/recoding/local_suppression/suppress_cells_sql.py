"""Statements of local suppression: cells are suppressed until no outlier is left (mu-Argus).

Classes are distinguished by parts: keys of a frequency set, or codes of a release. A combination of
columns is the bits that it keeps of each part, and a suppressed column has its bits cleared. Which
columns a class lost is a number with a bit a column, so a suppressed cell is a value of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.privacy.demands import sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import FittingSet, KeyPart, rest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.policy.hierarchies.labels_sql import SourceRows
    from kanon_sql.policy.privacy.fitting_sql import ClassRows
    from kanon_sql.policy.privacy.privacy_model import Requirement

SUPPRESSED = "suppressed"
"""The column that has a bit for each column whose cells a class lost."""


@dataclass(frozen=True)
class CellSuppression:
    """How classes are distinguished, and which combinations of columns are tested.

    `parts` are the names of what distinguishes classes; `masks` has, for each column, its bits in each part.
    """

    parts: Sequence[str]
    masks: Sequence[Sequence[int]]
    combinations: Sequence[tuple[int, ...]]
    required: Sequence[Requirement]
    rows: ClassRows

    @property
    def columns(self) -> list[int]:
        """Return the columns that some combination has, and whose cells may be suppressed."""
        return sorted({at for each in self.combinations for at in each})

    @property
    def keys(self) -> list[str]:
        """Name the parts without the bits of suppressed columns."""
        return [f"shown_{part}" for part in self.parts]

    @property
    def _parts(self) -> list[exp.Identifier]:
        return [name(part) for part in self.parts]

    def outliers(self, outliers: exp.Table, classes: exp.Table) -> Statement:
        """Find the combinations of each class whose values do not fit, over all classes."""
        combinations = [
            {
                "members": sum(1 << at for at in each),
                "masks": [sum(self.masks[at][n] for at in each) for n in range(len(self.parts))],
            }
            for each in self.combinations
        ]
        return Statement(
            "local_suppression/outliers",
            {
                "outliers": outliers,
                "classes": classes,
                "parts": self._parts,
                "combinations": combinations,
                "requirements": self.rows.requirements(self.required),
            },
        )

    def unresolved(self, outliers: exp.Table) -> Statement:
        return Statement("local_suppression/unresolved", {"outliers": outliers})

    def suppress(self, after: exp.Table, before: exp.Table) -> Statement:
        """Suppress one more column of each class: the one in most of the outliers it still has."""
        bits = [1 << at for at in self.columns]
        leaves = {"after": after, "before": before, "parts": self._parts, "bits": bits}
        return Statement("local_suppression/suppress_cells", leaves)

    def classes_after(
        self, after: exp.Table, classes: exp.Table, outliers: exp.Table, *, carried: Sequence[str]
    ) -> Statement:
        """Create the table of classes after suppression; `carried` names the columns that they keep."""
        parts = []
        for n, (part, key) in enumerate(zip(self._parts, self.keys, strict=True)):
            cleared = [
                {"bit": 1 << at, "mask": self.masks[at][n]}
                for at in self.columns
                if self.masks[at][n]
            ]
            parts.append({"from": part, "as": name(key), "cleared": cleared})
        leaves = {"after": after, "classes": classes, "outliers": outliers, "parts": parts}
        kept = [name(text) for text in carried]
        return Statement("local_suppression/after_suppression", {**leaves, "carried": kept})

    def failing(self, failing: exp.Table, after: exp.Table) -> Statement:
        parts = [KeyPart(name(text), name(text)) for text in (SUPPRESSED, *self.keys)]
        return rest(failing, after, FittingSet(parts, self.required, self.rows))

    def suppressed_columns(self, classes: exp.Table, without: exp.Table | None) -> Statement:
        """Count classes and rows by the columns they lost, but those of another table."""
        keys = [name(text) for text in self.keys]
        leaves = {"classes": classes, "without": without, "keys": keys}
        return Statement("local_suppression/suppressed_columns", leaves)


def released_with_suppressed_cells(
    of: SourceRows,
    combinations: Sequence[tuple[int, ...]],
    *,
    steps: Sequence[exp.Table],
    moved: exp.Table,
    failing: exp.Table,
) -> Iterator[Statement]:
    """Find which cells and which classes are suppressed, by the source's own rows.

    `steps` become the table of all classes, that of outliers, one a round, and classes after suppression.
    """
    all_, outliers, *rounds, after = steps
    yield of.classes(all_)
    codes = [f"class_{n}" for n in range(len(of.released))]
    own = [[-(code == at) for code in range(len(codes))] for at in range(len(codes))]
    suppression = CellSuppression(codes, own, combinations, of.needed, of.class_rows)
    yield suppression.outliers(outliers, all_)
    before = outliers
    for each in rounds:
        yield suppression.suppress(each, before)
        before = each
    levels = [
        {"bit": 1 << at, "level": each.level, "root": each.height}
        for at, each in enumerate(of.released)
    ]
    leaves = {"moved": moved, "outliers": before, "codes": [name(code) for code in codes]}
    yield Statement("local_suppression/moved_cells", {**leaves, "levels": levels})
    sensitive = [f"spread_{n}" for n in range(len(sensitive_attributes(of.needed)))]
    carried = [*codes, *sensitive, *([] if of.entity is None else ["entity"]), "row_count"]
    yield suppression.classes_after(after, all_, before, carried=carried)
    yield suppression.failing(failing, after)
