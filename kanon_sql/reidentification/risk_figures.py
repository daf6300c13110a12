"""The result of `risk`: figures by rows, persons and signatures, of a table and its release, as text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.risk_charts import risks_chart
from kanon_sql.privacy.risks import RiskFigures
from kanon_sql.run.inputs import suppressed_text

if TYPE_CHECKING:
    from kanon_sql.privacy.population_uniques import PopulationUniques


@dataclass(frozen=True, slots=True, repr=False)
class Risk(ShownResult, RiskFigures):
    """The re-identification risks of a table by rows and, where a person can have several rows, by persons.

    In `entity` a class counts its persons. In `signature` a class is the persons with the same multiset of rows, which
    an attacker sees where a key of persons is released. `released` are the figures of a release of the table.
    `missed_rows` are rows in classes with fewer members in the population than in the table. `suppressed_before` are
    rows in which every quasi-identifier is the label of suppressed rows; no figure counts them.
    """

    qi: tuple[str, ...]
    population_rows: int | None = None
    missed_rows: int | None = None
    population_uniques: PopulationUniques | None = None
    entity: RiskFigures | None = None
    signature: RiskFigures | None = None
    released: Risk | None = None
    suppressed_before: int | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Describe where figures by rows hide a risk, where the population lacks rows, and rows suppressed before."""
        found = []
        if self.suppressed_before:
            found.append(suppressed_text(self.suppressed_before))
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
                others = ", ".join(
                    f"{risk.highest:.4f} highest and {risk.average:.4f} on average by {name}"
                    for name, risk in risks
                )
                found.append(
                    "rows are not people: the prosecutor's risk is "
                    f"{self.prosecutor.highest:.4f} highest and {self.prosecutor.average:.4f} on average by row, "
                    f"but {others}"
                )
        after = () if self.released is None else self.released.warnings
        return (*found, *(f"release: {each}" for each in after))

    def _shown(self) -> Shown:
        counted_by = {"row": self, "person": self.entity, "signature": self.signature}
        tables = {"the table": counted_by}
        if (after := self.released) is not None:
            tables["the release"] = {"row": after, "person": after.entity, "signature": after.signature}  # fmt: skip
        rows: list[list[object]] = [
            [table, by, of.rows, of.classes, of.unique_rows, of.prosecutor.highest]
            + [each.average for each in (of.prosecutor, of.journalist, of.marketer)]
            for table, figures in tables.items()
            for by, of in figures.items()
            if of is not None
        ]
        headings = ["of", "by", "rows", "classes", "unique rows", "highest risk"]
        averages = ["average: prosecutor", "journalist", "marketer"]
        return Shown(
            f"{self.rows:,} rows, {self.text}",
            [("quasi-identifiers", ", ".join(self.qi))],
            [ShownTable([*headings, *averages], rows)],
            self.warnings,
            charts=[risks_chart(self, self.released)] if self.rows else [],
        )

    def summary(self) -> dict[str, object]:
        """Return the document that `risk --json` prints."""
        found = {"qi": list(self.qi), **RiskFigures.summary(self)}  # with slots, super() fails here
        if self.population_rows is not None:
            found["population_rows"] = self.population_rows
            found["missed_rows"] = self.missed_rows
        if self.population_uniques is not None:
            found["population_uniques"] = self.population_uniques.document()
        if self.suppressed_before is not None:
            found["suppressed_before"] = self.suppressed_before
        for name in ("entity", "signature"):
            if (figures := getattr(self, name)) is not None:
                found[name] = figures.summary()
        if self.released is not None:
            found["released"] = self.released.summary()
        return {**found, "warnings": list(self.warnings)}
