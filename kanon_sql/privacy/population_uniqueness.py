"""Population uniqueness: few rows of the population, of which the release is a sample, are estimated to be unique."""

from __future__ import annotations

import re
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Record
from kanon_sql.documents.shapes import Number, Parsed, check
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.population_uniques import Estimator, share_of_uniques
from kanon_sql.privacy.privacy_model import (
    FRACTION,
    FRACTION_UNIT,
    Channel,
    Monotony,
    Requirement,
    exact,
    step_of,
)
from kanon_sql.privacy.table_models import TableMeasure

if TYPE_CHECKING:
    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.class_sizes import ClassSizes
    from kanon_sql.privacy.privacy_model import PrivacyModel


def _sampling(number: Decimal) -> Decimal:
    check(("", 0 < number <= 1, "must be above 0 and at most 1"))
    return exact(number)


SAMPLING = Parsed(Number(), _sampling)
"""The share of a population that is in a sample."""


@dataclass(frozen=True, slots=True)
class EstimatedUniques(TableMeasure):
    """The estimated share of the population's rows that are unique, to the nearest unit of 10^-9.

    It is computed here, from whole numbers that the database counts, so that it is the same for every database.
    It is 1 if the estimator has no solution.
    """

    estimator: Estimator
    sampling: Decimal

    fragment: ClassVar[str] = "unique_rows"
    estimated: ClassVar[bool] = True
    reported: ClassVar[str] = "population_uniqueness"
    channels: ClassVar[frozenset[Channel]] = frozenset(
        {Channel.LATTICE, Channel.RELEASE, Channel.VERIFY}
    )

    def refusal(self, channel: Channel) -> str | None:
        if channel in {Channel.SCRIPT, Channel.CERTIFICATE}:
            return (
                "cannot estimate population_uniqueness, which no statement of SQL does: use sample_uniqueness or "
                "average_risk there"
            )
        return TableMeasure.refusal(self, channel)

    def of_sizes(self, sizes: ClassSizes) -> int:
        if not sizes.unique:
            return 0
        found = share_of_uniques(dict(sizes.counts), float(self.sampling), self.estimator)
        return FRACTION_UNIT if found is None else round(found * FRACTION_UNIT)

    def __str__(self) -> str:
        return f"unique rows per row of the population by {self.estimator}'s estimate"


@dataclass(frozen=True, slots=True)
class PopulationUniqueness:
    """At most this share of the population's rows are unique, by an estimate from the release.

    The released rows are taken to be a random sample, of the share `sampling` of the population. The estimators are
    Pitman's (Hoshino, JOS 17(4), 2001), Zayatz' (1991), the shifted negative binomial model (Chen and Keller-McNulty,
    JOS 14(1), 1998), and the rule of Dankar et al. (BMC Medical Informatics and Decision Making 12:66, 2012), which
    chooses among them. Not known to be monotone: a model is fitted to all classes anew.

    >>> str(PopulationUniqueness(Decimal("0.01"), Decimal("0.1")))
    "population uniqueness of at most 0.01 by dankar's estimate from a sample of 0.1"
    """

    share: Annotated[Decimal, FRACTION]
    sampling: Annotated[Decimal, SAMPLING]
    estimator: Estimator = Estimator.DANKAR

    monotony: ClassVar[Monotony] = Monotony.NEVER
    key: ClassVar[str] = "population_uniqueness"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"population uniqueness of at most ([01]\.?[0-9]*)"
        r"( by [a-z]+'s estimate from a sample of [01]\.?[0-9]*)"
    )
    named: ClassVar[str] = "population uniqueness"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        bound, step = int(self.share * FRACTION_UNIT), step_of(self.share)
        return (Requirement(EstimatedUniques(self.estimator, self.sampling), bound, step=step),)

    def __str__(self) -> str:
        how = f"by {self.estimator}'s estimate from a sample of {self.sampling:f}"
        return f"population uniqueness of at most {self.share:f} {how}"
