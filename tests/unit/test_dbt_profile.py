"""A dbt profile is read as dbt reads it, and no password is in an address or a message."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

import pytest

from kanon_sql.apps.dbt.project import reach, read_target
from kanon_sql.errors import InputError

PROFILE = """
clinic:
  target: "{{ env_var('CLINIC_TARGET', 'dev') }}"
  outputs:
    dev: {type: duckdb, path: data/clinic.duckdb, attach: [{path: other.duckdb}, {path: x.db, alias: y}]}
    prod:
      type: postgres
      host: /var/run/a b
      port: "{{ env_var('CLINIC_PORT') | as_number }}"
      user: it's me@home
      password: "{{ env_var('CLINIC_PASSWORD') }}"
      dbname: cli/nic
      sslmode: require
      schema: public
    cloud: {type: snowflake, account: a, password: hunter2hunter2}
    thrift: {type: spark, method: thrift, host: h}
    memory: {type: duckdb, path: ':memory:'}
    lake: {type: duckdb, path: 'md:x?motherduck_token=hunter2'}
    beside: {type: duckdb, path: x.db, attach: [{path: 'postgresql://me:hunter2@h/db', alias: a}]}
    listed: {type: duckdb, path: x.db, attach: [{path: 'dbname=x password=hunter2', type: postgres}]}
    unsaid: {type: duckdb, path: x.db, attach: [x.db, {alias: a}]}
    port: {type: postgres, host: h, port: hunter2}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("DBT_PROFILES_DIR", "DBT_TARGET", "CLINIC_TARGET", "PGPASSWORD"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "profiles.yml").write_text(PROFILE)
    monkeypatch.setenv("CLINIC_PORT", "6543")
    monkeypatch.setenv("CLINIC_PASSWORD", "it's: a {secret}")
    return tmp_path


def target(folder, **options):
    chosen = {"target": None, "profiles_dir": None, **options}
    return read_target(str(folder), "clinic", **chosen)


def test_the_target_is_the_one_that_dbt_would_take(folder, monkeypatch, tmp_path_factory):
    assert target(folder).name == "dev"
    monkeypatch.setenv("CLINIC_TARGET", "memory")
    assert target(folder).name == "memory"
    monkeypatch.setenv("DBT_TARGET", "thrift")
    assert target(folder).name == "thrift"
    assert target(folder, target="prod").type == "postgres"
    elsewhere = tmp_path_factory.mktemp("profiles")
    (elsewhere / "profiles.yml").write_text("clinic: {outputs: {default: {type: duckdb, path: z}}}")
    monkeypatch.delenv("DBT_TARGET")
    assert target(folder, profiles_dir=str(elsewhere)).settings["path"] == "z"
    monkeypatch.setenv("DBT_PROFILES_DIR", str(elsewhere))
    assert target(folder).settings["path"] == "z"


def test_only_the_chosen_output_is_rendered(folder, monkeypatch):
    monkeypatch.delenv("CLINIC_PORT")
    monkeypatch.delenv("CLINIC_PASSWORD")
    assert target(folder).name == "dev"
    with pytest.raises(InputError, match=r"clinic: cannot be rendered \(the environment has no"):
        target(folder, target="prod")
    (folder / "profiles.yml").write_text(
        "clinic: {target: \"{{ env_var('NOT_THERE') }}\", outputs: {dev: {type: duckdb, path: z}}}"
    )
    assert target(folder, target="dev").settings["path"] == "z"


def test_a_file_of_duckdb_lies_below_the_project(folder):
    with reach(target(folder), str(folder)) as reached:
        assert reached.database == str(folder / "data" / "clinic.duckdb")
        assert dict(reached.attach) == {
            "other": str(folder / "other.duckdb"), "y": str(folder / "x.db"),
        }  # fmt: skip


def test_a_server_s_address_has_no_password_and_the_environment_gets_its_own_back(folder):
    secret = os.environ["CLINIC_PASSWORD"]
    chosen = target(folder, target="prod")
    assert secret not in repr(chosen)
    with reach(chosen, str(folder)) as reached:
        parts = urlsplit(reached.database)
        assert (parts.scheme, parts.port, parts.query) == ("postgresql", 6543, "sslmode=require")
        assert "secret" not in reached.database
        assert os.environ["PGPASSWORD"] == secret
    assert "PGPASSWORD" not in os.environ
    os.environ["PGPASSWORD"] = "another"
    with reach(chosen, str(folder)):
        assert os.environ["PGPASSWORD"] == secret
    assert os.environ.pop("PGPASSWORD") == "another"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cloud", "is snowflake, which is not reached from here; open a connection"),
        ("thrift", "is spark by thrift, which is not reached"),
        ("memory", "path: is no DuckDB file of this machine"),
        ("lake", "path: is no DuckDB file of this machine"),
        ("beside", "attach 1: is no DuckDB file"),
        ("listed", "attach 1: is no DuckDB file"),
        ("unsaid", "attach 2: is no DuckDB file"),
        ("port", "port: is no number"),
    ],
)
def test_what_cannot_be_reached_says_what_to_do(folder, name, told):
    with pytest.raises(InputError, match=told) as error, reach(target(folder, target=name), ""):
        pass
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "is not YAML"),
        ("clinic: 3", "has no profile clinic with that target"),
        ("other: {}", "has no profile clinic with that target"),
        ("clinic: {target: x, outputs: {}}", "has no profile clinic with that target"),
        ("clinic: {target: \"{{ env_var('NOT_THERE') }}\"}", "the environment has no NOT_THERE"),
        ('clinic: {target: "{{ nothing }}"}', "cannot be rendered"),
        ("clinic: {target: \"{{ ''.__class__.__mro__ }}\"}", "cannot be rendered"),
    ],
)
def test_a_profile_that_is_none_is_told(folder, text, told):
    (folder / "profiles.yml").write_text(text)
    with pytest.raises(InputError, match=told):
        target(folder)


def test_no_profile_at_all_is_told(folder, monkeypatch):
    (folder / "profiles.yml").unlink()
    monkeypatch.setenv("HOME", str(folder))
    with pytest.raises(InputError, match="say where it is with --profiles-dir"):
        target(folder)
