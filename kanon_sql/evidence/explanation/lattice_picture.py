"""The lattice of an explanation as a chart, and as a file of data (CSV, JSON) or a picture (Graphviz DOT, SVG).

Nodes of one height form one band, the root on top, in the order of their levels: measured on lattices of 12 to 200
nodes, Sugiyama's sweeps do not reduce crossings. A band that is too wide has several rows. The chart has a dot per
node, or a bar per height of a large lattice.
"""

from __future__ import annotations

import csv
import json
import re
import textwrap
import unicodedata
from collections import Counter
from dataclasses import field
from io import StringIO
from itertools import groupby, islice
from pathlib import PurePath
from typing import TYPE_CHECKING

from markupsafe import Markup

from kanon_sql.base.charts.chart import fixed, lattice_style
from kanon_sql.base.charts.trees import HeightCount, LatticeDot, lattice_dots, lattice_heights
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import render_report
from kanon_sql.counting.run.arguments import checked
from kanon_sql.errors import Fault, InputError, InternalError
from kanon_sql.evidence.explanation.explanation import Member, document_of
from kanon_sql.evidence.explanation.explanation_text import cost_text
from kanon_sql.policy.metrics.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.counting.lattice.result import Verdict
    from kanon_sql.evidence.explanation.explanation import Explanation
    from kanon_sql.evidence.explanation.scenarios import Scenario
    from kanon_sql.policy.metrics.node import Lattice
    from kanon_sql.policy.metrics.statistics import Cost

    Levels = tuple[int, ...]


MOST_DRAWN = 200
"""The most nodes of a readable picture."""

KINDS = {
    "chosen": "chosen",
    "minimal": "minimal: feasible, and no node below it is",
    "feasible": "feasible",
    "infeasible": "infeasible",
    "open": "not checked",
}
UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

LONGEST_NAME, LONGEST_LINE = 60, 130

WIDEST = 1360
"""The most pixels of a row of nodes; a wider band has several rows."""

CHARACTER, SMALL_CHARACTER, TIP_CHARACTER, WORD_CHARACTER, TITLE_CHARACTER = 7.4, 6.2, 5.8, 6.7, 9.7
NODE_HEIGHT, GAP, ROW_GAP, BAND_GAP = 38, 14, 14, 44
MARGIN, LEFT, LINE, HEADING, LEAST, LEGEND_LINE = 24, 70, 19, 42, 400, 26


def clean(text: str) -> str:
    r"""Return a text on one line, with characters that XML does not allow replaced.

    >>> clean("a\nb\x00") == "a b\ufffd"
    True
    """
    return " ".join(UNPRINTABLE.sub("\ufffd", text).split())


