"""Charts: what is drawn is what was given, labels are text, and the pictures are well-formed."""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
from dataclasses import replace
from datetime import date
from itertools import combinations
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

import kanon_sql
from kanon_sql.base.charts import areas, bars, points, trees
from kanon_sql.base.charts.chart import (
    FIXED,
    LONGEST_TEXT,
    can_render,
    figures_of,
    png_of,
    shortened,
    svg_of,
    told_apart,
    with_colours,
)
from kanon_sql.base.sql.templates import page_part
from kanon_sql.errors import install_command
from kanon_sql.evidence.reports.report_charts import MOST_SIDES, box_charts
from kanon_sql.evidence.reports.report_values import LabelPair, LabelPairs

needs_library = pytest.mark.skipif(not can_render(), reason="vl-convert is not installed")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "]]>&lt;&#0;{{ 7 * 7 }}${7}",
    "right \u202e left \u200f mark",
    "nul \x00 \x1b[31m and\nlines\u2028",
    "lone \ud800 surrogate",
    "x" * 10_000,
    "y" * 9_999 + "<",
    "datum.value; signal('x')",
    "var(--chart-ink)",
    "",
]
"""Labels of a column and names of columns; nothing of them is read as anything but text."""


def every_chart(names):
    """Build each chart with these names as its labels; numbers differ, so that none is taken for another."""
    some = list(names)
    numbers = [3 + 7 * at for at in range(len(some))]
    shares = [(at + 1) / (len(some) + 3) for at in range(len(some))]
    three = [areas.ClassBox(at, at + 1, at, at + 2, n) for at, n in enumerate(numbers)]
    tree = [trees.TreeNode(some[0], None, sum(numbers), released=False)]
    tree += [trees.TreeNode(n, 0, c, released=True) for n, c in zip(some, numbers, strict=True)]
    both = [
        points.BeforeAfter(n, s, s / 2) for n, s in zip(some, shares, strict=True)
    ]  # fmt: skip
    first = some[0]
    return {
        "class_sizes": bars.class_sizes(
            [bars.SizesOf(name, [(1, 5), (4, 9), (70, 2)], 3) for name in some[:4]]
        ),
        "distinct_values": bars.distinct_values(some, [(first, numbers), (some[1], numbers)]),
        "distribution": bars.distribution(first, some, numbers, numbers[::-1]),
        "column_loss": bars.column_loss(
            [bars.ColumnLoss(n, s, n) for n, s in zip(some, shares, strict=True)], metric=first
        ),
        "compared": bars.compared(first, some, [*shares[:-1], None], measure=some[1], chosen=1),
        "risk_before_after": points.risk_before_after(both, threshold=0.09),
        "correlations": points.correlations(both, measure=first),
        "tradeoff": points.tradeoff(
            [points.TradeoffPoint(k, 1 / k, 0.5 / k, 0.1 * k, 0.01 * k, k == 3) for k in (2, 3, 5)],
            metric=first,
        ),
        "frontier": points.frontier(
            [
                points.FrontierPoint(k, s, None if k == 9 else k * (1 - s), k == 3, s > 0)
                for k in (3, 5, 9)
                for s in (0.0, 0.01, 0.05)
            ],
            metric=first,
        ),
        "sensitive_distribution": areas.sensitive_distribution(
            first,
            [areas.SensitiveValue(n, s, s / 2, s + 0.1) for n, s in zip(some, shares, strict=True)],
            t=0.2,
            largest=0.1,
        ),
        "class_distances": areas.class_distances(first, [(0.0, 0.1, 4), (0.1, 0.2, 7)], t=0.3),
        "boxes": areas.boxes(areas.BoxAxis(first, some), areas.BoxAxis(some[1]), three),
        "hierarchy_tree": trees.hierarchy_tree(first, tree),
        "lattice_heights": trees.lattice_heights(
            [trees.HeightCount(0, 0, 0, 1, 0), trees.HeightCount(1, 2, 1, 3, 4, chosen=True)]
        ),
        "lattice_dots": trees.lattice_dots(
            [
                trees.LatticeDot((at, 1), kind, name)
                for at, (kind, name) in enumerate(zip(trees.KINDS, some, strict=False))
            ]
        ),
    }


