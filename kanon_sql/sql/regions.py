"""Statements that cut a table's tuples into regions, all regions of one depth at a time.

A region is cut on one axis into *branches*, each an interval of the places on it: two on a line,
one for each child of a hierarchy's node on a tree. What a privacy model counts is known of both
sides of every cut of a line at once: a value is to the left of a cut if its first place is, and to the
right if its last is (running sums over places).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.model.hierarchy import ROOT as HIERARCHY_ROOT
from kanon_sql.model.privacy import Distinct, Size
from kanon_sql.sql.leaves import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from sqlglot import exp

    from kanon_sql.model.privacy import Requirement

ROOT = 0
"""The region that all rows begin in."""


@dataclass(frozen=True, slots=True)
class Line:
    """An axis whose values stand in an order.

    Its width over the table is `last` where measures are the `even` places; else widths are looked up
    in the axis's table, as shares of the span of all measures.
    """

    table: exp.Table
    last: int
    even: bool
    weight: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """An axis whose values are the leaves of a hierarchy.

    A place keeps the bits of `masks[level]` at each level, and under the root (the last) none;
    `nodes` has the leaves of every node by its level and place, as a share of all.
    """

    nodes: exp.Table
    masks: tuple[int, ...]
    weight: Decimal | None = None

    @property
    def height(self) -> int:
        return len(self.masks) - 1


Axis = Line | Tree


@dataclass(frozen=True)
class Regions:
    """What regions are cut by: the axes, in the policy's order, and what every region must reach.

    A line is cut where the rows on both sides differ least, or beside the `median`.
    """

    axes: tuple[Axis, ...]
    requirements: tuple[Requirement, ...]
    spreads: tuple[str, ...] = ()
    entity: bool = False
    median: bool = False

    @property
    def _trees(self) -> list[int]:
        return [n for n, axis in enumerate(self.axes) if isinstance(axis, Tree)]

    @property
    def _places(self) -> list[exp.Identifier]:
        return [name(f"place_{n}") for n in range(len(self.axes))]

    @property
    def _carried(self) -> list[exp.Identifier]:
        """Name what goes with the places of a tuple from region to region."""
        entity = [name("entity")] if self.entity else []
        return [*self._places, *(name(f"spread_{n}") for n in range(len(self.spreads))), *entity]

    @property
    def _measures(self) -> list[dict[str, object]]:
        """Name what is counted of a part beside its rows, by its distinct values."""
        counted = [(f"spread_{n}", f"values_{n}") for n in range(len(self.spreads))]
        if self.entity:
            counted.append(("entity", "entities"))
        found: list[dict[str, object]] = [
            {
                "of": name(of),
                "as": name(text),
                "first": name(f"first_{text}"),
                "last": name(f"last_{text}"),
                "left": name(f"left_{text}"),
                "right": name(f"right_{text}"),
                "alias": name(f"m{n}"),
            }
            for n, (of, text) in enumerate(counted)
        ]
        return found

    @property
    def _fits(self) -> list[dict[str, object]]:
        """Say what both sides of a cut, or every branch of one, must reach."""
        fits: list[dict[str, object]] = []
        for requirement in self.requirements:
            match requirement.measure:
                case Size():
                    text = "entities" if self.entity else "rows"
                case Distinct(spread=spread):
                    text = f"values_{self.spreads.index(spread)}"
            fits.append(
                {
                    "left": name(f"left_{text}"),
                    "right": name(f"right_{text}"),
                    "least_of_all": name(f"least_{text}"),
                    "of": name("row_count" if text == "rows" else text),
                    "least": literal(requirement.at_least),
                }
            )
        return fits

    @property
    def counted(self) -> list[exp.Identifier | None]:
        """Name what is counted of tuples for each requirement: its distinct values, or none for rows."""
        found: list[exp.Identifier | None] = []
        for requirement in self.requirements:
            match requirement.measure:
                case Size():
                    found.append(name("entity") if self.entity else None)
                case Distinct(spread=spread):
                    found.append(name(f"spread_{self.spreads.index(spread)}"))
        return found

    def whole(self, working: exp.Table) -> Statement:
        """Count of all tuples what is asked of a region, in the order of the requirements."""
        counted = [{"of": of} for of in self.counted]
        return Statement("whole", {"working": working, "counted": counted})

    def survey(self, regions: exp.Table, working: exp.Table) -> Statement:
        """Measure the open regions: rows, tight bounds, widths, and the widest axis of each.

        A region all of whose tuples have the same places has no axis. A width is a share of the
        table's own, and 1 where NULL meets other values; on a tree it is the leaves of the lowest
        common ancestor as a share of all.
        """
        return Statement(
            "regions",
            {
                "regions": regions,
                "working": working,
                "axes": [self._described(n, axis) for n, axis in enumerate(self.axes)],
            },
        )

    def _described(self, number: int, axis: Axis) -> dict[str, object]:
        shared = {
            "number": literal(number),
            "place": name(f"place_{number}"),
            "low": name(f"low_{number}"),
            "high": name(f"high_{number}"),
            "of_low": column(f"low_{number}", of="b"),
            "of_high": column(f"high_{number}", of="b"),
            "width": name(f"width_{number}"),
            "weight": None if axis.weight is None else literal(axis.weight),
        }
        match axis:
            case Line(table=table, last=last, even=even):
                return {
                    **shared,
                    "tree": False,
                    "even": even,
                    "last": literal(max(last, 1)),
                    "table": table,
                    "low_alias": name(f"l{number}"),
                    "high_alias": name(f"h{number}"),
                }
            case Tree(nodes=nodes, masks=masks):
                return {
                    **shared,
                    "tree": True,
                    "level": name(f"level_{number}"),
                    "node": name(f"node_{number}"),
                    "masks": [
                        {"level": literal(level), "mask": literal(mask)}
                        for level, mask in enumerate(masks)
                    ],
                    "nodes": nodes,
                    "alias": name(f"t{number}"),
                }

    def parts(
        self,
        parts: exp.Table,
        working: exp.Table,
        regions: exp.Table,
        *,
        beside: exp.Table | None = None,
    ) -> Statement:
        """Count each region's rows by their places on its widest axis, or the children of its node there.

        With the cuts that were found `beside`, of the regions that have none, on all other axes.
        """
        return Statement(
            "parts",
            {
                "parts": parts,
                "working": working,
                "regions": regions,
                "cuts": beside,
                "axes": [
                    {
                        "number": literal(n),
                        "width": name(f"width_{n}"),
                        "weight": None if axis.weight is None else literal(axis.weight),
                        "level": name(f"level_{n}") if isinstance(axis, Tree) else None,
                        "place": column(f"place_{n}", of="w"),
                        "masks": [
                            {"level": literal(level), "mask": literal(axis.masks[level - 1])}
                            for level in range(1, axis.height + 1)
                        ]
                        if isinstance(axis, Tree)
                        else [],
                    }
                    for n, axis in enumerate(self.axes)
                ],
                "measures": self._measures,
            },
        )

    def cuts(self, cuts: exp.Table, parts: exp.Table) -> Statement:
        """Choose each region's cut: on the widest axis that has an allowable one, the most balanced.

        Allowable is a cut of a line whose sides both fit, and of a tree whose branches all do. Ties go
        to the first axis, then to the smaller place. At the median the cuts right before and after
        its place come first, and ties go to the one after it.
        """
        return Statement(
            "region_cuts",
            {
                "cuts": cuts,
                "parts": parts,
                "trees": [literal(n) for n in self._trees],
                "measures": self._measures,
                "fits": self._fits,
                "median": self.median,
            },
        )

    def branches(
        self,
        branches: exp.Table,
        found: Sequence[tuple[exp.Table, exp.Table]],
        *,
        first: int,
    ) -> Statement:
        """Give what regions are cut into numbers from `first` on: (cuts, the parts they were chosen from)."""
        trees = [
            {
                "number": literal(n),
                "sizes": [
                    {
                        "level": literal(level),
                        "size": literal(axis.masks[0] - axis.masks[level - 1]),
                    }
                    for level in range(1, axis.height + 1)
                ],
            }
            for n, axis in enumerate(self.axes)
            if isinstance(axis, Tree)
        ]
        return Statement(
            "branches",
            {
                "branches": branches,
                "found": [{"cuts": cuts, "parts": parts} for cuts, parts in found],
                "trees": trees,
                "first": literal(first),
                "lowest": literal(-1),
                "highest": literal(2**62),
            },
        )

    def split(self, after: exp.Table, working: exp.Table, branches: exp.Table) -> Statement:
        """Move the tuples of the regions that were cut into their branches; the others are done."""
        return Statement(
            "split",
            {
                "after": after,
                "working": working,
                "branches": branches,
                "axes": [
                    {"number": literal(n), "place": column(f"place_{n}", of="w")}
                    for n in range(len(self.axes))
                ],
                "carried": [column(each.name, of="w") for each in self._carried],
            },
        )

    def uncut(self, boxes: exp.Table, regions: exp.Table, found: Sequence[exp.Table]) -> Statement:
        """Keep the regions that have no allowable cut, with their bounds."""
        return Statement("uncut", {"boxes": boxes, "regions": regions, "found": found})

    def done(self, done: exp.Table, working: exp.Table, branches: exp.Table) -> Statement:
        """Keep the tuples of the regions that are not cut any more."""
        leaves = {"done": done, "working": working, "branches": branches, "carried": self._carried}
        return Statement("done", leaves)

    def boxes(self, boxes: exp.Table, regions: exp.Table, shown: Sequence[Shown]) -> Statement:
        """Say what each region is released as: labels or typed bounds, beside its widths and rows."""
        axes = []
        for n, (axis, each) in enumerate(zip(self.axes, shown, strict=True)):
            described = self._described(n, axis)
            ends = {
                "low_value": column("value", of=f"l{n}"),
                "high_value": column("value", of=f"h{n}"),
                "ends": [
                    {"alias": name(f"l{n}"), "place": name(f"low_{n}")},
                    {"alias": name(f"h{n}"), "place": name(f"high_{n}")},
                ],
                "value": column("value", of="a"),
                "table": axis.table if isinstance(axis, Line) else None,
                "bounds": each.bounds,
                "label": None if each.bounds else name(each.names[0]),
                "low_side": name(each.names[0]) if each.bounds else None,
                "high_side": name(each.names[1]) if each.bounds else None,
            }
            axes.append({**described, **ends})
        leaves = {
            "boxes": boxes,
            "regions": regions,
            "axes": axes,
            "billion": literal(10**9),
            "root": literal(HIERARCHY_ROOT),
        }
        return Statement("boxes", leaves)


@dataclass(frozen=True, slots=True)
class Shown:
    """How the boxes' sides on one axis are named: one label, or two typed bounds."""

    names: tuple[str, ...]
    bounds: bool

    @classmethod
    def of(cls, number: int, *, bounds: bool) -> Shown:
        """Name the sides on one axis."""
        kinds = ("low", "high") if bounds else ("label",)
        return cls(tuple(f"{kind}_of_{number}" for kind in kinds), bounds)


def totals(boxes: exp.Table, shown: Sequence[Shown]) -> Statement:
    """Count the classes that a reader can tell apart: classes, smallest, squares, rows, widths."""
    leaves = {
        "boxes": boxes,
        "shown": [name(text) for each in shown for text in each.names],
        "widths": [name(f"width_{n}") for n in range(len(shown))],
    }
    return Statement("box_totals", leaves)


def smallest(homes: exp.Table, boxes: exp.Table, shown: Sequence[Shown]) -> Statement:
    """Count the entities of the smallest class that a reader can tell apart."""
    sides = [name(text) for each in shown for text in each.names]
    return Statement("smallest_box", {"homes": homes, "boxes": boxes, "shown": sides})


def count_branches(branches: exp.Table) -> Statement:
    """Count the regions that were cut, and what they were cut into."""
    return Statement("count_branches", {"branches": branches})


def together(table: exp.Table, parts: Sequence[exp.Table]) -> Statement:
    """Put the rows of several tables of one form into one."""
    return Statement("together", {"table": table, "parts": parts})