def quoted(text: str) -> Markup:
    r"""Quote a text for DOT, in which backslashes and entities have a meaning.

    >>> print(quoted('say "&lt;"'))
    "say \"&amp;lt;\""
    """
    lines = (clean(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    parts = "\\n".join(lines).replace("&", "&amp;")
    return Markup(f'"{parts}"')  # noqa: S704  quoted for DOT, and never shown as HTML


@dataclass(slots=True)
class DrawnNode:
    """A node of the picture: its lines of text, tooltip and kind; `placed` sets its center `x`, `y`."""

    levels: Levels
    lines: list[str]
    description: str
    kind: str
    x: float = 0.0
    y: float = 0.0

    @property
    def height(self) -> int:
        return sum(self.levels)


@dataclass(slots=True)
class Picture:
    """The nodes that are drawn, highest first, the edges from finer to coarser nodes, and the texts.

    `placed` sets all pixels. `bands` has the top and the depth of each band in pixels, and its height in the lattice. A
    separate file shows the tooltip of the node under the pointer at `tip_y`, in at most `tip_length` characters.
    """

    title: str
    notes: list[str]
    nodes: list[DrawnNode]
    edges: list[tuple[DrawnNode, DrawnNode]]
    chosen: Levels
    bands: list[tuple[float, float, int]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0
    node_width: float = 0.0
    node_height: float = NODE_HEIGHT
    first_note: float = MARGIN + HEADING
    note_height: float = LINE
    legend: list[tuple[float, float, str, str]] = field(default_factory=list)
    tip_y: float = 0.0
    tip_length: int = 0


def picture_of(explained: Explanation) -> Picture:
    """Return the picture of an explanation's nodes: all, or the whole rings nearest to the chosen node."""
    plan, nodes = explained.plan, explained.nodes or ()
    if len(nodes) > MOST_DRAWN:
        rings = whole_rings(Node(explained.node), plan.lattice, MOST_DRAWN)
        near = {node.levels for node in rings}
        nodes = tuple(node for node in nodes if node.levels in near)
    drawn = {
        node.levels: DrawnNode(
            node.levels, _lines(explained, node), described(explained, node), kind_of_node(node)
        )
        for node in sorted(nodes, key=lambda node: (-node.height, node.levels))
    }
    return Picture(
        title=f"{clean(' and '.join(plan.privacy))}: {plan.algorithm}, by {plan.metric}",
        notes=_notes(explained, len(drawn)),
        nodes=list(drawn.values()),
        edges=[
            (drawn[child.levels], node)
            for node in drawn.values()
            for child in Node(node.levels).children(plan.lattice.bottoms)
            if child.levels in drawn
        ],
        chosen=explained.node,
    )


def _notes(explained: Explanation, drawn: int) -> list[str]:
    """Return the notes of a picture: the drawn nodes, the column of each level, and the suppressed rows."""
    plan = explained.plan
    first = "first " if plan.recoding.layers else ""
    around = f" of {plan.lattice_nodes:,} nodes, around the {first}chosen one"
    which = f"{drawn:,}{' nodes' if drawn == plan.lattice_nodes else around}"
    ranges = zip(plan.heights, plan.lattice.ranges, strict=True)
    columns = (f"{clean(name)[:LONGEST_NAME]} {of[0]}-{of[-1]}" for name, of in ranges)
    return [
        f"{which}; {counted(plan.max_suppressed, 'row')} may be suppressed",
        f"Levels, from the left: {', '.join(columns)}",
        "Below them: the suppressed rows",
    ]


def _lines(explained: Explanation, node: Member) -> list[str]:
    """Return the two lines of text in a node: its levels, and its number of suppressed rows."""
    narrow = len(node.levels) > 5 and all(top < 10 for top in explained.plan.heights.values())
    levels = ("" if narrow else ",").join(map(str, node.levels))
    return [levels, "" if node.suppressed_rows is None else f"{node.suppressed_rows:,}"]


def kind_of_node(node: Member, *, of_search: bool = False) -> str:
    """Return a node's key in `KINDS`; with `of_search` the chosen node has the kind that its check gave."""
    if node.chosen and not of_search:
        return "chosen"
    if node.feasible is None:
        return "open"
    if not node.feasible:
        return "infeasible"
    return "minimal" if node.minimal else "feasible"


def described(explained: Explanation, node: Member) -> str:
    """Return a node's tooltip: its levels, kind, suppressed rows, kept classes and cost, as far as known."""
    names = map(clean, explained.plan.levels)
    levels = ", ".join(f"{name} {level}" for name, level in zip(names, node.levels, strict=True))
    parts = [levels, "chosen" if node.chosen else KINDS[kind_of_node(node)]]
    if node.chosen and node.feasible is not None:
        parts.append("minimal" if node.minimal else "feasible" if node.feasible else "infeasible")
    if node.suppressed_rows is not None:
        parts.append(f"suppresses {counted(node.suppressed_rows, 'row')}")
        parts.append(f"keeps {counted(node.classes or 0, 'class')}")
    if node.cost is not None:
        parts.append(f"{explained.plan.metric} {cost_text(node.cost)}")
    return "; ".join(parts)


def placed(picture: Picture) -> Picture:
    """Set the coordinates of all parts that the SVG template prints, and return the picture."""
    picture.notes = [line for note in picture.notes for line in textwrap.wrap(note, LONGEST_LINE)]
    node_width = 20 + max(
        max(len(node.lines[0]) * CHARACTER, len(node.lines[1]) * SMALL_CHARACTER)
        for node in picture.nodes
    )
    rows = _rows(picture.nodes, max(1, int((WIDEST + GAP) // (node_width + GAP))))
    texts = [_wide(note) * WORD_CHARACTER for note in picture.notes]
    inner = max(
        max(len(row) for row in rows) * (node_width + GAP) - GAP,
        max(_wide(picture.title) * TITLE_CHARACTER, *texts) - LEFT,
        LEAST,
    )
    picture.tip_y = MARGIN + HEADING + LINE * len(picture.notes) + 8
    picture.tip_length = int((inner + LEFT) / TIP_CHARACTER)
    y = picture.tip_y - 8 + LINE + BAND_GAP / 2
    for height, of_height in groupby(rows, key=lambda row: row[0].height):
        start = y
        for row in of_height:
            left = MARGIN + LEFT + (inner - (len(row) * (node_width + GAP) - GAP)) / 2
            for at, node in enumerate(row):
                node.x = round(left + at * (node_width + GAP) + node_width / 2, 1)
                node.y = round(y + NODE_HEIGHT / 2, 1)
            y += NODE_HEIGHT + ROW_GAP
        y += BAND_GAP - ROW_GAP
        picture.bands.append((start - BAND_GAP / 2, y - start, height))
    bottom, kinds = y - BAND_GAP / 2, {node.kind for node in picture.nodes}
    for at, kind in enumerate(kind for kind in KINDS if kind in kinds):
        line = round(bottom + 20 + LEGEND_LINE * at, 1)
        picture.legend.append((float(MARGIN), line, kind, KINDS[kind]))
    picture.width = round(MARGIN * 2 + LEFT + inner, 1)
    picture.height = round(bottom + 8 + LEGEND_LINE * len(picture.legend) + MARGIN, 1)
    picture.node_width = round(node_width, 1)
    return picture


def _rows(nodes: list[DrawnNode], most: int) -> list[list[DrawnNode]]:
    """Split the nodes of each height into the fewest rows of at most `most` nodes, in their order."""
    rows = []
    for _, of_height in groupby(nodes, key=lambda node: node.height):
        band = list(of_height)
        count = -(-len(band) // most)
        rows += [band[number::count] for number in range(count)]
    return rows


def _wide(text: str) -> int:
    """Return the width of a text in characters, where wide East Asian characters count twice."""
    return len(text) + sum(unicodedata.east_asian_width(each) in "WF" for each in text)


def lattice_nodes(
    scenario: Scenario, chosen: Sequence[Node], *, most: int, looked_at: bool
) -> tuple[Member, ...]:
    """Return all nodes of the lattice, or of more than `most` nodes those around the first chosen one.

    With `looked_at` these are the nodes at most two levels away (at most `most`), all that were checked, and all chosen
    ones. Without it they are as many whole rings as `most` nodes allow. Nodes are checked until time is up.
    """
    lattice = scenario.lattice
    if lattice.size <= most:
        wanted = list(lattice.nodes())
    elif looked_at:
        near = (node for ring in islice(rings(chosen[0], lattice), 3) for node in ring)
        checked = (verdict.node for verdict in scenario.known())
        wanted = sorted({*checked, *chosen, *islice(near, most)})
    else:
        wanted = sorted(whole_rings(chosen[0], lattice, most))
    costs = _costs_in_time(scenario, wanted)
    known = {verdict.node: verdict for verdict in scenario.known()}
    minimal = _minimal(wanted, known, lattice, monotone=scenario.monotone)
    return tuple(
        _member(
            node, known.get(node), costs.get(node), minimal=minimal[node], chosen=node in chosen
        )
        for node in wanted
    )


def _costs_in_time(scenario: Scenario, wanted: Sequence[Node]) -> dict[Node, Cost]:
    """Check nodes until time is up, and return the exact costs of the feasible ones."""
    costs: dict[Node, Cost] = {}
    size = 8 * scenario.batch
    for start in range(0, len(wanted), size):
        if scenario.late():
            break
        checked = scenario.check(wanted[start : start + size])
        feasible = [verdict for verdict in checked if verdict.feasible]
        costs.update(zip((v.node for v in feasible), scenario.costs(feasible), strict=True))
    return costs


def rings(node: Node, lattice: Lattice) -> Iterator[list[Node]]:
    """Yield a node, then the nodes one level away from it, then those two away, and so on."""
    seen, edge = {node}, [node]
    while edge:
        yield edge
        beside = (
            n
            for each in edge
            for n in (*each.children(lattice.bottoms), *each.parents(lattice.tops))
        )
        edge = sorted({n for n in beside if n not in seen})
        seen.update(edge)


def whole_rings(node: Node, lattice: Lattice, most: int) -> list[Node]:
    """Return a node and as many whole rings around it as fit in `most` nodes, the nearest first."""
    kept: list[Node] = []
    for ring in rings(node, lattice):
        if kept and len(kept) + len(ring) > most:
            break
        kept += ring
    return kept


def _member(
    node: Node, verdict: Verdict | None, cost: Cost | None, *, minimal: bool | None, chosen: bool
) -> Member:
    if verdict is None:
        return Member(node.levels, chosen=chosen)
    counts = verdict.counts
    return Member(
        node.levels, verdict.feasible, counts.suppressed, counts.classes, cost, minimal, chosen
    )


def _minimal(
    wanted: Iterable[Node], known: Mapping[Node, Verdict], lattice: Lattice, *, monotone: bool
) -> dict[Node, bool | None]:
    """Return for each node whether it is feasible and no node below it is; None if that is unknown."""
    found: dict[Node, bool | None] = {}
    below: dict[Node, bool | None] = {}
    for node in sorted(wanted, key=lambda node: node.height):
        states = []
        for child in node.children(lattice.bottoms):
            verdict = known.get(child)
            if verdict is None or verdict.feasible:
                states.append(None if verdict is None else True)
            else:
                states.append(False if monotone else below.get(child))
        below[node] = True if True in states else None if None in states else False
        own = known.get(node)
        above = below[node]
        if own is None or not own.feasible:
            found[node] = None if own is None else False
        else:
            found[node] = None if above is None else not above
    return found


MOST_DOTS = 2000
"""The most nodes of a lattice that is drawn with a dot per node."""


def lattice_chart(explanation: Explanation) -> Chart:
    """Draw the whole lattice of an explanation that has nodes.

    A lattice of up to 2,000 nodes has a dot for each. A larger one has counts by height, where nodes that the
    explanation lacks count as not checked.
    """
    nodes = explanation.nodes or ()
    whole = explanation.plan.lattice_nodes
    if len(nodes) <= MOST_DOTS and len(nodes) == whole:
        kinds = {"open": "not checked"}
        return lattice_dots(
            [
                LatticeDot(
                    each.levels,
                    kinds.get(kind_of_node(each), kind_of_node(each)),
                    described(explanation, each),
                )
                for each in nodes
            ]
        )
    of_height = nodes_by_height(explanation.plan.lattice.ranges)
    found = Counter((each.height, kind_of_node(each, of_search=True)) for each in nodes)
    chosen = {each.height for each in nodes if each.chosen}
    heights = []
    for height, number in of_height.items():
        feasible, minimal, infeasible = (
            found[height, kind] for kind in ("feasible", "minimal", "infeasible")
        )
        unchecked = number - feasible - minimal - infeasible
        heights.append(
            HeightCount(height, feasible, minimal, infeasible, unchecked, height in chosen)
        )
    return lattice_heights(heights)


def nodes_by_height(ranges: Iterable[range]) -> dict[int, int]:
    """Count the lattice's nodes of each height, given the range of each column's levels.

    >>> nodes_by_height([range(2), range(3)])
    {0: 1, 1: 2, 2: 2, 3: 1}
    """
    found = Counter({0: 1})
    for levels in ranges:
        wider: Counter[int] = Counter()
        for height, number in found.items():
            for level in levels:
                wider[height + level] += number
        found = wider
    return dict(sorted(found.items()))


LATTICE_FILES = (".csv", ".json", ".dot", ".svg")
PICTURES = ("dot", "svg")
STARTS = {
    "csv": ("level_", '"level_'),
    "json": ('{\n "columns": [',),
    "dot": ("digraph lattice {",),
    "svg": ("<svg xmlns=",),
}
"""The beginnings of each kind of lattice file, by which such a file is recognized."""

NODE_KEYS = ("height", "feasible", "suppressed_rows", "classes", "cost", "minimal", "chosen")


def kind_of(path: str) -> str:
    """Return the kind of a lattice file by its extension. Raises InputError if that is not in `LATTICE_FILES`."""
    kind = PurePath(path).suffix.lower()
    if kind not in LATTICE_FILES:
        what = f"does not end in one of {', '.join(LATTICE_FILES)}, the formats of a lattice"
        raise InputError(path, [Fault("", what)])
    return kind.removeprefix(".")


def check_kind(kind: str) -> None:
    """Raise InputError where a kind of lattice file is unknown."""
    if kind not in STARTS:
        raise InputError("lattice", [Fault(kind, f"is not one of {', '.join(STARTS)}")])


def nodes_written(explanation: Explanation, kind: str) -> str:
    """Return a phrase on which of the lattice's nodes a file of this kind has."""
    nodes = explanation.nodes or ()
    if kind in PICTURES:
        drawn = {node.levels for node in picture_of(explanation).nodes}
        nodes = tuple(node for node in nodes if node.levels in drawn)
    all_, open_ = explanation.plan.lattice_nodes, sum(each.feasible is None for each in nodes)
    around = "around the chosen one"
    if kind not in PICTURES:
        around += ", and all that were checked"
    which = (
        "all nodes of the lattice"
        if len(nodes) == all_
        else f"{len(nodes):,} of the lattice's {all_:,} nodes: those {around}"
    )
    return f"{which}, {open_:,} of them not reached in time" if open_ else which


@checked
def lattice_text(explanation: Explanation, kind: str) -> str:
    """Return the lattice of an explanation as `csv`, `json`, `dot` or `svg`.

    A picture of a large lattice shows the nodes around the chosen one.

    Args:
        explanation: One that was made with its lattice.
        kind: `csv`, `json`, `dot` or `svg`.

    Returns:
        The text of a file of this kind.

    Raises:
        InputError: The explanation has no lattice, or the kind is unknown.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> plan = kanon_sql.plan(policy, people)
    >>> found = kanon_sql.explain(plan, people, policy=policy, lattice="csv")
    >>> len(kanon_sql.lattice_text(found, "csv").splitlines())
    4
    """
    check_kind(kind)
    if explanation.nodes is None:
        what = f"are missing; explain with lattice={kind!r}"
        raise InputError("explanation", [Fault("nodes", what)])
    match kind:
        case "csv":
            return _csv(explanation, explanation.nodes)
        case "json":
            return _json(explanation, explanation.nodes)
        case "dot":
            return _dot(explanation)
        case "svg":
            return _svg(explanation, Markup(fixed(lattice_style())))  # noqa: S704  a style sheet of ours
        case _:
            raise InternalError(f"no lattice is written as {kind}")


def lattice_svg(explanation: Explanation) -> str:
    """Draw a small lattice, or a part of a large one, as SVG for a page that has the charts' style sheet."""
    return _svg(explanation, None)


def _svg(explanation: Explanation, style: Markup | None) -> str:
    return render_report("lattice.svg", picture=placed(picture_of(explanation)), style=style)


def _csv(explained: Explanation, nodes: tuple[Member, ...]) -> str:
    """Format one line per node: unchecked values are empty, and several costs are separated by spaces."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow([*(f"level_{name}" for name in explained.plan.levels), *NODE_KEYS])
    for node in nodes:
        cost = " ".join(map(repr, node.cost or ()))
        values = {**_document(node), "cost": cost}
        out.writerow([*node.levels, *(_csv_text(values[key]) for key in NODE_KEYS)])
    return text.getvalue()


def _document(node: Member) -> dict[str, object]:
    return {"node": list(node.levels), "height": node.height, **document_of(node)}


def _csv_text(value: object) -> str:
    """Format an unchecked value as an empty text, and a truth value as in JSON."""
    return "" if value is None else str(value).lower()


def _json(explained: Explanation, nodes: tuple[Member, ...]) -> str:
    whole = {
        "columns": list(explained.plan.levels),
        "heights": list(explained.plan.heights.values()),
        "metric": explained.plan.metric,
        "max_suppressed_rows": explained.plan.max_suppressed,
        "lattice_nodes": explained.plan.lattice_nodes,
        "complete": len(nodes) == explained.plan.lattice_nodes,
        "nodes": [_document(node) for node in nodes],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _dot(explained: Explanation) -> str:
    picture = picture_of(explained)
    heights = groupby(picture.nodes, key=lambda node: node.height)
    return render_report(
        "lattice.dot",
        title=quoted("\n".join([picture.title, *picture.notes])),
        nodes=[
            {
                "id": _id(node),
                "label": quoted("\n".join(node.lines)),
                "description": quoted(node.description),
                "kind": node.kind,
            }
            for node in picture.nodes
        ],
        rows=[[_id(node) for node in of_height] for _, of_height in heights],
        edges=[(_id(finer), _id(coarser)) for finer, coarser in picture.edges],
    )


def _id(node: DrawnNode) -> str:
    return f"n{'_'.join(map(str, node.levels))}"
