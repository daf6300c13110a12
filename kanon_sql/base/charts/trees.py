"""Charts of hierarchies and lattices: the tree of a column's labels, a lattice's nodes and heights."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import (
    ACCENT,
    LINE,
    LONGEST_TEXT,
    MAIN,
    PAGE,
    PALE,
    SOFT,
    STEPS,
    TIP,
    WIDTH,
    Chart,
    data,
    described,
    mark,
    nominal,
    quantity,
    shortened,
)
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.base.charts.chart import Spec

MOST_NODES = 80
"""The most nodes of a tree that are drawn."""
ROW, INDENT = 20, 24
MOST_IN_A_ROW = 70

KINDS = ("chosen", "minimal", "feasible", "infeasible", "not checked")
KIND_COLOURS = [ACCENT, STEPS[4], STEPS[2], LINE, PAGE]
KIND_SIZES = [2.6, 1.6, 1.1, 0.5, 0.6]
KIND_SHAPES = ["diamond", "triangle-up", "circle", "square", "circle"]


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A label of a hierarchy that may be shown, its number of rows, and the position of its parent."""

    label: str
    parent: int | None
    rows: int
    released: bool


@dataclass(frozen=True, slots=True)
class HeightCount:
    """The number of nodes of each kind at one height of a lattice; `feasible` does not count minimal ones."""

    height: int
    feasible: int
    minimal: int
    infeasible: int
    unchecked: int
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class LatticeDot:
    """A node of the lattice: its levels, its kind (one of `KINDS`), and a text for its tooltip."""

    levels: tuple[int, ...]
    kind: str
    description: str


def hierarchy_tree(column: str, nodes: Sequence[TreeNode]) -> Chart:
    """Draw the labels of a column as a tree from the top, with their rows, and mark released labels.

    Args:
        column: The column.
        nodes: The labels, parents before children; the first 80 in depth-first order are drawn.
    """
    order = _in_order(nodes)
    kept, left_out = order[:MOST_NODES], len(order) - MOST_NODES
    most = max((each.rows for each in nodes), default=0) or 1
    depths = [depth for _, depth in kept]
    start = max(
        (INDENT * depth + 7 * len(shortened(nodes[at].label)) for at, depth in kept), default=0
    )
    start = min(max(start + 30, 180), 400)
    span = WIDTH - start
    place = {at: row for row, (at, _) in enumerate(kept)}
    drawn: list[dict[str, object]] = []
    lines: list[dict[str, object]] = []
    for row, (at, depth) in enumerate(kept):
        node = nodes[at]
        label = shortened(node.label)
        y = row * ROW + ROW / 2
        drawn.append(
            {
                "x": depth * INDENT + 8,
                "tx": depth * INDENT + 20,
                "y": y,
                "label": label,
                "start": start,
                "end": start + span * 0.8 * node.rows / most,
                "rows": f"{node.rows:,}",
                "kind": "released" if node.released else "above or below",
                "tip": f"{label}{', released' if node.released else ''}: {counted(node.rows, 'row')}",
            }
        )
        if node.parent is not None:
            px = (depth - 1) * INDENT + 8
            above = place[node.parent] * ROW + ROW / 2
            lines.append({"x": px, "x2": px, "y": above + 5, "y2": y})
            lines.append({"x": px, "x2": px + INDENT - 5, "y": y, "y2": y})
    height = len(kept) * ROW
    x: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [0, WIDTH], "nice": False}}
    y_: Spec = {
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [height, 0], "nice": False},
    }
    kinds: Spec = nominal(
        "kind", title=None, scale={"domain": ["released", "above or below"], "range": [MAIN, PALE]}
    )
    shown = shortened(column)
    more = f" {counted(left_out, 'label')} more are not drawn." if left_out > 0 else ""
    released = sum(each.released for each in nodes)
    return Chart(
        "hierarchy_tree",
        f"Hierarchy of {shown}",
        f"Tree: {counted(len(kept), 'label')} of {shown} from the top, {released:,} of them released, in "
        f"{counted(max(depths, default=0) + 1, 'level')}.{more}",
        {
            "width": WIDTH,
            "height": max(height, ROW),
            "data": data(drawn),
            "layer": [
                {
                    "data": data(lines),
                    "mark": mark("rule", color=PALE),
                    "encoding": {
                        "x": {"field": "x", **x},
                        "x2": {"field": "x2"},
                        "y": {"field": "y", **y_},
                        "y2": {"field": "y2"},
                    },
                },
                {
                    "mark": described("bar", height=11),
                    "encoding": {
                        "x": {"field": "start", **x},
                        "x2": {"field": "end"},
                        "y": {"field": "y", **y_},
                        "color": kinds,
                        "description": TIP,
                    },
                },
                {
                    "mark": mark("point", size=55),
                    "encoding": {
                        "x": {"field": "x", **x},
                        "y": {"field": "y", **y_},
                        "color": kinds,
                    },
                },
                {
                    "mark": mark("text", align="left", baseline="middle"),
                    "encoding": {
                        "x": {"field": "tx", **x},
                        "y": {"field": "y", **y_},
                        "text": nominal("label"),
                    },
                },
                {
                    "mark": mark(
                        "text", align="left", baseline="middle", dx=6, fontSize=11, color=SOFT
                    ),
                    "encoding": {
                        "x": {"field": "end", **x},
                        "y": {"field": "y", **y_},
                        "text": nominal("rows"),
                    },
                },
            ],
        },
        ("label", "label above it", "rows", "released"),
        tuple(
            (
                nodes[at].label,
                None if nodes[at].parent is None else _parent(nodes, at).label,
                nodes[at].rows,
                nodes[at].released,
            )
            for at, _ in kept
        ),
    )