PLAIN = every_chart([f"label {at}" for at in range(len(HOSTILE))])
KINDS = list(PLAIN)


def values_of(spec):
    """Every row of data of a specification, however deep."""
    if isinstance(spec, dict):
        found = spec.get("data", {}).get("values", []) if isinstance(spec.get("data"), dict) else []
        return [*found, *(each for part in spec.values() for each in values_of(part))]
    if isinstance(spec, list):
        return [each for part in spec for each in values_of(part)]
    return []


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_named_told_and_has_a_table_of_its_figures(kind):
    chart = PLAIN[kind]
    assert chart.name == kind
    assert chart.title
    assert len(chart.text) > 20
    assert chart.rows
    assert all(len(row) == len(chart.headings) for row in chart.rows)
    assert all(each["tip"] for each in values_of(chart.spec) if "tip" in each)


@needs_library
@pytest.mark.parametrize("kind", KINDS)
def test_each_figure_can_be_reached_and_says_its_numbers(kind):
    chart = PLAIN[kind]
    root = ET.fromstring(svg_of(chart, alone=False))
    told = [each.get("aria-label") for each in figures_of(root)]
    assert sorted(told) == sorted(each["tip"] for each in values_of(chart.spec) if "tip" in each)
    stops = [each.get("tabindex") for each in figures_of(root)]
    assert stops == ["0", *["-1"] * (len(told) - 1)]
    assert (root.get("role"), root.get("aria-label")) == ("graphics-document", chart.text)


@needs_library
@pytest.mark.parametrize("kind", KINDS)
def test_in_a_page_the_colours_are_its_variables_and_alone_they_are_fixed(kind):
    inline, alone = (svg_of(PLAIN[kind], alone=each) for each in (False, True))
    used = set(re.findall(r"var\(--chart-(\w+)\)", inline))
    assert used <= set(FIXED)
    assert not re.search(r'(fill|stroke)="#', inline)
    assert "var(" not in alone
    assert set(re.findall(r'(?:fill|stroke)="(#\w+)"', alone)) <= set(FIXED.values())
    assert ET.fromstring(alone).find(f"{SVG}title").text == PLAIN[kind].title
    assert ET.fromstring(inline).find(f"{SVG}title") is None


@needs_library
@pytest.mark.parametrize("kind", KINDS)
def test_a_png_has_twice_the_pixels_of_the_svg(kind):
    png, root = png_of(PLAIN[kind]), ET.fromstring(svg_of(PLAIN[kind], alone=True))
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = struct.unpack(">II", png[16:24])
    assert size == pytest.approx([2 * float(root.get(key)) for key in ("width", "height")], abs=2)
    assert 100 < size[0] < 1800


@needs_library
@pytest.mark.parametrize("order", [HOSTILE, HOSTILE[::-1]], ids=["forwards", "backwards"])
def test_hostile_labels_are_text_and_long_ones_are_cut(order):
    for chart in every_chart(order).values():
        for alone in (False, True):
            text = svg_of(chart, alone=alone)
            root = ET.fromstring(text)
            tags = {each.tag.removeprefix(SVG) for each in root.iter()}
            assert tags <= {"svg", "g", "path", "rect", "line", "text", "title"}
            names = {name for each in root.iter() for name in each.attrib}
            assert not any("href" in name or name.startswith("on") for name in names)
            assert "url(" not in text
            assert "<script" not in text
            shown = [each.text or "" for each in root.iter()]
            said = [each.get("aria-label", "") for each in figures_of(root)]
            assert all(each.isprintable() for each in (*shown, *said))
            assert max(map(len, shown)) < 200
            assert max(map(len, said), default=0) < 300
        cells = [str(cell) for row in (chart.headings, *chart.rows) for cell in row]
        assert max(map(len, cells)) <= LONGEST_TEXT + 30
        assert chart.title.isprintable()
        assert chart.text.isprintable()


