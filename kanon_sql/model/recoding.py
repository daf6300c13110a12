"""What becomes of the quasi-identifiers, as values: one closed family.

A recoding gives every row a node, or suppresses it. All but the full-domain one release rows of
one table at several nodes, and each class of each of them fits by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from kanon_sql.model.lattice import Node

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Layer:
    """One node of several: the rows that are released at it, and the classes they make there."""

    node: Node
    rows: int
    classes: int

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values."""
        levels = dict(zip(names, self.node.levels, strict=True))
        return {"levels": levels, "rows": self.rows, "classes": self.classes}


@dataclass(frozen=True, slots=True)
class Outliers:
    """A combination of columns, by their number, with values rarer than k, and the rows with these."""

    columns: tuple[int, ...]
    values: int
    rows: int

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values."""
        columns = [names[at] for at in self.columns]
        return {"columns": columns, "values": self.values, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class FullDomain:
    """Every row at one node; the rows of classes that do not fit there are suppressed."""

    node: Node

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.node,)


@dataclass(frozen=True, slots=True)
class Enforced:
    """Every row at one node, where a class that fits is suppressed beside those that do not.

    It is the one of fewest rows, so that at least `least` entities are missing (Datafly's last step).
    """

    node: Node
    least: int

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.node,)


@dataclass(frozen=True, slots=True)
class Layers:
    """Each row at the first of several nodes at which its class fits among the rows still left.

    What fits at none is suppressed.
    """

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Blanked:
    """Every row at one node, where some cells of some classes are released as their roots.

    In so many `rounds` each class loses a column that is in most of the outliers it still has, of these
    combinations; what does not fit then is suppressed. `blanked` is the node with every column at its
    root that is blanked in any row released.
    """

    node: Node
    combinations: tuple[tuple[int, ...], ...]
    rounds: int
    blanked: Node

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.node, self.blanked)


Recoding = FullDomain | Enforced | Layers | Blanked


@dataclass(frozen=True, slots=True)
class Blanks:
    """What mu-Argus tested and blanked: its outliers, and of each column the rows that lost its cell.

    `released` counts those of them that are not suppressed.
    """

    tested: int
    outliers: tuple[Outliers, ...]
    rounds: int
    rows: tuple[int, ...]
    released: tuple[int, ...]

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "tested": self.tested,
            "outliers": [each.document(names) for each in self.outliers],
            "rounds": self.rounds,
            "blanked": {name: n for name, n in zip(names, self.rows, strict=True) if n},
            "released": {name: n for name, n in zip(names, self.released, strict=True) if n},
        }

    def recoding(self, node: Node, tops: Sequence[int]) -> Recoding:
        """Give the recoding of a node with these blanks."""
        if not self.rounds:
            return FullDomain(node)
        blanked = [
            top if n else at for at, top, n in zip(node.levels, tops, self.released, strict=True)
        ]
        combined = tuple(each.columns for each in self.outliers)
        return Blanked(node, combined, self.rounds, Node(tuple(blanked)))


def recoding_of(
    levels: Mapping[str, int],
    layers: Sequence[Layer] = (),
    *,
    heights: Mapping[str, int],
    least_suppressed: int = 0,
    blanks: Blanks | None = None,
) -> Recoding:
    """Give the recoding that a plan's levels, its layers or its blanked cells say."""
    if layers:
        return Layers(tuple(layer.node for layer in layers))
    node = Node(tuple(levels.values()))
    if blanks is not None:
        return blanks.recoding(node, tuple(heights.values()))
    return Enforced(node, least_suppressed) if least_suppressed else FullDomain(node)


def levels_used(recoding: Recoding, quasi: int) -> tuple[int, ...]:
    """Give the levels at which one column is released anywhere, that of the first node first.

    >>> levels_used(Layers((Node((1, 0)), Node((0, 2)), Node((1, 1)))), 0)
    (1, 0)
    """
    return tuple(dict.fromkeys(node.levels[quasi] for node in recoding.nodes))


def meet(recoding: Recoding) -> Node:
    """Give the coarsest node from which all nodes of a recoding can be rolled up.

    >>> meet(Layers((Node((1, 0)), Node((0, 2))))).levels
    (0, 0)
    """
    return reduce(Node.meet, recoding.nodes)
