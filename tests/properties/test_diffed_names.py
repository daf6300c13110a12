"""What a diff of plans says of any plan file: every change is named, and no name is more than code."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from plans import plan
from tiers import examples

import kanon_sql
from kanon_sql.errors import InputError
from kanon_sql.evidence.explanation.plan_diff import code

NAMES = st.one_of(
    st.text(min_size=1, max_size=12),
    st.lists(
        st.sampled_from(
            [
                "|",
                "`",
                "``",
                "\\",
                "\n",
                "\r",
                "<b>",
                "</code>",
                "<img src=x onerror=1>",
                "[a](http://x)",
                "@user",
                "#1",
                ":smile:",
                "**",
                "_",
                "$x$",
                "&#124;",
                "&lt;",
                "---",
                " ",
                "www.a.bc",
                "\u202e",
                "\x00",
                "-->",
                "![i](u)",
            ]
        ),
        min_size=1,
        max_size=5,
    ).map("".join),
)


class Codes(HTMLParser):
    """The texts of code in a page, and every other tag that there is."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.codes, self.tags, self.inside = [], set(), False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "code":
            self.codes.append("")
            self.inside = True
        else:
            self.tags.add(tag)
        assert all(name == "style" for name, _ in attrs)

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "code"

    def handle_data(self, data):
        if self.inside:
            self.codes[-1] += data


@examples(300)
@given(NAMES)
def test_no_name_is_anything_but_code_in_a_table(name):
    """A Markdown reader of its own, which lets HTML through, sees the name and nothing else."""
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    shown = "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode()
        for c in name
    )
    page = Codes(reader.render(f"| a | b |\n| --- | --- |\n| {code(name)} | x |\n"))
    assert page.codes == [shown]
    assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert reader.render(f"| a | b |\n| --- | --- |\n| {code(name)} | x |\n").count("<td>") == 2
    page = Codes(reader.render(f"- **Warning:** {code(name)} is gone."))
    assert page.codes == [shown]
    assert page.tags == {"ul", "li", "strong"}


@examples(100)
@given(st.lists(NAMES, min_size=2, max_size=2, unique=True), NAMES, NAMES)
def test_no_name_in_a_plan_file_is_anything_but_code(columns, model, key):
    """Whatever a plan file from a pull request says, its Markdown has our own structure alone."""
    old = _named(columns, ["5-anonymity"], {}, "optimal")
    new = _named(columns[:1], [f"distinct 2-diversity of {model}", model], {key: 1}, model)
    told = kanon_sql.diff(old, new)
    json.dumps(told.document(), allow_nan=False)
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    page = Codes(reader.render(told.markdown))
    assert page.tags <= {
        "p",
        "strong",
        "em",
        "ul",
        "li",
        "h3",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }


def _named(columns, privacy, overrides, algorithm):
    levels = dict.fromkeys(columns, 0)
    own = plan(levels, dict.fromkeys(columns, 1), privacy=privacy, overrides=overrides)
    document = own.document()
    document["search"]["algorithm"] = algorithm
    document["hierarchies"] = dict.fromkeys(columns, algorithm)
    document["figures"][algorithm] = 1.0
    return kanon_sql.Plan.from_yaml(
        yaml.dump(document, sort_keys=False, allow_unicode=True), "plan"
    )


ODD = st.one_of(st.integers(-3, 10**20), st.floats(), st.booleans(), st.text(max_size=4))


@examples(300)
@given(
    st.sampled_from(
        [
            "rows",
            "suppressed_rows",
            "max_suppressed",
            "classes",
            "smallest_class",
            "loss",
            "discernibility",
            "cost",
            "lattice_nodes",
            "sha256",
            "algorithm",
            "metric",
            "sql",
            "fingerprint",
            "optimal",
        ]
    ),
    ODD,
)
def test_every_change_of_a_plan_is_named_whatever_it_is(key, value):
    """Numbers that no plan has, too: no division by none, no number that JSON lacks."""
    try:
        new = plan(**{key: value})
    except InputError:
        return
    told = kanon_sql.diff(plan(), new)
    json.dumps(told.document(), allow_nan=False)
    assert told.same == (new.to_yaml() == plan().to_yaml())
    if not told.same:
        assert told.markdown.splitlines()[0] != "The two plans are the same."
        assert _what_changed(told.markdown) or key in told.markdown


def _what_changed(markdown):
    """The rows whose ends differ."""
    rows = [line.split("|") for line in markdown.splitlines() if line.startswith("| ")]
    return [
        row
        for row in rows
        if row[1].strip() and row[2].strip() not in {"old", "---:"} and row[2] != row[3]
    ]
