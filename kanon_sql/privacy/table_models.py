"""The base of models of a whole table: they bound one figure of the release, and none of a single class."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.privacy.privacy_model import FRACTION_UNIT, Channel, Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.privacy.class_sizes import ClassSizes


class TableMeasure(Measure):
    """A share of the released rows in units of 10^-9, computed from the sizes of all released classes.

    Of the classes that fit all other models, the smallest are suppressed one by one until the share keeps its bound.
    """

    __slots__ = ()

    of_all_classes: ClassVar[bool] = True
    of_rows: ClassVar[bool] = True
    at_most: ClassVar[bool] = True
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
    def one(self) -> int:
        return FRACTION_UNIT

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
