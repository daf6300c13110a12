"""Adult at several nodes: what local recoding and cells keep, and every row against brute force."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from layered import Layered
from oracle import Problem

import kanon_sql

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "adult"
pytestmark = pytest.mark.skipif(
    not (SHARED / "adult.csv").is_file(),
    reason="the shared folder with Adult is not beside this repository",
)
NAMES = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class"]  # fmt: skip
K = 5


def policy(**search):
    columns = {
        name: {"role": "quasi", "hierarchy": {"csv": str(SHARED / f"hierarchy_{name}.csv")}}
        for name in NAMES
    }
    return {
        "version": 1,
        "source": {"path": str(SHARED / "adult.csv"), "delimiter": ";"},
        "entity": "row",
        "columns": columns,
        "privacy": {"k": K},
        "suppression": "2%",
        "search": search,
    }


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=";"))


@pytest.fixture(scope="module")
def problem():
    names, *rows = rows_of(SHARED / "adult.csv")
    columns = [names.index(name) for name in NAMES]
    hierarchies = [
        {value: labels for value, *labels in rows_of(SHARED / f"hierarchy_{name}.csv")}
        for name in NAMES
    ]
    return Problem([tuple(row[c] for c in columns) for row in rows], hierarchies, K, 603)


@pytest.fixture(scope="module")
def whole():
    return kanon_sql.plan(policy())


@pytest.mark.parametrize(
    "search",
    [
        pytest.param({"recoding": "local"}, id="local", marks=pytest.mark.slow),
        pytest.param({"recoding": "cells", "max_nodes": 16}, id="cells", marks=pytest.mark.slow),
    ],
)
def test_adult_keeps_more_for_less_than_suppressing_records(problem, whole, search):
    with kanon_sql.anonymize(policy(**search)) as release:
        plan, released = release.plan, release.relation.fetchall()
        columns = [release.columns.index(name) for name in NAMES]
    oracle = Layered(problem, [layer.node.levels for layer in plan.recoding.released_nodes])
    assert plan.levels == whole.levels
    assert whole.suppressed_rows == 506 == 30_162 - plan.recoding.released_nodes[0].rows
    assert plan.suppressed_rows == len(oracle.suppressed) < K
    assert plan.cost[0] == pytest.approx(oracle.loss("geometric_mean")[0], abs=1e-9)
    assert plan.cost[0] < whole.cost[0]
    assert plan.classes == len(oracle.classes) == release.verification.classes
    assert plan.smallest_class == oracle.smallest == release.verification.smallest_class >= K
    shown = Counter(tuple(row[c] for c in columns) for row in released)
    assert shown == Counter(
        tuple(oracle.cell(i, c) for c in range(len(NAMES)))
        for i, at in enumerate(oracle.at)
        if at is not None
    )
    assert plan.checks < 10_000
