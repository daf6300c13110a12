"""Which library is missing, and which only fails."""

from __future__ import annotations

import re
import sys

import pytest

import kanon_sql
from kanon_sql.errors import install_command


def hide(monkeypatch, *names):
    """Make modules impossible to import, as where they are not installed."""
    for name in [m for m in sys.modules if m.partition(".")[0] in names]:
        monkeypatch.delitem(sys.modules, name)
    for name in (
        "kanon_sql.engines.postgres.engine",
        "kanon_sql.engines.spark.engine",
        "kanon_sql.engines.spark.session",
    ):
        monkeypatch.delitem(sys.modules, name, raising=False)

    class Hidden:
        @staticmethod
        def find_spec(name, _path=None, _target=None):
            if name.partition(".")[0] in names:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(sys, "meta_path", [Hidden, *sys.meta_path])


def of(library):
    """A connection as far as it can be told without its library."""
    return type("Connection", (), {"__module__": f"{library}.sql"})()


@pytest.mark.parametrize(
    ("library", "extra", "address"),
    [
        ("psycopg", "postgres", "postgresql:///x"),
        ("pyspark", "spark", "spark:local"),
    ],
)
def test_the_extra_of_a_missing_library_is_named(monkeypatch, library, extra, address):
    hide(monkeypatch, library)
    with pytest.raises(kanon_sql.MissingExtraError, match=re.escape(install_command(extra))):
        kanon_sql.verify("t", quasi=["a"], k=2, database=address)
    handed_in = of(library)
    with pytest.raises(kanon_sql.MissingExtraError, match=re.escape(install_command(extra))):
        kanon_sql.verify("t", quasi=["a"], k=2, connection=handed_in)


def test_another_module_that_is_missing_is_no_missing_extra(monkeypatch):
    """A broken installation is not mended by the extra."""
    monkeypatch.setitem(sys.modules, "kanon_sql.engines.postgres.engine", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        kanon_sql.verify("t", quasi=["a"], k=2, database="postgresql:///x")
    assert not isinstance(caught.value, kanon_sql.MissingExtraError)


def test_what_is_no_connection_is_refused():
    with pytest.raises(kanon_sql.InputError, match="none of DuckDB, psycopg and a SparkSession"):
        kanon_sql.verify("t", quasi=["a"], k=2, connection=object())


def test_what_would_be_ignored_is_refused():
    own = kanon_sql.Settings(scratch_schema="scratch")
    for place in ({}, {"database": "spark:local"}, {"connection": of("duckdb")}):
        with pytest.raises(kanon_sql.InputError, match="scratch_schema: is for PostgreSQL"):
            kanon_sql.verify("t", quasi=["a"], k=2, settings=own, **place)
    columns = {"a": {"role": "quasi", "hierarchy": "suppress"}}
    policy = {"version": 1, "source": "t", "attach": {"other": "o.duckdb"}, "entity": "row",
              "columns": columns, "privacy": {"k": 2}}  # fmt: skip
    with pytest.raises(kanon_sql.InputError, match="attach: is not for a connection handed in"):
        kanon_sql.plan(policy, connection=of("duckdb"))
