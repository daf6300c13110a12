"""What the models of a whole table share: they are asked of the release, and of no class of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.privacy.privacy_model import FRACTION_UNIT, Channel, Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.privacy.class_sizes import ClassSizes


class TableMeasure(Measure):
    """A share of the released rows in units of 10^-9, of the sizes of all released classes.

    The smallest classes that fit all other models are suppressed, one after the other, until it is within its bound.
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
    """Give a share of the rows of classes, rounded up: it is at most a bound exactly where the share itself is."""
    return -(-part * FRACTION_UNIT // sizes.rows)
