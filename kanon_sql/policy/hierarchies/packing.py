"""The layout of packed keys: each level has its bits, a node is one mask for each key, NULL has codes of its own."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.capabilities import KEY_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.policy.metrics.node import Node


@dataclass(frozen=True, slots=True)
class Segment:
    """The bits that distinguish the labels of one level beneath their parent."""

    quasi: int
    level: int
    key: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        return ((1 << self.bits) - 1) << self.shift


@dataclass(frozen=True)
class Packing:
    """The layout of the keys.

    A level's bits number a label among its parent's children, so its bits and those of all levels above are the label's
    path. Clearing the bits of finer levels generalizes: the k-check of a node is a GROUP BY of `key & mask`. The bits
    of one hierarchy may lie in two keys.

    >>> from kanon_sql.policy.metrics.node import Node
    >>> packing = Packing.of([[1, 0], [3, 1, 0]])
    >>> [(s.quasi, s.level, s.bits) for s in packing.segments]
    [(0, 0, 1), (1, 1, 1), (1, 0, 2)]
    >>> [bin(mask)[:6] for mask in packing.masks(Node((0, 1)))]
    ['0b1100']
    """

    tops: tuple[int, ...]
    segments: tuple[Segment, ...]

    @classmethod
    def of(cls, last_siblings: Sequence[Sequence[int]], key_bits: int = KEY_BITS) -> Packing:
        """Lay out the keys. `last_siblings[column][level]` is the greatest number of a child.

        A key has at most `key_bits` bits, unless a single level takes more. The levels next to the roots, of all
        columns, take the highest bits of the first key: in a frequency set ordered by its keys, the rows of a coarse
        class then lie together.
        """
        inner = [
            (len(levels) - level, quasi, level, last.bit_length())
            for quasi, levels in enumerate(last_siblings)
            for level, last in enumerate(levels)
            if last
        ]
        segments: list[Segment] = []
        key, room = 0, key_bits
        for _, quasi, level, bits in sorted(inner):
            if bits > room:
                key, room = key + bool(segments), max(key_bits, bits)
            room -= bits
            segments.append(Segment(quasi, level, key, room, bits))
        tops = tuple(len(levels) - 1 for levels in last_siblings)
        return cls(tops, tuple(segments))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys, at least one."""
        last = max((segment.key for segment in self.segments), default=0)
        return tuple(f"key_{number + 1}" for number in range(last + 1))

    def leading(self, nodes: Iterable[Node]) -> Packing:
        """Return the layout without the last keys in which no node keeps a bit: they distinguish no class.

        >>> from kanon_sql.policy.metrics.node import Node
        >>> packing = Packing.of([[1, 0], [3, 1, 0]], key_bits=2)
        >>> packing.keys, packing.leading([Node((2, 1))]).keys, packing.leading([Node((0, 0))]).keys
        (('key_1', 'key_2'), ('key_1',), ('key_1', 'key_2'))
        """
        used = {n for node in nodes for n, mask in enumerate(self.masks(node), start=1) if mask}
        count = max(used, default=1)
        if count >= len(self.keys):
            return self
        if count not in self._leading:
            kept = tuple(each for each in self.segments if each.key < count)
            self._leading[count] = Packing(self.tops, kept)
        return self._leading[count]

    @cached_property
    def _leading(self) -> dict[int, Packing]:
        """The layouts that `leading` has made, by their number of keys."""
        return {}

    def uses(self, quasi: int, key: int) -> bool:
        return any(s.quasi == quasi and s.key == key for s in self.segments)

    @cached_property
    def _masks(self) -> dict[tuple[int, int], tuple[int, ...]]:
        found = {}
        for quasi, top in enumerate(self.tops):
            for level in range(top + 2):  # above several roots is a level that keeps nothing
                mask = [0] * len(self.keys)
                for s in self.segments:
                    if s.quasi == quasi and s.level >= level:
                        mask[s.key] |= s.mask
                found[quasi, level] = tuple(mask)
        return found

    def column_masks(self, quasi: int, level: int) -> tuple[int, ...]:
        """Return the bits that one column keeps at one level, as one mask for each key."""
        return self._masks[quasi, level]

    def masks(self, node: Node) -> tuple[int, ...]:
        """Return the bits that a node keeps, as one mask for each key."""
        kept = [0] * len(self.keys)
        for quasi, level in enumerate(node.levels):
            for key, mask in enumerate(self._masks[quasi, level]):
                kept[key] |= mask
        return tuple(kept)


@dataclass(frozen=True, slots=True)
class NullCode:
    """The code of NULL in one column, a number for each key, and the levels at which NULL stays NULL."""

    codes: tuple[int, ...]
    levels: frozenset[int]
