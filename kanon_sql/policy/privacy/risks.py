"""The risks of a table or a release: class sizes, three attackers, unique rows; and charts of them for notebooks.

The prosecutor knows that a person is in the table, and looks for their row: in a class of f rows, each is the one with
probability 1/f. The journalist wants to re-identify any row as a person known from a population, in which the class
has F members: the probability is 1/F. The marketer matches all rows with the population, and counts right matches.
(El Emam and Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008; El Emam, "Guide to the
De-Identification of Personal Health Information", 2013.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping  # noqa: TC003  the type of a field is its shape
from dataclasses import asdict
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Self

from kanon_sql.base.charts.bars import compared
from kanon_sql.base.charts.points import BeforeAfter, risk_before_after
from kanon_sql.base.documents.keys import MapOf
from kanon_sql.base.documents.shapes import Whole
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.base.charts.chart import Chart


THRESHOLDS = ("0.05", "0.09", "0.1", "0.2", "0.33", "0.5")
"""Thresholds that guidelines and custodians use: classes of 20, 12, 10, 5, 4 and 2 are not above them."""

STATED = "0.2"
"""The threshold whose share of rows is printed beside a plan or a release: a class of 5 is not above it."""


@dataclass(frozen=True, slots=True)
class SizeCount:
    """The number of classes of one size, in rows or in persons, and the number of their rows."""

    size: int
    classes: int
    rows: int


def size_counts(rows: Iterable[Sequence[object]]) -> list[SizeCount]:
    """Read the rows of a statement that counts classes by their size."""
    return [SizeCount(*(int(str(cell)) for cell in row[:3])) for row in rows]


@dataclass(frozen=True, slots=True)
class AttackerRisk:
    """The highest and the average probability that an attacker re-identifies a row.

    `above` is the share of rows whose probability is above each threshold.
    """

    highest: float
    average: float
    above: Mapping[str, float]

    def document(self) -> dict[str, object]:
        """Return the risk as plain values for JSON."""
        return asdict(self)


def attacker_risk(sizes: Sequence[SizeCount], thresholds: Mapping[str, Fraction]) -> AttackerRisk:
    """Compute the prosecutor's risk from class sizes in the table, or the journalist's from those in a population.

    `average` is the greater of two means: over the members of the classes, and over the rows of the table.
    """
    members = sum(each.size * each.classes for each in sizes)
    of_members = sum(each.classes for each in sizes) / members
    return _risk(sizes, thresholds, max(of_members, _average(sizes)))


def marketer_risk(sizes: Sequence[SizeCount], thresholds: Mapping[str, Fraction]) -> AttackerRisk:
    """Compute the marketer's risk: `average` is the expected share of rows that are matched correctly."""
    return _risk(sizes, thresholds, _average(sizes))


def _average(sizes: Sequence[SizeCount]) -> float:
    rows = sum(each.rows for each in sizes)
    return math.fsum(each.rows / each.size for each in sizes) / rows


def _risk(
    sizes: Sequence[SizeCount], thresholds: Mapping[str, Fraction], average: float
) -> AttackerRisk:
    rows = sum(each.rows for each in sizes)
    return AttackerRisk(
        highest=1 / min(each.size for each in sizes),
        average=average,
        above={text: rows_above(sizes, threshold) / rows for text, threshold in thresholds.items()},
    )


def rows_above(sizes: Sequence[SizeCount], threshold: Fraction) -> int:
    """Count the rows whose probability of being re-identified is above a threshold.

    It computes with whole numbers: with fractions, the risks of 2,000 sizes took 73 ms instead of 3.
    """
    one, of = threshold.numerator, threshold.denominator
    return sum(each.rows for each in sizes if each.size * one < of)


BOUNDS = {text: Fraction(text) for text in THRESHOLDS}
"""The default thresholds, as exact fractions."""

BANDS = (1, 2, 5, 10, 25, 100)
"""The least sizes of the bands in which class sizes are reported."""


class CountedBy(StrEnum):
    """What the size of a class counts."""

    ROWS = "rows"
    PERSONS = "persons"


