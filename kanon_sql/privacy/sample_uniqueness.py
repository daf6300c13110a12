"""Sample uniqueness: at most a share of the released rows are a class of their own."""

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
class UniqueRows(TableMeasure):
    """The rows of the release that share their labels with no other, as a share of all, rounded up."""

    fragment: ClassVar[str] = "unique_rows"
    reported: ClassVar[str] = "sample_uniqueness"

    def of_sizes(self, sizes: ClassSizes) -> int:
        return share_of(sizes, sizes.unique)

    def __str__(self) -> str:
        return "unique rows per row of the release"


@dataclass(frozen=True, slots=True)
class SampleUniqueness:
    """At most this share of the released rows are unique: a class of their own (Skinner and Elliot, JRSS B 64(4), 2002).

    Monotone, whatever is suppressed. A row that is unique at a coarser node is so at a finer one. So of what a finer node
    releases no more rows are unique at the coarser one; if that suppresses the unique rows among all others it
    keeps the bound, and the rows that it suppresses are no more than those of the finer node.

    >>> str(SampleUniqueness(Decimal("0.01")))
    'sample uniqueness of at most 0.01'
    """

    share: Annotated[Decimal, FRACTION]

    monotony: ClassVar[Monotony] = Monotony.ALWAYS
    key: ClassVar[str] = "sample_uniqueness"
    words: ClassVar[re.Pattern[str]] = re.compile(r"sample uniqueness of at most ([01]\.?[0-9]*)()")
    named: ClassVar[str] = "sample uniqueness"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Give the shape that a policy states it by: the share itself."""
        return Parsed(FRACTION, cls, unparse=attrgetter("share"))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        bound = int(self.share * FRACTION_UNIT)
        return (Requirement(UniqueRows(), bound, step=step_of(self.share)),)

    def __str__(self) -> str:
        return f"sample uniqueness of at most {self.share:f}"