@needs_library
def test_the_same_chart_is_the_same_file():
    again = every_chart([f"label {at}" for at in range(len(HOSTILE))])
    assert svg_of(again["boxes"], alone=True) == svg_of(PLAIN["boxes"], alone=True)
    assert png_of(again["boxes"]) == png_of(PLAIN["boxes"])


@pytest.mark.parametrize("seed", range(5))
def test_every_class_is_in_the_band_of_its_size(seed):
    lot = random.Random(seed)
    sizes = {lot.randint(1, 10 ** lot.randint(1, 5)): lot.randint(1, 40) for _ in range(60)}
    k = lot.randint(2, 60)
    chart = bars.class_sizes([bars.SizesOf("release", sorted(sizes.items()), k)])
    bounds = [int(label.split("-")[0].split()[0].replace(",", "")) for _, label, *_ in chart.rows]
    assert bounds == sorted(set(bounds))
    assert k in bounds
    for (_, _, classes, rows), low, beyond in zip(
        chart.rows, bounds, [*bounds[1:], 10**9], strict=True
    ):
        assert classes == sum(n for size, n in sizes.items() if low <= size < beyond)
        assert rows == sum(size * n for size, n in sizes.items() if low <= size < beyond)
    marked = [each["size"] for each in values_of(chart.spec) if each["k"]]
    assert [label.startswith(f"{k}") for label in marked] == [True]
    short = {each["size"] for each in values_of(chart.spec) if each["kind"] == "short"}
    assert short == {label for (_, label, *_), low in zip(chart.rows, bounds, strict=True) if low < k}  # fmt: skip


def test_a_distribution_is_of_shares_and_sums_what_is_beyond_thirty_labels():
    before, after = list(range(100, 145)), list(range(45))
    chart = bars.distribution("zip", [f"{at}" for at in range(45)], before, after)
    assert len(chart.rows) == 30
    assert chart.rows[-1] == ("16 others", sum(before[29:]), sum(after[29:]))
    shares = [each["value"] for each in values_of(chart.spec)]
    assert sum(shares[:30]) == pytest.approx(1)
    assert sum(shares[30:]) == pytest.approx(1)
    assert shares[30 + 3] == pytest.approx(3 / sum(after))


def test_what_is_not_measured_has_no_point():
    rows = [points.BeforeAfter("a", None, 0.2), points.BeforeAfter("b", 0.5, None)]
    drawn = [
        (each["name"], each["series"], each["value"])
        for each in values_of(points.risk_before_after(rows).spec)
        if "series" in each
    ]
    assert drawn == [("a", "release", 0.2), ("b", "source", 0.5)]


def test_of_many_suppression_limits_five_are_drawn_and_the_chosen_one_is_among_them():
    shares = [0, 0.001, 0.01, 0.02, 0.03, 0.05, 0.1]
    for one, k in ((s, k) for s in shares for k in (2, 5)):
        found = [
            points.FrontierPoint(each, s, 0.1, chosen=(s, each) == (one, k))
            for s in shares
            for each in (2, 5)
        ]
        chart = points.frontier(found, metric="LM")
        drawn = {each["limit"] for each in values_of(chart.spec)}
        assert len(drawn) == 5
        assert f"{100 * one:.1f}".removesuffix(".0") + "%" in drawn
        assert len(chart.rows) == len(found)


