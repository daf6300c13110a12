"""The corpus on servers: the plans and the rows that are frozen for DuckDB, policy by policy."""

from __future__ import annotations

import re
import shutil

import pytest
import yaml

from tests.corpus.runs import ENVIRONMENT, FROZEN, NAMES, POLICIES, Run, of_files, prepare, text_of

UNSCALED = re.compile(r"decimal\(38,\d+\)")
"""The bounds of decimals are NUMERIC in PostgreSQL, which says no scale; their values are the same."""

ON_SERVERS = [name for name in NAMES if not of_files(name)]


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


@pytest.mark.parametrize("name", ON_SERVERS)
def test_the_plan_and_the_rows_are_those_of_duckdb(server, prepared, name):
    with Run(name, server, prepared(server)) as run:
        found = run.frozen()
    wanted = yaml.safe_load((FROZEN / f"{name}.yml").read_text(encoding="utf-8"))
    if server.name == "postgres":
        for column in wanted.get("release", {}).get("columns", {}).values():
            column["type"] = UNSCALED.sub("decimal", column["type"])
    assert text_of(found) == text_of(wanted)