def risk_text(highest: float, average: float, share_above: float, unique_rows: int) -> str:
    """Describe the prosecutor's risk, the share of rows above the stated threshold if any are, and the unique rows.

    >>> risk_text(0.2, 0.04, 0, 0)
    'highest 0.2000 (1 in 5), average 0.0400; 0 rows unique by the quasi-identifiers'
    >>> risk_text(0.5, 0.25, 0.125, 1)
    'highest 0.5000 (1 in 2), average 0.2500; 12.50% of rows above 0.2; 1 row unique by the quasi-identifiers'
    """
    above = f"; {share_above:.2%} of rows above {STATED}" if share_above else ""
    return (
        f"highest {highest:.4f} (1 in {round(1 / highest)}), average {average:.4f}{above}; "
        f"{counted(unique_rows, 'row')} unique by the quasi-identifiers"
    )


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

    Shares are of rows; `unique_rows` are in classes of size 1.
    """

    rows: int
    classes: int
    unique_rows: int
    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: AttackerRisk
    class_sizes: tuple[SizeBand, ...]

    @property
    def text(self) -> str:
        """Describe the prosecutor's risk in one line; the thresholds are those by default."""
        risk = self.prosecutor
        return risk_text(risk.highest, risk.average, risk.above[STATED], self.unique_rows)

    def summary(self) -> dict[str, object]:
        """Return the figures as `risk --json` prints them."""
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


@dataclass(frozen=True, slots=True)
class ReleaseRisk:
    """The risks of the classes that a plan releases, with the release taken for the population.

    A class has the size that the policy counts, in rows or in persons. `highest` and `average` are the prosecutor's and
    the journalist's risks; `matched` is the marketer's average. `rows_above` counts, for each threshold, the rows whose
    probability of being re-identified is above it.
    """

    counted: CountedBy
    unique_rows: Annotated[int, Whole(0)]
    highest: float
    average: float
    matched: float
    rows_above: Annotated[Mapping[str, int], MapOf(Whole(0))]

    @classmethod
    def of(cls, sizes: Sequence[SizeCount], entity: str | None) -> Self | None:
        """Compute the risks from class sizes, which count the persons of an entity; None where there is no class."""
        if not sizes:
            return None
        figures = risk_figures(sizes, BOUNDS)
        return cls(
            CountedBy.ROWS if entity is None else CountedBy.PERSONS,
            figures.unique_rows,
            figures.prosecutor.highest,
            figures.prosecutor.average,
            figures.marketer.average,
            {text: rows_above(sizes, bound) for text, bound in BOUNDS.items()},
        )

    def text(self, rows: int) -> str:
        """Describe the risks in one line; `rows` is the number of released rows."""
        share = self.rows_above.get(STATED, 0) / max(rows, 1)
        text = risk_text(self.highest, self.average, share, self.unique_rows)
        return f"{text}; people are counted" if self.counted is CountedBy.PERSONS else text

    def summary(self, rows: int, classes: int) -> dict[str, object]:
        """Return the risks by the keys of `risk --json`; `rows` and `classes` are those of the release."""
        above = {text: count / max(rows, 1) for text, count in self.rows_above.items()}
        own = AttackerRisk(self.highest, self.average, above)
        return {
            "rows": rows,
            "classes": classes,
            "unique_rows": self.unique_rows,
            "prosecutor": own.document(),
            "journalist": own.document(),
            "marketer": AttackerRisk(self.highest, self.matched, above).document(),
        }


def risks_chart(table: RiskFigures, released: RiskFigures | None) -> Chart:
    """Draw the risks of a table, and of its release where one was measured."""
    after: list[float | None] = [None] * 5 if released is None else _risks(released)
    names = (
        "highest",
        "prosecutor, average",
        "journalist, average",
        "marketer, average",
        "unique rows",
    )
    return risk_before_after(
        [BeforeAfter(*each) for each in zip(names, _risks(table), after, strict=True)]
    )


def _risks(of: RiskFigures) -> list[float | None]:
    averages = [each.average for each in (of.prosecutor, of.journalist, of.marketer)]
    return [of.prosecutor.highest, *averages, of.unique_rows / of.rows if of.rows else None]


def bands_chart(bands: Sequence[SizeBand]) -> Chart:
    """Draw how many classes have which size."""
    return compared(
        "Class sizes", [each.label for each in bands], [each.classes for each in bands], measure="classes"
    )  # fmt: skip
