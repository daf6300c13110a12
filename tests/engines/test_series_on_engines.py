"""A series on every engine that writes release and ledger together, in tables and in files, and where a run is killed."""

from __future__ import annotations

import json
import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import duckdb
import pyarrow as pa
import pytest
from kill_moments import Moment, commands
from series_runs import COLUMNS, KEY, RandomHistory, policy_of, short_cells

import kanon_sql
from kanon_sql.release.series import ledger as ledger_of_series
from kanon_sql.release.series import step
from kanon_sql.release.series.series_status import end_series, series_status, verify_series

NAMES = list(COLUMNS)
RELEASE, LEDGER, VALUE = 'the "release"', "its ledger", "it's a value"
PEOPLE = {**COLUMNS, "who": {"role": "identifying", "action": "drop"}}
STEADY = [(f"s {n}", -1, "s", "uv"[n % 2], f"s {n}") for n in range(12)]


def framed(rows, names=NAMES):
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return pa.table({**columns, "history": pa.array(columns["history"], pa.int32())})


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setenv("SERIES_KEY", KEY)
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    monkeypatch.setattr(step, "moment", lambda: now[0])
    return now


def run_on(place, clock, policy, days, names=NAMES):
    """Begin a series and release the sources of some days; return what each shows, and the rows of the ledger."""
    for name in (RELEASE, LEDGER, f"{LEDGER}_releases"):
        place.drop(name)
    place.put("the rows", framed(days[0], names))
    plan = kanon_sql.plan(policy, connection=place.connection)
    shown = []
    for rows in days:
        clock[0] += timedelta(days=1)
        place.put("the rows", framed(rows, names))
        release = kanon_sql.apply(plan, policy=policy, connection=place.connection)
        there = place.names(RELEASE)
        found = [dict(zip(there, row, strict=True)) for row in place.read(RELEASE)]
        assert release.verification.rows == len(found)
        shown.append([(row["history"], row["select"], (row["tag"], row[VALUE])) for row in found])
    assert verify_series(policy, connection=place.connection)
    status = series_status(policy, connection=place.connection)
    assert (status.releases, status.shown) == (len(days), len(shown[-1]))
    return shown, Counter(place.read(LEDGER))


def test_postgres_keeps_the_ledger_that_duckdb_keeps(places, postgres, clock):
    """The hashes, the births and the deaths of every row are the same, and so is every release."""
    privacy = {"k": 3, "distinct_l": {"column": VALUE, "l": 2}}
    policy = policy_of(privacy=privacy, deletions={"within": "2 days"})
    history = RandomHistory(Random(7), 120)
    days = [[*STEADY, *history.step()] for _ in range(5)]
    start = clock[0]
    shown, ledger = run_on(places("duckdb"), clock, policy, days)
    clock[0] = start
    others, other_ledger = run_on(postgres, clock, policy, days)
    assert list(map(Counter, shown)) == list(map(Counter, others))
    assert ledger == other_ledger
    assert short_cells(shown, 3, least=2) == 0
    what = {row[-3:] for row in ledger}
    assert (
        {birth is None for birth, *_ in what}
        == {death is None for *_, death in what}
        == {False, True}
    )


