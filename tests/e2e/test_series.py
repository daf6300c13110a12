"""A series of releases: whatever comes and goes, no set expression over its releases isolates fewer than k rows."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import duckdb
import pyarrow as pa
import pytest
from series_runs import Runs, histories, isolated, policy_of, rows_at

from kanon_sql.base.sql.quoting import table
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.series.moves import unfit

RULES = {
    "waiting": {},
    "births of 2k": {"births": {"at_least": "2k"}},
    "at once": {"deletions": "at_once"},
    "two days, changes are new": {"deletions": {"within": "2 days"}, "changes": "new"},
    "changes are new": {"changes": "new", "deletions": "at_once"},
}


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        yield made


def released(connection, monkeypatch, listed, k=2, **rule):
    """Release all histories at once, four releases; return what each shows."""
    runs = Runs(connection, monkeypatch, policy_of(k, **rule))
    steady = [(f"s {n}", -1, "s", "v", f"s {n}") for n in range(2 * k)]
    return [runs.release([*steady, *rows_at(listed, n)])[1] for n in range(4)]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_no_history_of_four_releases_isolates_anybody(connection, monkeypatch, rule):
    listed = [*histories(4, "a"), *histories(3, "a"), *histories(2, "ab")]
    shown = released(connection, monkeypatch, listed, **rule)
    assert isolated(shown, 2) == set()
    least = 4 if "births" in rule else 2
    steady = {n for n, of in enumerate(listed) if len(of) >= least and {*of} == {("a",) * 4}}
    assert steady
    assert all({h for h, *_ in each} >= steady for each in shown)


def test_the_same_histories_released_one_by_one_isolate_rows():
    """The control: without a series the oracle finds rows, though every release by itself has classes of two."""
    listed = histories(3, "a")
    shown = [
        [(h, class_, tag) for _, h, class_, _, tag in rows_at(listed, number)]
        for number in range(4)
    ]
    sizes = [Counter(h for h, *_ in each) for each in shown]
    shown = [
        [row for row in each if of[row[0]] >= 2] for each, of in zip(shown, sizes, strict=True)
    ]
    assert len(isolated(shown, 2)) > 300


def test_cells_that_fit_are_exactly_what_no_set_expression_isolates(connection):
    """Any lives of five rows, shown as they are: the recount of the ledger agrees with the closure of the releases."""
    lives = [(birth, death) for birth in range(1, 5) for death in (*range(birth + 1, 5), None)]
    listed = list(combinations_with_replacement(lives, 5))
    rows = [(h, n, *life) for h, of in enumerate(listed) for n, life in enumerate(of)]
    columns = (
        map(str, range(len(rows))),
        [str(h) for h, *_ in rows],
        *list(zip(*rows, strict=True))[2:],
    )
    cell = ["class_hash", "birth_release", "death_release"]
    names = ["row_hash", *cell]
    made = pa.table(dict(zip(names, map(list, columns), strict=True)))
    connection.register("made", made)
    connection.execute("CREATE TABLE ledger AS FROM made")
    for k in (2, 3):
        needed = requirements((KAnonymity(k),))
        statement = unfit(table("ledger"), needed, table("short"), cell, cell, entity=None)
        connection.execute(statement.render("duckdb"))
        found = {
            int(h)
            for (h,) in connection.execute("SELECT DISTINCT class_hash FROM short").fetchall()
        }
        connection.execute("DROP TABLE short")
        shown = [
            [
                (h, "", n)
                for h, n, birth, death in rows
                if birth <= number and (death is None or number < death)
            ]
            for number in range(1, 5)
        ]
        assert found == {h for h, _ in isolated(shown, k)}
        assert 0 < len(found) < len(listed)
