"""A simulation of a series: the counts of an oracle in plain Python, and those that the series then has."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from random import Random

import duckdb
import pytest
from click.testing import CliRunner
from series_runs import Runs, policy_of

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.cli.json_keys import JSON_KEYS
from kanon_sql.release.series.series_status import simulate_series

LEDGER = "SELECT replace(row_hash::VARCHAR, '-', ''), class_hash, seen_release, birth_release, gone_release, death_release FROM \"its ledger\""


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


class Oracle:
    """The rule of a series without deadline, counted in rows: births of `born` or more, parts of cells of k or more."""

    def __init__(self, rows, k, born):
        self.k, self.born, self.number = k, born, 0
        self.rows = {hash_: list(rest) for hash_, *rest in rows}

    def simulate(self, last, since, came, went):
        """Make one release, and return what it shows, withholds and lets wait."""
        self.number = number = max(last, self.number) + 1
        shown = [h for h, (_, _, b, g, d) in self.rows.items() if b and not d and not g]
        for each in sorted(shown, key=lambda h: (md5(f"{h}{number}"), h))[:went]:
            self.rows[each][3] = number
        alive, cells = Counter(), Counter()
        for of, _, birth, gone, death in self.rows.values():
            if birth and not death:
                cells[of, birth, bool(gone)] += 1
                alive[of, birth] += 1
        unfit = {(of, birth) for (of, birth, _), n in cells.items() if n < self.k}
        for row in self.rows.values():
            of, _, birth, gone, death = row
            if birth and not death and gone and (of, birth) not in unfit:
                row[4] = number
        drawn = [h for h, row in self.rows.items() if since < row[1] <= last]
        drawn = sorted(drawn, key=lambda h: (md5(f"{h}new{number}"), h))[:came]
        self.rows |= {
            md5(f"{h}{number}"): [self.rows[h][0], number, None, None, None] for h in drawn
        }
        waiting = defaultdict(list)
        for hash_, row in self.rows.items():
            if not row[2]:
                waiting[row[0]].append(hash_)
        for names in waiting.values():
            if len(names) >= self.born:
                for each in names:
                    self.rows[each][2] = number
        living = [row for row in self.rows.values() if row[2] and not row[4]]
        return (
            len(living),
            sum(row[2] == number for row in living),
            sum(row[2] is None for row in self.rows.values()),
            sum(row[3] is not None for row in living),
        )


def made(connection, monkeypatch, **series):
    """A series of six releases, in which about twelve rows of eight classes come and five go each day."""
    runs = Runs(connection, monkeypatch, policy_of(3, **series))
    random, live, count = Random(4), {}, 0
    for _ in range(6):
        for each in random.sample(sorted(live), min(5, len(live) // 8)):
            del live[each]
        for _ in range(12 if live else 200):
            count += 1
            live[count] = random.choice("aaaabbcdefgh")
        runs.release([(str(n), 0, class_, "u", "t") for n, class_ in live.items()])
    return runs


def test_a_simulation_has_the_counts_of_an_oracle_and_changes_nothing(monkeypatch):
    with duckdb.connect() as connection:
        runs = made(connection, monkeypatch, births={"at_least": "2k"})
        before = connection.execute(f"{LEDGER} ORDER BY ALL").fetchall()
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        monkeypatch.delenv("SERIES_KEY")
        found = simulate_series(runs.policy, releases=9, connection=connection)
        assert connection.execute(f"{LEDGER} ORDER BY ALL").fetchall() == before
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == tables
    came = round(sum(seen > 1 for _, _, seen, *_ in before) / 5)
    went = round(sum((gone or 0) > 1 for *_, gone, _ in before) / 5)
    assert (found.rates.releases, found.rates.new_rows, found.rates.deleted_rows) == (5, came, went)
    assert (came, went) == (12, 5)
    assert found.rates.seconds == 86_400
    oracle = Oracle(before, k=3, born=6)
    expected = [oracle.simulate(6, 1, came, went) for _ in range(9)]
    assert [(r.shown, r.born, r.withheld, r.waiting) for r in found.releases] == expected
    assert len({*expected}) == 9
    assert any(left.left for left in found.releases)
    assert [each.number for each in found.releases] == [*range(7, 16)]


def test_deletions_that_may_wait_no_longer_take_companions_with_them(monkeypatch):
    with duckdb.connect() as connection:
        runs = made(connection, monkeypatch, deletions={"within": "3 days"})
        found = simulate_series(runs.policy, releases=8, connection=connection)
    assert sum(each.withdrawn for each in found.releases) > 0
    assert max(each.waiting for each in found.releases[3:]) <= 4 * found.rates.deleted_rows


@pytest.mark.slow
def test_the_series_then_shows_about_what_was_simulated(monkeypatch):
    """At steady rates, the share of living rows that is shown ten releases later is the simulated one, within 4 points."""
    random, live, count = Random(8), {}, 0
    classes = [chr(97 + n) for n in range(20) for _ in range(1 + 60 // (n + 2))]

    def day(size):
        nonlocal count
        for each in random.sample(sorted(live), len(live) // 100):
            del live[each]
        for _ in range(size):
            count += 1
            live[count] = random.choice(classes)
        return [(str(n), 0, of, "u", "t") for n, of in live.items()]

    with duckdb.connect() as connection:
        runs = Runs(connection, monkeypatch, policy_of(5, births={"at_least": "2k"}))
        for number in range(12):
            runs.release(day(60 if number else 2000))
        found = simulate_series(runs.policy, releases=10, connection=connection)
        for _ in range(10):
            release, shown = runs.release(day(60))
    assert abs(len(shown) / found.releases[-1].shown - 1) < 0.04
    living = len(shown) - release.new.waiting
    assert abs(living / (living + release.new.withheld) - found.releases[-1].shown_share) < 0.04


def test_rates_need_two_releases_and_the_command_prints_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    policy = {**policy_of(3), "database": "people.duckdb"}
    (tmp_path / "p.yml").write_text(json.dumps(policy))
    with duckdb.connect("people.duckdb") as connection:
        runs = Runs(connection, monkeypatch, policy_of(3))
        runs.release([(str(n), 0, "a", "u", "RAWTAG") for n in range(9)])
        with pytest.raises(kanon_sql.ReleaseError, match="a simulation needs two"):
            simulate_series(policy_of(3), connection=connection)
        runs.release([(str(n), 0, "a", "u", "RAWTAG") for n in range(1, 14)])
    done = CliRunner().invoke(main, ["series", "simulate", "p.yml", "--releases", "2"])
    assert done.exit_code == 0, done.output
    assert (
        "the rates of releases 1 to 2: 5 new rows and 1 deleted row from one to the next, every 1 day"
        in (" ".join(done.stdout.split()))
    )
    assert "RAWTAG" not in done.stdout
    found = CliRunner().invoke(main, ["series", "simulate", "p.yml", "--releases", "2", "--json"])
    printed = json.loads(found.stdout)
    assert printed.keys() == JSON_KEYS["series simulate"].keys()
    assert [each["shown"] for each in printed["releases"]] == [19, 24]
    wrong = CliRunner().invoke(main, ["series", "simulate", "p.yml", "--releases", "0"])
    assert "must be from 1 to 1,000" in wrong.stderr