@pytest.mark.parametrize("kept", [(0, 1), (0.0, -0.0)], ids=["whole", "floats"])
def test_a_value_that_many_rows_share_is_hashed_once_to_the_same(places, postgres, clock, kept):
    """The ledger is that of hashes of each row; NULL is a value, both zeros are hashed, and columns have names of statements."""
    columns = {**COLUMNS, **{key: {"role": "insensitive"} for key in ("stay", "copies", "nth")}}
    people = {**columns, "who": {"role": "identifying", "action": "drop"}}
    privacy = {"k": 2, "distinct_l": {"column": VALUE, "l": 2}}
    policy = {**policy_of(privacy=privacy), "columns": people, "entity": "who"}
    labels, values, tags = ("s", None), ("u", "v", None), (None, "s")
    rows = []
    for n in range(60):
        own = (labels[n % 2], values[n % 3], tags[n % 4 // 2], kept[n % 2], n % 3, n % 2)
        rows.append((f"r {n}", -1, *own, f"p {n}"))
    days, start = [rows[:40], rows], clock[0]
    names = [*NAMES, "stay", "copies", "nth", "who"]
    for place in (places("duckdb"), postgres):
        ledgers = []
        for many in (50_000, 1):
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(ledger_of_series, "MANY_ROWS", many)
                patched.setattr(ledger_of_series, "MOST_DIFFERENT", 1)
                clock[0] = start
                ledgers.append(run_on(place, clock, policy, days, names)[1])
        assert ledgers[0] == ledgers[1]
        assert len(ledgers[0]) == 60


def test_postgres_numbers_rows_that_are_alike_as_duckdb_does(places, postgres, clock):
    """Without a row's own value, the ledgers have the same rows, births and classes."""
    policy = policy_of(3, deletions="refuse")
    del policy["series"]["row"]
    alike = [("no key", 0, "abA"[n % 3], "uUv"[n % 2], f"{n % 4}") for n in range(40)]
    days = [[*STEADY, *alike[:25]], [*STEADY, *alike[:27]], [*alike, *STEADY]]
    start = clock[0]
    shown, ledger = run_on(places("duckdb"), clock, policy, days)
    clock[0] = start
    others, other_ledger = run_on(postgres, clock, policy, days)
    assert list(map(Counter, shown)) == list(map(Counter, others))
    assert ledger == other_ledger
    assert len(ledger) == 52


def test_postgres_leaves_all_as_it_was_where_a_step_fails(postgres, clock):
    policy = policy_of(2)
    place = postgres
    run_on(place, clock, policy, [STEADY])
    before = Counter(place.read(LEDGER)), Counter(place.read(RELEASE))
    place.put("the rows", framed([*STEADY, STEADY[0]]))
    plan = kanon_sql.plan(policy, connection=place.connection)
    with pytest.raises(kanon_sql.InputError, match="another row has too"):
        kanon_sql.apply(plan, policy=policy, connection=place.connection)
    assert (Counter(place.read(LEDGER)), Counter(place.read(RELEASE))) == before


def in_files(**series):
    """A policy that reads and releases files of one folder."""
    return {
        **policy_of(3, **{"ledger": {"path": "its ledger"}, **series}),
        "source": {"path": "rows.parquet"},
        "release": "re'lease.parquet",
    }


class Folder:
    """A series of files in a folder: a policy, its plan, and a source that is written anew."""

    def __init__(self, folder, policy):
        self.folder = folder
        self.source(STEADY)
        (folder / "p.yml").write_text(json.dumps(policy))
        self.policy = str(folder / "p.yml")
        self.plan = str(folder / "p.plan.yml")
        plan = kanon_sql.plan(self.policy)
        (folder / "p.plan.yml").write_text(plan.named("p.yml").to_yaml())

    def source(self, rows):
        import pyarrow.parquet as pq

        pq.write_table(framed(rows), self.folder / "rows.parquet")

    def release(self, rows):
        self.source(rows)
        with kanon_sql.apply(self.plan) as release:
            return release.new

    def shown(self):
        place = str(self.folder / "re'lease.parquet").replace("'", "''")
        columns = f'history, "select", tag, "{VALUE}"'
        return Counter(duckdb.sql(f"SELECT {columns} FROM '{place}'").fetchall())

    def ledger(self):
        return sorted(path.name for path in (self.folder / "its ledger").iterdir())


def test_a_series_of_files_is_that_of_tables(tmp_path, clock):
    made = Folder(tmp_path, in_files(deletions={"within": "2 days"}))
    history, shown = RandomHistory(Random(3), 60), []
    for number in range(1, 6):
        clock[0] += timedelta(days=1)
        counts = made.release([*STEADY, *history.step()])
        assert counts.number == number
        assert made.ledger() == [str(number)]
        shown.append([(h, class_, (tag, value)) for h, class_, tag, value in made.shown()])
    assert short_cells(shown, 3, least=1) == 0
    found = verify_series(made.policy)
    assert found.passed
    recounted = duckdb.sql(found.sql.rstrip().rstrip(";")).fetchall()
    assert recounted[0][:3] == (found.cells, 0, found.rows)
    assert end_series(made.policy) == 5
    with pytest.raises(kanon_sql.ReleaseError, match="has ended"):
        made.release(STEADY)
    assert series_status(made.policy).ended


def test_a_lost_release_or_ledger_is_not_begun_anew(tmp_path, clock):
    made = Folder(tmp_path, in_files())
    made.release(STEADY)
    kept = (tmp_path / "re'lease.parquet").read_bytes()
    (tmp_path / "re'lease.parquet").unlink()
    with pytest.raises(kanon_sql.ReleaseError, match="is missing, and the ledger remembers it"):
        made.release(STEADY)
    (tmp_path / "re'lease.parquet").write_bytes(kept)
    assert made.release(STEADY).number == 2
    (tmp_path / "its ledger").rename(tmp_path / "lost")
    with pytest.raises(kanon_sql.ReleaseError, match="already exists"):
        made.release(STEADY)


def test_another_run_of_the_same_files_waits(tmp_path, clock):
    from kanon_sql.engines.local_files import lock_folder

    made = Folder(tmp_path, in_files())
    made.release(STEADY)
    with (
        lock_folder(tmp_path / "its ledger"),
        pytest.raises(kanon_sql.ReleaseError, match="wait until"),
    ):
        made.release(STEADY)


def tables_in_a_file():
    return {
        **policy_of(3),
        "database": "people.duckdb",
        "source": {"path": "rows.parquet"},
    }


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.usefixtures("killer")
@pytest.mark.rare
@pytest.mark.parametrize("policy", [in_files(), tables_in_a_file()], ids=["files", "tables"])
def test_a_killed_step_leaves_release_and_ledger_in_agreement(tmp_path, clock, policy):
    """Killed at each change of a file and at the last statements, a step leaves the old release or the whole new one.

    The next run goes on from it, and both ways end with the same rows.
    """
    (tmp_path / "tmp").mkdir()
    duckdb.connect(str(tmp_path / "people.duckdb")).close()
    made = Folder(tmp_path, policy)
    first = [*STEADY, *[(f"a {n}", 0, "a", "u", f"a {n}") for n in range(8)]]
    second = [*first[:-1], *[(f"b {n}", 0, "a", "v", f"b {n}") for n in range(4)]]
    words = ["apply", "p.plan.yml"]
    key = {"SERIES_KEY": KEY}

    def shown():
        if "database" not in policy:
            return made.shown() if (tmp_path / "re'lease.parquet").exists() else Counter()
        with duckdb.connect(str(tmp_path / "people.duckdb")) as own:
            there = {
                name for (name,) in own.execute("SELECT table_name FROM duckdb_tables()").fetchall()
            }
            if RELEASE not in there:
                return Counter()
            columns = f'history, "select", tag, "{VALUE}"'
            return Counter(own.execute(f'SELECT {columns} FROM "the ""release"""').fetchall())

    def clear():
        import shutil

        shutil.rmtree(tmp_path / "its ledger", ignore_errors=True)
        for name in ("re'lease.parquet", "people.duckdb", "people.duckdb.wal"):
            (tmp_path / name).unlink(missing_ok=True)
        duckdb.connect(str(tmp_path / "people.duckdb")).close()

    with commands("duckdb", "pyarrow") as run:
        made.source(first)
        whole = run(words, tmp_path, **key)
        assert whole.code == 0, (tmp_path / "said").read_text()
        old = shown()
        made.source(second)
        again = run(words, tmp_path, **key)
        assert again.code == 0
        new = shown()
        assert old != new
        outcomes = set()
        changes = [Moment("change", n) for n in range(1, again.changes + 1)]
        statements = [Moment("statement", again.statements - n) for n in range(0, 24, 3)]
        for before, then, after in ((Counter(), first, old), (old, second, new)):
            for moment in [*changes, *statements]:
                clear()
                if before:
                    made.source(first)
                    assert run(words, tmp_path, **key).code == 0
                made.source(then)
                run(words, tmp_path, moment, **key)
                found = shown()
                assert found in (before, after)
                outcomes.add(found == after)
                ended = run(words, tmp_path, **key)
                assert ended.code == 0, (tmp_path / "said").read_text()
                assert shown() == after
                assert verify_series(made.policy).passed
        assert outcomes == {False, True}
