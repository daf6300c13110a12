"""Searches of a sample share the regions that they begin with: another k is answered sooner, and still holds."""

from __future__ import annotations

import csv
import random

import pytest

from kanon_sql.apps.explorer.exploration import Choices, SavedFiles, open_exploration
from kanon_sql.engines.duckdb.engine import DuckDB

ROWS, PEOPLE = 4_000, 1_000
POLICY = """\
version: 1
source: people.csv
entity: who
columns:
  "zip code": {role: quasi, hierarchy: {mask: 3}}
  age: {role: quasi, hierarchy: {intervals: [10, 40]}, order: number}
  'a"select': {role: quasi, hierarchy: suppress}
  ill: {role: sensitive}
  who: {role: identifying, action: drop}
privacy:
  - {k: 5}
  - {distinct_l: {column: ill, l: 2}}
search: {algorithm: mondrian, choose: width}
release: out.parquet
"""


@pytest.fixture
def open_policy(tmp_path, request, monkeypatch):
    draw = random.Random(7)
    persons = [
        (f"{draw.randrange(5)}{draw.randrange(5)}{draw.randrange(4)}", draw.randrange(90), draw.choice("mf"))
        for _ in range(PEOPLE)
    ]  # fmt: skip
    with (tmp_path / "people.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["zip code", "age", 'a"select', "ill", "who"])
        for _ in range(ROWS):
            who = draw.randrange(PEOPLE)
            rows.writerow([*persons[who], f"ill-{draw.randrange(6)}", f"w{who}"])
    monkeypatch.setattr("kanon_sql.apps.explorer.exploration.SAMPLE", 2_000)

    def opened(text=POLICY):
        (tmp_path / "policy.yml").write_text(text)
        files = SavedFiles(
            tmp_path / "s.yml", tmp_path / "s.plan.yml", lambda *_: None, str(tmp_path / "s")
        )
        explored = open_exploration(str(tmp_path / "policy.yml"), None, files=files, settings=None)
        request.addfinalizer(explored.close)
        return explored

    return opened


def at(k, **entries):
    return Choices({"privacy-0-k": str(k), **entries}, (0, 0, 0))


def counted(explored, state):
    """People, illnesses and rows of each class of what a state's search staged, by a statement of the test's own."""
    staged = explored._search(state).staged
    columns = explored.figures(state).columns
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    who = explored._search(state).run.policy.entity
    found = explored.run.engine.connection.execute(f"SELECT * FROM {staged.sql('duckdb')} LIMIT 0")
    hidden = [each[0] for each in found.description if each[0].startswith(who) or "entity" in each[0]]  # fmt: skip
    return explored.run.engine.connection.execute(
        f'SELECT COUNT(DISTINCT "{hidden[0]}"), COUNT(DISTINCT ill), COUNT(*) '
        f"FROM {staged.sql('duckdb')} GROUP BY {quoted}"
    ).fetchall()


@pytest.mark.parametrize(
    "output", [pytest.param("", marks=pytest.mark.slow), "output: apportioned\n"]
)
def test_each_class_of_each_k_holds_as_a_count_of_its_own_finds(open_policy, output):
    explored = open_policy(POLICY.replace("columns:", f"{output}columns:", 1))
    for k in (5, 8, 9):
        figures = explored.figures(at(k))
        classes = counted(explored, at(k))
        assert len(classes) == figures.classes
        assert min(people for people, *_ in classes) == figures.smallest >= k
        assert min(illnesses for _, illnesses, _ in classes) >= 2
        assert sum(rows for *_, rows in classes) == figures.rows


@pytest.mark.slow
def test_a_state_has_the_same_figures_whatever_was_tried_before(open_policy):
    def shown(explored, state):
        found = explored.figures(state)
        return found.sizes, found.examples, found.cost, found.losses

    alone = shown(open_policy(), at(8))
    explored = open_policy()
    others = [shown(explored, at(k)) for k in (5, 6, 16)]
    assert shown(explored, at(8)) == alone
    assert alone not in others


@pytest.mark.slow
def test_another_l_cuts_regions_of_its_own(open_policy):
    explored = open_policy()
    explored.figures(at(5))
    assert explored.figures(at(5, **{"privacy-1-distinct_l-l": "4"})).smallest >= 5
    state = at(5, **{"privacy-1-distinct_l-l": "4"})
    assert min(illnesses for _, illnesses, _ in counted(explored, state)) >= 4


def test_another_k_takes_less_than_half_of_the_statements(open_policy, monkeypatch):
    executed = []
    run = DuckDB._run

    def noted(self, ready, params):
        executed.append(ready.step)
        return run(self, ready, params)

    monkeypatch.setattr(DuckDB, "_run", noted)
    explored = open_policy()
    explored.columns(at(5))
    many = []
    for k in (5, 6, 7):
        executed.clear()
        explored.figures(at(k))
        many.append(len(executed))
    first, *later = many
    assert max(later) < first / 2


@pytest.mark.slow
def test_levels_that_columns_may_not_exceed_hold_in_every_state(open_policy):
    text = POLICY.replace("hierarchy: {mask: 3}}", "hierarchy: {mask: 3}, levels: {most: 2}}")
    explored = open_policy(text)
    for k in (5, 7):
        assert all(
            not str(each.labels[0]).startswith("*") for each in explored.figures(at(k)).examples
        )
        assert min(people for people, *_ in counted(explored, at(k))) >= k


def test_the_page_is_told_which_k_start_from_the_same_cuts(open_policy):
    explored = open_policy()
    alike = [explored.figures(at(k)).document()["alike"] for k in (5, 8, 9)]
    assert alike == [[5, 8], [5, 8], [9, 16]]
    of_all = Choices(at(5).entries, (0, 0, 0), all_rows=True)
    assert explored.figures(of_all).document()["alike"] is None
