"""The models that compare a class with a table of the population that the source was drawn from.

k-map and delta-presence: each measure counts the rows of the population that have the labels of a class.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from kanon_sql.base.documents.keys import Keyed
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import ByKind, Parsed, Shape, Whole, Wrong, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.locations import PLACE, Place, Source, source_from_text
from kanon_sql.policy.privacy.closeness import Absent
from kanon_sql.policy.privacy.privacy_model import (
    BEYOND,
    FRACTION,
    FRACTION_UNIT,
    Channel,
    DeclaredModel,
    Measure,
    Monotony,
    Requirement,
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kanon_sql.base.documents.shapes import Known
    from kanon_sql.policy.privacy.privacy_model import PrivacyModel


def _of_files(
    *,
    path: Place,
    delimiter: str | None = None,
    skip: int = 0,
    header: bool | None = None,
) -> Source:
    return Source(path=path, delimiter=delimiter, skip=skip, header=header)


def _of_table(table: Place) -> Source:
    return Source(table=table)


def _of_query(query: Place) -> Source:
    return Source(query=query)


def name_of(population: Source) -> str:
    """Name a population for readers: its path or table.

    >>> name_of(Source(path="register.parquet")), name_of(Source(query="SELECT 1"))
    ('register.parquet', 'a query')
    """
    return population.path or population.table or "a query"


def as_named(model: Any) -> PrivacyModel:  # noqa: ANN401  a dataclass that has a population
    """Return the model with its population's name for readers in place of its location, which may be a query."""
    named: PrivacyModel = replace(model, population=source_from_text(name_of(model.population)))
    return named


@dataclass(frozen=True)
class _Population(ByKind[Source]):
    def write(self, value: Source, known: Known) -> str:
        del known
        return name_of(value)


POPULATION: Shape[Source] = _Population(
    plain=Parsed(PLACE, source_from_text),
    mapping=Keyed(
        {"path": Record(_of_files), "table": Record(_of_table), "query": Record(_of_query)}
    ),
)
"""The shape of a population's location, which is read like that of a source; only its name is written."""


def population_of(models: Iterable[PrivacyModel]) -> Source | None:
    """Return the population that models compare classes with; None if none does. Raises Wrong if there are several."""
    found = {each.measure.population for model in models for each in model.requirements} - {None}
    if len(found) > 1:
        what = "compares classes with several populations; make one table of them"
        raise Wrong(("", what))
    return next(iter(found), None)


@dataclass(frozen=True, slots=True)
class PopulationComparison(Measure):
    """A measure of a class by the rows of a population in it; each row counts as a person."""

    of: Source

    channels: ClassVar[frozenset[Channel]] = frozenset(
        {Channel.LATTICE, Channel.RELEASE, Channel.CERTIFICATE, Channel.VERIFY}
    )
    claim: ClassVar[str] = "population_model"

    @property
    def population(self) -> Source:
        return self.of

    @property
    def about(self) -> str:
        return name_of(self.of)


@dataclass(frozen=True, slots=True)
class PopulationRows(PopulationComparison):
    """How many rows of the population have the labels of a class."""

    fragment: ClassVar[str] = "population_rows"
    why_not: ClassVar[str] = "does not count the rows of a population; leave out k_map"
    reported: ClassVar[str] = "least_in_population"

    def __str__(self) -> str:
        return f"rows of the population {name_of(self.of)}"


@dataclass(frozen=True, slots=True)
class KMap(DeclaredModel):
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

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(PopulationRows(self.population), self.k),)

    def __str__(self) -> str:
        return f"{self.k}-map of the population {name_of(self.population)}"


@dataclass(frozen=True, slots=True)
class _Presence(PopulationComparison):
    """The share that the source has of the population's rows in a class, or in no released class, in units of 10^-9."""

    of_rows: ClassVar[bool] = True
    of_share: ClassVar[bool] = True
    in_billionths: ClassVar[bool] = True
    why_not: ClassVar[str] = (
        "does not compare a class with its rows in a population; leave out delta_presence"
    )

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"unit": FRACTION_UNIT}

    def beyond(self, whole: int, bound: int) -> str:
        side = "most" if self.at_most else "least"
        return (
            f"the source has {self.as_written(whole)} of the population {name_of(self.of)} where the policy asks for "
            f"at {side} {self.as_written(bound)} of every class"
        )


@dataclass(frozen=True, slots=True)
class GreatestPresence(_Presence):
    """The share of the population's rows in a class that the source has, rounded up.

    A class with more rows in the source than in the population has a share above 1, and fits no bound.
    """

    fragment: ClassVar[str] = "greatest_presence"
    at_most: ClassVar[bool] = True
    reported: ClassVar[str] = "greatest_presence"

    def __str__(self) -> str:
        return f"share of a class of the population {name_of(self.of)} that is in the source"


@dataclass(frozen=True, slots=True)
class LeastPresence(_Presence):
    """The share of the population's rows in a class that the source has, rounded down."""

    fragment: ClassVar[str] = "least_presence"
    reported: ClassVar[str] = "least_presence"

    def __str__(self) -> str:
        return f"least share of a class of the population {name_of(self.of)} that is in the source"


