"""Models that compare a class with a table of the population that the source was drawn from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_sql.documents.keys import Keyed
from kanon_sql.documents.records import Record
from kanon_sql.documents.shapes import ByKind, Parsed, Shape, Wrong
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.locations import PLACE, Place, Source, source_from_text
from kanon_sql.privacy.privacy_model import Channel, Measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.documents.shapes import Known
    from kanon_sql.privacy.privacy_model import PrivacyModel


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
