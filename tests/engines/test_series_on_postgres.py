"""A series in PostgreSQL: where a run is killed, where two runs meet, where the clock goes back, and where k is raised."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from threading import Barrier

import pyarrow as pa
import pytest
from kill_moments import Moment, commands
from series_runs import COLUMNS, KEY, RandomHistory, isolated, policy_of, short_cells

import kanon_sql
from kanon_sql.release.series import step
from kanon_sql.release.series.ledger import LedgerTable
from kanon_sql.release.series.series_status import verify_series

NAMES = list(COLUMNS)
VALUE = '"it\'s a value"'
RELEASE, LEDGER, RELEASES = '"the ""release"""', '"its ledger"', '"its ledger_releases"'
STEADY = [(f"s {n}", -1, "s", "uv"[n % 2], f"s {n}") for n in range(8)]
FIRST = [*STEADY, *[(f"a {n}", 0, "a", "u", f"a {n}") for n in range(6)]]
SECOND = [*FIRST[:-1], *[(f"b {n}", 0, "a", "v", f"b {n}") for n in range(4)]]


class Series:
    """A series in the server's database, its plan, and what a reader of the server finds."""

    def __init__(self, place, policy):
        self.place, self.policy = place, policy
        self.clear()
        self.source(FIRST)
        self.plan = kanon_sql.plan(policy, connection=place.connection)

    def sql(self, text):
        found = self.place.connection.execute(text.encode())
        return found.fetchall() if found.description else []

    def clear(self):
        for each in (RELEASE, LEDGER, RELEASES):
            self.sql(f"DROP TABLE IF EXISTS {each}")

    def source(self, rows):
        columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
        history = pa.array(columns["history"], pa.int32())
        self.place.put("the rows", pa.table({**columns, "history": history}))

    def release(self, rows):
        self.source(rows)
        kanon_sql.apply(self.plan, policy=self.policy, connection=self.place.connection)
        return self.shown()

    def there(self):
        return self.sql(f"SELECT to_regclass('{RELEASE}') IS NOT NULL")[0][0]

    def shown(self):
        """The rows of the release, counted; none where there is no release."""
        if not self.there():
            return Counter()
        columns = f'history, "select", tag, {VALUE}'
        return Counter(self.sql(f"SELECT {columns} FROM {RELEASE}"))

    def keep(self):
        """Keep the three tables as they are."""
        for n, each in enumerate((RELEASE, LEDGER, RELEASES)):
            self.sql(f"CREATE TABLE kept_{n} AS TABLE {each}")

    def put_back(self):
        """Give the three tables the rows that were kept."""
        for n, each in enumerate((RELEASE, LEDGER, RELEASES)):
            self.sql(f"TRUNCATE {each}; INSERT INTO {each} TABLE kept_{n}")

    def forget(self):
        for n in range(3):
            self.sql(f"DROP TABLE IF EXISTS kept_{n}")

    def number(self):
        """The last release of the ledger, after its rows have been compared with the release in number."""
        if not self.sql(f"SELECT to_regclass('{LEDGER}') IS NOT NULL")[0][0]:
            assert not self.there()
            assert not self.sql(f"SELECT to_regclass('{RELEASES}') IS NOT NULL")[0][0]
            return 0
        ((alive,),) = self.sql(
            f"SELECT COUNT(*) FROM {LEDGER} WHERE birth_release IS NOT NULL AND death_release IS NULL"
        )
        assert alive == self.shown().total()
        ((number, newest),) = self.sql(
            f"SELECT MAX(number), (SELECT MAX(seen_release) FROM {LEDGER}) FROM {RELEASES}"
        )
        assert newest <= number
        return number


@pytest.fixture
def series(postgres, monkeypatch):
    """A series whose rule needs two people, one day after another."""
    monkeypatch.setenv("SERIES_KEY", KEY)
    made = Series(postgres, policy_of(2))
    yield made
    made.clear()
    made.forget()


