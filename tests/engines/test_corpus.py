"""The corpus on servers: the plans and the rows that are frozen for DuckDB, policy by policy.

Spark takes seconds for what takes PostgreSQL a fraction of one, so it runs those policies that execute
every statement of the corpus in each of its shapes; before a merge, a sample of them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sized
from contextlib import closing

import duckdb
import pytest
import yaml

from kanon_sql.base.sql.templates import Statement
from tests.corpus.runs import ENVIRONMENT, FROZEN, NAMES, POLICIES, Run, of_files, prepare, text_of
from tests.engines.conftest import OnDuckDB

UNSCALED = re.compile(r"decimal\(38,\d+\)")
"""The bounds of decimals are NUMERIC in PostgreSQL, which says no scale; their values are the same."""

ON_SERVERS = [name for name in NAMES if not of_files(name)]
ON_SPARK = [
    "bottom_up", "bottom_up_of_people", "cells", "cells_of_people", "datafly_suppresses_a_class", "dates", "diverse",
    "given_by_csv", "given_by_query", "in_place_dropped", "in_place_kept", "incognito_basic", "infeasible_boxes",
    "intervals", "joined_by_a_pseudonym", "k_optimize", "k_optimize_classification", "levels_of_cells", "local_diverse",
    "mondrian_bounds",
    "mondrian_diverse_people", "mondrian_information", "mondrian_mean", "mondrian_median", "mondrian_relaxed",
    "mondrian_variance", "mu_argus_two_columns", "optimal_entropy_counted", "people_counted",
    "people_counted_diverse", "pseudonyms", "rows_by_a_condition", "several_sets", "top_down_gain_per_loss",
    "top_down_loss", "view_of_several_sets",
]  # fmt: skip
RUNS = [("postgres", name) for name in ON_SERVERS] + [("spark", name) for name in ON_SPARK]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Give a folder with the policies, after the people were put on an engine."""
    folder = tmp_path_factory.mktemp("corpus") / "policies"
    shutil.copytree(POLICIES, folder)
    ready = set()

    def get(place):
        if place.name not in ready:
            prepare(place, folder)
            ready.add(place.name)
        return folder

    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield get


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("server", "name"), RUNS, indirect=["server"])
def test_the_plan_and_the_rows_are_those_of_duckdb(server, prepared, name):
    with Run(name, server, prepared(server)) as run:
        found = run.frozen()
    wanted = yaml.safe_load((FROZEN / f"{name}.yml").read_text(encoding="utf-8"))
    if server.name == "postgres":
        for column in wanted.get("release", {}).get("columns", {}).values():
            column["type"] = UNSCALED.sub("decimal", column["type"])
    assert text_of(yaml.safe_load(text_of(found))) == text_of(wanted)


@pytest.mark.rare
def test_spark_runs_every_statement_in_every_shape(prepared, monkeypatch):
    """A shape is a template with the leaves that are none or nothing: what its branches depend on."""
    executed = {}
    rendered = Statement.rendered

    def shape(statement, dialect):
        leaves = tuple(sorted((name, is_there(leaf)) for name, leaf in statement.leaves.items()))
        executed.setdefault(name, set()).add((statement.name, leaves))
        return rendered(statement, dialect)

    monkeypatch.setattr(Statement, "rendered", shape)
    with closing(duckdb.connect(config={"threads": 1})) as connection:
        place = OnDuckDB(connection)
        folder = prepared(place)
        for name in ON_SERVERS:
            with Run(name, place, folder) as run:
                run.frozen()
    everything = set().union(*executed.values())
    assert everything == set().union(*(executed[name] for name in ON_SPARK))
    assert len({statement for statement, _ in everything}) > 100


def is_there(leaf):
    """Whether a template takes a leaf for true; an expression, which compares into SQL, always is."""
    return bool(leaf) if leaf is None or isinstance(leaf, bool | int | str | Sized) else True
