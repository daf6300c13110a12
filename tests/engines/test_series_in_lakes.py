"""A series whose release is a table of a lake: it is that of a table, and where a run ends between two commits."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kill_moments import Moment, commands
from lake_formats import Delta, DuckLake, Iceberg, in_format
from series_runs import COLUMNS, KEY, RandomHistory, policy_of, short_cells

import kanon_sql
from kanon_sql.release.publish_lake import PUBLISHERS, LakePublisher
from kanon_sql.release.series import step
from kanon_sql.release.series.ledger import LedgerFolder
from kanon_sql.release.series.series_status import series_status, verify_series

NAMES, VALUE = list(COLUMNS), "it's a value"
STEADY = [(f"s {n}", -1, "s", "uv"[n % 2], f"s {n}") for n in range(12)]
FIRST = [*STEADY, *[(f"a {n}", 0, "a", "u", f"a {n}") for n in range(8)]]
SECOND = [*FIRST[:-1], *[(f"b {n}", 0, "a", "v", f"b {n}") for n in range(4)]]


class InLake:
    """A series that reads a file of a folder and releases to a lake there."""

    def __init__(self, lake, folder):
        self.lake, self.folder, self.policy = lake, folder, str(folder / "p.yml")
        given = {
            **policy_of(3, ledger={"path": "its ledger"}, deletions={"within": "2 days"}),
            "source": {"path": "rows.parquet"},
            "release": in_format(lake, lake.released),
        }
        (folder / "p.yml").write_text(json.dumps(given))
        self.source(FIRST)
        self.plan = kanon_sql.plan(self.policy)
        (folder / "p.plan.yml").write_text(self.plan.named("p.yml").to_yaml())

    def source(self, rows):
        columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
        history = pa.array(columns["history"], pa.int16())  # which not every lake has
        pq.write_table(pa.table({**columns, "history": history}), self.folder / "rows.parquet")

    def release(self, rows):
        self.source(rows)
        with kanon_sql.apply(self.plan, policy=self.policy) as release:
            return release.new

    def shown(self):
        """The rows that the library of the lake reads, counted."""
        rows = self.lake.rows(self.lake.released)
        columns = ("history", "select", "tag", VALUE)
        return Counter(zip(*(rows.column(each).to_pylist() for each in columns), strict=True))

    def ledgers(self):
        return sorted(each.name for each in (self.folder / "its ledger").iterdir())


LAKES = [Delta, *(pytest.param(each, marks=pytest.mark.slow) for each in (Iceberg, DuckLake))]


@pytest.fixture(params=LAKES, ids=["delta", "iceberg", "ducklake"])
def series(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERIES_KEY", KEY)
    lake = request.param(tmp_path)
    with lake.known() if lake.form == "iceberg" else nullcontext():
        yield InLake(lake, tmp_path)


def test_a_series_in_a_lake_is_that_of_tables(series, monkeypatch):
    """Every release has the rows that a series of tables has, and no cell is short."""
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    monkeypatch.setattr(step, "moment", lambda: now[0])
    history, shown = RandomHistory(Random(5), 40), []
    policy = policy_of(3, deletions={"within": "2 days"})
    with duckdb.connect() as own:
        for number in range(1, 5):
            now[0] += timedelta(days=1)
            assert series.release([*STEADY, *history.step()]).number == number
            assert series.ledgers() == [str(number)]
            own.execute("CREATE OR REPLACE TABLE \"the rows\" AS FROM 'rows.parquet'")
            if number == 1:
                plan = kanon_sql.plan(policy, connection=own)
            kanon_sql.apply(plan, policy=policy, connection=own)
            columns = f'history, "select", tag, "{VALUE}"'
            found = own.execute(f'SELECT {columns} FROM "the ""release"""').fetchall()
            assert series.shown() == Counter(found)
            shown.append([(h, of, (tag, value)) for h, of, tag, value in found])
    assert short_cells(shown, 3, least=1) == 0
    assert verify_series(series.policy).passed
    assert series_status(series.policy).shown == len(shown[-1])


class EndedError(Exception):
    """A run ends here."""


@pytest.mark.parametrize("when", ["before the commit", "after the commit"])
def test_a_run_that_ends_beside_its_commit_is_gone_on_from(series, monkeypatch, when):
    """The folder has two ledgers then, of which the next run finds the one that the lake's table agrees with."""
    series.release(FIRST)
    old = series.shown()

    def ended(self, *args):
        raise EndedError

    with monkeypatch.context() as patch:
        if when == "before the commit":
            (kind,) = (each for each in PUBLISHERS if getattr(each, "lake", "") == series.lake.form)
            assert issubclass(kind, LakePublisher)
            patch.setattr(kind, "commit", ended)
        else:
            patch.setattr(LedgerFolder, "keep_only", ended)
        with pytest.raises((EndedError, kanon_sql.KanonError)):
            series.release(SECOND)
    assert series.ledgers() == ["1", "2"]
    assert (series.shown() == old) is (when == "before the commit")
    assert series.release(SECOND).number == (2 if when == "before the commit" else 3)
    assert len(series.ledgers()) == 1
    assert series.shown().total() == old.total() + 4


def test_a_table_that_others_changed_is_no_release_of_the_series(series):
    series.release(FIRST)
    rows = series.lake.rows(series.lake.released)
    series.lake.append(rows.slice(0, 1), series.lake.released)
    with pytest.raises(kanon_sql.ReleaseError, match="1 of its different rows are there more"):
        series.release(SECOND)
    assert series.ledgers() == ["1"]


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.usefixtures("killer")
@pytest.mark.rare
def test_a_killed_step_leaves_lake_and_ledger_in_agreement(tmp_path, monkeypatch):
    """Killed at each change of a file, a step leaves the old rows or the whole new ones, and the next run goes on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERIES_KEY", KEY)
    (tmp_path / "tmp").mkdir()
    made, words = InLake(Delta(tmp_path), tmp_path), ["apply", "p.plan.yml"]
    with commands("duckdb", "pyarrow", "deltalake") as run:

        def whole():
            ended = run(words, tmp_path, SERIES_KEY=KEY)
            assert ended.code == 0, (tmp_path / "said").read_text()
            return ended

        made.source(FIRST)
        whole()
        old = made.shown()
        for each in ("its ledger", "released"):
            shutil.copytree(each, f"kept {each}")
        made.source(SECOND)
        changes = whole().changes
        new, outcomes = made.shown(), set()
        for last in range(1, changes + 1):
            for each in ("its ledger", "released"):
                shutil.rmtree(each)
                shutil.copytree(f"kept {each}", each)
            run(words, tmp_path, Moment("change", last), SERIES_KEY=KEY)
            assert made.shown() in (old, new)
            outcomes.add(made.shown() == new)
            whole()
            assert made.shown() == new
            assert len([each for each in Path("its ledger").iterdir() if each.is_dir()]) == 1
    assert outcomes == {False, True}
