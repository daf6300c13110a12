"""Average re-identification risk: the classes of the release are at most a share of its rows."""

from __future__ import annotations

import re
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.shapes import Parsed
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    FRACTION,
    FRACTION_UNIT,
    Monotony,
    Requirement,
    step_of,
)
from kanon_sql.privacy.table_models import TableMeasure, share_of

if TYPE_CHECKING:
    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.class_sizes import ClassSizes
    from kanon_sql.privacy.privacy_model import PrivacyModel


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
class AverageRisk:
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

    share: Annotated[Decimal, FRACTION]

    monotony: ClassVar[Monotony] = Monotony.ALWAYS
    key: ClassVar[str] = "average_risk"
    words: ClassVar[re.Pattern[str]] = re.compile(r"average risk of at most ([01]\.?[0-9]*)()")
    named: ClassVar[str] = "average risk"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy: the share itself."""
        return Parsed(FRACTION, cls, unparse=attrgetter("share"))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        bound = int(self.share * FRACTION_UNIT)
        return (Requirement(ClassesOfRows(), bound, step=step_of(self.share)),)

    def __str__(self) -> str:
        return f"average risk of at most {self.share:f}"
