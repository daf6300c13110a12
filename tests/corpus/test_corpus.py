"""Every policy of the corpus comes to the plan and the release that are frozen: a refactoring changes neither.

KANON_UPDATE_GOLDEN=1 freezes anew what DuckDB gives; `git diff tests/corpus` then tells what became different.
"""

from __future__ import annotations

import os
import shutil
from contextlib import closing

import duckdb
import pytest
import yaml

from tests.corpus.runs import CHANNELS, ENVIRONMENT, FROZEN, NAMES, POLICIES, Run, prepare, text_of
from tests.engines.conftest import OnDuckDB


@pytest.fixture(scope="module")
def duck(tmp_path_factory):
    """DuckDB with the people, and a folder with the policies and what is written beside them."""
    folder = tmp_path_factory.mktemp("corpus") / "policies"
    shutil.copytree(POLICIES, folder)
    with closing(duckdb.connect(config={"threads": 1})) as connection:
        place = OnDuckDB(connection)
        prepare(place, folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for name, value in ENVIRONMENT.items():
                patch.setenv(name, value)
            yield place, folder


def hold(document, path):
    text = text_of(document)
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NAMES)
def test_plan_and_release_are_as_they_were(duck, name):
    with Run(name, *duck) as run:
        hold(run.frozen(), FROZEN / f"{name}.yml")


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NAMES)
def test_every_channel_gives_what_it_gave(duck, name):
    with Run(name, *duck) as run:
        hold(run.channels(), CHANNELS / f"{name}.yml")
        frozen = yaml.safe_load((FROZEN / f"{name}.yml").read_text(encoding="utf-8"))
        assert run.planned == frozen.get("plan"), "a plan alone is that of a release"


@pytest.mark.parametrize("folder", [FROZEN, CHANNELS], ids=lambda folder: folder.name)
def test_nothing_is_frozen_that_is_not_run(folder):
    assert sorted(path.stem for path in folder.iterdir()) == NAMES
