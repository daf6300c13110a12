"""The figures of `risk`: class sizes, three attackers, estimated population uniques, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.privacy.attackers import (
    AttackerRisk,
    SizeCount,
    attacker_risk,
    marketer_risk,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from kanon_sql.privacy.population_uniques import PopulationUniques

BANDS = (1, 2, 5, 10, 25, 100)
"""The least sizes of the bands in which class sizes are reported."""


@dataclass(frozen=True, slots=True)
class SizeBand:
    """The classes with at least `least` and at most `most` members, and their rows; None is no bound."""

    least: int
    most: int | None
    classes: int
    rows: int

    @property
    def label(self) -> str:
        """Name the band: 1, 2-4, 100 or more."""
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


@dataclass(frozen=True, slots=True)
class RiskFigures:
    """The re-identification risks of a table, where a class is counted in one way: by rows, persons or signatures.

    `unique_rows` are the rows in classes of size 1. Risks are probabilities; shares are of rows.
    """

    rows: int
    classes: int
    unique_rows: int
    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: AttackerRisk
    class_sizes: tuple[SizeBand, ...]

    def summary(self) -> dict[str, object]:
        """Give what `risk --json` prints of them."""
        return {
            "rows": self.rows,
            "classes": self.classes,
            "unique_rows": self.unique_rows,
            "prosecutor": self.prosecutor.document(),
            "journalist": self.journalist.document(),
            "marketer": self.marketer.document(),
            "class_sizes": [
                {"least": b.least, "most": b.most, "classes": b.classes, "rows": b.rows}
                for b in self.class_sizes
            ],
        }


@dataclass(frozen=True, slots=True)
class Risk(RiskFigures):
    """The re-identification risks of a table by rows and, where a person can have several rows, by persons.

    `entity` counts the persons of a class; `signature` those with the same multiset of rows, which is what an
    attacker sees where a key of persons is released. `released` are the figures of a release of the table.
    `missed_rows` are rows in classes with fewer members in the population than in the table.
    """

    qi: tuple[str, ...]
    population_rows: int | None = None
    missed_rows: int | None = None
    population_uniques: PopulationUniques | None = None
    entity: RiskFigures | None = None
    signature: RiskFigures | None = None
    released: Risk | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say where the figures by rows hide a risk, and where the population lacks rows of the table."""
        found = []
        if self.missed_rows:
            found.append(
                f"{self.missed_rows:,} of {self.rows:,} rows are in classes with fewer members in the population "
                f"than in the table; their class has the table's size: does the population hold the table?"
            )
        if self.entity is not None and self.signature is not None:
            risks = [
                (name, each.prosecutor)
                for name, each in (("person", self.entity), ("signature", self.signature))
                if each.prosecutor != self.prosecutor
            ]
            if risks:
                told = ", ".join(
                    f"{risk.highest:.4f} highest and {risk.average:.4f} on average by {name}"
                    for name, risk in risks
                )
                found.append(
                    "rows are not people: the prosecutor's risk is "
                    f"{self.prosecutor.highest:.4f} highest and {self.prosecutor.average:.4f} on average by row, "
                    f"but {told}"
                )
        after = () if self.released is None else self.released.warnings
        return (*found, *(f"release: {each}" for each in after))

    def summary(self) -> dict[str, object]:
        """Give what `risk --json` prints."""
        found = {"qi": list(self.qi), **RiskFigures.summary(self)}  # slots: super() knows no other
        if self.population_rows is not None:
            found["population_rows"] = self.population_rows
            found["missed_rows"] = self.missed_rows
        if self.population_uniques is not None:
            found["population_uniques"] = self.population_uniques.document()
        for name in ("entity", "signature"):
            if (figures := getattr(self, name)) is not None:
                found[name] = figures.summary()
        if self.released is not None:
            found["released"] = self.released.summary()
        return {**found, "warnings": list(self.warnings)}


def risk_figures(sizes: Sequence[SizeCount], thresholds: Mapping[str, Fraction]) -> RiskFigures:
    """Compute the figures from class sizes; the table is taken for the population.

    That is the worst case: a class has at least as many members in the population as in the table.
    """
    return RiskFigures(
        rows=sum(each.rows for each in sizes),
        classes=sum(each.classes for each in sizes),
        unique_rows=sum(each.rows for each in sizes if each.size == 1),
        prosecutor=attacker_risk(sizes, thresholds),
        journalist=attacker_risk(sizes, thresholds),
        marketer=marketer_risk(sizes, thresholds),
        class_sizes=tuple(_bands(sizes)),
    )


def _bands(sizes: Sequence[SizeCount]) -> list[SizeBand]:
    found = []
    for least, beyond in zip(BANDS, (*BANDS[1:], None), strict=True):
        within = [s for s in sizes if least <= s.size and (beyond is None or s.size < beyond)]
        classes, rows = (sum(getattr(s, name) for s in within) for name in ("classes", "rows"))
        found.append(SizeBand(least, None if beyond is None else beyond - 1, classes, rows))
    return found
