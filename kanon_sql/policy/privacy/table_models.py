"""The models of a whole table: each bounds one figure of the release, and none of a single class.

Average risk, sample uniqueness, and the estimated uniqueness in a population. They read the histogram of the class
sizes alone: there are at most sqrt(2 * rows) different sizes, however many classes.
"""

from __future__ import annotations

import re
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from kanon_sql.base.documents.shapes import Number, Parsed, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.privacy.population_uniques import Estimator, share_of_uniques
from kanon_sql.policy.privacy.privacy_model import (
    FRACTION,
    FRACTION_UNIT,
    Channel,
    DeclaredModel,
    Measure,
    Monotony,
    Requirement,
    exact,
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.base.documents.shapes import Shape
    from kanon_sql.policy.privacy.privacy_model import PrivacyModel


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """Pairs of a size in rows and how many classes have it, the smallest size first.

    >>> sizes = ClassSizes.of([(3, 1), (1, 2)])
    >>> sizes.classes, sizes.rows, sizes.unique, sizes.smallest(2)
    (3, 5, 2, 2)
    """

    counts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, counts: Iterable[tuple[int, int]]) -> Self:
        """Sort the pairs, so that results do not depend on the order in which a database returns them."""
        return cls(tuple(sorted(counts)))

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return sum(many for _, many in self.counts)

    @property
    def rows(self) -> int:
        """How many rows they have."""
        return sum(size * many for size, many in self.counts)

    @property
    def unique(self) -> int:
        """How many rows are alone in their class."""
        return dict(self.counts).get(1, 0)

    @property
    def squares(self) -> int:
        """The sum of the squared sizes."""
        return sum(size * size * many for size, many in self.counts)

    def smallest(self, classes: int) -> int:
        """Return the number of rows in this many of the smallest classes."""
        return self.rows - self.without_smallest(classes).rows

    def without_smallest(self, classes: int) -> ClassSizes:
        """Return the sizes without this many of the smallest classes."""
        for at, (size, many) in enumerate(self.counts):
            if classes < many:
                return ClassSizes(((size, many - classes), *self.counts[at + 1 :]))
            classes -= many
        return ClassSizes(())

    def most_within(self, rows: int) -> int:
        """Return how many of the smallest classes have at most `rows` rows together."""
        found = 0
        for size, many in self.counts:
            fit = min(many, rows // size)
            found, rows = found + fit, rows - fit * size
            if fit < many:
                break
        return found


def smallest_to_suppress(required: Sequence[Requirement], sizes: ClassSizes, most: int) -> int:
    """Return how many of the smallest classes to suppress, one after the other, until a table keeps all requirements.

    The result is `most` + 1 if suppressing `most` classes is not enough. The remaining classes keep all requirements,
    and did not before the last class was suppressed. If a requirement that is kept stays kept when more of the smallest
    classes are suppressed, as a share of classes or of unique rows does, the result is the least such number.
    """
    found = 0
    while (broken := next((r for r in required if not _kept(r, sizes, found)), None)) is not None:
        low, found = found, most
        if low >= most or not _kept(broken, sizes, most):
            return most + 1
        while found - low > 1:
            middle = (low + found) // 2
            if _kept(broken, sizes, middle):
                found = middle
            else:
                low = middle
    return found


def _kept(required: Requirement, sizes: ClassSizes, suppressed: int) -> bool:
    left = sizes.without_smallest(suppressed)
    return left.classes > 0 and required.holds(required.measure.of_sizes(left))


class TableMeasure(Measure):
    """A share of the released rows in units of 10^-9, computed from the sizes of all released classes.

    Of the classes that fit all other models, the smallest are suppressed one by one until the share keeps its bound.
    """

    __slots__ = ()

    of_all_classes: ClassVar[bool] = True
    of_rows: ClassVar[bool] = True
    at_most: ClassVar[bool] = True
    in_billionths: ClassVar[bool] = True
    claim: ClassVar[str] = "table_model"
    channels: ClassVar[frozenset[Channel]] = frozenset(
        {
            Channel.LATTICE,
            Channel.RELEASE,
            Channel.SCRIPT,
            Channel.CERTIFICATE,
            Channel.VERIFY,
        }
    )
    why_not: ClassVar[str] = (
        "decides class by class, and does not suppress the smallest of those that fit"
    )

    @property
    def by_source(self) -> Measure:
        return self

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"unit": FRACTION_UNIT}

    @property
    def loosest(self) -> int:
        return FRACTION_UNIT

    def beyond(self, whole: int, bound: int) -> str:
        return (
            f"the whole table as one class has {self.as_written(whole)} {self} where the policy asks for at most "
            f"{self.as_written(bound)}"
        )