def _parent(nodes: Sequence[TreeNode], at: int) -> TreeNode:
    parent = nodes[at].parent
    return nodes[at if parent is None else parent]


def _in_order(nodes: Sequence[TreeNode]) -> list[tuple[int, int]]:
    """Return the positions and depths of nodes in depth-first order, parents first."""
    below: dict[int | None, list[int]] = defaultdict(list)
    for at, node in enumerate(nodes):
        below[node.parent].append(at)
    found: list[tuple[int, int]] = []
    waiting = [(at, 0) for at in reversed(below[None])]
    while waiting:
        at, depth = waiting.pop()
        found.append((at, depth))
        waiting += [(child, depth + 1) for child in reversed(below[at])]
    return found


def lattice_heights(heights: Sequence[HeightCount]) -> Chart:
    """Draw the number of nodes of each kind by height of a lattice, and mark the chosen node's height.

    Args:
        heights: The heights with their numbers of nodes; at most 60, the greatest.
    """
    heights = sorted(heights, key=lambda each: -each.height)[:60]
    kinds = KINDS[1:]
    names = [f"{each.height}" for each in heights]
    values: list[dict[str, object]] = []
    for each, name in zip(heights, names, strict=True):
        numbers = (each.minimal, each.feasible, each.infeasible, each.unchecked)
        for at, (kind, number) in enumerate(zip(kinds, numbers, strict=True)):
            if number:
                tip = f"height {name}: {counted(number, 'node')} {kind}"
                values.append({"height": name, "kind": kind, "nodes": number, "at": at, "tip": tip})
    chosen = [
        {"height": name, "text": "chosen"}
        for each, name in zip(heights, names, strict=True)
        if each.chosen
    ]
    y: Spec = nominal("height", sort=names, title="height", scale={"paddingInner": 0.2})
    total = sum(e.feasible + e.minimal + e.infeasible + e.unchecked for e in heights)
    able = sum(e.feasible + e.minimal for e in heights)
    return Chart(
        "lattice_heights",
        "Nodes of the lattice by height",
        f"Bars: {counted(total, 'node')} of the lattice by height, {able:,} of them feasible. "
        + "".join(f"A node of height {each['height']} is chosen." for each in chosen),
        {
            "width": WIDTH - 40,
            "height": {"step": 18},
            "layer": [
                {
                    "data": data(values),
                    "mark": described("bar", stroke=SOFT, strokeWidth=0.5),
                    "encoding": {
                        "y": y,
                        "x": quantity(
                            "nodes",
                            title="nodes",
                            axis={"tickCount": 6, "format": ",d", "tickMinStep": 1},
                        ),
                        "order": quantity("at"),
                        "color": nominal(
                            "kind",
                            title=None,
                            scale={"domain": list(kinds), "range": KIND_COLOURS[1:]},
                        ),
                        "description": TIP,
                    },
                },
                {
                    "data": data(chosen),
                    "mark": mark(
                        "text", align="left", color=ACCENT, fontWeight="bold", dx=8, text="chosen"
                    ),
                    "encoding": {"y": y, "x": {"value": "width"}},
                },
            ],
        },
        ("height", *kinds, "chosen"),
        tuple(
            (e.height, e.minimal, e.feasible, e.infeasible, e.unchecked, e.chosen) for e in heights
        ),
    )


