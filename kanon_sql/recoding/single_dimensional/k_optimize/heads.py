"""Heads: sets of letters, each of which begins an interval of a column (Bayardo and Agrawal's words).

A letter is a column and a coordinate of it. A head is an integer with the bits of its letters, and so is a tail, the
letters that heads below a node may add. The allset of a node is its head with its tail.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.capabilities import KEY_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator


class HeadCosts(NamedTuple):
    """The cost of a head, and the rows it suppresses; heads from it to the allset cost at least `bound`."""

    cost: int
    suppressed: int
    bound: int


class Child(NamedTuple):
    """A head with one letter more, and how its classes differ from those of the head.

    `splits` are the classes of the head that the letter splits. It is `useless` when no half of them fits: then no
    descendant of the head is better with it than without.
    """

    letter: int
    splits: int
    useless: bool
    costs: HeadCosts


class ExpandedNode(NamedTuple):
    """A node whose children were costed; a letter that splits no class may have been left out.

    Bounds are those for the node's allset.
    """

    costs: HeadCosts
    children: list[Child]


class Letter(NamedTuple):
    """A coordinate of a column at which an interval begins."""

    quasi: int
    place: int


class Chunk(NamedTuple):
    """The letters of one column that lie in one key: their bits order the column's coordinates."""

    key: int
    mask: int


@dataclass(frozen=True)
class Alphabet:
    """All letters, in the order of columns and coordinates; a head has the bit of each of its letters.

    `ends` are the first and the last coordinate of each column. Letter n is bit n. Keys are slices of `key_bits` bits:
    a head is its masks, one after the other.

    >>> alphabet = Alphabet(((0, 2), (-1, 0)))
    >>> [tuple(letter) for letter in alphabet.letters]
    [(0, 1), (0, 2), (1, 0)]
    >>> alphabet.masks(0b101)
    [5]
    >>> alphabet.intervals(0b010)
    [(0, 0, 0, 1), (0, 1, 2, 2), (1, 0, -1, 0)]
    """

    ends: tuple[tuple[int, int], ...]
    key_bits: int = KEY_BITS

    @cached_property
    def letters(self) -> tuple[Letter, ...]:
        return tuple(
            Letter(quasi, place)
            for quasi, (first, last) in enumerate(self.ends)
            for place in range(first + 1, last + 1)
        )

    @property
    def whole(self) -> int:
        """The head of all letters: the most specific."""
        return (1 << len(self.letters)) - 1

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The head of all letters of each column."""
        return tuple(
            sum(1 << n for n, letter in enumerate(self.letters) if letter.quasi == quasi)
            for quasi in range(len(self.ends))
        )

    @property
    def keys(self) -> range:
        """The numbers of the keys, at least one."""
        return range(max(1, -(-len(self.letters) // self.key_bits)))

    def masks(self, head: int) -> list[int]:
        """Return the bits of a head, as one mask for each key."""
        ones = (1 << self.key_bits) - 1
        return [(head >> self.key_bits * key) & ones for key in self.keys]

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The letters of each column in each key."""
        found: dict[tuple[int, int], int] = {}
        for number, letter in enumerate(self.letters):
            key, bit = divmod(number, self.key_bits)
            found[letter.quasi, key] = found.get((letter.quasi, key), 0) | 1 << bit
        return tuple(Chunk(key, mask) for (_, key), mask in found.items())

    def intervals(self, head: int) -> list[tuple[int, int, int, int]]:
        """Return the intervals of a head: column, number, and the first and last coordinate."""
        found = []
        for quasi, (first, last) in enumerate(self.ends):
            begins = [first] + [
                letter.place
                for number, letter in enumerate(self.letters)
                if letter.quasi == quasi and head >> number & 1
            ]
            after = [place - 1 for place in begins[1:]] + [last]
            found += [(quasi, n, *ends) for n, ends in enumerate(zip(begins, after, strict=True))]
        return found


def members(head: int) -> Iterator[int]:
    while head:
        yield (head & -head).bit_length() - 1
        head &= head - 1
