"""Whatever a plan does and a policy asks, each executor of a release carries it or refuses it with its reason."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.apps.dbt import build_project_files
from kanon_sql.apps.dbt.model_layout import check_request, lay_out
from kanon_sql.apps.dbt.project import ProjectRelation, ReleaseRequest
from kanon_sql.counting.plans.recodings import WithoutSmallest
from kanon_sql.engines.base import ColumnType
from kanon_sql.policy.read_policy import overridden
from kanon_sql.policy.search_options import Algorithm
from kanon_sql.recoding.searches.algorithms import ALGORITHMS
from kanon_sql.release import stage
from kanon_sql.release.stage import EXECUTORS, RECODINGS, executor_problems, recoding_of

QUASI = {"role": "quasi", "hierarchy": "suppress"}
SEARCHES = {
    "full domain": {},
    "a class more": {"search": {"algorithm": "datafly"}, "privacy": {"k": 5}},
    "several nodes": {"search": {"recoding": "local"}},
    "cells": {"search": {"algorithm": "mu_argus", "sets": {"most": "z", "more": "w"}}},
    "regions": {"search": {"algorithm": "mondrian"}},
    "parts": {"search": {"algorithm": "top_down", "target": "d"}},
}
RELATION = ProjectRelation("ref('people')", None, "main", "people")


@pytest.fixture
def connection(tmp_path, monkeypatch):
    """People, most of them like others, and a few whose values are rare in one column or in both."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KANON_TEST_KEY", "a key that is long enough; it's")
    rows = [(z, w, "flu" if n % 2 else "cold") for z in "ab" for w in "xy" for n in range(6)]
    rows += [("c", "x", "flu"), ("a", "v", "cold"), ("a", "v", "flu"), ("d", "u", "flu")]
    with duckdb.connect() as made:
        made.execute("CREATE TABLE people (p INTEGER, z TEXT, w TEXT, d TEXT)")
        made.executemany(
            "INSERT INTO people VALUES (?, ?, ?, ?)",
            [(n, *row) for n, row in enumerate(rows)],
        )
        yield made


def policy_of(search="full domain", **changes):
    columns = {
        "p": {"role": "insensitive"},
        "z": QUASI,
        "w": QUASI,
        "d": {"role": "sensitive"},
    }
    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {**columns, **changes.pop("columns", {})},
        "privacy": {"k": 3},
        "suppression": 12,
        **SEARCHES[search],
        **changes,
    }


CUTS = {"algorithm": "mondrian", "grouping": "cuts"}
"""Regions that do not overlap: an incremental dbt model releases no others."""


class Asked:
    """A policy, and its plan in a file with the boundaries beside it."""

    def __init__(self, connection, policy):
        self.policy, self.connection = policy, connection
        self.given = {"policy": policy, "connection": connection}

    @cached_property
    def plan(self):
        return kanon_sql.plan(
            self.policy, connection=self.connection, boundaries="people.plan.boundaries"
        )

    @property
    def file(self):
        Path("people.plan.yml").write_text(self.plan.to_yaml(), encoding="utf-8")
        return "people.plan.yml"

    def read(self, name):
        return self.connection.execute(f"SELECT z, w, d FROM {name}").fetchall()

    def anonymized(self, release, name):
        kanon_sql.anonymize(self.policy, release=release, connection=self.connection)
        return self.read(name)

    def new_rows(self):
        kanon_sql.apply(self.file, release="out", to_new_rows=True, **self.given)
        return self.read("out")

    def partition(self):
        """Partitions of a folder are run by `tests/engines/test_partitions.py`; here is what they refuse."""
        self.refused_by(stage.ADDED_PARTITIONS)

    def series(self):
        """A series is run by `tests/e2e/test_series.py`; here is what it refuses."""
        self.refused_by(stage.SERIES)

    def refused_by(self, executor):
        policy = kanon_sql.read_policy(self.policy)
        faults = list(executor_problems(policy, executor, self.plan.recoding))
        if faults:
            raise kanon_sql.InputError("policy", faults)

    def script(self):
        text = kanon_sql.compile_sql(self.file, release="out", **self.given)
        with self.connection.cursor() as own:
            own.execute("CREATE TEMP MACRO getenv(name) AS 'a key that is long enough; it''s'")
            own.execute(text)
        return self.read("out")

    def printed(self, **options):
        text = kanon_sql.compile_sql(self.file, table="people", **self.given, **options)
        assert "kanon_staged" in text

    def elsewhere(self):
        """A script for DuckDB is for another database only where the policy's own is a server."""
        policy = kanon_sql.read_policy(self.policy)
        faults = list(executor_problems(policy, stage.SCRIPT_ELSEWHERE, self.plan.recoding))
        if faults:
            raise kanon_sql.InputError("policy", faults)

    def dbt(self, loaded_at=None):
        request = ReleaseRequest(RELATION, "out", loaded_at, (), {}, {}, ())
        policy = kanon_sql.read_policy(self.policy)
        check_request(request, policy)
        plan = self.plan
        columns = [ColumnType(column.name, "TEXT") for column in policy.columns]
        released = lay_out(request, policy, plan, columns)
        text = build_project_files.plan_macro(request, policy, plan, released)
        assert "kanon_plan__out" in text


