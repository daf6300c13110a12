"""A series on Spark, to a folder of Parquet with its ledger beside: the ledger of the other engines, and where a run is killed."""

from __future__ import annotations

import shutil
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from series_runs import COLUMNS, KEY, RandomHistory, policy_of, short_cells

import kanon_sql
from kanon_sql.release.series import ledger as ledger_of_series
from kanon_sql.release.series import step
from kanon_sql.release.series.series_status import (
    end_series,
    series_status,
    simulate_series,
    verify_series,
)
from tests.engines.test_series_on_engines import NAMES, STEADY, VALUE, framed, run_on

SHOWN = ["history", "select", "tag", VALUE]


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setenv("SERIES_KEY", KEY)
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    monkeypatch.setattr(step, "moment", lambda: now[0])
    return now


class Folder:
    """A series of Spark in a folder of hostile names, as a reader of Parquet who shares no code with it finds it."""

    def __init__(self, spark, folder, **rule):
        self.connection = spark.connection
        self.folder = folder / "a 'folder'"
        self.folder.mkdir()
        self.release_path, self.ledger_path = self.folder / "re'lease", self.folder / "its ledger"
        self.policy = {
            **policy_of(3, **{"ledger": {"path": str(self.ledger_path)}, **rule}),
            "source": {"path": str(folder / "rows.parquet")},
            "release": {"parquet": str(self.release_path)},
        }
        self.plan = None

    def release(self, rows):
        pq.write_table(framed(rows), self.policy["source"]["path"])
        self.plan = self.plan or kanon_sql.plan(self.policy, connection=self.connection)
        return kanon_sql.apply(self.plan, policy=self.policy, connection=self.connection)

    def shown(self):
        return Counter(rows_of(self.release_path, SHOWN))

    def numbers(self):
        return [int(each.name) for each in self.ledger_path.iterdir()]

    def ledger(self):
        (number,) = self.numbers()
        return Counter(rows_of(self.ledger_path / str(number) / "rows.parquet", None))


def rows_of(path, names):
    files = sorted(path.rglob("*.parquet"))
    tables = [pq.ParquetFile(each).read(names) for each in files if each.is_file()]
    table = pa.concat_tables(tables)
    return [tuple(row.values()) for row in table.to_pylist()]


def digits(ledger):
    """The rows of a ledger with hashes as 32 digits, as Spark has them, which knows no UUID."""
    return Counter(
        {
            tuple(cell.hex if hasattr(cell, "hex") else cell for cell in row): n
            for row, n in ledger.items()
        }
    )


@pytest.mark.parametrize("many", [2, pytest.param(5, marks=pytest.mark.rare)])
def test_spark_keeps_the_ledger_that_duckdb_and_postgres_keep(places, spark, clock, tmp_path, many):
    """After releases of rows that come, go, move and return, and of companions that leave, all ledgers are the same.

    Spark hashes each different value once, and the others those of each row.
    """
    privacy = {"k": 3, "distinct_l": {"column": VALUE, "l": 2}}
    rule = {"privacy": privacy, "deletions": {"within": "2 days"}}
    history = RandomHistory(Random(7), 120)
    days = [[*STEADY, *history.step()] for _ in range(many)]
    start = clock[0]
    found = []
    for place in (places("duckdb"), places("postgres")):
        clock[0] = start
        found.append(run_on(place, clock, policy_of(**rule), days))
    (shown, ledger), (_, other) = found
    clock[0] = start
    made = Folder(
        spark, tmp_path, **{**rule, "ledger": {"path": str(tmp_path / "a 'folder'/its ledger")}}
    )
    for number, rows in enumerate(days, 1):
        clock[0] += timedelta(days=1)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(ledger_of_series, "MANY_ROWS", 1)
            patched.setattr(ledger_of_series, "MOST_DIFFERENT", 1)
            counts = made.release(rows).new
        assert (counts.number, made.numbers()) == (number, [number])
        there = Counter((h, of, tag, value) for h, of, (tag, value) in shown[number - 1])
        assert made.shown() == there
    assert made.ledger() == digits(ledger) == digits(other)
    assert short_cells(shown, 3, least=2) == 0
    assert any(row[-1] and row[-2] is None for row in ledger) == (many > 2)  # companions left
    connection = spark.connection
    recount = verify_series(made.policy, connection=connection)
    own = connection.sql(recount.sql.rstrip().rstrip(";")).collect()[0]
    assert tuple(own[:3]) == (recount.cells, 0, recount.rows)
    status = series_status(made.policy, connection=connection)
    assert (status.releases, status.shown) == (many, len(shown[-1]))
    if many == 2:
        return
    (next_one,) = simulate_series(made.policy, releases=1, connection=connection).releases
    assert next_one.number == 6
    assert end_series(made.policy, connection=connection) == 5
    with pytest.raises(kanon_sql.ReleaseError, match="has ended"):
        made.release(days[-1])


@pytest.mark.rare
def test_spark_numbers_rows_that_are_alike_as_duckdb_does(places, spark, clock, tmp_path):
    alike = [("no key", 0, "abA"[n % 3], "uUv"[n % 2], f"{n % 4}") for n in range(40)]
    days = [[*STEADY, *alike[:25]], [*alike, *STEADY]]
    policy = policy_of(3, deletions="refuse")
    del policy["series"]["row"]
    _, ledger = run_on(places("duckdb"), clock, policy, days)
    made = Folder(spark, tmp_path, deletions="refuse")
    del made.policy["series"]["row"]
    for rows in days:
        made.release(rows)
    assert made.ledger() == digits(ledger)


@pytest.mark.rare
def test_a_step_of_spark_killed_at_any_renaming_leaves_release_and_ledger_in_agreement(
    spark,
    clock,
    tmp_path,
    monkeypatch,
):
    """The folder as it is before and after each renaming is what a killed run leaves; the next run goes on from it."""
    made = Folder(spark, tmp_path)
    first = [*STEADY, *[(f"a {n}", 0, "a", "u", f"a {n}") for n in range(8)]]
    second = [*first[:-4], *[(f"b {n}", 0, "a", "v", f"b {n}") for n in range(4)]]
    made.release(first)
    old = made.shown()
    left, rename = [], Path.rename

    def keep():
        copy = tmp_path / f"left {len(left)}"
        shutil.copytree(made.folder, copy)
        left.append((copy, made.shown() if made.release_path.exists() else None))

    def renamed(path, target):
        keep()
        moved = rename(path, target)
        keep()
        return moved

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", renamed)
        made.release(second)
    new, ledger = made.shown(), made.ledger()
    assert old != new
    states = [there for _, there in left]
    assert None in states  # between the renamings no release is there
    assert old in states
    assert new in states
    for copy, there in left:
        shutil.rmtree(made.folder)
        copy.rename(made.folder)
        counts = made.release(second).new
        assert counts.number == (3 if there == new else 2)
        assert made.numbers() == [counts.number]
        assert made.shown() == new
        if counts.number == 2:
            assert made.ledger() == ledger
        assert verify_series(made.policy, connection=made.connection)
        assert not [each for each in made.folder.iterdir() if each.name.startswith(".")]


def test_spark_refuses_a_series_in_tables_when_it_plans(spark, clock):
    spark.put("the_rows", framed(STEADY, NAMES))
    policy = {**policy_of(2), "source": {"table": "the_rows"}, "columns": COLUMNS}
    with pytest.raises(kanon_sql.ReleaseError, match="name a folder of Parquet"):
        kanon_sql.plan(policy, connection=spark.connection)
