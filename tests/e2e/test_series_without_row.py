"""A series whose rows have no value of their own: all their values identify them, and it takes new rows alone."""

from __future__ import annotations

from collections import Counter
from random import Random

import duckdb
import pytest
from series_runs import Runs, policy_of, short_cells

import kanon_sql


def policy(k=3, **series):
    made = policy_of(k, deletions="refuse", **series)
    del made["series"]["row"]
    return made


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        yield made


def test_rows_that_are_alike_appear_as_often_as_they_came(connection, monkeypatch):
    """Each class appears with what came since, once that is k rows; rows with the same values count each, NULL is a value."""
    runs = Runs(connection, monkeypatch, policy())
    random, came, shown, born, lives = Random(2), [], Counter(), Counter(), []
    for day in range(6):
        came += [
            ("no key", 0, random.choice("abcAB"), random.choice(["u", "U", None]), f"{day % 3}")
            for _ in range(25)
        ]
        random.shuffle(came)  # the order of a table is nothing to rely on
        release, _ = runs.release(came)
        table = 'SELECT history, "select", "it\'s a value", tag FROM "the ""release"""'
        now = Counter(connection.execute(table).fetchall())
        expected = Counter(row[1:] for row in came)
        waiting = expected - shown
        of_class = Counter()
        for (_, class_, *_), n in waiting.items():
            of_class[class_] += n
        for row, n in waiting.items():
            if of_class[row[1]] >= 3:
                born[row] += n
                lives += [(row[0], row[1], (f"{row}{day}{i}", row[2])) for i in range(n)]
        shown = Counter(born)
        assert now == shown
        assert release.new.withheld == expected.total() - shown.total()
        assert release.new.waiting == release.new.left == 0
    assert short_cells([lives], 3, least=1) == 0
    assert max(shown.values()) > 2
    assert runs.policy["series"]["deletions"] == "refuse"


def test_a_row_that_is_deleted_or_changes_is_refused_and_nothing_changes(connection, monkeypatch):
    runs = Runs(connection, monkeypatch, policy(2))
    rows = [("x", 0, "a", "u", "t")] * 3 + [("y", 0, "a", "u", "t")] * 2
    runs.release(rows)
    before = connection.execute('FROM "its ledger" ORDER BY ALL').fetchall()
    for other in (
        rows[1:],
        [*rows[1:], ("z", 0, "a", "u", "t")],
        [*rows[:-1], ("y", 0, "a", "w", "t")],
    ):
        with pytest.raises(kanon_sql.ReleaseError) as caught:
            runs.release(other)
        assert "the release has 1 row that the source has no more or with other values" in str(
            caught.value
        )
    assert connection.execute('FROM "its ledger" ORDER BY ALL').fetchall() == before
    release, shown = runs.release([*rows, rows[0], rows[0]])
    assert (release.new.born, len(shown)) == (2, 7)


@pytest.mark.parametrize(
    ("changes", "where"),
    [({"deletions": "at_once"}, "deletions"), ({}, "deletions"), ({"changes": "new"}, "changes")],
)
def test_deletions_and_changes_need_a_column_that_identifies_rows(changes, where):
    made = policy()
    if where == "deletions":
        del made["series"]["deletions"]
    made["series"] |= changes
    with pytest.raises(kanon_sql.PolicyError) as caught:
        kanon_sql.read_policy(made)
    stated = where in made["series"]
    (fault,) = caught.value.faults
    assert fault.where == (f"series.{where}" if stated else "series")
    assert "row" in fault.what
