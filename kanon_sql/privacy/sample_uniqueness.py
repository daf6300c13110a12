"""Sample uniqueness: at most a share of the released rows are alone in their class."""

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
    """The share of released rows that have their labels in common with no other row, rounded up."""

    fragment: ClassVar[str] = "unique_rows"
    reported: ClassVar[str] = "sample_uniqueness"

    def of_sizes(self, sizes: ClassSizes) -> int:
        return share_of(sizes, sizes.unique)

    def __str__(self) -> str:
        return "unique rows per row of the release"


@dataclass(frozen=True, slots=True)
class SampleUniqueness:
    """At most this share of the released rows are alone in their class (Skinner and Elliot, JRSS B 64(4), 2002).

    Monotone, whatever is suppressed. A row that is unique at a coarser node is unique at a finer one. So of the rows
    that a finer node releases, no more are unique at the coarser node. If the coarser node suppresses the unique ones
    of all other rows, it keeps the bound, and suppresses no more rows than the finer node.

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
        """Return the shape of the model in a policy: the share itself."""
        return Parsed(FRACTION, cls, unparse=attrgetter("share"))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        bound = int(self.share * FRACTION_UNIT)
        return (Requirement(UniqueRows(), bound, step=step_of(self.share)),)

    def __str__(self) -> str:
        return f"sample uniqueness of at most {self.share:f}"
