"""What the searches over cuts speak of: requirements, candidates, scores and steps. Values only.

A cut partitions the domain of each column into parts, every part an interval of places: on a tree
a node, on a line any interval (Fung, Wang and Yu, ICDE 2005; Wang, Yu and Chakraborty, ICDM 2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import log
from typing import Annotated, assert_never

from kanon_sql.documents.records import Omitted
from kanon_sql.documents.shapes import Whole

Place = Annotated[int, Whole()]
"""A place of a column's domain; that of NULL may be before the first."""

GAIN_PLACES = 8
"""Decimals of a gain, in bits. The logarithms that it is summed from have nine, so that its error is
below 3e-9: what is exactly no gain is rounded to none, and is never taken for a benefit."""


class Score(StrEnum):
    """What TDS maximizes of a specialization, of its information gain and its anonymity loss.

    The first is InfoGain / AnonyLoss, or InfoGain where nothing is lost (ICDE 2005); the second
    InfoGain / (AnonyLoss + 1) (TKDE 19(5), 2007); the third InfoGain, as the authors' later code.
    """

    GAIN_PER_LOSS = "gain_per_loss"
    GAIN_PER_LOSS_PLUS_ONE = "gain_per_loss_plus_one"
    GAIN = "gain"

    def of(self, gain: Fraction, loss: Fraction) -> Fraction:
        """Score exactly, so that equal scores are ties on every machine.

        >>> Score.GAIN_PER_LOSS.of(Fraction(1, 2), Fraction(4))
        Fraction(1, 8)
        """
        match self:
            case Score.GAIN_PER_LOSS:
                return gain / loss if loss else gain
            case Score.GAIN_PER_LOSS_PLUS_ONE:
                return gain / (loss + 1)
            case Score.GAIN:
                return gain
            case _:
                assert_never(self)


class Average(StrEnum):
    """Over which requirements AnonyLoss is averaged: those that hold the column, or all of them."""

    AFFECTED = "affected"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class AnonymityRequirement:
    """A virtual identifier, by the numbers of its columns, and how many entities its classes hold.

    >>> AnonymityRequirement((0, 0), 4)
    Traceback (most recent call last):
        ...
    ValueError: a virtual identifier names each of its columns once, and one at least
    """

    columns: tuple[int, ...]
    at_least: int

    def __post_init__(self) -> None:
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise ValueError(
                "a virtual identifier names each of its columns once, and one at least"
            )


@dataclass(frozen=True, slots=True)
class CutCandidate:
    """A part of a cut that may be specialized, or the node that its children may be generalized to.

    `part` is its number in its column: a tree's node, or the lowest place of a line's interval.
    `split` is the last place of the lower half of an interval. `gain` is the information, in bits
    a row, that the children tell of the class column beyond what the part does.
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
        """Order what scores the same: the first column first, then the lowest place."""
        return self.quasi, self.low


def bits(information: str, rows: int) -> Fraction:
    """Give a gain in bits a row, from the nats of all rows that an engine has summed exactly.

    >>> bits("1.386294361", 2)  # two rows, of whose two classes each child has one
    Fraction(1, 1)
    """
    return Fraction(round(float(information) / (rows * log(2)) * 10**GAIN_PLACES), 10**GAIN_PLACES)


@dataclass(frozen=True, slots=True)
class CutStep:
    """One step of a search over cuts: what was replaced by its children, or its children by it.

    `column` and the interval of places say what; `level` is None on a line. `information` is what
    TDS gained and bottom-up lost, in bits a row; `anonymity` what TDS lost and bottom-up gained, in
    entities, averaged over requirements. `smallest` is the smallest class of each requirement then.
    """

    column: str
    low: Place
    high: Place
    level: Annotated[int | None, Omitted]
    information: float
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
    ) -> CutStep:
        """Tell of a candidate that was taken."""
        return cls(
            column,
            candidate.low,
            candidate.high,
            candidate.level,
            float(candidate.gain),
            float(anonymity),
            float(score),
            smallest,
        )


@dataclass(frozen=True, slots=True)
class Cuts:
    """What a search over cuts came to: its steps, and the smallest class of each requirement.

    One that is `cut_short` ended with the time limit: it holds, and might have gone on.
    """

    steps: tuple[CutStep, ...]
    smallest: tuple[int, ...]
    cut_short: bool = False
