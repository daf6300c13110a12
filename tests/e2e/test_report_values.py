"""No value of the source is in the report of a release, of a plan or of a certificate, unless it is released.

Each cell of the source is a token that no figure can be by chance; what a recoding publishes of it is read back
from the release in plain Python, and all others are looked for in every page and text.
"""

from __future__ import annotations

import csv
import html
import json
import random

import duckdb
import pytest

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
