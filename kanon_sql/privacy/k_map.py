"""k-map: every class of the release has at least k rows in the population."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Record
from kanon_sql.documents.shapes import Whole
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.locations import Source  # noqa: TC001  its record reads the annotations
from kanon_sql.privacy.populations import POPULATION, PopulationComparison, name_of
from kanon_sql.privacy.privacy_model import Monotony, Requirement

if TYPE_CHECKING:
    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel


@dataclass(frozen=True, slots=True)
class PopulationRows(PopulationComparison):
    """How many rows of the population have the labels of a class."""

    fragment: ClassVar[str] = "population_rows"
    why_not: ClassVar[str] = "does not count the rows of a population; leave out k_map"
    reported: ClassVar[str] = "least_in_population"

    @property
    def loosest(self) -> int:
        return 0

    def __str__(self) -> str:
        return f"rows of the population {name_of(self.of)}"


@dataclass(frozen=True, slots=True)
class KMap:
    """Every released class has at least k rows in the population (Sweeney, Computational Disclosure Control, 2001).

    Rows are counted, as a register has one for each person. Monotone: a union of classes has the rows of all of them
    in the population, so rows that fit at a node fit at a coarser one, whatever is suppressed.

    >>> str(KMap(5, Source(table="register")))
    '5-map of the population register'
    """

    k: Annotated[int, Whole(1)]
    population: Annotated[Source, POPULATION]

    monotony: ClassVar[Monotony] = Monotony.ALWAYS
    key: ClassVar[str] = "k_map"
    words: ClassVar[re.Pattern[str]] = re.compile(r"([0-9]{1,18})-map( of .+)", re.DOTALL)
    named: ClassVar[str] = "k-map"
    stricter_below: ClassVar[bool] = False

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(PopulationRows(self.population), self.k),)

    def __str__(self) -> str:
        return f"{self.k}-map of the population {name_of(self.population)}"