def no_client_left(series):
    """Wait until the server has ended the sessions of killed clients."""
    others = "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    for _ in range(200):
        if series.sql(others) == [(0,)]:
            return
        time.sleep(0.05)
    raise AssertionError("a session of a killed client is still there")


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.usefixtures("killer")
@pytest.mark.parametrize(
    "some", [True, pytest.param(False, marks=pytest.mark.rare)], ids=["some moments", "each moment"]
)
def test_a_killed_step_leaves_release_and_ledger_in_agreement(series, tmp_path, some):
    """Killed after a statement, a step leaves the old release and ledger or both new ones, and the next run goes on."""
    (tmp_path / "tmp").mkdir()
    policy = {**series.policy, "database": series.place.address}
    (tmp_path / "p.yml").write_text(json.dumps(policy))
    series.source(FIRST)
    plan = kanon_sql.plan(str(tmp_path / "p.yml"))
    (tmp_path / "p.plan.yml").write_text(plan.named("p.yml").to_yaml())
    words, outcomes = ["apply", "p.plan.yml"], set()
    with commands("psycopg") as run:

        def whole():
            ended = run(words, tmp_path, SERIES_KEY=KEY)
            assert ended.code == 0, (tmp_path / "said").read_text()
            return ended.statements

        states, moments = [Counter()], []
        for rows in (FIRST, SECOND):
            series.source(rows)
            statements = whole()
            states.append(series.shown())
            last = range(statements, 0, -1)
            moments.append([last[n] for n in (0, 2, 5, 8, 11, 14)] if some else last)
            if rows is FIRST:
                series.keep()
        for number, rows in enumerate((FIRST, SECOND)):
            for last in moments[number]:
                if number:
                    series.put_back()
                else:
                    series.clear()
                series.source(rows)
                run(words, tmp_path, Moment("statement", last), SERIES_KEY=KEY)
                no_client_left(series)
                found = series.number()
                assert found in (number, number + 1)
                assert series.shown() == states[found]
                outcomes.add(found - number)
                if found == number:
                    whole()
                    assert series.shown() == states[number + 1]
    assert 0 in outcomes
    assert verify_series(series.policy, connection=series.place.connection).passed


def test_two_writers_at_once_make_one_release(series, monkeypatch):
    """Both runs have staged the first release, and later the second one; the ledger takes one of them each time."""
    psycopg = pytest.importorskip("psycopg")
    written = LedgerTable.written
    for number, rows in ((1, FIRST), (2, SECOND)):
        series.source(rows)
        staged = Barrier(2)

        @contextmanager
        def together(self, write, staged=staged):
            staged.wait(60)
            with written(self, write):
                yield

        monkeypatch.setattr(LedgerTable, "written", together)

        def apply(own):
            try:
                kanon_sql.apply(series.plan, policy=series.policy, connection=own)
            except kanon_sql.KanonError as error:
                return str(error)
            return None

        address = series.place.address
        with (
            psycopg.connect(address, autocommit=True) as one,
            psycopg.connect(address, autocommit=True) as two,
            ThreadPoolExecutor(2) as pool,
        ):
            errors = list(pool.map(apply, (one, two)))
        assert sorted(each is None for each in errors) == [False, True], errors
        (what,) = [each for each in errors if each is not None]
        assert "another run has made a release of this series meanwhile" in what
        assert series.number() == number
        monkeypatch.setattr(LedgerTable, "written", written)
    assert series.shown().total() == len(SECOND) + 1
    series.release(SECOND)
    assert series.number() == 3


def test_no_set_of_a_series_is_short_where_the_clock_goes_back(postgres, monkeypatch):
    """Random histories, released on days of which one is before the last, show no cell of fewer than k rows."""
    monkeypatch.setenv("SERIES_KEY", KEY)
    now = [datetime(2026, 1, 9, tzinfo=UTC)]
    monkeypatch.setattr(step, "moment", lambda: now[0])
    privacy = {"k": 3, "distinct_l": {"column": "it's a value", "l": 2}}
    series = Series(postgres, policy_of(privacy=privacy, deletions={"within": "2 days"}))
    history, shown = RandomHistory(Random(11), 150), []
    for day in range(6):
        now[0] += timedelta(days=-3 if day == 3 else 1)
        series.release([*STEADY, *history.step()])
        shown.append([(h, of, (tag, value)) for h, of, tag, value in series.shown()])
    assert short_cells(shown, 3, least=2) == 0
    assert isolated(shown[:5], 3) == set()
    times = [each for (each,) in series.sql(f"SELECT released_at FROM {RELEASES} ORDER BY number")]
    assert times == sorted(times)
    assert times[3] == times[2]
    series.clear()


def test_a_raised_k_is_another_series_and_changes_nothing(series):
    series.release(FIRST)
    before = Counter(series.sql(f"TABLE {LEDGER}")), series.shown()
    raised = policy_of(3)
    plan = kanon_sql.plan(raised, connection=series.place.connection)
    with pytest.raises(kanon_sql.KanonError, match="is not the plan of the series"):
        kanon_sql.apply(plan, policy=raised, connection=series.place.connection)
    with pytest.raises(kanon_sql.KanonError, match="policy"):
        kanon_sql.apply(series.plan, policy=raised, connection=series.place.connection)
    assert (Counter(series.sql(f"TABLE {LEDGER}")), series.shown()) == before


def test_a_file_is_refused_before_its_ledger_is_made(postgres, tmp_path, monkeypatch):
    """A ledger in a folder is of one machine, and PostgreSQL writes no file there."""
    monkeypatch.setenv("SERIES_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    series = Series(postgres, policy_of(2))
    policy = policy_of(2, ledger={"path": "its ledger"})
    for place in ("out.parquet", {"delta": "out"}):
        with pytest.raises(kanon_sql.ReleaseError, match="is no table of PostgreSQL"):
            kanon_sql.apply(
                series.plan, policy=policy, connection=postgres.connection, release=place
            )
    assert list(tmp_path.iterdir()) == []
