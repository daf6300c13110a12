"""What the search for cuts asks of whoever counts; it sees nothing of the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class HeadCosts(NamedTuple):
    """What was counted of a head; every head between it and the allset costs at least `bound`."""

    cost: int
    suppressed: int
    bound: int


class Child(NamedTuple):
    """A head with one letter more, and how its classes came of those of the head.

    `splits` are the classes of the head that the letter splits. It is `useless` when no half of
    them fits: then no descendant of the head is better with it than without.
    """

    letter: int
    splits: int
    useless: bool
    figures: HeadCosts


class ExpandedNode(NamedTuple):
    """A node whose children were costed; a letter that splits no class may have been left out.

    Bounds are those for the node's allset: its head with all of its tail.
    """

    figures: HeadCosts
    children: list[Child]


class Cutter(Protocol):
    """Costs heads. A head is an integer that has the bits of its letters, and so is a tail."""

    @property
    def columns(self) -> Sequence[int]:
        """Give for each column the head of all of its letters, in the order of their places."""
        ...

    @property
    def max_suppressed(self) -> int:
        """Say how many rows may be suppressed."""
        ...

    @property
    def batch(self) -> int:
        """Say how many nodes are best opened at once."""
        ...

    def figures(self, heads: Sequence[int], allset: int) -> list[HeadCosts]:
        """Cost heads, all of them within an allset; the bounds are those for it."""
        ...

    def open(self, nodes: Sequence[tuple[int, int]]) -> list[ExpandedNode]:
        """Cost the heads of nodes, and each with each letter of its tail."""
        ...

    def late(self) -> bool:
        """Whether the time limit has passed."""
        ...