def test_boxes_are_where_they_were_given():
    lot = random.Random(3)
    found = [
        areas.ClassBox(*sorted(lot.sample(range(90), 2)), *sorted(lot.sample(range(90), 2)), rows)
        for rows in lot.sample(range(5, 5000), 300)
    ]
    chart = areas.boxes(areas.BoxAxis("age"), areas.BoxAxis("hours"), found)
    drawn = [each for each in values_of(chart.spec) if "step" in each]
    assert {(each["x"], each["x2"], each["y"], each["y2"]) for each in drawn} == {
        (each.x_low, each.x_high, each.y_low, each.y_high) for each in found
    }
    area = [(each["x2"] - each["x"]) * (each["y2"] - each["y"]) for each in drawn]
    assert area == sorted(area, reverse=True)
    rows = {(each.x_low, each.x_high, each.y_low, each.y_high): each for each in found}
    for each in drawn:
        box = rows[each["x"], each["x2"], each["y"], each["y2"]]
        low, high = (int(part.replace(",", "")) for part in each["step"].split("-"))
        assert low <= box.rows <= high


def test_boxes_of_days_are_written_as_days():
    first, last = date(1999, 12, 31), date(2020, 12, 31)
    found = [areas.ClassBox(areas.year_of(first), areas.year_of(last), 20.0, 40.0, 7)]
    chart = areas.boxes(areas.BoxAxis("born", days=True), areas.BoxAxis("age"), found)
    assert chart.rows == (("1999-12-31 to 2020-12-31", "20 to 40", 7),)
    assert areas.year_of(first) < 2000


def test_labels_that_are_ranges_are_boxes_and_the_root_is_the_widest():
    pairs = [
        LabelPair("[2021-02-01, 2021-05-31]", "20-39", 9),
        LabelPair("*", "40-59", 8),
        LabelPair("[2022-01-01, 2022-12-31]", "*", 7),
    ]
    (chart,) = box_charts(SimpleNamespace(pairs=LabelPairs(("seen", "age"), tuple(pairs), 3)))
    assert chart.rows == (
        ("2021-02-01 to 2021-05-31", "20 to 39", 9),
        ("2021-02-01 to 2022-12-31", "40 to 59", 8),
        ("2022-01-01 to 2022-12-31", "20 to 59", 7),
    )


def test_more_labels_than_can_be_read_are_no_boxes():
    pairs = tuple(LabelPair(f"town {n}", "20-39", 5) for n in range(MOST_SIDES + 1))
    assert not box_charts(SimpleNamespace(pairs=LabelPairs(("town", "age"), pairs, len(pairs))))


def test_of_a_large_tree_parents_come_before_their_labels():
    nodes = [trees.TreeNode("*", None, 100, released=False)]
    nodes += [trees.TreeNode(f"a{at}", 0, 10, released=at % 2 == 0) for at in range(10)]
    nodes += [trees.TreeNode(f"b{at}", 1 + at % 10, 1, released=False) for at in range(90)]
    chart = trees.hierarchy_tree("zip", nodes)
    labels = [label for label, *_ in chart.rows]
    assert len(labels) == trees.MOST_NODES
    assert "21 labels more are not drawn" in chart.text
    for label, above, rows, released in chart.rows:
        node = next(each for each in nodes if each.label == label)
        assert (rows, released) == (node.rows, node.released)
        if above is not None:
            assert labels.index(above) < labels.index(label)


def test_dots_of_a_lattice_have_their_places_and_kinds():
    levels = [(a, b, c) for a in range(5) for b in range(9) for c in range(9)]
    dots = [trees.LatticeDot(each, trees.KINDS[sum(each) % 5], f"{each}") for each in levels]
    chart = trees.lattice_dots(dots)
    drawn = [each for each in values_of(chart.spec) if "tip" in each]
    assert sorted(each["tip"] for each in drawn) == sorted(map(str, levels))
    assert len({(each["x"], each["y"]) for each in drawn}) == len(dots)
    for one, other in combinations(drawn, 2):
        heights = [sum(map(int, re.findall(r"\d+", each["tip"]))) for each in (one, other)]
        if heights[0] != heights[1]:
            assert (one["y"] < other["y"]) == (heights[0] > heights[1])
    for height, *numbers in chart.rows:
        own = [dot.kind for dot in dots if sum(dot.levels) == height]
        assert numbers == [own.count(kind) for kind in chart.headings[1:]]


