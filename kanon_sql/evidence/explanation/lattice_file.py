"""Writes the lattice of an explanation as data (CSV, JSON) or as a picture (Graphviz DOT, SVG)."""

from __future__ import annotations

import csv
import json
from io import StringIO
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING

from markupsafe import Markup

from kanon_sql.base.charts.chart import fixed, lattice_style
from kanon_sql.base.sql.report_pages import render_report
from kanon_sql.counting.run.arguments import checked
from kanon_sql.errors import Fault, InputError, InternalError
from kanon_sql.evidence.explanation.explanation import document_of
from kanon_sql.evidence.explanation.lattice_picture import picture_of, placed, quoted

if TYPE_CHECKING:
    from kanon_sql.evidence.explanation.explanation import Explanation, Member
    from kanon_sql.evidence.explanation.lattice_picture import DrawnNode

KINDS = (".csv", ".json", ".dot", ".svg")
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
    """Return the kind of a lattice file by its extension. Raises InputError if that is not in `KINDS`."""
    kind = PurePath(path).suffix.lower()
    if kind not in KINDS:
        what = f"does not end in one of {', '.join(KINDS)}, the formats of a lattice"
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