RUN = {
    "TABLE": lambda asked: asked.anonymized("out", "out"),
    "FILES": lambda asked: asked.anonymized("out.parquet", "'out.parquet'"),
    "IN_PLACE": lambda asked: asked.anonymized({"in_place": True, "drop_original": True}, "people"),
    "VIEW": lambda asked: asked.anonymized({"table": "out", "view": True}, "out"),
    "NEW_ROWS": Asked.new_rows,
    "ADDED_PARTITIONS": Asked.partition,
    "SERIES": Asked.series,
    "SCRIPT": Asked.script,
    "SCRIPT_ELSEWHERE": Asked.elsewhere,
    "SERVER_SCRIPT": lambda asked: asked.printed(dialect="postgres", release="out"),
    "WAREHOUSE_SCRIPT": lambda asked: asked.printed(dialect="snowflake", release="out"),
    "SQLMESH_MODEL": lambda asked: asked.printed(sqlmesh="own.out"),
    "DBT_MODEL": Asked.dbt,
    "DBT_INCREMENTS": lambda asked: asked.dbt("p"),
}


def test_every_executor_and_every_recoding_is_run():
    assert tuple(getattr(stage, name) for name in RUN) == EXECUTORS
    read = (kanon_sql.read_policy(policy_of(search)).search for search in SEARCHES)
    of_models = {WithoutSmallest}  # no search is for that
    assert [recoding_of(search) for search in read] == [e for e in RECODINGS if e not in of_models]
    assert {*ALGORITHMS} == {*Algorithm}


