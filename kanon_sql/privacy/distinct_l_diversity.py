"""Distinct l-diversity: every class holds at least l different values of a sensitive attribute."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import LATER, Given, Record, Unwritten
from kanon_sql.documents.shapes import Name, Whole
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    EVERY_CHANNEL,
    SENSITIVE,
    Channel,
    Measure,
    Monotony,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel


@dataclass(frozen=True, slots=True)
class DistinctValues(Measure):
    """How many different values of a sensitive attribute a class holds.

    NULL is an unknown value, which makes no class more diverse: it is not counted unless the policy
    declares it to be a value like any other.
    """

    of: SensitiveAttribute

    fragment: ClassVar[str] = "distinct_values"
    channels: ClassVar[frozenset[Channel]] = EVERY_CHANNEL
    reported: ClassVar[str] = "least_distinct"
    claim: ClassVar[str] = "distinct_l_diversity"
    audit: ClassVar[str] = "l_diversity"

    @property
    def sensitive(self) -> SensitiveAttribute:
        return self.of

    @property
    def loosest(self) -> int:
        """Return 1 where NULL is a value, as every class then holds one value at least; else 0."""
        return int(self.of.counts_null)

    def audit_arguments(self, bound: int) -> Mapping[str, object]:
        return {"sensitive": self.of.column, "l": bound}

    def beyond(self, whole: int, bound: int) -> str:
        if whole:
            return Measure.beyond(self, whole, bound)
        return (
            f"the whole table has 0 {self} where the policy asks every class for {bound}: "
            f"sensitive_nulls: value counts NULL as a value"
        )

    def __str__(self) -> str:
        return f"distinct values of {self.of}"


@dataclass(frozen=True, slots=True)
class DistinctDiversity:
    """Every class holds at least l different sensitive values (Machanavajjhala et al., 2006, 4.2).

    Monotone: a union of classes holds every value of each (ibid., theorem 4.1's argument for distinct values).

    >>> str(DistinctDiversity("disease", 3))
    'distinct 3-diversity of disease'
    """

    column: Annotated[str, Name(SENSITIVE)]
    l: Annotated[int, Whole(1)]  # noqa: E741  the literature's letter
    monotony: Annotated[Monotony, Unwritten] = Monotony.ALWAYS
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = field(
        default=SensitiveNulls.NOT_COUNTED, metadata=LATER
    )

    key: ClassVar[str] = "distinct_l"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"distinct ([0-9]{1,18})-diversity( of .+)", re.DOTALL
    )
    named: ClassVar[str] = "distinct l-diversity"
    stricter_below: ClassVar[bool] = False

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        attribute = SensitiveAttribute(self.column, self.nulls)
        return (Requirement(DistinctValues(attribute), self.l),)

    def __str__(self) -> str:
        return f"distinct {self.l}-diversity of {self.column}{self.nulls.words}"
