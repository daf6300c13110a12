"""A series of twelve rows, k = 2 and four releases: all histories up to what makes no difference.

For k = 2 a cell of no row, of one and of two or more are all that a recount distinguishes, so that the ledgers of twelve rows
are those in which each of the ten lives is of none, one or two rows. Histories that the product releases are of twelve rows on
at most two or three different paths. The oracle closes the sets of a release under union, intersection and difference.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import duckdb
import pyarrow as pa
import pytest
from series_runs import RULES, isolated, paths, released

from kanon_sql.base.sql.quoting import table
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.release.series.moves import unfit

ROWS = 12
LIVES = [(birth, death) for birth in range(1, 5) for death in (*range(birth + 1, 5), None)]
CELL = ["class_hash", "birth_release", "death_release"]


def isolates(sets):
    """Whether some set expression is of one element alone; found sets are closed until one is, smallest first."""
    found, new = {*sets} - {0}, {*sets} - {0}
    while new:
        if any(not each & (each - 1) for each in new):
            return True
        new = (
            {
                made
                for one in new
                for other in found
                for made in (one & other, one & ~other, other & ~one, one | other)
            }
            - found
            - {0}
        )
        found |= new
    return False


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        yield made


@pytest.mark.slow
def test_a_ledger_of_twelve_rows_fits_exactly_where_no_set_expression_isolates_one(connection):
    listed = [of for of in product(range(3), repeat=len(LIVES)) if 0 < sum(of) <= ROWS]
    rows = [
        (history, birth, death)
        for history, of in enumerate(listed)
        for (birth, death), n in zip(LIVES, of, strict=True)
        for _ in range(n)
    ]
    columns = [list(each) for each in zip(*rows, strict=True)]
    columns[0] = list(map(str, columns[0]))
    connection.register("made", pa.table(dict(zip(CELL, columns, strict=True))))
    connection.execute(
        "CREATE TABLE ledger AS SELECT row_number() OVER ()::VARCHAR AS row_hash, * FROM made"
    )
    needed = requirements((KAnonymity(2),))
    made = unfit(table("ledger"), needed, table("short"), CELL, CELL, entity=None)
    connection.execute(made.render("duckdb"))
    short = connection.execute("SELECT DISTINCT class_hash::INTEGER FROM short").fetchall()
    expected = set()
    for history, of in enumerate(listed):
        sets, bit = [0] * 4, 1
        for (birth, death), n in zip(LIVES, of, strict=True):
            for _ in range(n):
                for release in range(birth, death or 5):
                    sets[release - 1] |= bit
                bit <<= 1
        if isolates(sets):
            expected.add(history)
    assert {history for (history,) in short} == expected
    assert len(listed) == 49_115
    assert 100 < len(listed) - len(expected) < len(expected)


def of_twelve(among, most):
    """Every history of twelve rows on at most so many different paths, in as many numbers as there are."""
    listed = []
    for different in range(1, most + 1):
        for chosen in combinations(among, different):
            for cuts in combinations(range(1, ROWS), different - 1):
                sizes = [b - a for a, b in zip((0, *cuts), (*cuts, ROWS), strict=True)]
                listed.append(
                    [path for path, n in zip(chosen, sizes, strict=True) for _ in range(n)]
                )
    return listed


def somewhere(classes):
    return [path for path in paths(classes, 4) if any(path)]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize(
    ("classes", "most"),
    [
        pytest.param("a", 2, marks=pytest.mark.slow),
        pytest.param("ab", 2, marks=pytest.mark.rare),
        pytest.param("a", 3, marks=pytest.mark.rare),
    ],
)
def test_no_history_of_twelve_rows_isolates_anybody(connection, monkeypatch, rule, classes, most):
    listed = of_twelve(somewhere(classes), most)
    shown = released(connection, monkeypatch, listed, **rule)
    assert isolated(shown, 2) == set()
    of_all = Counter(history for each in shown for history, *_ in each)
    assert len(of_all) > len(listed) // 2
