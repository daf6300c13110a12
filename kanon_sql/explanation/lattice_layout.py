"""Where each node of a picture of the lattice stands, in pixels.

Nodes of one height stand in one band, the root on top; a band that is too wide takes several rows.
Their order in a band is settled by barycentres (Sugiyama, Tagawa and Toda, 1981), so that few
edges cross.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.explanation.lattice_picture import KINDS, drawn

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from kanon_sql.explanation.explanation import Explanation
    from kanon_sql.explanation.lattice_picture import Drawn

    Levels = tuple[int, ...]
    Point = tuple[float, float]

WIDEST = 1360
"""Pixels that a row of nodes may take before the next row of its band begins."""

CHARACTER, SMALL_CHARACTER, WORD_CHARACTER = 7.4, 6.2, 6.7
NODE_HEIGHT, GAP, ROW_GAP, BAND_GAP = 38, 14, 14, 44
MARGIN, LEFT, LINE, HEADING, LEAST = 24, 70, 19, 42, 400
SWEEPS = 8
HEADLINE = 1.45
"""How much wider the letters of the title are than those of words."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """One node of the picture: the middle of it, its words and what it is drawn as."""

    x: float
    y: float
    lines: list[str]
    told: str
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


def layout(told: Explanation) -> Picture:
    """Place what is drawn of a lattice."""
    picture = drawn(told)
    labels = {node.levels: picture.label(node) for node in picture.nodes}
    node_width = 20 + max(
        max(len(levels) * CHARACTER, len(below) * SMALL_CHARACTER)
        for levels, below in labels.values()
    )
    most = max(1, int((WIDEST + GAP) // (node_width + GAP)))
    bands = [_cut(band, most) for band in _ordered(picture)]
    notes = [line for note in picture.notes for line in _wrapped(note)]
    widest = max(len(row) for band in bands for row in band)
    inner = max(
        widest * (node_width + GAP) - GAP,
        max(HEADLINE * _pixels(picture.title), *map(_pixels, notes)) - LEFT,
        LEAST,
    )
    top = MARGIN + HEADING + LINE * len(notes) + BAND_GAP / 2
    shown, places, bottom = _placed(bands, top, inner, node_width)
    width = MARGIN * 2 + LEFT + inner
    kinds = {picture.kind(node) for node in picture.nodes}
    legend, bottom = _legend(bottom, width, kinds)
    return Picture(
        width=round(width, 1),
        height=round(bottom + MARGIN, 1),
        node_width=round(node_width, 1),
        node_height=NODE_HEIGHT,
        title=picture.title,
        notes=[(MARGIN + HEADING + LINE * at, line) for at, line in enumerate(notes)],
        bands=shown,
        edges=[
            _edge(places[finer], places[coarser], marked=told.node in {finer, coarser})
            for finer, coarser in picture.edges
        ],
        nodes=[
            DrawnNode(
                *places[node.levels],
                labels[node.levels],
                picture.told_of(node),
                picture.kind(node),
            )
            for node in picture.nodes
        ],
        legend=legend,
    )


def _placed(
    bands: list[list[list[Levels]]], top: float, inner: float, node_width: float
) -> tuple[list[tuple[float, float, int]], dict[Levels, Point], float]:
    """Place bands below each other, and each row of nodes in the middle of the picture."""
    shown: list[tuple[float, float, int]] = []
    places: dict[Levels, Point] = {}
    y = top
    for band in bands:
        deep = len(band) * (NODE_HEIGHT + ROW_GAP) - ROW_GAP
        shown.append((y - BAND_GAP / 2, deep + BAND_GAP, sum(band[0][0])))
        for row in band:
            left = MARGIN + LEFT + (inner - (len(row) * (node_width + GAP) - GAP)) / 2
            for at, levels in enumerate(row):
                x = left + at * (node_width + GAP) + node_width / 2
                places[levels] = (round(x, 1), round(y + NODE_HEIGHT / 2, 1))
            y += NODE_HEIGHT + ROW_GAP
        y += BAND_GAP - ROW_GAP
    return shown, places, y - BAND_GAP / 2


def _edge(finer: Point, coarser: Point, *, marked: bool) -> Edge:
    """Join the top of a node to the bottom of a coarser one."""
    half = NODE_HEIGHT / 2
    return Edge(coarser[0], coarser[1] + half, finer[0], finer[1] - half, marked)


def _ordered(picture: Drawn) -> list[list[Levels]]:
    """Order each band by the mean place of the nodes beside, from above and below in turn."""
    by_height: dict[int, list[Levels]] = {}
    beside: dict[Levels, list[Levels]] = {}
    for node in picture.nodes:
        by_height.setdefault(node.height, []).append(node.levels)
        beside[node.levels] = []
    for finer, coarser in picture.edges:
        beside[finer].append(coarser)
        beside[coarser].append(finer)
    bands = [by_height[height] for height in sorted(by_height, reverse=True)]
    place: dict[Levels, float] = {}
    for band in bands:
        _settle(band, place)
    for sweep in range(SWEEPS):
        above = bool(sweep % 2)
        for band in bands if above else reversed(bands):
            mean = {
                each: _mean([place[o] for o in beside[each] if (o > each) == above], place[each])
                for each in band
            }
            band[:] = [each for _, each in sorted((round(mean[e], 9), e) for e in band)]
            _settle(band, place)
    return bands


def _settle(band: Sequence[Levels], place: dict[Levels, float]) -> None:
    for at, each in enumerate(band):
        place[each] = (at + 0.5) / len(band)


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _cut(band: list[Levels], most: int) -> list[list[Levels]]:
    """Deal a band out over as few rows as it takes, so that each node keeps its place from the left."""
    count = -(-len(band) // most)
    return [band[number::count] for number in range(count)]


def _pixels(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return (len(text) + wide) * WORD_CHARACTER


def _wrapped(text: str) -> Iterator[str]:
    """Break a text at its commas into lines that fit."""
    line = ""
    for part in text.split(", "):
        longer = f"{line}, {part}" if line else part
        if line and _pixels(longer) > WIDEST * 0.75:
            yield f"{line},"
            longer = part
        line = longer
    yield line


def _legend(
    y: float, width: float, kinds: Container[str]
) -> tuple[list[tuple[float, float, str, str]], float]:
    """Place what the shapes mean, in as many lines as the width takes."""
    found = []
    x, y = float(MARGIN), y + 8
    for kind, words in KINDS.items():
        if kind not in kinds:
            continue
        needed = 62 + _pixels(words)
        if x > MARGIN and x + needed > width - MARGIN:
            x, y = float(MARGIN), y + 30
        found.append((round(x, 1), round(y + 12, 1), kind, words))
        x += needed
    return found, y + 24
