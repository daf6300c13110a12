"""The lattice of an explanation as data and as pictures: whole, escaped, and nothing overlaps."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from itertools import combinations, product
from xml.etree import ElementTree as ET

import pytest
from plans import explanation as explained
from plans import plan

import kanon_sql
from kanon_sql.evidence.explanation.explanation import Member
from kanon_sql.evidence.explanation.lattice_picture import (
    LATTICE_FILES,
    MOST_DOTS,
    MOST_DRAWN,
    kind_of,
    lattice_chart,
    lattice_svg,
    lattice_text,
    nodes_by_height,
    picture_of,
    placed,
)

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    'a"b',
    "<script>x</script>",
    "R&D &lt;",
    "new\nline",
    "back\\nslash",
    "ü 漢字 👩",
    "nul\x00\x1b]0;x",
)


def explanation(
    tops,
    *,
    names=None,
    chosen=None,
    without=(),
    privacy="5-anonymity",
    lattice_nodes=None,
    **changes,
):
    """An explanation with a lattice in which every node of half the height is feasible."""
    names = names or tuple(f"column {n}" for n in range(len(tops)))
    chosen = chosen or tuple(top // 2 for top in tops)
    nodes = []
    for levels in product(*(range(top + 1) for top in tops)):
        feasible = 2 * sum(levels) >= sum(tops)
        minimal = feasible and 2 * (sum(levels) - 1) < sum(tops)
        own = levels == chosen
        if levels in without:
            nodes.append(Member(levels, chosen=own))
        else:
            cost = (0.25,) if feasible else None
            nodes.append(Member(levels, feasible, 12345, 67, cost, minimal, own))
    plain = [f"q{n}" for n in range(len(tops))]
    read = plan(
        dict(zip(plain, chosen, strict=True)),
        dict(zip(plain, tops, strict=True)),
        max_suppressed=20_000,
        lattice_nodes=len(nodes) if lattice_nodes is None else lattice_nodes,
    )
    heights = dict(zip(names, tops, strict=True))  # of any names, also of those that no file holds
    own = replace(read, heights=heights, privacy=(privacy,))
    return explained(own, **{"nodes": tuple(nodes), **changes})


def test_csv_has_a_line_a_node():
    told = explanation((1, 2), without=[(0, 0)])
    rows = list(csv.DictReader(io.StringIO(lattice_text(told, "csv"))))
    assert len(rows) == 6
    assert list(rows[0]) == [
        "level_column 0", "level_column 1", "height", "feasible", "suppressed_rows", "classes",
        "cost", "minimal", "chosen",
    ]  # fmt: skip
    assert [row["feasible"] for row in rows] == ["", "false", "true", "false", "true", "true"]
    assert rows[0]["suppressed_rows"] == rows[0]["cost"] == rows[0]["minimal"] == ""
    assert (rows[-1]["height"], rows[-1]["cost"]) == ("3", "0.25")
    assert [row["chosen"] for row in rows].count("true") == 1


def test_names_of_columns_cannot_be_taken_for_figures():
    told = explanation((1, 2), names=("height", "chosen"))
    (header, *_) = csv.reader(io.StringIO(lattice_text(told, "csv")))
    assert len(set(header)) == len(header)


def test_json_says_whether_it_is_whole():
    told = explanation((1, 2))
    found = json.loads(lattice_text(told, "json"))
    assert found["complete"]
    assert found["columns"] == ["column 0", "column 1"]
    assert [tuple(node["node"]) for node in found["nodes"]] == [n.levels for n in told.nodes]
    part = explanation((1, 2), lattice_nodes=10**8)
    assert not json.loads(lattice_text(part, "json"))["complete"]


SHAPES = {
    12: (1, 2, 1),
    60: (4, 2, 3),
    200: (4, 4, 7),
    180: (4, 2, 3, 2),
    128: (1,) * 7,
    48: (15, 2),
    1: (0,),
}


@pytest.mark.parametrize("tops", SHAPES.values(), ids=SHAPES)
def test_no_two_nodes_overlap_and_every_label_fits(tops):
    picture = placed(picture_of(explanation(tops)))
    wide, high = picture.node_width, picture.node_height
    for one, other in combinations(picture.nodes, 2):
        assert abs(one.x - other.x) >= wide + 8 or abs(one.y - other.y) >= high + 8
    for node in picture.nodes:
        assert wide / 2 <= node.x <= picture.width - wide / 2
        assert high / 2 <= node.y <= picture.height - high / 2
        assert len(node.lines[0]) * 7.3 <= wide - 16
        assert len(node.lines[1]) * 6.1 <= wide - 16
    levels = [node.lines[0] for node in picture.nodes]
    assert len(set(levels)) == len(levels)
    assert picture.width < 1700


@pytest.mark.parametrize("tops", SHAPES.values(), ids=SHAPES)
def test_each_height_has_its_band_coarsest_first(tops):
    told = explanation(tops)
    picture = placed(picture_of(told))
    assert [height for *_, height in picture.bands] == list(range(sum(tops), -1, -1))
    heights = {each.levels: each.height for each in told.nodes}
    assert len(picture.nodes) == len(heights)
    for (_, above, _), (y, *_) in zip(picture.bands, picture.bands[1:], strict=False):
        assert above > 0
        assert y > 0
    assert all(coarser.y < finer.y for finer, coarser in picture.edges)
    assert len(picture.edges) == sum(sum(level > 0 for level in each.levels) for each in told.nodes)


def test_of_a_large_lattice_the_nearest_nodes_are_drawn():
    told = explanation((4, 1, 1, 2, 3, 2, 2))
    assert len(told.nodes) > MOST_DRAWN
    picture = picture_of(told)
    assert 0 < len(picture.nodes) <= MOST_DRAWN

    def away(levels):
        return sum(abs(a - b) for a, b in zip(levels, told.node, strict=True))

    kept = {node.levels for node in picture.nodes}
    furthest = max(map(away, kept))
    assert {n.levels for n in told.nodes if away(n.levels) <= furthest} == kept
    assert f"{len(kept)} of {len(told.nodes):,} nodes, around the chosen one" in picture.notes[0]


def parsed(text):
    return ET.fromstring(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_svg_is_well_formed_and_holds_names_as_text(name):
    told = explanation((1, 2), names=(name, "b"), privacy=f"5-anonymity over {name}")
    root = parsed(lattice_text(told, "svg"))
    tags = {each.tag for each in root.iter()}
    assert tags <= {f"{SVG}{tag}" for tag in ("svg", "title", "style", "rect", "text", "path", "g")}
    shown = "\n".join(each.text or "" for each in root.iter())
    clean = " ".join(re.sub("[\x00\x1b]", "\ufffd", name).split())
    assert clean in shown


def unquoted(text):
    """The strings of a DOT file, each as Graphviz would read it; and the rest of the file."""
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return strings, re.sub(r'"(?:[^"\\]|\\.)*"', "Q", text)


@pytest.mark.parametrize("name", HOSTILE)
def test_dot_keeps_names_in_their_quotes(name):
    plain = unquoted(lattice_text(explanation((1, 2)), "dot"))[1]
    told = explanation((1, 2), names=(name, "b"), privacy=f"5-anonymity over {name}")
    strings, rest = unquoted(lattice_text(told, "dot"))
    assert rest == plain
    clean = " ".join(re.sub("[\x00\x1b]", "\ufffd", name).split())
    said = clean.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    assert any(said in each for each in strings)


def test_every_kind_of_node_has_a_shape_of_its_own_and_a_place_in_the_legend():
    told = explanation((2, 2), without=[(0, 1)])
    root = parsed(lattice_text(told, "svg"))
    classes = {each.get("class") for each in root.iter()}
    kinds = {"chosen", "minimal", "feasible", "infeasible", "open"}
    assert kinds <= classes
    words = [each.text for each in root.iter(f"{SVG}text")]
    for kind in ("chosen", "feasible", "infeasible", "not checked"):
        assert kind in words
    assert any(each.startswith("minimal") for each in words if each)
    text = lattice_text(told, "dot")
    for look in (
        "peripheries=2",
        "shape=hexagon",
        "rounded,filled",
        "style=dashed",
        "style=dotted",
    ):
        assert look in text


def test_a_node_tells_all_that_is_known_of_it():
    root = parsed(lattice_text(explanation((1, 2), names=("sex", "age")), "svg"))
    told = [each.text for each in root.iter(f"{SVG}title")]
    assert "sex 0, age 1; chosen; infeasible; suppresses 12,345 rows; keeps 67 classes" in told
    assert (
        "sex 1, age 2; feasible; suppresses 12,345 rows; keeps 67 classes; loss (geometric mean) 0.2500"
        in told
    )


@pytest.mark.parametrize("path", ["lattice", "lattice.png", "svg", ".svg/lattice"])
def test_an_ending_that_says_nothing_is_refused(path):
    with pytest.raises(kanon_sql.InputError, match=r"does not end in one of"):
        kind_of(path)


@pytest.mark.parametrize("kind", LATTICE_FILES)
def test_an_explanation_without_its_lattice_has_no_file(kind):
    told = explanation((1, 2), nodes=None)
    with pytest.raises(kanon_sql.InputError, match=r"lattice='"):
        lattice_text(told, kind_of(f"x{kind.upper()}"))


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(kanon_sql.InputError, match=r"is not one of"):
        lattice_text(explanation((1, 2)), "png")


def nodes_of(root):
    return [each for each in root.iter() if each.get("aria-roledescription") == "figure"]


@pytest.mark.parametrize("name", HOSTILE)
def test_in_a_page_the_lattice_has_the_colours_of_the_page_and_one_stop_of_the_tab_key(name):
    told = explanation((1, 2), names=(name, "b"))
    text = lattice_svg(told)
    root = parsed(text)
    assert not any("style" in each.tag or "style" in each.attrib for each in root.iter())
    assert not re.search(r"#[0-9a-f]{6}", text)
    assert [each.get("tabindex") for each in nodes_of(root)] == ["0", *["-1"] * 5]
    clean = " ".join(re.sub("[\x00\x1b]", "\ufffd", name).split())
    assert all(each.get("aria-label").startswith(clean) for each in nodes_of(root))


def test_a_file_of_the_lattice_shows_the_figures_of_a_node_without_a_script():
    root = parsed(lattice_text(explanation((4, 2, 3)), "svg"))
    for node in nodes_of(root):
        (tip,) = (each.text for each in node if each.get("class") == "tip")
        assert node.get("tabindex") == "0"
        assert node.get("aria-label").startswith(tip.removesuffix("…"))
    (style,) = (each.text for each in root.iter(f"{SVG}style"))
    assert "var(" not in style
    assert ".node:focus .tip" in style
    assert "url(" not in style


def test_a_lattice_of_some_hundred_nodes_has_a_dot_for_each():
    told = explanation((4, 4, 4, 4), without=[(0, 0, 0, 0)])
    chart = lattice_chart(told)
    assert chart.name == "lattice_dots"
    rows = {row[0]: dict(zip(chart.headings[1:], row[1:], strict=True)) for row in chart.rows}
    assert sum(sum(each.values()) for each in rows.values()) == 625 <= MOST_DOTS
    assert rows[0]["not checked"] == 1
    assert rows[8]["chosen"] == 1
    assert rows[16]["feasible"] == 1
    tips = [each["tip"] for each in chart.spec["layer"][0]["data"]["values"]]
    assert sum("suppresses 12,345 rows" in each for each in tips) == 624


def test_a_lattice_of_more_nodes_is_counted_by_height_and_what_is_not_there_is_not_checked():
    chart = lattice_chart(explanation((4, 4, 4, 4), lattice_nodes=10**6))
    assert chart.name == "lattice_heights"
    levels = list(product(range(5), repeat=4))
    for height, minimal, feasible, infeasible, unchecked, chosen in chart.rows:
        own = [each for each in levels if sum(each) == height]
        assert minimal + feasible == (len(own) if 2 * height >= 16 else 0)
        assert (minimal > 0) == (height == 8)
        assert infeasible == (0 if 2 * height >= 16 else len(own))
        assert (unchecked, chosen) == (0, height == 8)
    half = explanation((4, 4, 4, 4), lattice_nodes=10**6)
    known = replace(half, nodes=tuple(each for each in half.nodes if each.levels[0] < 2))
    unchecked = {row[0]: row[4] for row in lattice_chart(known).rows}
    assert unchecked == {
        height: sum(sum(each) == height and each[0] >= 2 for each in levels) for height in range(17)
    }


def test_nodes_of_each_height_are_counted_without_listing_them():
    ranges = [range(1, 4), range(3), range(2, 3), range(5)]
    heights = [sum(each) for each in product(*ranges)]
    assert nodes_by_height(ranges) == {each: heights.count(each) for each in set(heights)}
    assert sum(nodes_by_height([range(9)] * 20).values()) == 9**20
