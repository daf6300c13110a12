"""The regions of a partition: what they are of, how wide they are, and what they are released as.

`region_cuts.py` says how they are cut, and `cut_scores.py` by what a cut is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from kanon_sql.hierarchies.specs import ROOT as HIERARCHY_ROOT
from kanon_sql.policy.model import Output
from kanon_sql.policy.search_options import Choose
from kanon_sql.privacy.fitting_sql import ClassRows
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from sqlglot import exp

    from kanon_sql.privacy.privacy_model import Requirement, SensitiveAttribute

ROOT = 0
"""The region that all rows begin in."""


@dataclass(frozen=True, slots=True)
class LineAxis:
    """An axis whose values stand in an order.

    Its width over the table is `last` where measures are the `even` places; else widths are looked up
    in the axis's table, as shares of the span of all measures. Where places are `units`, intervals are
    shown by where these begin and end, and not by values; those of numbers are `half_open`.
    """

    table: exp.Table
    last: int
    even: bool
    weight: Decimal | None = None
    units: exp.Table | None = None
    half_open: bool = False


@dataclass(frozen=True, slots=True)
class TreeAxis:
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


Axis = LineAxis | TreeAxis


@dataclass(frozen=True)
class Regions:
    """What regions are cut by: the axes, in the policy's order, and what every region must reach.

    Cuts are chosen by the width of axes or by a score; where by width, a line is cut where the rows on
    both sides differ least, beside the `median`, or `dealt` at half of the rows.
    """

    axes: tuple[Axis, ...]
    requirements: tuple[Requirement, ...]
    spreads: tuple[SensitiveAttribute, ...] = ()
    entity: bool = False
    median: bool = False
    choose: Choose = Choose.WIDTH
    targeted: bool = False
    dealt: bool = False

    @property
    def trees(self) -> list[int]:
        """Number the axes that are trees."""
        return [n for n, axis in enumerate(self.axes) if isinstance(axis, TreeAxis)]

    @property
    def carried(self) -> list[exp.Identifier]:
        """Name what goes with a tuple from region to region."""
        names = [f"place_{n}" for n in range(len(self.axes))]
        names += [f"spread_{n}" for n in range(len(self.spreads))]
        names += ["entity"] if self.entity else []
        return [name(text) for text in (*names, *(["target"] if self.targeted else []))]

    @property
    def class_rows(self) -> ClassRows:
        """Say where what is counted of a region lies in the tuples."""
        entity = name("entity") if self.entity else None
        return ClassRows(entity, lambda of: name(f"spread_{self.spreads.index(of)}"), coded=True)

    def survey(self, regions: exp.Table, working: exp.Table) -> Statement:
        """Measure the open regions: rows, tight bounds, widths, and the widest axis of each.

        A region all of whose tuples have the same places has no axis. A width is a share of the
        table's own, and 1 where NULL meets other values; on a tree it is the leaves of the lowest
        common ancestor as a share of all.
        """
        leaves = {"regions": regions, "working": working, "sides": None, "axes": self.described}
        return Statement("multidimensional/regions", leaves)

    @property
    def described(self) -> list[dict[str, object]]:
        """Say of each axis where its bounds are, and how wide it is between them."""
        return [_described(n, axis) for n, axis in enumerate(self.axes)]

    def boxes(
        self,
        boxes: exp.Table,
        regions: exp.Table,
        shown: Sequence[RegionLabels],
        *,
        centres: Mapping[int, exp.Table] | None = None,
    ) -> Statement:
        """Say what each region is released as: labels, typed bounds or a centre, beside its widths and rows.

        `centres` has those of the axes that are shown by one.
        """
        known = centres or {}
        axes = []
        for n, (axis, each) in enumerate(zip(self.axes, shown, strict=True)):
            ends = {
                "low_value": column("value", of=f"l{n}"),
                "high_value": column("value", of=f"h{n}"),
                "ends": [
                    {
                        "alias": name(f"{end[0]}{n}"),
                        "place": name(f"{end}_{n}"),
                        "last": end == "high",
                        "end": column(end),
                    }
                    for end in ("low", "high")
                ],
                "units": axis.units if isinstance(axis, LineAxis) else None,
                "closed": literal(")" if isinstance(axis, LineAxis) and axis.half_open else "]"),
                "value": column("value", of="a"),
                "table": axis.table if isinstance(axis, LineAxis) else None,
                "bounds": each.bounds,
                "label": None if each.bounds else name(each.names[0]),
                "low_side": name(each.names[0]) if each.bounds else None,
                "high_side": name(each.names[1]) if each.bounds else None,
                "centres": known.get(n),
                "centre": name(each.names[0]) if each.centre else None,
                "steps": name(each.hashed[0]) if each.centre else None,
                "centre_alias": name(f"c{n}"),
            }
            axes.append({**_described(n, axis), **ends})
        leaves = {
            "boxes": boxes,
            "regions": regions,
            "axes": axes,
            "billion": literal(10**9),
            "root": literal(HIERARCHY_ROOT),
        }
        return Statement("multidimensional/boxes", leaves)


def _described(number: int, axis: Axis) -> dict[str, object]:
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
        case LineAxis(table=table, last=last, even=even):
            return {
                **shared,
                "tree": False,
                "even": even,
                "last": literal(max(last, 1)),
                "table": table,
                "low_alias": name(f"l{number}"),
                "high_alias": name(f"h{number}"),
            }
        case TreeAxis(nodes=nodes, masks=masks):
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
        case _:
            assert_never(axis)


@dataclass(frozen=True, slots=True)
class RegionLabels:
    """How the boxes' sides on one axis are named: one label, two typed bounds, or the rows' centre.

    `hashed` names what a box is known by: of a centre its whole millionths, as databases do not
    write a number alike.
    """

    names: tuple[str, ...]
    bounds: bool
    centre: Output | None = None
    hashed: tuple[str, ...] = ()

    @classmethod
    def of(cls, number: int, output: Output) -> RegionLabels:
        """Name the sides on one axis."""
        if output.is_centre:
            steps = (f"steps_of_{number}",)
            return cls((f"centre_of_{number}",), bounds=False, centre=output, hashed=steps)
        bounds = output is Output.BOUNDS
        kinds = ("low", "high") if bounds else ("label",)
        names = tuple(f"{kind}_of_{number}" for kind in kinds)
        return cls(names, bounds, hashed=names)


def centres(
    table: exp.Table, homes: exp.Table, line: LineAxis, number: int, output: Output
) -> Statement:
    """Find the mean or the median of each region's numbers on a line, to six decimals."""
    return Statement(
        "multidimensional/centres",
        {
            "centres": table,
            "homes": homes,
            "axis": line.table,
            "place": name(f"place_{number}"),
            "value": column("value", of="a"),
            "median": output is Output.MEDIAN,
            "unit": literal(10**6),
            "exact": literal(2**53),
            **{text: column(text) for text in ("total", "counted", "rounded")},
        },
    )


def totals(boxes: exp.Table, shown: Sequence[RegionLabels]) -> Statement:
    """Count the classes that a reader can tell apart: classes, smallest, squares, rows, widths."""
    leaves = {
        "boxes": boxes,
        "shown": [name(text) for each in shown for text in each.names],
        "widths": [name(f"width_{n}") for n in range(len(shown))],
    }
    return Statement("multidimensional/box_totals", leaves)


def smallest(homes: exp.Table, boxes: exp.Table, shown: Sequence[RegionLabels]) -> Statement:
    """Count the entities of the smallest class that a reader can tell apart."""
    sides = [name(text) for each in shown for text in each.names]
    return Statement(
        "multidimensional/smallest_box", {"homes": homes, "boxes": boxes, "shown": sides}
    )
