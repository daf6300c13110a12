"""What the explorer's page draws of a lattice, and the uses of a release: counted in plain Python, too."""

from __future__ import annotations

import csv
import itertools
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import kanon_sql
from kanon_sql.apps.explorer.exploration import Choices, SavedFiles, open_exploration
from kanon_sql.errors import InputError, PolicyError

POLICY = """\
version: 1
source: people.csv
entity: row
columns:   # of the table
  zip: {role: quasi, hierarchy: {mask: 3}}
  age: {role: quasi, hierarchy: {csv: ages.csv}}
  sex: {role: quasi, hierarchy: suppress}
privacy: {k: 4}
suppression: 5%
search: {algorithm: optimal}  # of the lattice
release: out.parquet
"""
OUTPUT = "output: apportioned  # for counts\n"
K = 4


@pytest.fixture(scope="module")
def people():
    draw = random.Random(3)
    zips = [f"{a}{b}{c}" for a in "01" for b in "012" for c in "0123"]
    return [(draw.choice(zips), str(draw.randrange(20, 40)), draw.choice("mf")) for _ in range(300)]


@pytest.fixture
def open_policy(tmp_path, people, request):
    def opened(text=POLICY):
        with (tmp_path / "people.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("zip", "age", "sex"), *people])
        with (tmp_path / "ages.csv").open("w", newline="") as file:
            rows = [(str(n), f"of {n // 10}0", "any") for n in range(20, 40)]
            csv.writer(file).writerows(rows)
        (tmp_path / "policy.yml").write_text(text)
        saved = tmp_path / "saved.yml", tmp_path / "saved.plan.yml"
        files = SavedFiles(*saved, lambda path, text: Path(path).write_text(text), str(tmp_path / "saved"))  # fmt: skip
        found = open_exploration(str(tmp_path / "policy.yml"), None, files=files, settings=None)
        request.addfinalizer(found.close)
        return found

    return opened


def label(value, at, level):
    if at == 0:
        return value[: 3 - level] + "*" * level
    if at == 1:
        return (value, f"of {value[0]}0", "any")[level]
    return value if level == 0 else "*"


def test_the_drawn_nodes_have_the_verdicts_that_python_counts(open_policy, people):
    explored = open_policy()
    nodes = [list(each) for each in itertools.product(range(4), range(3), range(2))]
    for found in explored.verdicts(Choices({}, (0, 0, 0)), nodes):
        levels = found["levels"]
        classes = Counter(
            tuple(label(value, at, levels[at]) for at, value in enumerate(row)) for row in people
        )
        suppressed = sum(size for size in classes.values() if size < K)
        assert found["suppressed"] == suppressed
        assert found["feasible"] == (suppressed <= 0.05 * len(people))
        assert (found["loss"] is not None) == found["feasible"]
        if found["feasible"]:
            shown = explored.figures(Choices({}, tuple(levels)))
            assert found["loss"] == pytest.approx(shown.cost[0])
    with pytest.raises(InputError, match="does not have"):
        explored.verdicts(Choices({}, (0, 0, 0)), [[0, 0, 2]])


def test_the_labels_of_a_level_are_the_most_frequent_and_none_is_of_fewer_than_k(
    open_policy, people
):
    """Those of a hierarchy in a file, too: its labels are read, not the file's words."""
    explored = open_policy(POLICY.replace("{k: 4}", "{k: 14}"))
    for at, levels in enumerate((4, 3, 2)):
        found = explored.labels(Choices({}, (0, 0, 0)), at)
        assert len(found) == levels
        for level, shown in enumerate(found):
            counts = Counter(label(row[at], at, level) for row in people)
            often = sorted((n for n in counts.values() if n >= 14), reverse=True)
            assert [each["rows"] for each in shown] == often[:6]
            assert all(counts[each["label"]] == each["rows"] for each in shown)
    assert explored.labels(Choices({}, (0, 0, 0)), 9) == []


@pytest.mark.parametrize("use", ["counts", "records"])
def test_another_use_is_searched_and_saved_and_taken_back(open_policy, tmp_path, use):
    explored = open_policy()
    state = Choices({"use": use}, (0, 0, 0), frozenset({"zip"}))
    assert not explored.of_nodes(state)
    found = explored.figures(explored.best(state))
    assert found.feasible
    assert set(found.losses) == {"zip", "age", "sex"}
    explored.save(state, with_plan=True)
    text = (tmp_path / "saved.yml").read_text()
    search = "search: {algorithm: mondrian, choose: width}  # of the lattice"
    expected = POLICY.replace("search: {algorithm: optimal}  # of the lattice", search)
    assert text == expected + ("output: apportioned\n" if use == "counts" else "")
    assert kanon_sql.plan(tmp_path / "saved.yml").recoding.in_regions
    assert explored.of_nodes(replace(state, entries={"use": "levels"}))


def test_one_level_a_column_takes_the_entries_of_counts_away(open_policy, tmp_path):
    text = POLICY.replace("algorithm: optimal", "algorithm: mondrian")
    explored = open_policy(text.replace("columns:", f"{OUTPUT}columns:", 1))
    state = Choices({"use": "levels"}, (0, 0, 0))
    found = explored.best(explored.clamped(replace(state, levels=(9, 9, 9))))
    assert explored.figures(found).feasible
    explored.save(replace(found, held=frozenset({"sex"})), with_plan=False)
    held = POLICY.replace("suppress}", f"suppress, levels: {{least: {found.levels[2]}, most: {found.levels[2]}}}}}")  # fmt: skip
    assert (tmp_path / "saved.yml").read_text() == held


def test_a_use_that_is_none_is_refused(open_policy):
    with pytest.raises(PolicyError, match="must be one of counts, records, levels"):
        open_policy().figures(Choices({"use": "all"}, (0, 0, 0)))
