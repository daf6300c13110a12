"""Where each node of a picture of the lattice stands, in pixels.

Nodes of one height stand in one band, the root on top, in the order of their levels: measured on lattices of 12 to 200
nodes, no fewer edges cross after Sugiyama's sweeps. A band that is too wide takes several rows.
"""

from __future__ import annotations

import textwrap
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from kanon_sql.explanation.lattice_picture import KINDS, drawn

if TYPE_CHECKING:
    from kanon_sql.explanation.explanation import Explanation, Member

    Levels = tuple[int, ...]
    Point = tuple[float, float]

WIDEST = 1360
"""Pixels that a row of nodes may take before the next row of its band begins."""

CHARACTER, SMALL_CHARACTER, WORD_CHARACTER, TITLE_CHARACTER = 7.4, 6.2, 6.7, 9.7
NODE_HEIGHT, GAP, ROW_GAP, BAND_GAP = 38, 14, 14, 44
MARGIN, LEFT, LINE, HEADING, LEAST, LEGEND_LINE = 24, 70, 19, 42, 400, 26
LONGEST_LINE = 130


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """One node of the picture: the middle of it, its words and what it is drawn as."""

    x: float
    y: float
    lines: list[str]
    description: str
    kind: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from a coarser node down to a finer one; `marked` at the chosen one."""

    x1: float
    y1: float
    x2: float
    y2: float
    marked: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that the template prints, in pixels."""

    width: float
    height: float
    node_width: float
    node_height: float
    title: str
    notes: list[tuple[float, str]]
    bands: list[tuple[float, float, int]]
    edges: list[Edge]
    nodes: list[DrawnNode]
    legend: list[tuple[float, float, str, str]]


def layout(explained: Explanation) -> Picture:
    """Place what is drawn of a lattice."""
    picture = drawn(explained)
    labels = {node.levels: picture.label(node) for node in picture.nodes}
    node_width = 20 + max(
        max(len(levels) * CHARACTER, len(below) * SMALL_CHARACTER)
        for levels, below in labels.values()
    )
    rows = _rows(picture.nodes, max(1, int((WIDEST + GAP) // (node_width + GAP))))
    notes = [line for note in picture.notes for line in textwrap.wrap(note, LONGEST_LINE)]
    inner = max(
        max(len(row) for row in rows) * (node_width + GAP) - GAP,
        max(_wide(picture.title) * TITLE_CHARACTER, *(_wide(n) * WORD_CHARACTER for n in notes))
        - LEFT,
        LEAST,
    )
    top = MARGIN + HEADING + LINE * len(notes) + BAND_GAP / 2
    bands, places, bottom = _placed(rows, top, inner, node_width)
    drawn_kinds = {picture.kind(node) for node in picture.nodes}
    legend = [
        (float(MARGIN), round(bottom + 20 + LEGEND_LINE * at, 1), kind, words)
        for at, (kind, words) in enumerate((k, w) for k, w in KINDS.items() if k in drawn_kinds)
    ]
    return Picture(
        width=round(MARGIN * 2 + LEFT + inner, 1),
        height=round(bottom + 8 + LEGEND_LINE * len(legend) + MARGIN, 1),
        node_width=round(node_width, 1),
        node_height=NODE_HEIGHT,
        title=picture.title,
        notes=[(MARGIN + HEADING + LINE * at, line) for at, line in enumerate(notes)],
        bands=bands,
        edges=[
            _edge(places[finer], places[coarser], marked=explained.node in {finer, coarser})
            for finer, coarser in picture.edges
        ],
        nodes=[
            DrawnNode(
                *places[node.levels],
                labels[node.levels],
                picture.description(node),
                picture.kind(node),
            )
            for node in picture.nodes
        ],
        legend=legend,
    )


def _rows(nodes: tuple[Member, ...], most: int) -> list[list[Levels]]:
    """Deal each height's nodes out over as few rows as it takes, so that each keeps its place from the left."""
    rows = []
    for _, of_height in groupby(nodes, key=lambda node: node.height):
        band = [node.levels for node in of_height]
        count = -(-len(band) // most)
        rows += [band[number::count] for number in range(count)]
    return rows


def _placed(
    rows: list[list[Levels]], top: float, inner: float, node_width: float
) -> tuple[list[tuple[float, float, int]], dict[Levels, Point], float]:
    """Place the rows of each height below each other, each in the middle of the picture."""
    bands: list[tuple[float, float, int]] = []
    places: dict[Levels, Point] = {}
    y = top
    for height, of_height in groupby(rows, key=lambda row: sum(row[0])):
        start = y
        for row in of_height:
            left = MARGIN + LEFT + (inner - (len(row) * (node_width + GAP) - GAP)) / 2
            for at, levels in enumerate(row):
                x = left + at * (node_width + GAP) + node_width / 2
                places[levels] = (round(x, 1), round(y + NODE_HEIGHT / 2, 1))
            y += NODE_HEIGHT + ROW_GAP
        y += BAND_GAP - ROW_GAP
        bands.append((start - BAND_GAP / 2, y - start, height))
    return bands, places, y - BAND_GAP / 2


def _edge(finer: Point, coarser: Point, *, marked: bool) -> Edge:
    """Join the top of a node to the bottom of a coarser one."""
    half = NODE_HEIGHT / 2
    return Edge(coarser[0], coarser[1] + half, finer[0], finer[1] - half, marked)


def _wide(text: str) -> int:
    """Count characters, of which those of East Asia are twice as wide."""
    return len(text) + sum(unicodedata.east_asian_width(each) in "WF" for each in text)
