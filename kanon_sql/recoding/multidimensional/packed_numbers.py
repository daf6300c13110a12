"""Pack several numbers into one, which engines compare, sort and join in place of many columns."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Axis

KEY = 2**53
"""The limit of a key of several numbers: below it, a database that divides by floating point is exact."""


def keys_of(radixes: Sequence[int]) -> list[list[int]]:
    """Group numbers into few keys that hold them, by how many values each may have; return positions.

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
    """A key of several numbers, each with its radix: how many values it may have."""

    parts: tuple[Mapping[str, object], ...]

    @classmethod
    def keys(cls, numbers: Sequence[exp.Column], axes: Sequence[Axis] | None) -> list[Packed]:
        """Pack the coordinates of a tuple, in the order of the axes; without axes, each is a key of its own."""
        radixes = [KEY if axes is None else axes[n].coordinates for n, _ in enumerate(numbers)]
        return [
            cls(tuple({"number": numbers[n], "radix": radixes[n]} for n in key))
            for key in keys_of(radixes)
        ]

    @classmethod
    def bits(cls, numbers: Sequence[exp.Column], axes: Sequence[Axis]) -> list[Packed]:
        """Pack coordinates by whole bits: they are extracted from the key without a remainder, which is slow."""
        radixes = [1 << (axis.coordinates - 1).bit_length() for axis in axes]
        return [
            cls(tuple({"number": numbers[n], "radix": radixes[n]} for n in key))
            for key in keys_of(radixes)
        ]

    def unpacked(self, key: exp.Column) -> list[dict[str, object]]:
        """Return the leaves of an expression for each number that extracts it from a key of bits; NULL is -1."""
        if len(self.parts) == 1:
            return [{"packed": key, "offset": None, "below": None, "bits": None}]
        radixes = [int(str(part["radix"])) for part in self.parts]
        below = [prod(radixes[n + 1 :]) for n in range(len(radixes))]
        # The offset adds 1 to each number, as the -1 of NULL would borrow from the next one.
        return [
            {"packed": key, "offset": sum(below), "below": each, "bits": each * (radix - 1)}
            for each, radix in zip(below, radixes, strict=True)
        ]
