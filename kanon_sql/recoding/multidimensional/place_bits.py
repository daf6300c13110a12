"""Sets of places as bits of integers, so that values of a leaf below one are counted without a join."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORD = 62
"""The bits of an integer that are used: `BitRange.above` may need one more, and none is the sign."""

MOST_WORDS = 4
"""The most integers for one axis: on an axis of more places, values are looked up."""

LEAST_PLACE = -1
"""The place of NULL."""


@dataclass(frozen=True, slots=True)
class BitRange:
    """The bits of consecutive places of an axis in one integer: place p has bit p + `shift`."""

    axis: int
    word: int
    least: int
    places: int
    begin: int

    @property
    def most(self) -> int:
        return self.least + self.places - 1

    @property
    def shift(self) -> int:
        return self.begin - self.least

    @property
    def lowest(self) -> int:
        """Return the number whose only bit is the first one."""
        return 1 << self.begin

    @property
    def above(self) -> int:
        """Return the number whose only bit is the one above the last."""
        return self.lowest << self.places


def bit_ranges(
    coordinates: Mapping[int, int], *, most_words: int = MOST_WORDS
) -> dict[int, list[BitRange]]:
    """Assign bits to each axis that has few enough places, to those of most places first.

    >>> made = bit_ranges({0: 3, 1: 100, 2: 10_000})
    >>> [(n, r.word, r.least, r.places, r.begin) for n in made for r in made[n]]
    [(1, 0, -1, 62, 0), (1, 1, 61, 38, 0), (0, 1, -1, 3, 38)]
    """
    begun: list[int] = []
    made: dict[int, list[BitRange]] = {}
    for axis in sorted(coordinates, key=lambda n: (-coordinates[n], n)):
        if coordinates[axis] > most_words * WORD:
            continue
        made[axis] = []
        for first in range(0, coordinates[axis], WORD):
            places = min(WORD, coordinates[axis] - first)
            word = next((n for n, used in enumerate(begun) if used + places <= WORD), len(begun))
            if word == len(begun):
                begun.append(0)
            made[axis].append(BitRange(axis, word, LEAST_PLACE + first, places, begun[word]))
            begun[word] += places
    return made


def by_word(ranges: Mapping[int, Sequence[BitRange]]) -> list[list[BitRange]]:
    """Return the ranges of each integer, in the order of the integers."""
    listed = [each for of_axis in ranges.values() for each in of_axis]
    many = 1 + max((each.word for each in listed), default=-1)
    return [[each for each in listed if each.word == n] for n in range(many)]
