"""The shapes of what a plan's document states of each quasi-identifier: by its name, or all in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kanon_sql.base.documents.keys import MapOf
from kanon_sql.base.documents.shapes import Known, Parsed, Schema, Shape, Text, Whole, refuse
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.metrics.node import Node

if TYPE_CHECKING:
    from kanon_sql.base.documents.lines import Item

HEIGHTS = "heights"
"""The plan's key of its quasi-identifiers and their hierarchies' heights; other keys are read by it."""

V = TypeVar("V")


@dataclass(frozen=True)
class ByColumn(Shape[tuple[V, ...]]):
    """A value per quasi-identifier, written as a mapping of names to values in the order of `heights`.

    A value equal to `absent` is not written.
    """

    of: Shape[V]
    absent: V | None = None

    def read(self, item: Item) -> tuple[V, ...]:
        names = list(item.reading.known.get(HEIGHTS, ()))
        found = MapOf(self.of).read(item)
        if self.absent is not None and set(found) <= set(names):
            return tuple(found.get(name, self.absent) for name in names)
        if list(found) != names:
            raise refuse(item, "must name the columns of heights, in their order")
        return tuple(found.values())

    def schema(self) -> Schema:
        return MapOf(self.of).schema()

    def write(self, value: tuple[V, ...], known: Known) -> object:
        each = zip(known[HEIGHTS], value, strict=True)
        return {name: self.of.write(of, known) for name, of in each if of != self.absent}


class ColumnNumber(Shape[int]):
    """The index of a quasi-identifier, written as its name."""

    def read(self, item: Item) -> int:
        names = list(item.reading.known.get(HEIGHTS, ()))
        if item.value not in names:
            raise refuse(item, "must be a column of heights")
        return names.index(item.value)

    def schema(self) -> Schema:
        return Text().schema()

    def write(self, value: int, known: Known) -> object:
        return list(known[HEIGHTS])[value]


LEVELS: Shape[Node] = Parsed(ByColumn(Whole(0)), Node, unparse=lambda node: node.levels)
CELLS = ByColumn(Whole(0), absent=0)