def executed(asked, name, what, reason, sets=()):
    """The released rows, if any can be read; or the refusal, which has to give the reason."""
    if not reason:
        rows = RUN[name](asked)
        if rows is not None:
            assert len(rows) >= 12
            for columns in sets or ((0, 1),):
                keys = [tuple(row[n] for n in columns) for row in rows]
                assert min(map(keys.count, keys)) >= 3
        return
    with pytest.raises((kanon_sql.InputError, kanon_sql.ReleaseError)) as error:
        RUN[name](asked)
    assert f"cannot release {what}: {reason}" in str(error.value)
    tables = {table for (table,) in asked.connection.execute("SHOW TABLES").fetchall()}
    assert tables == {"people"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", RUN)
def test_a_recoding_is_executed_or_refused(connection, search, name):
    apart = {"search": CUTS} if (name, search) == ("DBT_INCREMENTS", "regions") else {}
    asked = Asked(connection, policy_of(search) | apart)
    executor = getattr(stage, name)
    kind = recoding_of(kanon_sql.read_policy(asked.policy).search)
    assert isinstance(asked.plan.recoding, kind)
    reason = "" if kind in executor.recodings else executor.no_recoding
    assert bool(reason) is (kind not in executor.recodings)
    executed(asked, name, RECODINGS[kind], reason)


@pytest.mark.parametrize("name", RUN)
def test_the_smallest_classes_are_suppressed_or_it_is_refused(connection, name):
    """Of four classes of 6 rows, one of two and two of one, the last three have to go."""
    asked = Asked(connection, policy_of(privacy={"average_risk": 0.17}))
    assert asked.plan.recoding.smallest == 3
    executor = getattr(stage, name)
    if WithoutSmallest in executor.recodings:
        executed(asked, name, "", "")
        return
    with pytest.raises(
        kanon_sql.InputError, match=r"suppress the smallest|smallest classes suppressed"
    ):
        RUN[name](asked)
    tables = {table for (table,) in connection.execute("SHOW TABLES").fetchall()}
    assert tables == {"people"}


@pytest.mark.parametrize("name", RUN)
def test_several_sets_are_counted_or_refused(connection, name):
    privacy = [{"k": 3}, {"k": 4, "over": "z"}]
    asked = Asked(connection, policy_of(privacy=privacy))
    what = "classes over several sets of quasi-identifiers"
    executed(asked, name, what, getattr(stage, name).no_sets, sets=((0, 1), (0,)))


@pytest.mark.parametrize("name", RUN)
def test_rows_of_a_class_are_told_apart_by_other_sensitive_values_or_refused(connection, name):
    """One row of a class has a value of v alone: it goes, and the others of its class stay."""
    connection.execute("ALTER TABLE people ADD COLUMN v VARCHAR")
    connection.execute("UPDATE people SET v = 'own' WHERE rowid = 0")
    beside = {"distinct_l": {"column": "d", "l": 2, "beside": "others"}}
    columns = {"v": {"role": "sensitive"}, "d": {"role": "sensitive"}}
    asked = Asked(connection, policy_of(privacy=[{"k": 2}, beside], columns=columns))
    what = "rows of a class by other sensitive values"
    reason = getattr(stage, name).no_beside
    if reason:
        executed(asked, name, what, reason)
        return
    before = connection.execute("SELECT COUNT(*) FROM people").fetchone()[0]
    rows = RUN[name](asked)
    assert rows is None or before - 12 <= len(rows) < before


@pytest.mark.parametrize("name", RUN)
def test_a_pseudonym_is_hashed_or_refused(connection, name):
    hashed = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    asked = Asked(connection, policy_of(columns={"p": hashed}))
    executed(asked, name, "a hashed column", getattr(stage, name).no_pseudonym)


@pytest.mark.parametrize("name", RUN)
def test_a_condition_is_kept_to_or_refused(connection, name):
    source = {"table": "people", "where": "z <> 'b'"}
    asked = Asked(connection, policy_of(source=source))
    executed(asked, name, "rows by a condition", getattr(stage, name).no_condition)


@pytest.mark.parametrize("name", RUN)
def test_rows_that_are_counted_before_are_repeated_or_refused(connection, name):
    connection.execute("ALTER TABLE people RENAME TO every")
    connection.execute(
        "CREATE TABLE people AS SELECT z, w, d, COUNT(*) AS n FROM every GROUP BY ALL"
    )
    connection.execute("DROP TABLE every")
    columns = {"z": QUASI, "w": QUASI, "d": {"role": "sensitive"}}
    asked = Asked(
        connection, policy_of(source={"table": "people", "weight": "n"}) | {"columns": columns}
    )
    assert asked.plan.source_rows == 28
    executed(asked, name, "rows by a weight", getattr(stage, name).no_weight)


@pytest.mark.parametrize("name", RUN)
def test_a_frequency_set_is_released_where_its_rows_are_or_refused(connection, name):
    """But for a script of a warehouse there are no rows to release. A dbt model has a source of its own."""
    connection.execute(
        "CREATE TABLE counted AS SELECT z, w, COUNT(*) AS kanon_rows FROM people GROUP BY ALL"
    )
    plan = kanon_sql.plan(policy_of(), connection=connection, frequency_set="counted")
    asked = Asked(connection, policy_of(source={"table": "people"}))
    connection.execute("DROP TABLE people")
    asked.__dict__["plan"] = plan
    reason = getattr(stage, name).no_frequency_set
    if not reason:
        RUN[name](asked)
        return
    read = overridden(kanon_sql.read_policy(asked.policy), plan.overrides)
    assert [f.where for f in executor_problems(read, getattr(stage, name))] == [
        "source.frequency_set"
    ]
    if name in {"NEW_ROWS", "SCRIPT", "SERVER_SCRIPT"}:
        with pytest.raises(kanon_sql.InputError, match="cannot release a frequency set"):
            RUN[name](asked)
    elif name not in {"SCRIPT_ELSEWHERE", "SERIES"}:
        to = {
            "TABLE": "out",
            "FILES": "out.parquet",
            "ADDED_PARTITIONS": "out.parquet",
            "IN_PLACE": {"in_place": True, "drop_original": True},
            "VIEW": {"table": "out", "view": True},
        }[name]
        with pytest.raises(kanon_sql.InputError, match="cannot release a frequency set"):
            kanon_sql.apply(asked.file, release=to, **asked.given)
    assert connection.execute("SHOW TABLES").fetchall() == [("counted",)]
