"""What becomes of the quasi-identifiers, as values: one closed family.

A recoding gives every row a node, or suppresses it. Some release rows of one table at several
nodes, and each class of each of them fits by itself. Each knows how it is written in a plan's
document, and how it is read back. Its SQL is made in one place, `release/query.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.documents.values import (
    levels_of,
    listed,
    mapping,
    whole,
)
from kanon_sql.lattice.node import Node

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
        return {
            "levels": _levels(names, self.node),
            "rows": self.rows,
            "classes": self.classes,
        }

    @classmethod
    def read(cls, value: object, names: Sequence[str]) -> Layer:
        """Read it from plain values."""
        told = mapping(value)
        return cls(_node(told, names), whole(told["rows"]), whole(told["classes"]))


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

    @classmethod
    def read(cls, value: object, names: Sequence[str]) -> Outliers:
        """Read it from plain values."""
        told = mapping(value)
        columns = tuple(list(names).index(str(name)) for name in listed(told["columns"]))
        return cls(columns, whole(told["values"]), whole(told["rows"]))


@dataclass(frozen=True, slots=True)
class Blanks:
    """What mu-Argus tested and blanked: its outliers, and of each column the rows that lost its cell.

    In so many `rounds` each class lost a column that is in most of the outliers it still had.
    `released` counts those of the rows that are not suppressed.
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

    @classmethod
    def read(cls, value: object, names: Sequence[str]) -> Blanks:
        """Read it from plain values."""
        told = mapping(value)
        outliers, rounds = listed(told["outliers"]), whole(told["rounds"])
        blanked, released = mapping(told["blanked"]), mapping(told["released"])
        if not {*blanked, *released} <= set(names):
            raise ValueError("other columns are named")
        if not 0 <= rounds <= len(names) or bool(rounds) != bool(outliers):
            raise ValueError("a round blanks a column for the outliers there are")
        return cls(
            tested=whole(told["tested"]),
            outliers=tuple(Outliers.read(each, names) for each in outliers),
            rounds=rounds,
            rows=tuple(whole(blanked.get(name, 0)) for name in names),
            released=tuple(whole(released.get(name, 0)) for name in names),
        )


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

    node: Node

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

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values, where the rows go first."""
        more = {"passes": self.passes} if self.passes else {}
        return {"levels": _levels(names, self.node), **more}

    @classmethod
    def read(
        cls, told: Mapping[str, object], names: Sequence[str], tops: Sequence[int]
    ) -> FullDomain:
        """Read it from plain values."""
        del tops
        return cls(_node(told, names), whole(told.get("passes", 0)))


@dataclass(frozen=True, slots=True)
class Enforced(_OfNode):
    """Every row at one node, where a class that fits is suppressed beside those that do not.

    It is the one of fewest rows, so that at least `least` entities are missing (Datafly's last step).
    """

    least: int

    @property
    def ranks(self) -> bool:
        """Whether it tells classes apart by the order of their labels: the first goes."""
        return True

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values, where the rows go first."""
        return {"levels": _levels(names, self.node), "least_suppressed": self.least}

    def __str__(self) -> str:
        return f"{_brief(self.node)}, a class less"

    @classmethod
    def read(
        cls, told: Mapping[str, object], names: Sequence[str], tops: Sequence[int]
    ) -> Enforced:
        """Read it from plain values."""
        del tops
        return cls(_node(told, names), whole(told["least_suppressed"]))


@dataclass(frozen=True, slots=True)
class Layers(_Recoding):
    """Each row at the first of several nodes at which its class fits among the rows still left.

    What fits at none is suppressed.
    """

    layers: tuple[Layer, ...]

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

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values, where the rows go first."""
        return {"layers": [layer.document(names) for layer in self.layers]}

    @classmethod
    def read(cls, told: Mapping[str, object], names: Sequence[str], tops: Sequence[int]) -> Layers:
        """Read it from plain values."""
        del tops
        layers = tuple(Layer.read(each, names) for each in listed(told["layers"]))
        if len(layers) < 2:
            raise ValueError("layers are two or more")
        return cls(layers)

    def __str__(self) -> str:
        return f"{len(self.layers)} nodes"


@dataclass(frozen=True, slots=True)
class Blanked(_OfNode):
    """Every row at one node, where some cells of some classes are released as their roots.

    These are the cells of outliers; what does not fit then is suppressed. `tops` are the levels of
    the roots. Where no combination has outliers nothing is blanked.
    """

    blanks: Blanks
    tops: tuple[int, ...]

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

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values, where the rows go first."""
        return {"levels": _levels(names, self.node), "blanks": self.blanks.document(names)}

    def __str__(self) -> str:
        return f"{_brief(self.node)}, blanks" if self.moves else _brief(self.node)

    @classmethod
    def read(cls, told: Mapping[str, object], names: Sequence[str], tops: Sequence[int]) -> Blanked:
        """Read it from plain values."""
        return cls(_node(told, names), Blanks.read(told["blanks"], names), tuple(tops))


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

    @property
    def moves(self) -> bool:
        """Whether any rows are released at other levels than those of the first node."""
        return True

    @property
    def beyond(self) -> str | None:
        """Say what it does, if that is more than to release rows at one node."""
        return f"releases rows in {self.boxes} boxes"

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values, where the rows go first."""
        del names
        found = {"boxes": self.boxes, "depth": self.depth, "digest": self.digest}
        return {**found, **_kept(self.sides)}

    @classmethod
    def read(cls, told: Mapping[str, object], names: Sequence[str], tops: Sequence[int]) -> Boxes:
        """Read it from plain values."""
        del names, tops
        boxes, depth = whole(told["boxes"]), whole(told["depth"])
        if not 0 <= depth <= min(MOST_CUTS, max(boxes - 1, 0)):
            raise ValueError("rows are cut at most as often as there are boxes beside their own")
        return cls(boxes, depth, str(told["digest"]), _sides(told))

    def __str__(self) -> str:
        return f"{self.boxes} boxes"


@dataclass(frozen=True, slots=True)
class Parts(_OfPlaces):
    """Each value at its part of its column's domain: a node of the hierarchy, or an interval.

    `parts` has the first place of each, column by column: ranks of values, and never values.
    `digest` is a hash of what the values are released as, `sides` one of the file that is kept
    beside the plan for values to come.
    """

    parts: tuple[tuple[int, ...], ...]
    digest: str
    sides: str | None = None

    @property
    def beyond(self) -> str | None:
        """Say what it does, if that is more than to release rows at one node."""
        return "releases each column in parts of several levels"

    def document(self, names: Sequence[str]) -> dict[str, object]:
        """Give it as plain values, where the rows go first."""
        parts = {name: list(each) for name, each in zip(names, self.parts, strict=True)}
        return {"parts": parts, "digest": self.digest, **_kept(self.sides)}

    @classmethod
    def read(cls, told: Mapping[str, object], names: Sequence[str], tops: Sequence[int]) -> Parts:
        """Read it from plain values."""
        del tops
        parts = mapping(told["parts"])
        if list(parts) != list(names):
            raise ValueError("other columns are named")
        firsts = tuple(tuple(map(whole, listed(each))) for each in parts.values())
        if not all(each and list(each) == sorted(set(each)) for each in firsts):
            raise ValueError("parts begin one after another")
        return cls(firsts, str(told["digest"]), _sides(told))

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

TOLD_BY: Mapping[str, type[Recoding]] = {
    "layers": Layers,
    "blanks": Blanked,
    "least_suppressed": Enforced,
    "boxes": Boxes,
    "parts": Parts,
}
"""The key that only one recoding's document has; one without any of them is full-domain."""


def read_recoding(
    told: Mapping[str, object], names: Sequence[str], tops: Sequence[int]
) -> Recoding:
    """Read a recoding of columns, whose hierarchies are so high, from plain values."""
    (kind,) = [kind for key, kind in TOLD_BY.items() if key in told] or [FullDomain]
    return kind.read(told, names, tops)


def _levels(names: Sequence[str], node: Node) -> dict[str, int]:
    return dict(zip(names, node.levels, strict=True))


def _kept(sides: str | None) -> dict[str, object]:
    return {} if sides is None else {"sides": sides}


def _sides(told: Mapping[str, object]) -> str | None:
    found = told.get("sides")
    return None if found is None else str(found)


def _node(told: Mapping[str, object], names: Sequence[str]) -> Node:
    return Node(levels_of(told["levels"], names))


def _brief(node: Node) -> str:
    return ",".join(map(str, node.levels))


def levels_used(recoding: Recoding, quasi: int) -> tuple[int, ...]:
    """Give the levels at which one column is released anywhere, that of the first node first.

    >>> nodes = Node((1, 0)), Node((0, 2)), Node((1, 1))
    >>> levels_used(Layers(tuple(Layer(node, 5, 1) for node in nodes)), 0)
    (1, 0)
    """
    return tuple(dict.fromkeys(node.levels[quasi] for node in recoding.nodes))
