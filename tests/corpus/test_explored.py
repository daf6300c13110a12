"""Of each policy of the corpus the explorer begins with the very figures of its plan, whatever its algorithm, models and entity."""

from __future__ import annotations

import shutil

import duckdb
import pytest

import kanon_sql
from kanon_sql.apps.explorer.exploration import Choices, SavedFiles, open_exploration
from tests.corpus import runs
from tests.corpus.table import people


class Database:
    """An in-memory DuckDB that tables are put into."""

    def __init__(self):
        self.connection = duckdb.connect()

    def put(self, name, table):
        self.connection.register("given", table)
        self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        self.connection.unregister("given")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    found = Database()
    found.folder = tmp_path_factory.mktemp("policies")
    shutil.copytree(runs.POLICIES, found.folder, dirs_exist_ok=True)
    runs.prepare(found, found.folder)
    found.put("people_in_place", people())
    yield found
    found.connection.close()


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name, value in runs.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def explored(place, path):
    """The first state's figures, or the error that says why there are none."""
    files = SavedFiles(
        place.folder / "s.yml",
        place.folder / "s.plan.yml",
        lambda *_: None,
        str(place.folder / "s"),
    )
    given = {"files": files, "settings": None, "connection": place.connection}
    try:
        found = open_exploration(path, None, **given)
    except kanon_sql.KanonError as error:
        return error
    try:
        start = found.start()
        state = Choices.read(start["state"], found.names)
        for at in range(len(found.names)):
            found.feasible_levels(state, at)
        figures = found.figures(state)
        assert figures.document()
        return figures if figures.feasible else kanon_sql.InfeasibleError(start["refused"])
    except kanon_sql.KanonError as error:
        return error
    finally:
        found.close()


@pytest.mark.slow
@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", runs.NAMES)
def test_the_first_state_is_the_plan(place, name):
    path = str(place.folder / f"{name}.yml")
    figures = explored(place, path)
    if isinstance(figures, kanon_sql.KanonError):
        with pytest.raises(type(figures)):
            kanon_sql.plan(path, connection=place.connection)
        return
    plan = kanon_sql.plan(path, connection=place.connection)
    counted = (figures.suppressed, figures.classes, figures.smallest, figures.limit)
    assert counted == (plan.suppressed_rows, plan.classes, plan.smallest_class, plan.max_suppressed)
    assert (figures.cost, dict(figures.quality)) == (plan.cost, dict(plan.figures))
    if plan.risk is not None:
        assert figures.risk_after.prosecutor.highest == pytest.approx(plan.risk.highest)
        assert figures.risk_after.prosecutor.average == pytest.approx(plan.risk.average)
        assert figures.risk_after.unique_rows == plan.risk.unique_rows
