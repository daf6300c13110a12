"""What a picture of the lattice shows, and in which words; `lattice_layout.py` says where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from kanon_sql.documents.text import counted
from kanon_sql.explanation.explanation_text import cost_text
from kanon_sql.explanation.lattice_nodes import whole_rings
from kanon_sql.lattice.node import Lattice, Node
from kanon_sql.plans.recodings import Layers

if TYPE_CHECKING:
    from kanon_sql.explanation.explanation import Explanation, Member

    Levels = tuple[int, ...]

MOST_DRAWN = 200
"""Nodes of a picture that can be read."""

KINDS = {
    "chosen": "chosen",
    "minimal": "minimal: feasible, and no node below it is",
    "feasible": "feasible",
    "infeasible": "infeasible",
    "open": "not checked",
}
UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold."""

LONGEST_NAME = 60


def clean(text: str) -> str:
    r"""Give a text on one line, without what no picture can show.

    >>> clean("a\nb\x00") == "a b\ufffd"
    True
    """
    return " ".join(UNPRINTABLE.sub("\ufffd", text).split())


def quoted(text: str) -> Markup:
    r"""Quote a text for DOT, in which backslashes and entities mean something.

    >>> print(quoted('say "&lt;"'))
    "say \"&amp;lt;\""
    """
    lines = (clean(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    parts = "\\n".join(lines).replace("&", "&amp;")
    return Markup(f'"{parts}"')  # noqa: S704  quoted for DOT, and never shown as HTML


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn of a lattice, highest nodes first, and the words that stand there."""

    explained: Explanation
    nodes: tuple[Member, ...]
    edges: tuple[tuple[Levels, Levels], ...]

    @property
    def title(self) -> str:
        asked = clean(" and ".join(self.explained.plan.privacy))
        return f"{asked}: {self.explained.plan.algorithm}, by {self.explained.plan.metric}"

    @property
    def notes(self) -> list[str]:
        """Say what is drawn, and which column each level is of."""
        drawn, all_ = len(self.nodes), self.explained.plan.lattice_nodes
        one = not isinstance(self.explained.plan.recoding, Layers)
        which = (
            f"{all_:,} nodes"
            if drawn == all_
            else f"{drawn:,} of {all_:,} nodes, around the {'' if one else 'first '}chosen one"
        )
        columns = [
            f"{clean(name)[:LONGEST_NAME]} 0-{height}"
            for name, height in self.explained.plan.heights.items()
        ]
        return [
            f"{which}; {self.explained.plan.max_suppressed:,} rows may be suppressed",
            f"Levels, from the left: {', '.join(columns)}",
            "Below them: the rows that are suppressed",
        ]

    def label(self, node: Member) -> list[str]:
        """Give the lines in a node: its levels, and the rows it suppresses."""
        narrow = len(node.levels) > 5 and all(
            top < 10 for top in self.explained.plan.heights.values()
        )
        levels = ("" if narrow else ",").join(map(str, node.levels))
        return [levels, "" if node.suppressed_rows is None else f"{node.suppressed_rows:,}"]

    def kind(self, node: Member) -> str:
        """Tell what a node is drawn as."""
        if node.chosen:
            return "chosen"
        if node.feasible is None:
            return "open"
        if not node.feasible:
            return "infeasible"
        return "minimal" if node.minimal else "feasible"

    def description(self, node: Member) -> str:
        """Give all that is known of a node."""
        levels = ", ".join(
            f"{clean(name)} {level}"
            for name, level in zip(self.explained.plan.levels, node.levels, strict=True)
        )
        parts = [levels, self.kind(node) if node.chosen else KINDS[self.kind(node)]]
        if node.chosen and node.feasible is not None:
            parts.append(
                "minimal" if node.minimal else "feasible" if node.feasible else "infeasible"
            )
        if node.suppressed_rows is not None:
            parts.append(f"suppresses {counted(node.suppressed_rows, 'row')}")
            parts.append(f"keeps {counted(node.classes or 0, 'class')}")
        if node.cost is not None:
            parts.append(f"{self.explained.plan.metric} {cost_text(node.cost)}")
        return "; ".join(parts)


def drawn(explained: Explanation) -> Drawn:
    """Choose what is drawn: all nodes, or those nearest to the chosen one, in whole rings."""
    nodes = explained.nodes or ()
    if len(nodes) > MOST_DRAWN:
        lattice = Lattice(tuple(explained.plan.heights.values()))
        near = {node.levels for node in whole_rings(Node(explained.node), lattice, MOST_DRAWN)}
        nodes = tuple(node for node in nodes if node.levels in near)
    ordered = tuple(sorted(nodes, key=lambda node: (-node.height, node.levels)))
    there = {node.levels for node in ordered}
    edges = tuple(
        (child.levels, node.levels)
        for node in ordered
        for child in Node(node.levels).children()
        if child.levels in there
    )
    return Drawn(explained, ordered, edges)