@dataclass(frozen=True, slots=True)
class _OfRest(_Presence):
    """A share of the population's rows in no released class; released rows do not show it without the source."""

    channels: ClassVar[frozenset[Channel]] = _Presence.channels - {Channel.VERIFY}
    of_rest: ClassVar[bool] = True

    def refusal(self, channel: Channel) -> str | None:
        if channel is Channel.VERIFY:
            return "does not know which rows of a population the source had; certify the release"
        return _Presence.refusal(self, channel)


@dataclass(frozen=True, slots=True)
class GreatestRest(_OfRest):
    """The share of the population's rows in no released class that are in the source, rounded up.

    Someone who knows the population and the number of source rows can compute it: suppressed rows by remaining rows.
    """

    fragment: ClassVar[str] = "greatest_rest"
    at_most: ClassVar[bool] = True
    reported: ClassVar[str] = "greatest_presence_in_rest"

    @property
    def by_source(self) -> Measure:
        return GreatestPresence(self.of)

    def of_rest_rows(self, suppressed: int, beyond: int) -> int:
        if not beyond:
            return BEYOND if suppressed else 0
        return -(-suppressed * FRACTION_UNIT // beyond)

    def __str__(self) -> str:
        return f"share of what of the population {name_of(self.of)} is in no released class that is in the source"


@dataclass(frozen=True, slots=True)
class LeastRest(_OfRest):
    """The share of the population's rows in no released class that are in the source, rounded down."""

    fragment: ClassVar[str] = "least_rest"
    reported: ClassVar[str] = "least_presence_in_rest"

    @property
    def by_source(self) -> Measure:
        return LeastPresence(self.of)

    def of_rest_rows(self, suppressed: int, beyond: int) -> int:
        return suppressed * FRACTION_UNIT // beyond if beyond else FRACTION_UNIT

    def __str__(self) -> str:
        return f"least share of what of the population {name_of(self.of)} is in no released class that is in the source"


@dataclass(frozen=True, slots=True)
class AbsentRows(PopulationComparison):
    """How many rows the population has in classes without a row of the source: the same count for every class.

    Such a class cannot be suppressed, so that no class of a node fits if the node has one.
    """

    fragment: ClassVar[str] = "absent_rows"
    at_most: ClassVar[bool] = True
    of_absent: ClassVar[bool] = True
    why_not: ClassVar[str] = _Presence.why_not
    reported: ClassVar[str] = "absent_rows"

    def __str__(self) -> str:
        return f"rows of the population {name_of(self.of)} in classes that the source has no row in"


@dataclass(frozen=True, slots=True)
class DeltaPresence(DeclaredModel):
    """The source has a share from `least` to `most` of the population's rows in a class (Nergiz et al., SIGMOD 2007).

    The population's rows in no released class are one class more; its rows in the source are the suppressed rows. A
    class without a row of the source has the share 0, which no suppression changes; if `absent` classes are ignored,
    neither they nor the rest need reach `least` (ARX does so where a model asks for a least size of classes).
    Monotone where no row is suppressed: the share of a union of classes is the mean of their shares, weighted by the
    population's rows, so that it lies between the least and the greatest. Classes with share 0 are among them; if these
    are ignored, one may be merged into a class that had just enough.

    >>> str(DeltaPresence(Decimal("0.05"), Decimal("0.5"), Source(table="register")))
    '0.5-presence of the population register, at least 0.05'
    """

    least: Annotated[Decimal, FRACTION]
    most: Annotated[Decimal, FRACTION]
    population: Annotated[Source, POPULATION]
    absent: Absent = Absent.FAILS

    key: ClassVar[str] = "delta_presence"
    words: ClassVar[re.Pattern[str]] = re.compile(r"([01]\.?[0-9]*)-presence( of .+)", re.DOTALL)
    named: ClassVar[str] = "delta-presence"

    def __post_init__(self) -> None:
        check(("least", self.least <= self.most, "must be at most what most is"))

    @property
    def monotony(self) -> Monotony:
        ignores = self.least > 0 and self.absent is Absent.IGNORED
        return Monotony.NEVER if ignores else Monotony.UNSUPPRESSED

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        of, step = self.population, step_of(self.most)
        most = int(self.most * FRACTION_UNIT)
        required = [
            Requirement(GreatestPresence(of), most, step=step),
            Requirement(GreatestRest(of), most, step=step),
        ]
        if self.least:
            least, step = int(self.least * FRACTION_UNIT), step_of(self.least)
            required.append(Requirement(LeastPresence(of), least, step=step))
            if self.absent is Absent.FAILS:
                required.append(Requirement(AbsentRows(of), 0))
                required.append(Requirement(LeastRest(of), least, step=step))
        return tuple(required)

    def __str__(self) -> str:
        least = f", at least {self.least:f}" if self.least else ""
        ignored = ", absent classes ignored" if least and self.absent is Absent.IGNORED else ""
        return (
            f"{self.most:f}-presence of the population {name_of(self.population)}{least}{ignored}"
        )
