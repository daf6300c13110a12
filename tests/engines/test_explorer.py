"""The explorer's figures are the same in every database."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

from people import people, small_policy

from kanon_sql.explorer.exploration import Choices, SavedFiles, open_exploration


def figures(place, folder):
    place.put("people_of_the_test", people())
    file = folder / "policy.yml"
    file.write_text(json.dumps(small_policy()))
    files = SavedFiles(folder / "s.yml", folder / "s.plan.yml", lambda path, text: path.write_text(text), str(folder / "s"))  # fmt: skip
    explored = open_exploration(
        str(file), None, files=files, settings=None, connection=place.connection
    )
    try:
        best = Choices.read(explored.start()["state"], explored.names)
        tops = [len(each["labels"]) - 1 for each in explored.columns(best)]
        states = [replace(best, levels=levels) for levels in itertools.product(*({0, top} for top in tops))]  # fmt: skip
        found = [explored.figures(each) for each in (best, *states)]
        alike = [replace(each, seconds=0, examples=()) for each in found]
        shown = [{(each.rows, each.size) for each in of.examples} for of in found]
        levels = [explored.feasible_levels(best, at) for at in range(len(tops))]
    finally:
        explored.close()
    return alike, levels, [len(each) for each in shown], found


def test_figures_are_as_on_duckdb(places, server, tmp_path):
    ours, theirs = (figures(place, tmp_path) for place in (places("duckdb"), server))
    assert ours[:2] == theirs[:2]
    for figure in theirs[3]:
        sizes = {each.size: each.classes for each in figure.kept}
        assert len(figure.examples) == min(5, figure.classes)
        assert all(each.size in sizes for each in figure.examples)
