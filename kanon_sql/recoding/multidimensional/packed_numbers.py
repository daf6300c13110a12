"""Several numbers as one, which engines compare, sort and join in place of many columns."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Axis

KEY = 2**53
"""What one key of several numbers stays below: a database that divides by floating point gives it exactly."""


def keys_of(radixes: Sequence[int]) -> list[list[int]]:
    """Pack numbers, each of so many, into as few keys as hold them.

    >>> keys_of([7, 5, 2]), keys_of([2**30, 2**30, 3])
    ([[0, 1, 2]], [[0], [1, 2]])
    """
    keys: list[list[int]] = []
    size = KEY
    for position, radix in enumerate(radixes):
        if size * radix >= KEY:
            keys.append([])
            size = 1
        keys[-1].append(position)
        size *= radix
    return keys


@dataclass(frozen=True, slots=True)
class Packed:
    """One number of several, each with how many of it there may be."""

    parts: tuple[Mapping[str, object], ...]

    @classmethod
    def keys(cls, numbers: Sequence[exp.Column], axes: Sequence[Axis] | None) -> list[Packed]:
        """Pack the coordinates of a tuple, in the order of the axes; where these are not known, each is a key."""
        radixes = [KEY if axes is None else axes[n].coordinates for n, _ in enumerate(numbers)]
        return [
            cls(tuple({"number": numbers[n], "radix": radixes[n]} for n in key))
            for key in keys_of(radixes)
        ]

    @classmethod
    def bits(cls, numbers: Sequence[exp.Column], axes: Sequence[Axis]) -> list[Packed]:
        """Pack coordinates by whole bits, so that they follow from the key without a remainder, which costs much."""
        radixes = [1 << (axis.coordinates - 1).bit_length() for axis in axes]
        return [
            cls(tuple({"number": numbers[n], "radix": radixes[n]} for n in key))
            for key in keys_of(radixes)
        ]

    def unpacked(self, key: exp.Column) -> list[dict[str, object]]:
        """Say how each number follows from a key of bits: as it is, or by its own bits, once none is -1, which is NULL."""
        if len(self.parts) == 1:
            return [{"packed": key, "offset": None, "below": None, "bits": None}]
        radixes = [int(str(part["radix"])) for part in self.parts]
        below = [prod(radixes[n + 1 :]) for n in range(len(radixes))]
        return [
            {"packed": key, "offset": sum(below), "below": each, "bits": each * (radix - 1)}
            for each, radix in zip(below, radixes, strict=True)
        ]
