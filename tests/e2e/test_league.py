"""`benchmarks.league` releases one half of a table, and counts of either half what a release shows, as plain Python does."""

from __future__ import annotations

import argparse
from collections import Counter
from importlib.resources import files

import duckdb
import pytest

from benchmarks.league import AS_IT_IS, HEADINGS, Attacked, line
from benchmarks.side_by_side import OURS

pytestmark = pytest.mark.slow  # each of ours is released by a process of its own

COLUMNS = ("sex", "age", "education")
K = 5


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """All that is measured of the sample without other programs, and the rows of both halves and of what was shown."""
    folder = tmp_path_factory.mktemp("league")
    source = folder / "people.csv"
    source.write_bytes((files("kanon_sql") / "apps" / "sample" / "people.csv").read_bytes())
    programs = dict.fromkeys(("arx", "anonypy", "dpmm", "sdv", "rscript", "sdnist_python"))
    given = argparse.Namespace(cache=None, anonymeter_python=None, **programs)
    with duckdb.connect() as connection:
        run = Attacked(connection, given, folder, "people", source, COLUMNS, "age", folder)
        found = {each["program"]: each for each in run.lines((K,))}
        names = ", ".join(COLUMNS)
        rows = {
            name: connection.execute(f"SELECT {names} FROM {name}").fetchall()
            for name in ("source", "control", "shown")
        }
        text = f"SELECT {names} FROM read_csv('{source}', all_varchar = true)"
        rows["everyone"] = connection.execute(text).fetchall()
    return found, rows


def test_each_row_is_in_one_half(measured):
    _, rows = measured
    assert Counter(rows["source"]) + Counter(rows["control"]) == Counter(rows["everyone"])
    assert 0.4 < len(rows["source"]) / len(rows["everyone"]) < 0.6


def test_the_half_as_it_is_loses_nothing_and_shows_all_that_is_unique(measured):
    found, rows = measured
    whole = found[AS_IT_IS.name]
    assert Counter(rows["shown"]) == Counter(rows["source"])  # it is measured last
    assert (whole["pairs_plain"], whole["score"]) == (0, 1000)
    own, others = Counter(rows["source"]), Counter(rows["control"])
    unique = [row for row, times in own.items() if times == 1]
    met = [row for row, times in others.items() if times == 1 and own[row]]
    assert whole["rebuilt_of_source"] == len(unique) > 20
    assert whole["rebuilt_of_control"] == len(met)


def test_ours_keep_k_and_show_fewer_unique_rows(measured):
    found, rows = measured
    for name in OURS.values():
        assert found[name]["smallest"] >= K
        assert found[name]["rows"] == len(rows["source"])
        assert found[name]["rebuilt_of_source"] < found[AS_IT_IS.name]["rebuilt_of_source"]


def test_a_line_has_the_attack_and_its_control_beside_each_other(measured):
    found, _ = measured
    risk = {"attack": 0.125, "control": 0.12, "risk": 0.01}
    told = line({**found[AS_IT_IS.name], "singling_out": risk})
    assert len(told) == len(HEADINGS)
    assert told[HEADINGS.index("singled out, control %")] == "12.5, 12.0"
    assert told[HEADINGS.index("linked, control %")] == ""