@pytest.mark.parametrize("longest", [5, 36])
def test_labels_are_told_apart_when_they_are_cut(longest):
    labels = ["x" * 100 + str(at) for at in range(12)] + ["a", "a"]
    cut = told_apart(labels, longest)
    assert len(set(cut)) == len(labels)
    assert all(len(each) <= longest + 5 for each in cut)


def test_the_style_sheet_has_each_colour_for_light_and_for_dark():
    css = page_part("chart.css")
    light, dark = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    assert dict(re.findall(r"--chart-(\w+): (#\w+);", light)) == FIXED
    assert set(re.findall(r"--chart-(\w+): #\w+;", dark)) == set(FIXED)
    assert set(re.findall(r"var\(--chart-(\w+)\)", css)) <= set(FIXED)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_texts_can_be_read_on_the_page_and_marks_can_be_seen(scheme):
    """By WCAG 2.2: 4.5 for texts, 3 for marks that stand alone; what was before is pale and has a text or a shape."""
    root = re.findall(r":root \{(.*?)\}", page_part("chart.css"), re.DOTALL)[scheme]
    colours = dict(re.findall(r"--chart-(\w+): (#\w+);", root))
    for text in ("ink", "soft", "accent"):
        assert contrast(colours[text], colours["page"]) >= 4.5
    for text in ("ink", "soft"):
        assert contrast(colours[text], colours["band"]) >= 4.5
    assert contrast(colours["ink"], colours["step1"]) >= 4.5
    assert contrast(colours["ink"], colours["tint"]) >= 4.5
    assert contrast(colours["page"], colours["step5"]) >= 4.5
    for mark in ("main", "accent", "step4", "step5"):
        assert contrast(colours[mark], colours["page"]) >= 3
    assert contrast(colours["main"], colours["pale"]) >= 1.5


def test_colours_are_not_put_into_data():
    spec = {"data": {"values": [{"a": "var(--x)"}]}, "mark": {"color": "var(--x)"}, "n": [1, "var(--x)"]}  # fmt: skip
    assert with_colours(spec, {"var(--x)": "#fff"}) == {
        "data": {"values": [{"a": "var(--x)"}]},
        "mark": {"color": "#fff"},
        "n": [1, "#fff"],
    }


def test_without_the_library_an_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("kanon_sql.base.charts.chart.LIBRARY", "a_library_that_is_not_there")
    render = sys.modules["kanon_sql.base.charts.chart"]
    render._library.cache_clear()
    assert not can_render()
    try:
        with pytest.raises(kanon_sql.InputError, match=re.escape(install_command("report"))):
            svg_of(PLAIN["boxes"], alone=True)
    finally:
        monkeypatch.undo()
        render._library.cache_clear()


@needs_library
def test_nothing_is_drawn_by_a_program_in_a_label():
    """Labels are data: a specification has the same program whatever they are."""
    plain, hostile = (
        every_chart(names)["boxes"].spec for names in ([f"l{n}" for n in range(11)], HOSTILE)
    )

    def programs(part):
        if isinstance(part, dict):
            own = [part[key] for key in ("filter", "expr", "labelExpr", "calculate") if key in part]
            return [*own, *(each for inner in part.values() for each in programs(inner))]
        return [each for inner in part for each in programs(inner)] if isinstance(part, list) else []  # fmt: skip

    assert programs(plain) == programs(hostile)


def test_a_package_without_charts_starts_no_library():
    code = "import sys, kanon_sql; kanon_sql.plan; print('vl_convert' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_a_chart_is_not_changed_by_drawing_it():
    chart = PLAIN["compared"]
    before = repr(chart)
    if can_render():
        svg_of(chart, alone=True)
    assert repr(replace(chart)) == before


def test_a_label_that_is_short_stays_as_it_is():
    assert shortened("20-39") == "20-39"
