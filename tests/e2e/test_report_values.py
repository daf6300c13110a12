"""No value of the source is in the report of a release, of a plan or of a certificate, unless it is released.

Each cell of the source is a token that no figure can be by chance; what a recoding publishes of it is read back
from the release in plain Python, and all others are looked for in every page and text.
"""

from __future__ import annotations

import csv
import html
import json
import random
from html.parser import HTMLParser

import duckdb
import pytest
from mondrian import STRICT

HIERARCHIES = {
    "income": {"hierarchy": {"intervals": [10_000, 50_000]}},
    "town": {"hierarchy": {"mask": 5}},
    "sex": {"hierarchy": "suppress"},
}
ORDERS = {"income": {"order": "number"}, "town": {"order": "text"}, "sex": {"order": "text"}}
ONE_ORDER = HIERARCHIES | {"income": ORDERS["income"]}
SEARCHES = {
    "full_domain": (HIERARCHIES, {"algorithm": "optimal"}),
    "local": (HIERARCHIES, {"recoding": "local"}),
    "cells": (HIERARCHIES, {"recoding": "cells"}),
    "greedy": (HIERARCHIES, {"algorithm": "greedy", "per": "record"}),
    "mu_argus": (HIERARCHIES, {"algorithm": "mu_argus", "generalize": {"income": 2, "town": 3}, "repair": "records"}),
    "mondrian": (ORDERS, {"algorithm": "mondrian"}),
    "relaxed": (ORDERS, {"algorithm": "mondrian", "cuts": "relaxed"}),
    "runs": (ORDERS, {"algorithm": "mondrian", "grouping": "order"}),
    "order": (ORDERS, {"algorithm": "order"}),
    "top_down": (ONE_ORDER, {"algorithm": "top_down", "target": "illness"}),
    "bottom_up": (HIERARCHIES, {"algorithm": "bottom_up", "target": "illness"}),
    "k_optimize": (ORDERS, {"algorithm": "k_optimize"}),
}  # fmt: skip
"""Each recoding: what its quasi-identifiers have, and its search."""
NAMES = ("person", "income", "town", "sex", "illness")


@pytest.fixture
def people(lab):
    """Rows of tokens, some of them outliers that no class can hold."""
    draw = random.Random(8)
    rows = [
        (
            f"Person-{n}-zq",
            draw.choice((904_037, 911_213, 918_771, 926_409, 933_853)) + n % 7,
            f"{draw.choice('123')}{draw.choice('45')}{draw.choice('678')}Qx",
            f"{draw.choice(('womanQ', 'manQ'))}",
            f"illness-{draw.randrange(5)}-zq",
        )
        for n in range(150)
    ]
    rows += [("Rare-zq", 987_651, "999Qx", "otherQ", "rare-illness-zq")]
    with (lab.folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([NAMES, *rows])
    return rows


def planned(lab, columns, search):
    policy = {
        "version": 1,
        "source": "people.csv",
        "entity": "row",
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            **{name: {"role": "quasi", **words} for name, words in columns.items()},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"k": 6},
        "suppression": "20%",
        "search": search,
        "release": "release.parquet",
    }
    lab.write("policy.yml", json.dumps(policy))
    lab.done("plan", "policy.yml", "--no-rows")
    lab.done("apply", "policy.plan.yml", "--no-rows")


def texts_of(value):
    """A value as a page could print it: numbers in groups of thousands as well."""
    return {str(value), f"{value:,}"} if isinstance(value, int) else {str(value)}


def unreleased(lab, rows):
    """The source's values that are no part of any released label; of the sensitive column all are released."""
    released = duckdb.read_parquet(str(lab.folder / "release.parquet"))
    at = [released.columns.index(name) for name in released.columns if name != "illness"]
    cells = {str(row[n]) for row in released.fetchall() for n in at}
    values = {value for row in rows for value in row[:4]}
    return [
        text
        for value in values
        if not any(str(value) in cell for cell in cells)
        for text in texts_of(value)
    ]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("search", SEARCHES)
def test_no_page_has_a_value_that_is_not_released(lab, people, search):
    planned(lab, *SEARCHES[search])
    hidden = unreleased(lab, people)
    assert {"Person-3-zq", "Rare-zq"} <= {*hidden}
    assert any(each.isdigit() for each in hidden), "incomes are among them"
    told = {
        "release": lab.done("report", "release.parquet", "--plan", "policy.plan.yml", "--text", "-o", "r.html"),
        "plan": lab.done("report", "policy.plan.yml", "--text", "-o", "p.html"),
    }  # fmt: skip
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    for path in ("r.html", "p.html", "release.certificate/report.html"):
        told[path] = html.unescape((lab.folder / path).read_text(encoding="utf-8"))
    for name, text in told.items():
        assert [each for each in hidden if each in text] == [], name
        assert [n for n in range(5) if f"illness-{n}-zq" in text] == [], name
        assert "rare-illness" not in text, name
    assert "<svg" in told["r.html"]