def lattice_dots(dots: Sequence[LatticeDot]) -> Chart:
    """Draw the nodes of a lattice as dots, those of one height side by side, the root on top.

    Args:
        dots: The nodes, a few thousand at most.
    """
    of_height: dict[int, list[LatticeDot]] = defaultdict(list)
    for dot in sorted(dots, key=lambda each: each.levels):
        of_height[sum(dot.levels)].append(dot)
    values: list[dict[str, object]] = []
    bands: list[dict[str, object]] = []
    at = 0.0
    widest = min(max(map(len, of_height.values()), default=1), MOST_IN_A_ROW)
    step = 22 if widest <= 24 else WIDTH / widest
    area = min(90, step * step * 0.3)
    for height, nodes in sorted(of_height.items(), reverse=True):
        count = -(-len(nodes) // MOST_IN_A_ROW)
        bands.append({"y": at + (count - 1) / 2, "height": f"{height}"})
        for number in range(count):
            line = nodes[number::count]
            for place, node in enumerate(line):
                values.append(
                    {
                        "x": place - (len(line) - 1) / 2,
                        "y": at,
                        "kind": node.kind,
                        "area": area * KIND_SIZES[KINDS.index(node.kind)],
                        "tip": shortened(node.description, LONGEST_TEXT),
                    }
                )
            at += 1
        at += 0.6
    x: Spec = quantity("x", axis=None, scale={"domain": [-widest / 2, widest / 2], "nice": False})
    y: Spec = quantity(
        "y", axis=None, scale={"domain": [max(at - 0.6, 1) - 0.4, -0.6], "nice": False}
    )
    kinds = Counter(dot.kind for dot in dots)
    told_kinds = [kind for kind in KINDS if kinds[kind]]
    picked = [KINDS.index(kind) for kind in told_kinds]
    return Chart(
        "lattice_dots",
        "Nodes of the lattice by height",
        f"Dots: {counted(len(dots), 'node')} of the lattice by height: "
        + ", ".join(f"{kinds[kind]:,} {kind}" for kind in told_kinds)
        + ".",
        {
            "width": max(step * widest, 240),
            "height": max(20 * at, 60),
            "layer": [
                {
                    "data": data(values),
                    "mark": described("point", stroke=SOFT, strokeWidth=0.8),
                    "encoding": {
                        "x": x,
                        "y": y,
                        "color": nominal(
                            "kind",
                            title=None,
                            scale={
                                "domain": told_kinds,
                                "range": [KIND_COLOURS[i] for i in picked],
                            },
                        ),
                        "size": quantity("area", scale=None, legend=None),
                        "shape": nominal(
                            "kind",
                            title=None,
                            scale={
                                "domain": told_kinds,
                                "range": [KIND_SHAPES[i] for i in picked],
                            },
                        ),
                        "description": TIP,
                    },
                },
                {
                    "data": data(bands),
                    "mark": mark("text", align="right", dx=-14, color=SOFT, fontSize=11),
                    "encoding": {
                        "y": y,
                        "x": {"value": 0},
                        "text": nominal("height"),
                    },
                },
            ],
        },
        ("height", *told_kinds),
        tuple(
            (height, *(sum(n.kind == kind for n in nodes) for kind in told_kinds))
            for height, nodes in sorted(of_height.items(), reverse=True)
        ),
    )
