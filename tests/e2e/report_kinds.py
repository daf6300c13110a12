"""Releases of each kind that a report is of, made of one table of patients with a policy of few words."""

from __future__ import annotations

import csv
import random

DRAW = random.Random(37)
ROWS = [
    {
        "patient": f"Planted-{i % 400}",
        "age": DRAW.randint(18, 87),
        "zip": DRAW.choice(["0213", "0214", "0244"]) + DRAW.choice("123456"),
        "sex": DRAW.choice(["female", "male"]),
        "disease": DRAW.choice(["planted a", "planted b", "planted c", "planted d"]),
    }
    for i in range(500)
]
K = 11
BY_ORDER = {
    "age": {"role": "quasi", "order": "number", "snap": 2},
    "zip": {"role": "quasi", "order": "text"},
    "sex": {"role": "quasi", "order": "text"},
}
COUNTS = {"output": "apportioned", "columns": BY_ORDER}
MONDRIAN = {"search": {"algorithm": "mondrian"}}
KINDS = {
    "levels": {"search": {"algorithm": "optimal"}, "suppression": "5%"},
    "nested": MONDRIAN,
    "intervals": {**MONDRIAN, "columns": BY_ORDER},
    "counts": {**MONDRIAN, **COUNTS},
    "cells": {"search": {"algorithm": "optimal", "recoding": "cells"}, "suppression": "5%"},
    "bands": {"search": {"algorithm": "top_down"}},
}
"""The changes of a policy that each kind of recoding asks for."""


def policy_of(kind, **more):
    """The policy of a kind, without any word about its purpose."""
    changes = {**KINDS[kind], **more}
    columns = {
        "patient": {"role": "identifying", "action": "drop"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20, 40]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "disease": {"role": "sensitive"},
        **changes.pop("columns", {}),
    }
    whole = {"version": 1, "source": "people.csv", "entity": "row", "columns": columns}
    return {**whole, "privacy": {"k": K}, "release": f"{kind}.parquet", **changes}


def write_table(folder):
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, ROWS[0])
        out.writeheader()
        out.writerows(ROWS)
