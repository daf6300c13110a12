"""A series of releases: whatever comes and goes, no set expression over its releases isolates fewer than k rows."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations_with_replacement
from math import log
from random import Random
from threading import Barrier
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest
from series_runs import (
    KEY,
    RULES,
    RandomHistory,
    Runs,
    histories,
    isolated,
    policy_of,
    released,
    rows_at,
    short_cells,
)

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.release.series.ledger import LedgerTable
from kanon_sql.release.series.moves import unfit

VALUE, RELEASE = '"it\'s a value"', '"the ""release"""'


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        yield made


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("most", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_no_history_of_four_releases_isolates_anybody(connection, monkeypatch, rule, most):
    """All histories of so many rows of one class, and of two rows that move between two classes."""
    listed = [*histories(most, "a"), *histories(2, "a"), *histories(2, "ab")]
    shown = released(connection, monkeypatch, listed, **rule)
    assert isolated(shown, 2) == set()
    least = 4 if "births" in rule else 2
    steady = {n for n, of in enumerate(listed) if len(of) >= least and {*of} == {("a",) * 4}}
    assert steady or least > most
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


@pytest.mark.parametrize("number", [60, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_random_histories_have_no_short_cell(connection, monkeypatch, rule, number):
    privacy = {"k": 3, "distinct_l": {"column": "it's a value", "l": 2}}
    runs = Runs(connection, monkeypatch, policy_of(privacy=privacy, **rule))
    made = RandomHistory(Random(number), number)
    shown = []
    for day in range(8):
        # Once, the clock goes back.
        release, _ = runs.release([*steady(12), *made.step()], days=-3 if day == 4 else 1)
        assert release.verification.passed
        shown.append(
            connection.execute(f'SELECT history, "select", tag, {VALUE} FROM {RELEASE}').fetchall()
        )
    shown = [[(h, class_, (tag, value)) for h, class_, tag, value in each] for each in shown]
    assert short_cells(shown, 3, least=2) == 0
    assert len({row for each in shown for row in each}) > number
    if number < 10_000:
        assert isolated(shown[:5], 3) == set()


def steady(number=6):
    return [
        (f"s {n}", -1, "s", v, f"s {n}") for n, v in zip(range(number), "uv" * number, strict=False)
    ]


def rows(*names, class_="a"):
    return [(each, 0, class_, "u", each) for each in names]


def tags(shown):
    return sorted(tag for history, _, tag in shown if history == 0)


def test_one_in_and_one_out_waits(connection, monkeypatch):
    """The class has as many rows as before, and a rule that counts classes alone would release both changes."""
    runs = Runs(connection, monkeypatch, policy_of(2))
    runs.release([*steady(), *rows("a", "b", "c")])
    release, shown = runs.release([*steady(), *rows("b", "c", "d")])
    assert tags(shown) == ["a", "b", "c"]
    assert (release.new.withheld, release.new.waiting) == (1, 1)


def test_k_in_and_all_but_one_of_them_out_waits(connection, monkeypatch):
    """Each step changes the release before by two rows or more; the first and the third would differ by one."""
    runs = Runs(connection, monkeypatch, policy_of(3))
    first = rows("a", "b", "c")
    runs.release([*steady(), *first])
    _, shown = runs.release([*steady(), *first, *rows("d", "e", "f")])
    assert tags(shown) == list("abcdef")
    release, shown = runs.release([*steady(), *first, *rows("f")])
    assert tags(shown) == list("abcdef")
    assert release.new.waiting == 2
    _, shown = runs.release([*steady(), *first])
    assert tags(shown) == list("abc")


def test_a_withdrawn_companion_never_returns(connection, monkeypatch):
    runs = Runs(connection, monkeypatch, policy_of(2, deletions={"within": "2 days"}))
    names = "abcdefgh"
    runs.release([*steady(), *rows(*names)])
    left = rows(*names[1:])
    _, shown = runs.release([*steady(), *left])
    assert tags(shown) == list(names)
    for _ in range(2):
        release, shown = runs.release([*steady(), *left])
    assert "a" not in tags(shown)
    gone = {*names[1:]} - {*tags(shown)}
    assert len(gone) == release.new.withdrawn == 1
    for _ in range(2):
        release, shown = runs.release([*steady(), *rows(*names)])
        assert not ({"a"} | gone) & {*tags(shown)}


def test_companions_are_drawn_by_the_key_and_not_by_a_value(connection, monkeypatch):
    """Of forty rows, of which half have one value, companions are drawn from both halves."""
    runs = Runs(connection, monkeypatch, policy_of(12, deletions="at_once"))
    listed = [(f"{n}", 0, "a", "uv"[n % 2], f"{n}") for n in range(60)]
    runs.release([*steady(24), *listed])
    release, shown = runs.release([*steady(24), *listed[1:]])
    drawn = {int(tag) for tag in (str(n) for n in range(1, 60))} - {int(tag) for tag in tags(shown)}
    assert len(drawn) == release.new.withdrawn == 11
    assert 1 <= sum(n % 2 for n in drawn) <= 10
    assert drawn != {*range(1, 12)}


def test_a_row_whose_values_change_keeps_the_first_or_is_another(connection, monkeypatch):
    moved = [*rows("a", "b", "c"), *rows("d", "e", "f", class_="b")]
    later = [*rows("b", "c"), *rows("a", "d", "e", "f", class_="b")]
    runs = Runs(connection, monkeypatch, policy_of(2))
    runs.release([*steady(), *moved])
    _, shown = runs.release([*steady(), *later])
    assert ((0, "a", "a") in shown) is True
    connection.execute(
        'DROP TABLE "its ledger"; DROP TABLE "its ledger_releases"; DROP TABLE "the ""release"""'
    )
    runs = Runs(connection, monkeypatch, policy_of(2, changes="new"))
    runs.release([*steady(), *moved])
    release, shown = runs.release([*steady(), *later])
    assert (release.new.withheld, release.new.waiting) == (1, 1)
    assert (0, "b", "a") not in shown


def refused(runs, given, **changes):
    with pytest.raises(kanon_sql.KanonError) as caught:
        runs.release(given, **changes)
    return str(caught.value)


def test_what_does_not_go_on_is_refused_and_changes_nothing(connection, monkeypatch):
    runs = Runs(connection, monkeypatch, policy_of(2))
    given = [*steady(), *rows("a", "b", "c")]
    runs.release(given)
    before = connection.execute('FROM "its ledger" ORDER BY ALL').fetchall()

    def unchanged():
        return connection.execute('FROM "its ledger" ORDER BY ALL').fetchall() == before

    assert "1 row has NULL in it" in refused(runs, [*given, (None, 0, "a", "u", "x")])
    assert "1 row has a value that another row has too" in refused(runs, [*given, given[0]])
    new = ("new", 0, "a", "u", "new")
    several = [*given[:-1], *given[:2], given[0], *[new] * 3, (None, 0, "a", "u", "x")]
    found = refused(runs, several)  # a shown row is missing, others are there more than once
    assert "5 rows have a value that another row has too" in found
    assert "1 row has NULL in it" in found
    monkeypatch.setenv("SERIES_KEY", "another key that is long enough")
    assert "has another key than the ledger was written under" in refused(runs, given)
    monkeypatch.setenv("SERIES_KEY", "short")
    assert "SERIES_KEY must hold a key of 16 bytes or more" in refused(runs, given)
    monkeypatch.setenv("SERIES_KEY", KEY)
    connection.execute('CREATE TABLE kept AS FROM "the ""release"""')
    connection.execute('DELETE FROM "the ""release""" WHERE tag = \'a\'')
    assert "1 of its different rows are there more or less often" in refused(runs, given)
    connection.execute('DROP TABLE "the ""release"""')
    assert "is missing, and the ledger remembers it" in refused(runs, given)
    connection.execute('CREATE TABLE "the ""release""" AS FROM kept')
    runs.policy = policy_of(2, deletions="refuse")
    assert "the release has 2 rows that the source has no more" in refused(
        runs, [*steady(), *rows("a")]
    )
    runs.policy = policy_of(3)
    runs.plan = kanon_sql.plan(runs.policy, connection=connection)
    assert "is not the plan of the series" in refused(runs, given)
    assert unchanged()
    runs.policy = policy_of(2)
    runs.plan = kanon_sql.plan(runs.policy, connection=connection)
    _, shown = runs.release(given)
    assert tags(shown) == list("abc")
    connection.execute('ALTER TABLE "its ledger" ALTER row_hash TYPE TEXT')
    connection.execute('ALTER TABLE "its ledger_releases" DROP key_types')
    assert "has hashes of another form, by an earlier version" in refused(runs, given)


def test_two_writers_at_once_make_one_release(tmp_path, monkeypatch):
    """Both have staged the next release; the ledger takes one, and the other says so."""
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        runs = Runs(connection, monkeypatch, policy_of(2))
        runs.release([*steady(), *rows("a", "b", "c")])
        runs.fill([*steady(), *rows("a", "b", "c", "d", "e")])
        staged, entered = Barrier(2), []
        written = LedgerTable.written

        @contextmanager
        def together(self, write):
            staged.wait(60)
            with written(self, write):
                entered.append(1)
                yield

        monkeypatch.setattr(LedgerTable, "written", together)

        def apply(own):
            try:
                kanon_sql.apply(runs.plan, policy=runs.policy, connection=own)
            except kanon_sql.KanonError as error:
                return str(error)
            return None

        with connection.cursor() as one, connection.cursor() as two, ThreadPoolExecutor(2) as pool:
            errors = list(pool.map(apply, (one, two)))
        assert sorted(each is None for each in errors) == [False, True]
        (what,) = [each for each in errors if each is not None]
        assert "meanwhile" in what
        assert "nothing was published" in what
        numbers = connection.execute(
            'SELECT number FROM "its ledger_releases" ORDER BY ALL'
        ).fetchall()
        assert numbers == [(1,), (2,)]
        assert tags(runs.shown()) == list("abcde")
        monkeypatch.setattr(LedgerTable, "written", written)
        runs.release([*steady(), *rows("a", "b", "c", "d", "e")])


def keyed_half(text):
    """The keyed hash of a row, written again from its definition: half of SHA-256 of the derived key and the row."""
    derived = hmac.new(KEY.encode(), b"kanon-sql series", "sha256").digest()
    return UUID(bytes=hashlib.sha256(derived + text.encode()).digest()[:16])


@pytest.mark.parametrize(
    "model",
    [{"distinct_l": {"column": "s", "l": 2}}, {"entropy_l": {"column": "s", "l": 1.7}}],
    ids=str,
)
def test_people_with_several_rows_and_rows_alike_keep_the_rule(connection, monkeypatch, model):
    """Cells count people, not rows, and values too; NULL is a value of the class, and rows with the same values are alike."""
    monkeypatch.setenv("SERIES_KEY", KEY)
    policy = {
        "version": 1,
        "source": {"table": "visits"},
        "entity": "who",
        "columns": {
            "id": {"role": "identifying", "action": "drop"},
            "who": {"role": "identifying", "action": "drop"},
            "q": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
            "s": {"role": "sensitive"},
        },
        "privacy": [{"k": 3}, model],
        "suppression": "100%",
        "release": {"table": "out"},
        "series": {
            "ledger": {"table": "ledger"},
            "key_env": "SERIES_KEY",
            "row": "id",
            "deletions": "at_once",
        },
    }
    random, live, first, plan = Random(5), {}, {}, None
    for _ in range(6):
        for id_ in random.sample(sorted(live), len(live) // 8):
            del live[id_]
        for id_ in random.sample(sorted(live), len(live) // 10):
            live[id_] = (*live[id_][:2], random.choice("uvw"))
        for n in range(len(first), len(first) + 90):
            live[n] = (
                random.randrange(200),
                random.choice(["x", "y", None]),
                random.choice(["u", "v", "w", None]),
            )
            first.setdefault(n, None)
        connection.execute(
            "CREATE OR REPLACE TABLE visits (id INTEGER, who INTEGER, q TEXT, s TEXT)"
        )
        connection.executemany(
            "INSERT INTO visits VALUES (?, ?, ?, ?)", [(n, *row) for n, row in live.items()]
        )
        plan = plan or kanon_sql.plan(policy, connection=connection)
        kanon_sql.apply(plan, policy=policy, connection=connection)
        shown = connection.execute(
            "SELECT row_hash, birth_release, death_release FROM ledger WHERE birth_release IS NOT NULL"
        ).fetchall()
        lives = {of: life for of, *life in shown}
        cells, released = {}, Counter()
        for n, before in first.items():
            life = lives.pop(keyed_half(f"row{n}"), None)
            if life is None:
                continue
            who, q, s = first[n] = before or live[n]
            cells.setdefault((q, *life), []).append((who, s))
            released[q, s] += life[1] is None
        assert lives == {}
        assert released == Counter(connection.execute("SELECT q, s FROM out").fetchall())
        assert cells
        for of in cells.values():
            assert len({who for who, _ in of}) >= 3
            values = Counter(s for _, s in {*of} if s is not None)
            assert len(values) >= 2
            if "entropy_l" in model:
                shares = [n / values.total() for n in values.values()]
                assert -sum(p * log(p) for p in shares) >= log(1.7) - 1e-8
    held = connection.execute("SELECT COUNT(*) FROM ledger WHERE birth_release IS NULL").fetchall()
    assert len(cells) > 6
    assert held >= [(0,)]