def reported(lab, rows, columns, **changes):
    """A release of a table with an illness, its certificate, and all that their reports say."""
    lab.write("people.csv", "".join(f"{','.join(row)}\n" for row in rows))
    policy = {
        "version": 1,
        "source": "people.csv",
        "entity": "row",
        "columns": {name: {"role": "quasi", **words} for name, words in columns.items()},
        "privacy": {"k": 3},
        "release": "release.parquet",
        **changes,
    }
    lab.write("policy.yml", json.dumps(policy))
    lab.done("plan", "policy.yml", "--no-rows")
    lab.done("apply", "policy.plan.yml", "--no-rows")
    text = lab.done("report", "release.parquet", "--plan", "policy.plan.yml", "--text", "-o", "r.html")  # fmt: skip
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    pages = (lab.folder / name for name in ("r.html", "release.certificate/report.html"))
    return [text, *(html.unescape(page.read_text(encoding="utf-8")) for page in pages)]


def test_a_group_of_one_value_is_shown_as_a_value_in_its_tree_too(lab):
    towns = [("a", "North"), ("b", "North"), ("Alone-zq", "Alone-zq")]
    lab.write("towns.csv", "".join(f"{town};{group};All\n" for town, group in towns))
    rows = [("town",), *[(town,) for town, _ in towns for _ in range(5)]]
    found = reported(lab, rows, {"town": {"hierarchy": {"csv": "towns.csv"}, "levels": {"least": 1}}})  # fmt: skip
    for text in found[:2]:
        assert "North" in text
        assert "Alone-zq" not in text
    assert "hidden #2" in found[0].partition("\nHierarchies\n")[2]


def test_null_is_a_node_of_a_tree_as_of_the_other_sections(lab):
    rows = [("town", "sex"), *[(town, "m") for town in ("11", "12", "21", "22", "") for _ in range(2)]]  # fmt: skip
    rows += [("", "m")]
    columns = {"town": {"hierarchy": {"mask": 2}}, "sex": {"hierarchy": "suppress"}}
    text, page, _ = reported(lab, rows, columns, nulls="category")
    tree = text.partition("\nHierarchies\n")[2].partition("\nLimits\n")[0]
    assert any(line.split() == ["1", "NULL", "**", "3"] for line in tree.splitlines()), tree
    assert "None" not in text
    assert ">None<" not in page


def test_a_text_that_reads_like_two_bounds_is_a_value_in_a_certificate(lab):
    """Of an order of texts a label with two ends is in brackets; the source is not read there."""
    rows = [("way", "sex"), *[(way, sex) for way in ("Paris to Rome-zq", "Rome to Bonn-zq") for sex in "mf" for _ in range(4)]]  # fmt: skip
    columns = {"way": {"order": "text"}, "sex": {"order": "text"}}
    for text in reported(lab, rows, columns, search=STRICT):
        assert "Rome-zq" not in text
        assert "Bonn-zq" not in text


def test_a_label_that_is_not_listed_is_no_value_in_the_pairs(lab):
    """A report lists 40 labels of a column and 400 pairs: here ranges have most rows, and then single values."""
    rows = [("income", "sex")]
    rows += [(f"{100_000 * at + n}.5", "m") for at in range(1, 49) for n in range(5)]
    single = [f"{9_100_000 + 100_000 * at}.25" for at in range(15)]
    rows += [(each, "m") for each in single for _ in range(3)]
    columns = {"income": {"order": "number"}, "sex": {"order": "text"}}
    for text in reported(lab, rows, columns, search=STRICT):
        assert "[100004.5" in text
        assert [each for each in single if each in text] == []


TURNS = "\u202e"
"""Turns around what follows it, to the end of the element that isolates it."""


class Unisolated(HTMLParser):
    """Texts of a page with a mark of direction that no element isolates, but for the SQL as it ran."""

    def __init__(self, page):
        super().__init__()
        self.above, self.found = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag not in {"meta", "br"}:
            self.above.append((tag, tag in {"bdi", "pre"} or "dir" in dict(attrs)))
        self.found += [value for _, value in attrs if value and TURNS in value]

    def handle_endtag(self, tag):
        while self.above.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if TURNS in data and not any(isolated for _, isolated in self.above):
            self.found.append(data)


def test_a_name_turns_no_words_of_a_page_around(lab):
    names = [f"{name}{TURNS}x" for name in ("who", "age", "ill", "kept")]
    rows = [names, *[(f"p{n // 2}", f"{20 + n % 2}", f"i{n % 3}", "z") for n in range(24)]]
    lab.write("people.csv", "".join(f"{','.join(row)}\n" for row in rows))
    who, age, ill, kept = names
    policy = {
        "version": 1,
        "source": "people.csv",
        "entity": who,
        "about": {"title": f"People{TURNS}"},
        "columns": {
            who: {"role": "identifying", "action": "drop"},
            age: {"role": "quasi", "hierarchy": {"intervals": [10]}},
            ill: {"role": "sensitive"},
            kept: {"role": "insensitive"},
        },
        "privacy": {"k": 3},
        "release": f"out{TURNS}.parquet",
    }
    lab.write("policy.yml", json.dumps(policy))
    lab.done("plan", "policy.yml", "--no-rows")
    lab.done("apply", "policy.plan.yml", "--no-rows")
    lab.done("report", policy["release"], "--plan", "policy.plan.yml", "-o", "r.html")
    lab.done("certify", policy["release"], "--plan", "policy.plan.yml", "-o", "certificate")
    for name in ("r.html", "certificate/report.html"):
        page = (lab.folder / name).read_text(encoding="utf-8")
        assert TURNS in page, "names are on it"
        assert Unisolated(page).found == [], name
    assert "PASS" in lab.done("verify", "certificate/certificate.json")
