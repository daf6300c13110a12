"""What becomes of the quasi-identifiers, as values: one closed family.

A recoding gives every row a node, or suppresses it. Some release rows of one table at several
nodes, and each class of each of them fits by itself. Each knows how it is written in a plan's
document, and how it is read back. What says its SQL is `flow/script.py`, in one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, TypeVar

from kanon_sql.documents.keys import Keyed, MapOf
from kanon_sql.documents.records import Given, Key, Record
from kanon_sql.documents.shapes import (
    Known,
    Parsed,
    Schema,
    Several,
    Shape,
    Text,
    Whole,
    check,
    refuse,
)
from kanon_sql.lattice.node import Node

if TYPE_CHECKING:
    from kanon_sql.documents.lines import Item


HEIGHTS = "heights"
"""What a plan's quasi-identifiers are known as, with the heights of their hierarchies."""

V = TypeVar("V")


@dataclass(frozen=True)
class ByColumn(Shape[tuple[V, ...]]):
    """A value of each quasi-identifier, by its name and in their order; none is left out.

    Where most of them have the same value, `absent`, only the others are there.
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
    """The number of a quasi-identifier, by its name."""

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


@dataclass(frozen=True, slots=True)
class Layer:
    """One node of several: the rows that are released at it, and the classes they make there."""

    node: Annotated[Node, Key("levels"), LEVELS]
    rows: int
    classes: int


@dataclass(frozen=True, slots=True)
class Outliers:
    """A combination of columns, by their number, with values rarer than k, and the rows with these."""

    columns: Annotated[tuple[int, ...], Several(ColumnNumber(), alone=False)]
    values: int
    rows: int


@dataclass(frozen=True, slots=True)
class Blanks:
    """What mu-Argus tested and blanked: its outliers, and of each column the rows that lost its cell.

    In so many `rounds` each class lost a column that is in most of the outliers it still had.
    `released` counts those of the rows that are not suppressed.
    """

    tested: int
    outliers: tuple[Outliers, ...]
    rounds: int
    rows: Annotated[tuple[int, ...], Key("blanked"), CELLS]
    released: Annotated[tuple[int, ...], CELLS]

    def __post_init__(self) -> None:
        rounds = self.rounds <= len(self.rows) and bool(self.rounds) == bool(self.outliers)
        check(("rounds", rounds, "a round blanks a column for the outliers there are"))


class _Recoding:
    """What is so of a recoding unless it says another thing."""

    __slots__ = ()

    @property
    def moves(self) -> bool:
        """Whether any rows are released at other levels than those of the first node."""
        return False

    @property
    def beyond(self) -> str | None:
        """Say what it does, if that is more than to release rows at one node."""
        return None

    @property
    def ranks(self) -> bool:
        """Whether it tells classes apart by the order of their labels, which engines must share."""
        return False


@dataclass(frozen=True, slots=True)
class _OfNode(_Recoding):
    """A recoding that begins with one node."""

    node: Annotated[Node, Key("levels"), LEVELS]

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.node,)

    def __str__(self) -> str:
        return _brief(self.node)


class _OfPlaces(_Recoding):
    """A recoding to what lies between levels, and is of no lattice."""

    __slots__ = ()

    @property
    def nodes(self) -> tuple[Node, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class FullDomain(_OfNode):
    """Every row at one node; the rows of classes that do not fit there are suppressed.

    Where classes over several sets of quasi-identifiers must fit together, that is done again and
    again, in so many `passes`, until all do.
    """

    passes: int = 0


@dataclass(frozen=True, slots=True)
class Enforced(_OfNode):
    """Every row at one node, where a class that fits is suppressed beside those that do not.

    It is the one of fewest rows, so that at least `least` entities are missing (Datafly's last step).
    """

    least: Annotated[int, Key("least_suppressed")]

    @property
    def ranks(self) -> bool:
        """Whether it tells classes apart by the order of their labels: the first goes."""
        return True

    def __str__(self) -> str:
        return f"{_brief(self.node)}, a class less"


@dataclass(frozen=True, slots=True)
class Layers(_Recoding):
    """Each row at the first of several nodes at which its class fits among the rows still left.

    What fits at none is suppressed.
    """

    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        check(("layers", len(self.layers) > 1, "must be two or more"))

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(layer.node for layer in self.layers)

    @property
    def moves(self) -> bool:
        """Whether any rows are released at other levels than those of the first node."""
        return True

    @property
    def beyond(self) -> str | None:
        """Say what it does, if that is more than to release rows at one node."""
        return (
            f"releases rows at {len(self.layers)} nodes, each row at the first where its class fits"
        )

    def __str__(self) -> str:
        return f"{len(self.layers)} nodes"


@dataclass(frozen=True, slots=True)
class Blanked(_OfNode):
    """Every row at one node, where some cells of some classes are released as their roots.

    These are the cells of outliers; what does not fit then is suppressed. `tops` are the levels of
    the roots. Where no combination has outliers nothing is blanked.
    """

    blanks: Blanks
    tops: Annotated[tuple[int, ...], Given(HEIGHTS, lambda heights: tuple(heights.values()))]

    @property
    def combinations(self) -> tuple[tuple[int, ...], ...]:
        """Give the combinations of columns that have outliers."""
        return tuple(each.columns for each in self.blanks.outliers)

    @property
    def blanked(self) -> Node:
        """Give the node with every column at its root that is blanked in any row released."""
        at = zip(self.node.levels, self.tops, self.blanks.released, strict=True)
        return Node(tuple(top if rows else level for level, top, rows in at))

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.node, self.blanked) if self.moves else (self.node,)

    @property
    def moves(self) -> bool:
        """Whether any rows are released at other levels than those of the first node."""
        return bool(self.blanks.rounds)

    @property
    def beyond(self) -> str | None:
        """Say what it does, if that is more than to release rows at one node."""
        return (
            "releases rows at one node, and blanks cells of rare combinations"
            if self.moves
            else None
        )

    def __str__(self) -> str:
        return f"{_brief(self.node)}, blanks" if self.moves else _brief(self.node)


@dataclass(frozen=True, slots=True)
class Boxes(_OfPlaces):
    """Each row in one of so many boxes: an interval or a hierarchy's node of each quasi-identifier.

    They come of cutting all rows again and again, `depth` times at most. `digest` is a hash of the
    boxes' sides and rows, `sides` one of the file that is kept beside the plan for rows to come.
    """

    boxes: int
    depth: int
    digest: str
    sides: str | None = None

    def __post_init__(self) -> None:
        most = min(MOST_CUTS, max(self.boxes - 1, 0))
        what = "rows are cut at most as often as there are boxes beside their own"
        check(("depth", self.depth <= most, what))

    @property
    def moves(self) -> bool:
        """Whether any rows are released at other levels than those of the first node."""
        return True

    @property
    def beyond(self) -> str | None:
        """Say what it does, if that is more than to release rows at one node."""
        return f"releases rows in {self.boxes} boxes"

    def __str__(self) -> str:
        return f"{self.boxes} boxes"


FIRSTS = Several(
    Whole(),
    alone=False,
    empty="has no part",
    follows=lambda one, other: one < other,
    unless="must begin after the part before it",
)


@dataclass(frozen=True, slots=True)
class Parts(_OfPlaces):
    """Each value at its part of its column's domain: a node of the hierarchy, or an interval.

    `parts` has the first place of each, column by column: ranks of values, and never values.
    `digest` is a hash of what the values are released as, `sides` one of the file that is kept
    beside the plan for values to come.
    """

    parts: Annotated[tuple[tuple[int, ...], ...], ByColumn(FIRSTS)]
    digest: str
    sides: str | None = None

    @property
    def beyond(self) -> str | None:
        """Say what it does, if that is more than to release rows at one node."""
        return "releases each column in parts of several levels"

    @property
    def intervals(self) -> list[tuple[int, int, int, int]]:
        """Give each part as its column, its number there, and its first and last place.

        >>> Parts(((-1, 3),), "").intervals
        [(0, 0, -1, 2), (0, 1, 3, 2147483647)]
        """
        return [
            (quasi, part, low, high - 1)
            for quasi, firsts in enumerate(self.parts)
            for part, (low, high) in enumerate(pairwise([*firsts, 2**31]))
        ]

    def __str__(self) -> str:
        return f"{','.join(str(len(each)) for each in self.parts)} parts"


Recoding = FullDomain | Enforced | Layers | Blanked | Boxes | Parts

MOST_CUTS = 100_000
"""How often a row is cut at most, which is far above what a plan that was made has."""

RECODING: Keyed[Recoding] = Keyed(
    {
        "layers": Record(Layers),
        "blanks": Record(Blanked),
        "least_suppressed": Record(Enforced),
        "boxes": Record(Boxes),
        "parts": Record(Parts),
    },
    default=Record(FullDomain),
)
"""How a plan states a recoding: by the key that it alone has; one without any of them is full-domain."""


def _brief(node: Node) -> str:
    return ",".join(map(str, node.levels))


def levels_used(recoding: Recoding, quasi: int) -> tuple[int, ...]:
    """Give the levels at which one column is released anywhere, that of the first node first.

    >>> nodes = Node((1, 0)), Node((0, 2)), Node((1, 1))
    >>> levels_used(Layers(tuple(Layer(node, 5, 1) for node in nodes)), 0)
    (1, 0)
    """
    return tuple(dict.fromkeys(node.levels[quasi] for node in recoding.nodes))
