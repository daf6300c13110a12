"""Every row of the attack table, sent through every channel: what one was mended for, all are."""

from __future__ import annotations

import os
from contextlib import closing

import duckdb
import pytest

from tests.attacks.channels import HERE, Lab, source_of, through
from tests.attacks.projects import in_dbt, in_sqlmesh
from tests.attacks.reader import hold, tells_nothing
from tests.attacks.table import ATTACKS, CHANNELS, REFUSED, RELEASED
from tests.dbt.conftest import Project as DbtProject
from tests.sqlmesh.conftest import Project as SQLMeshProject

PROJECTS = ("dbt", "SQLMesh")


def pairs(channels):
    """Every attack with every one of these channels that it applies to."""
    return pytest.mark.parametrize(
        ("attack", "channel"),
        [
            pytest.param(attack, channel, id=f"{attack.name}-{channel}")
            for channel in channels
            for attack in ATTACKS
            if channel not in attack.cannot
        ],
    )


def asked_for(items, channel):
    """The attacks of a channel whose tests this run has."""
    given = [each.callspec.params for each in items if hasattr(each, "callspec")]
    names = {
        each["attack"].name for each in given if "attack" in each and each["channel"] == channel
    }
    return [attack for attack in ATTACKS if attack.name in names]


@pytest.fixture(scope="module")
def project_of(request, tmp_path_factory):
    """What each project made of the attacks that are asked of it, once it is asked for; each week that is the whole table."""
    made = {}
    items = [each for each in request.session.items if each.path == request.path]

    def of(channel):
        named = os.environ.get("KANON_SQL_SQLMESH")
        if channel == "SQLMesh" and not named:
            pytest.skip("KANON_SQL_SQLMESH names no Python that has SQLMesh")
        if channel not in made:
            made[channel] = None  # where it fails, it fails once
            folder = tmp_path_factory.mktemp("project")
            attacks = asked_for(items, channel)
            if channel == "dbt":
                pytest.importorskip("dbt.adapters.duckdb")
                made[channel] = in_dbt(DbtProject(folder), attacks)
            else:
                made[channel] = in_sqlmesh(SQLMeshProject(folder, named), attacks)
        if made[channel] is None:
            pytest.fail("the project was not built, as another test says")
        return made[channel]

    return of


def check(attack, channel, outcome, source):
    """What came of an attack is what the table expects, and nothing is told."""
    tells_nothing(outcome.words)
    assert (outcome.rows is not None) is (attack.expected(channel) == RELEASED), outcome.words[-1]
    if outcome.rows is not None:
        hold(attack, outcome.rows, source)


@pytest.mark.sampled(5)
@pairs(HERE)
def test_a_reader_sees_classes_that_hold(attack, channel, tmp_path, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a key that is long enough")
    lab = Lab(attack, tmp_path)
    check(attack, channel, through(channel, lab), lab.source())


@pytest.mark.sampled(4)
@pairs(PROJECTS)
def test_a_reader_of_a_project_sees_classes_that_hold(attack, channel, project_of):
    found = project_of(channel)
    with closing(duckdb.connect(str(found.file), read_only=True)) as connection:
        source = source_of(connection, attack)
    check(attack, channel, found.outcomes[attack.name], source)


@pytest.mark.parametrize("channel", PROJECTS)
def test_a_project_says_and_writes_no_value(channel, project_of):
    tells_nothing(project_of(channel).words)


def test_the_table_is_whole():
    """Every attack runs in every channel, or has the reason why it does not apply there."""
    assert {*HERE, *PROJECTS} == {*CHANNELS}
    assert len({attack.slug for attack in ATTACKS}) == len(ATTACKS)
    for attack in ATTACKS:
        named = {*attack.expect, *attack.cannot}
        assert named <= {*CHANNELS}, attack.name
        assert all(attack.cannot.values())
        assert not {*attack.cannot} & {*attack.expect}
        assert {*attack.expect.values(), attack.otherwise} <= {RELEASED, REFUSED}
