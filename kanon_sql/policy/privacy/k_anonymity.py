"""k-anonymity: every class holds at least k entities."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from kanon_sql.base.documents.shapes import Parsed, Whole
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.privacy.privacy_model import (
    EVERY_CHANNEL,
    Channel,
    DeclaredModel,
    Measure,
    Monotony,
    Requirement,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kanon_sql.base.documents.shapes import Shape
    from kanon_sql.policy.privacy.privacy_model import PrivacyModel


@dataclass(frozen=True, slots=True)
class Size(Measure):
    """How many entities a class holds."""

    fragment: ClassVar[str] = "size"
    channels: ClassVar[frozenset[Channel]] = EVERY_CHANNEL
    reported: ClassVar[str] = "smallest_class"
    claim: ClassVar[str] = "k_anonymity"
    audit: ClassVar[str] = "k_anonymity"

    @property
    def loosest(self) -> int:
        return 1

    @property
    def bound_name(self) -> str:
        return "k"

    def audit_arguments(self, bound: int) -> Mapping[str, object]:
        return {"k": bound}

    def __str__(self) -> str:
        return "entities"


SIZE = Size()
"""The measure that is counted of every class, whatever the models."""


@dataclass(frozen=True, slots=True)
class KAnonymity(DeclaredModel):
    """Every class holds at least k entities (Samarati and Sweeney, 1998).

    Monotone: a class of a coarser node is a union of classes, and holds no fewer entities than each
    (Samarati, TKDE 2001, theorem 3.2; LeFevre et al. 2005, the generalization property).

    >>> str(KAnonymity(5))
    '5-anonymity'
    """

    k: int
    monotony: Monotony = Monotony.ALWAYS

    key: ClassVar[str] = "k"
    words: ClassVar[re.Pattern[str]] = re.compile(r"([0-9]{1,18})-anonymity( over .+)?", re.DOTALL)
    named: ClassVar[str] = "k-anonymity"
    stricter_below: ClassVar[bool] = False

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy: k itself."""
        return Parsed(Whole(1), cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(Size(), self.k),)

    def __str__(self) -> str:
        return f"{self.k}-anonymity"


def stated_k(models: Iterable[PrivacyModel]) -> int:
    """Return the k over all quasi-identifiers, or 1 if there is none."""
    return max((each.k for each in models if isinstance(each, KAnonymity)), default=1)


def with_other_k(models: Iterable[PrivacyModel], k: int) -> tuple[PrivacyModel, ...]:
    """Return the models with another k over all quasi-identifiers.

    >>> [str(each) for each in with_other_k([KAnonymity(5)], 7)]
    ['7-anonymity']
    """
    return (KAnonymity(k), *(each for each in models if not isinstance(each, KAnonymity)))
