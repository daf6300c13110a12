"""What Python shows of results: one short line, and a table for notebooks in which every name is escaped."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pyarrow as pa
import pytest

import kanon_sql

HOSTILE = '<script>alert("x")</script>&'
BROKEN = "a\nb\x1b[31m" + "long" * 40
LABELS = ["<img src=x onerror=alert(1)>", "</td><script>"]
ROWS = 120
TABLE = pa.table({
    HOSTILE: [LABELS[i % 2] for i in range(ROWS)],
    BROKEN: [i % 6 for i in range(ROWS)],
    "disease": [f"d{i % 5}" for i in range(ROWS)],
})  # fmt: skip
KNOWN = {
    "div",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "pre",
    "img",
}


class Page(HTMLParser):
    """The tags of a page, each closed, with their attributes; and its text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = set(), set(), "", []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag != "img":  # which has no end
            self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= set(attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def results():
    policy = kanon_sql.suggest(TABLE, quasi=[HOSTILE, BROKEN], sensitive="disease", l=2)
    policy["search"] = {"algorithm": "optimal"}
    plan = kanon_sql.plan(policy, TABLE, examples=True)
    mondrian = kanon_sql.plan(policy, TABLE, overrides={"algorithm": "mondrian"})
    release = kanon_sql.anonymize(policy, TABLE)
    rows = release.to_arrow()
    names = {"quasi": [HOSTILE, BROKEN]}
    return {
        "SuggestedPolicy": policy,
        "Plan": plan,
        "Plan of regions": mondrian,
        "Release": release,
        "Verification": kanon_sql.verify(rows, **names, k=5, distinct_l={"disease": 2}),
        "failed Verification": kanon_sql.verify(rows, **names, k=ROWS),
        "Comparison": kanon_sql.compare(policy, TABLE, algorithms=["optimal", "local", "k_optimize"]),
        "Explanation": kanon_sql.explain(plan, TABLE, policy=policy),
        "Risk": kanon_sql.risk(TABLE, **names),
        "Quality": kanon_sql.quality(rows, source=TABLE, **names),
    }  # fmt: skip


KINDS = [
    "SuggestedPolicy", "Plan", "Plan of regions", "Release", "Verification", "failed Verification",
    "Comparison", "Explanation", "Risk", "Quality",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_one_short_line(kind, results):
    line = repr(results[kind])
    assert line.startswith(f"<{type(results[kind]).__name__}: ")
    assert line.endswith(">")
    assert len(line) <= 120
    assert line.isprintable()
    assert "SELECT" not in line


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_escaped_in_a_notebook(kind, results):
    html = results[kind]._repr_html_()
    page = Page(html)
    assert page.tags <= KNOWN
    assert {name for name, _ in page.attributes} <= {"style", "scope", "src", "alt"}
    assert not any(word in html for word in ("color", "url(", "SELECT", "\x1b"))
    if kind not in {"Verification", "failed Verification", "Comparison"}:
        assert HOSTILE in page.text
        assert "a\\nb\\x1b[31mlong" in page.text


CHARTS = {
    "SuggestedPolicy": 0, "Plan": 2, "Plan of regions": 1, "Release": 3, "Verification": 0,
    "failed Verification": 0, "Comparison": 1, "Explanation": 3, "Risk": 1, "Quality": 1,
}  # fmt: skip
"""How many charts a notebook shows of each result."""


@pytest.mark.parametrize("kind", KINDS)
def test_charts_are_pictures_that_load_nothing(kind, results):
    pytest.importorskip("vl_convert")
    pictures = [
        value for name, value in Page(results[kind]._repr_html_()).attributes if name == "src"
    ]
    assert len(pictures) == CHARTS[kind]
    for each in pictures:
        start, svg = each.split(",", 1)
        assert start == "data:image/svg+xml;base64"
        root = ET.fromstring(b64decode(svg, validate=True))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not any("href" in name for part in root.iter() for name in part.attrib)
        assert {part.tag.split("}")[1] for part in root.iter()} <= {"svg", "g", "path", "rect", "line", "text", "title"}  # fmt: skip


def test_without_the_library_of_charts_a_result_is_shown_as_tables(results, monkeypatch):
    monkeypatch.setattr("kanon_sql.base.charts.chart.can_render", lambda: False)
    page = Page(results["Release"]._repr_html_())
    assert "img" not in page.tags
    assert HOSTILE in page.text


def test_figures_are_those_of_the_result(results):
    plan, release = results["Plan"], results["Release"]
    assert f"{plan.classes:,} equivalence classes, smallest {plan.smallest_class:,} rows; " in repr(
        plan
    )
    assert f"of {ROWS} rows suppressed" in repr(plan)
    found = release.verification
    assert f"{found.rows} rows in {found.classes} equivalence class" in repr(release)
    text = Page(plan._repr_html_()).text
    assert any(label in text for label in LABELS)
    for name, level in plan.levels.items():
        assert f"{level} of {plan.heights[name]}" in text
    assert f"{results['Plan of regions'].recoding.regions} regions" in repr(
        results["Plan of regions"]
    )
    assert repr(results["Verification"]).startswith("<Verification: passed: ")
    assert repr(results["failed Verification"]).startswith("<Verification: FAILED in ")
    assert "k_optimize: " in Page(results["Comparison"]._repr_html_()).text


def test_many_columns_are_cut():
    table = pa.table({f"a_rather_long_name_{i}": [i, i] for i in range(50)})
    names = table.column_names
    plan = kanon_sql.plan(
        table, quasi=names, hierarchies=dict.fromkeys(names, "suppress"), k=2,
        overrides={"algorithm": "greedy"},
    )  # fmt: skip
    assert len(repr(plan)) <= 120
    assert repr(plan).endswith("...; 2 warnings>")
    assert "and 20 more" in Page(plan._repr_html_()).text


def test_a_table_that_falls_short_is_false_and_warnings_are_told():
    table = pa.table({"age": [1, 1, 2, 2], "name": ["a", "b", "c", "d"]})
    falls_short = kanon_sql.verify(table, quasi=["age"], k=3)
    assert not falls_short
    passed = kanon_sql.verify(table, quasi=["age"], k=2, distinct_l={"name": 2})
    assert passed
    assert len(passed.warnings) == 1
    assert repr(passed).endswith("smallest 2 rows; 1 warning>")
    assert passed.warnings[0] in Page(passed._repr_html_()).text
    empty = kanon_sql.verify(table.slice(0, 0), quasi=["age"], k=2)
    assert repr(empty).startswith("<Verification: FAILED: 0 rows")


def test_a_closed_release_says_so():
    release = kanon_sql.anonymize(TABLE, quasi=[HOSTILE, BROKEN], drop="disease", k=2)
    assert "in memory: to_pandas() reads it" in repr(release)
    release.close()
    assert "to_pandas" not in repr(release)
    assert "; closed" in repr(release)


def test_a_measure_that_needs_more_says_what():
    table = pa.table({"age": [1, 1, 2, 2]})
    text = Page(kanon_sql.quality(table, table, quasi=["age"])._repr_html_()).text
    assert "classification: needs a class column" in text
