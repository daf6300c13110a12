"""An engine of another package is found by its entry point, as docs/contributing/add-an-engine.md says, and used."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import duckdb
import pytest
import yaml
from pages import by_kind

import kanon_sql
from kanon_sql.engines import connect

PAGE = by_kind("docs/contributing/add-an-engine.md")
POLICY = {
    "version": 1,
    "source": "people",
    "database": "minimal:people.duckdb",
    "entity": "row",
    "columns": {
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 4}},
    },
    "privacy": {"k": 3},
    "suppression": "2%",
    "release": "released",
}
DRIVER = """
class Connection:
    def __init__(self, inner):
        self.inner = inner
"""


def install(site, package, toml, module=None):
    """Lay out a package as pip does: its module, its metadata, its entry points."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    ((group, given),) = tomllib.loads(toml)["project"]["entry-points"].items()
    lines = "".join(f"{name} = {value}\n" for name, value in given.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")
    if module is not None:
        (site / f"{package.replace('-', '_')}.py").write_text(module)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages: the page's engine, and the library of its connections."""
    folder = tmp_path / "site"
    install(folder, "kanon-minimal", PAGE["toml"][0], "\n".join(PAGE["python"]))
    (folder / "minimal_driver.py").write_text(DRIVER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(folder))
    for name in ("kanon_minimal", "minimal_driver"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    connect._entry_points.cache_clear()
    yield folder
    connect._entry_points.cache_clear()


@pytest.fixture
def people(site):
    with duckdb.connect("people.duckdb") as made:
        made.execute(
            "CREATE TABLE people AS SELECT range % 7 AS ward, CAST(1000 + range * 37 % 50 AS VARCHAR) AS zip "
            "FROM range(500)"
        )
    return site


def command(site, *words):
    """The command line in a process of its own, which finds the packages as any process does."""
    path = os.pathsep.join([str(site), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-m", "kanon_sql", *words], env={**os.environ, "PYTHONPATH": path},
        encoding="utf-8", capture_output=True, check=False, timeout=120,
    )  # fmt: skip


def test_a_policy_names_its_database(people):
    Path("policy.yml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
    ran = command(people, "anonymize", "policy.yml")
    assert ran.returncode == 0, ran.stderr
    with duckdb.connect("people.duckdb") as own:
        found = own.execute("SELECT COUNT(*) FROM released GROUP BY ward, zip").fetchall()
    assert min(count for (count,) in found) >= 3
    assert "Minimal" in command(people, "engines").stdout


def test_it_makes_the_plan_that_duckdb_makes_and_takes_connections_of_its_library(people):
    own = kanon_sql.plan(POLICY)
    duck = kanon_sql.plan({**POLICY, "database": "people.duckdb"})
    assert (own.levels, own.cost) == (duck.levels, duck.cost)
    from minimal_driver import Connection

    with duckdb.connect("people.duckdb") as inner:
        kanon_sql.anonymize(POLICY, connection=Connection(inner), release="again")
        assert inner.execute("SELECT COUNT(*) > 400 FROM again").fetchone() == (True,)


def test_two_packages_of_one_scheme_are_refused(people):
    install(people, "other-minimal", PAGE["toml"][0])
    connect._entry_points.cache_clear()
    with pytest.raises(
        kanon_sql.InputError, match="several engines, of kanon-minimal and other-minimal"
    ):
        kanon_sql.plan(POLICY)


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("raise ValueError('Canary')", r"broken: of kanon-broken cannot be loaded \(ValueError\)"),
        ("CONNECTOR = 1", "broken: of kanon-broken is no Connector"),
    ],
)
def test_a_package_that_is_broken_is_named_where_it_is_asked_for(people, monkeypatch, module, says):
    toml = PAGE["toml"][0].replace("minimal", "broken")
    install(people, "kanon-broken", toml, module)
    monkeypatch.delitem(sys.modules, "kanon_broken", raising=False)
    connect._entry_points.cache_clear()
    with pytest.raises(kanon_sql.InputError, match=says) as caught:
        kanon_sql.plan({**POLICY, "database": "broken:x"})
    assert "Canary" not in str(caught.value)
    assert kanon_sql.plan(POLICY).classes > 1


def test_our_own_engines_come_by_the_same_door_and_no_package_takes_their_place(people):
    """A scheme of ours is looked up first, and a file is DuckDB's whatever is installed."""
    install(people, "not-postgres", PAGE["toml"][0].replace("minimal =", "postgresql ="))
    connect._entry_points.cache_clear()
    assert all(isinstance(each, connect.Connector) for each in connect.OWN)
    assert connect.connector_of("postgresql://host/db") is connect.POSTGRES
    assert connect.connector_of("spark:local") is connect.SPARK
    for file in (None, "a.duckdb", "C:\\a.duckdb", "unknown:a"):
        assert connect.connector_of(file) is connect.DUCKDB
    with pytest.raises(kanon_sql.InputError, match="attach: is for DuckDB"):
        kanon_sql.plan({**POLICY, "attach": {"other": "o.duckdb"}})
