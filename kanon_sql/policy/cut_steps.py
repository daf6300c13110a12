"""Values that the searches over cuts share: anonymity requirements, candidates, scores and steps.

A cut partitions the domain of each column into parts, every part an interval of positions: on a tree
a node, on a line any interval (Fung, Wang and Yu, ICDE 2005; Wang, Yu and Chakraborty, ICDM 2004).
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING, Annotated, assert_never

from kanon_sql.base.documents.records import Omitted
from kanon_sql.base.documents.shapes import Whole
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.privacy.k_anonymity import SIZE

if TYPE_CHECKING:
    from kanon_sql.policy.privacy.privacy_model import Measure

Position = Annotated[int, Whole()]
"""A position in a column's domain. NULL may have a position before the first value's."""

GAIN_PLACES = 8
"""Decimals of a gain, in bits. The logarithms that it is summed from have nine, so that its error is
below 3e-9: a gain of exactly 0 is rounded to 0, and is never taken for a benefit."""


class Score(StrEnum):
    """The score that TDS maximizes: a function of a specialization's gain and anonymity loss.

    `GAIN_PER_LOSS` is InfoGain / AnonyLoss, or InfoGain if AnonyLoss is 0 (ICDE 2005); `GAIN_PER_LOSS_PLUS_ONE` is
    InfoGain / (AnonyLoss + 1) (TKDE 19(5), 2007); `GAIN` is InfoGain, as in the authors' later code. `LOSS` needs no
    target: as the first, with the information loss that is removed in place of InfoGain.
    """

    GAIN_PER_LOSS = "gain_per_loss"
    GAIN_PER_LOSS_PLUS_ONE = "gain_per_loss_plus_one"
    GAIN = "gain"
    LOSS = "loss"

    def of(self, gain: Fraction, loss: Fraction) -> Fraction:
        """Return the score as an exact fraction, so that equal scores are ties on every machine.

        >>> Score.GAIN_PER_LOSS.of(Fraction(1, 2), Fraction(4))
        Fraction(1, 8)
        """
        match self:
            case Score.GAIN_PER_LOSS | Score.LOSS:
                return gain / loss if loss else gain
            case Score.GAIN_PER_LOSS_PLUS_ONE:
                return gain / (loss + 1)
            case Score.GAIN:
                return gain
            case _:
                assert_never(self)


class Average(StrEnum):
    """The requirements over which AnonyLoss is averaged: those with the specialized column, or all."""

    AFFECTED = "affected"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class AnonymityRequirement:
    """The least count that every class over a virtual identifier (a set of column indexes) must have.

    The `measure` counts what no merge of classes reduces: entities, or distinct values of a sensitive column.

    >>> AnonymityRequirement((0, 0), 4)
    Traceback (most recent call last):
        ...
    ValueError: a virtual identifier names each of its columns once, and one at least
    """

    columns: tuple[int, ...]
    at_least: int
    measure: Measure = SIZE

    def __post_init__(self) -> None:
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise ValueError(
                "a virtual identifier names each of its columns once, and one at least"
            )


@dataclass(frozen=True, slots=True)
class CutCandidate:
    """A part of a cut that TDS may specialize, or a node that bottom-up may generalize its children to.

    `part` identifies it in its column: the number of a tree's node, or the lowest position of a line's interval, which
    goes from `low` to `high`. `split` is the last position of the lower half of an interval; `level` and `parent` are
    those of a tree's node. `gain` is the information about the class column, in bits per row, that the children add, or
    the share of the cells' loss that they remove.
    """

    quasi: int
    part: int
    low: int
    high: int
    gain: Fraction
    level: int | None = None
    split: int | None = None
    parent: int | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """The order among candidates of equal score: the first column first, then the lowest position."""
        return self.quasi, self.low


def bits(information: str, rows: int) -> Fraction:
    """Convert information in nats, summed exactly over all rows by an engine, to bits per row.

    >>> bits("1.386294361", 2)  # two rows, of whose two classes each child has one
    Fraction(1, 1)
    """
    return Fraction(round(float(information) / (rows * log(2)) * 10**GAIN_PLACES), 10**GAIN_PLACES)


@dataclass(frozen=True, slots=True)
class CutStep:
    """One step of a search over cuts: a part that was replaced by its children, or the reverse.

    The part is an interval of positions of `column`; `level` is None on a line. `information` is the gain of TDS or the
    loss of bottom-up, in bits per row; by `score: loss` there is `loss` instead, by which the mean loss of all cells
    became less. `anonymity` is the loss of TDS or the gain of bottom-up, in entities or values, averaged over
    requirements. `smallest` has the least count of any class after the step, for each requirement.
    """

    column: str
    low: Position
    high: Position
    level: Annotated[int | None, Omitted]
    information: Annotated[float | None, Omitted]
    loss: Annotated[float | None, Omitted]
    anonymity: float
    score: float
    smallest: tuple[int, ...]

    @classmethod
    def of(
        cls,
        candidate: CutCandidate,
        column: str,
        *,
        anonymity: Fraction,
        score: Fraction,
        smallest: tuple[int, ...],
        by_loss: bool = False,
    ) -> CutStep:
        """Build the step of a chosen candidate."""
        gain = float(candidate.gain)
        return cls(
            column,
            candidate.low,
            candidate.high,
            candidate.level,
            None if by_loss else gain,
            gain if by_loss else None,
            float(anonymity),
            float(score),
            smallest,
        )


@dataclass(frozen=True, slots=True)
class Cuts:
    """The result of a search over cuts: its steps, and for each requirement the least count of any class.

    If the time limit ended the search (`cut_short`), its classes meet the requirements, and more steps were possible.
    """

    steps: tuple[CutStep, ...]
    smallest: tuple[int, ...]
    cut_short: bool = False
