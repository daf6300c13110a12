"""The explorer's figures are the same in every database."""

from __future__ import annotations

import json
from dataclasses import replace

from people import people, policy_of_people

from kanon_sql.apps.explorer.exploration import Choices, SavedFiles, open_exploration


def figures(place, folder):
    place.put("people_of_the_test", people())
    file = folder / "policy.yml"
    policy = policy_of_people()
    policy["columns"]["na me"] = {"role": "identifying", "action": "drop"}
    file.write_text(json.dumps(policy))
    files = SavedFiles(folder / "s.yml", folder / "s.plan.yml", lambda path, text: path.write_text(text), str(folder / "s"))  # fmt: skip
    before = place.left()
    explored = open_exploration(
        str(file), None, files=files, settings=None, connection=place.connection
    )
    try:
        best = Choices.read(explored.start()["state"], explored.names)
        tops = [len(each["labels"]) - 1 for each in explored.columns(best)]
        states = [replace(best, levels=tuple(int(top * part) for top in tops)) for part in (0, 0.7, 1)]  # fmt: skip
        found = [explored.figures(each) for each in (best, *states)]
        alike = [replace(each, seconds=0, examples=()) for each in found]
        levels = [explored.feasible_levels(best, at) for at in range(len(tops))]
    finally:
        explored.close()
    assert place.left() == before  # no scratch table outlives the page
    return alike, levels, found


def test_figures_are_as_on_duckdb(places, server, tmp_path):
    ours, theirs = (figures(place, tmp_path) for place in (places("duckdb"), server))
    assert ours[:2] == theirs[:2]
    for figure in theirs[2]:
        sizes = {each.size: each.classes for each in figure.kept}
        assert len(figure.examples) == min(5, figure.classes)
        assert all(each.size in sizes for each in figure.examples)