def share_of(sizes: ClassSizes, part: int) -> int:
    """Return a share of the classes' rows, in units of 10^-9, rounded up so that comparing it with a bound is exact."""
    return -(-part * FRACTION_UNIT // sizes.rows)


@dataclass(frozen=True, slots=True)
class BoundedShare(DeclaredModel):
    """A bound on one share of a release, which a policy states as a number. Monotone, whatever is suppressed."""

    share: Annotated[Decimal, FRACTION]

    monotony: ClassVar[Monotony] = Monotony.ALWAYS
    measure: ClassVar[TableMeasure]

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy: the share itself."""
        return Parsed(FRACTION, cls, unparse=attrgetter("share"))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        bound = int(self.share * FRACTION_UNIT)
        return (Requirement(self.measure, bound, step=step_of(self.share)),)

    def __str__(self) -> str:
        return f"{self.named} of at most {self.share:f}"


@dataclass(frozen=True, slots=True)
class ClassesOfRows(TableMeasure):
    """The number of classes of the release divided by its number of rows, rounded up."""

    fragment: ClassVar[str] = "classes_of_rows"
    reported: ClassVar[str] = "average_risk"

    def of_sizes(self, sizes: ClassSizes) -> int:
        return share_of(sizes, sizes.classes)

    def __str__(self) -> str:
        return "classes per row of the release"


@dataclass(frozen=True, slots=True)
class AverageRisk(BoundedShare):
    """The classes of the release are at most this share of its rows.

    If an adversary picks one row of each person's class at random, this is the expected share of persons found: the
    average prosecutor's risk, and the marketer's (El Emam and Dankar, JAMIA 2008; El Emam, *Guide to the
    De-Identification of Personal Health Information*, 2013).
    Monotone, whatever is suppressed. The classes that a finer node releases lie in no more coarser classes, with no
    fewer rows; as many of the largest coarser classes have no fewer rows either. So the coarser node keeps the bound
    once it has suppressed all other classes, which are its smallest, or some of these.

    >>> str(AverageRisk(Decimal("0.05")))
    'average risk of at most 0.05'
    """

    key: ClassVar[str] = "average_risk"
    words: ClassVar[re.Pattern[str]] = re.compile(r"average risk of at most ([01]\.?[0-9]*)()")
    named: ClassVar[str] = "average risk"
    measure: ClassVar[TableMeasure] = ClassesOfRows()


@dataclass(frozen=True, slots=True)
class UniqueRows(TableMeasure):
    """The share of released rows that have their labels in common with no other row, rounded up."""

    fragment: ClassVar[str] = "unique_rows"
    reported: ClassVar[str] = "sample_uniqueness"

    def of_sizes(self, sizes: ClassSizes) -> int:
        return share_of(sizes, sizes.unique)

    def __str__(self) -> str:
        return "unique rows per row of the release"


@dataclass(frozen=True, slots=True)
class SampleUniqueness(BoundedShare):
    """At most this share of the released rows are alone in their class (Skinner and Elliot, JRSS B 64(4), 2002).

    Monotone, whatever is suppressed. A row that is unique at a coarser node is unique at a finer one. So of the rows
    that a finer node releases, no more are unique at the coarser node. If the coarser node suppresses the unique ones
    of all other rows, it keeps the bound, and suppresses no more rows than the finer node.

    >>> str(SampleUniqueness(Decimal("0.01")))
    'sample uniqueness of at most 0.01'
    """

    key: ClassVar[str] = "sample_uniqueness"
    words: ClassVar[re.Pattern[str]] = re.compile(r"sample uniqueness of at most ([01]\.?[0-9]*)()")
    named: ClassVar[str] = "sample uniqueness"
    measure: ClassVar[TableMeasure] = UniqueRows()


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
class PopulationUniqueness(DeclaredModel):
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

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        bound, step = int(self.share * FRACTION_UNIT), step_of(self.share)
        return (Requirement(EstimatedUniques(self.estimator, self.sampling), bound, step=step),)

    def __str__(self) -> str:
        how = f"by {self.estimator}'s estimate from a sample of {self.sampling:f}"
        return f"population uniqueness of at most {self.share:f} {how}"
