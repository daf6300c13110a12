"""Masking actions on every engine: each shows what Python computes by hand, and the same everywhere."""

from __future__ import annotations

import datetime as dt
import hmac
from collections import Counter
from decimal import Decimal

import duckdb
import masked
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_sql
from kanon_sql import InputError
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.policy.mask import SEEDS
from kanon_sql.policy.masks import ALONE, BY_KEY

TABLE, RELEASE = "masked_people", "masked_k2"
PHONES = ["+49 (30) 123456-7", "0049 30 123456", "12345", "", None, "9" * 30, "1" * 31, "0000000"]
NOTES = [
    "call 030 1234567 or anna@example.org, room 12",
    "no number; a@b",
    "'quoted' 1.234,50 and 2024-01-02",
    None,
    "",
    "10.0.0.1:80 ünï 5",
]
COSTS = [
    Decimal("1.37"),
    Decimal("-0.25"),
    Decimal("0.75"),
    Decimal("10.00"),
    None,
    Decimal("-7.5"),
]
WHEN = dt.datetime(2020, 2, 29, 23, 59, 58)
HOSTILE = 'select "x" from'


def rows():
    return [
        {
            "id": number,
            "person": None if number == 7 else number // 2,
            "name": f"O'Ann {number % 5}" if number % 6 else None,
            HOSTILE: PHONES[number % len(PHONES)],
            "mail": [f"ann{number}@x.org", "a", "äöü@x.y", None][number % 4],
            "born": None if number == 3 else dt.date(1980, 1, 31) + dt.timedelta(days=7 * number),
            "seen": WHEN + dt.timedelta(days=40 * number),
            "cost": COSTS[number % len(COSTS)],
            "n": number * 7 - 30,
            "note": NOTES[number % len(NOTES)],
            "kept": f"k{number % 3}",
            "u": f"Hello {number % 4}",
            "iban": f"DE{number}",
            "age": 20 + number % 2,
            "pay": 100 * number if number % 8 else None,
            "fee": Decimal(number) / 4,
            "w": 0.5 * number,
            "dealt": f"of {number % 2}: {number}" if number % 9 else None,
        }
        for number in range(24)
    ]


MASKS = {
    "id": {"role": "insensitive"},
    "person": {"role": "identifying", "action": "null"},
    "name": {"role": "identifying", "action": "fake", "kind": "name", "key_env": "KANON_TEST_KEY"},
    HOSTILE: {"role": "identifying", "action": "format", "key_env": "KANON_TEST_KEY", "linkable": "accept"},
    "mail": {"role": "identifying", "action": "partial", "first": 2, "last": 3},
    "born": {"role": "insensitive", "action": "shift_date", "by": "person", "days": 30, "key_env": "KANON_TEST_KEY"},
    "seen": {"role": "insensitive", "action": "truncate", "to": "quarter"},
    "cost": {"role": "insensitive", "action": "round", "to": 0.5},
    "n": {"role": "insensitive", "action": "bucket", "width": 10},
    "note": {"role": "insensitive", "action": "redact"},
    "kept": {"role": "insensitive", "action": "constant", "value": "it's \"gone\""},
    "u": {"role": "insensitive", "action": "expression", "sql": "UPPER(LEFT(u, 2)) || '-' || CASE WHEN u = 'Hello 1' THEN 'one' ELSE 'more' END"},
    "iban": {"role": "identifying", "action": "fake", "kind": "iban", "language": "de", "key_env": "KANON_TEST_KEY"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [1, 10]}},
    "pay": {"role": "insensitive", "action": "noise", "up_to": 50},
    "fee": {"role": "insensitive", "action": "noise", "up_to": 0.5},
    "w": {"role": "insensitive", "action": "noise", "up_to": 0.25},
    "dealt": {"role": "identifying", "action": "shuffle"},
}  # fmt: skip


def faked(value):
    if value is None:
        return None
    digest, seeds = masked.hashed("fake name", value), SEEDS["en"]
    picked = [
        names[masked.number(digest, at) % len(names)]
        for at, names in enumerate((seeds.first_names, seeds.last_names))
    ]
    return " ".join(picked)


def account(value):
    digits = masked.number(masked.hashed("fake iban", value)) % 10**10
    return f"99999999{digits:010}"


def by_hand(row):
    """What is released of a row, but for the check digits of its IBAN and the label of its age."""
    quarter = row["seen"].replace(month=1, day=1, hour=0, minute=0, second=0)
    first = u if (u := row["u"]) else ""
    return {
        "id": row["id"],
        "person": None,
        "name": faked(row["name"]),
        HOSTILE: masked.permuted(row[HOSTILE]),
        "mail": masked.partial(row["mail"], 2, 3),
        "born": masked.shifted(row["born"], row["person"], 30),
        "seen": quarter.replace(month=1 + 3 * ((row["seen"].month - 1) // 3)),
        "cost": masked.rounded(row["cost"], Decimal("0.5")),
        "n": masked.bucket(row["n"], 10),
        "note": masked.redacted(row["note"]),
        "kept": 'it\'s "gone"',
        "u": f"{first[:2].upper()}-{'one' if row['u'] == 'Hello 1' else 'more'}",
    }


def table():
    kinds = {"cost": pa.decimal128(10, 2), "born": pa.date32(), "seen": pa.timestamp("us")}
    kinds |= {"fee": pa.decimal128(12, 2), "w": pa.float64()}
    kinds |= dict.fromkeys(("id", "person", "n", "age", "pay"), pa.int32())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in rows()[0]])
    return pa.Table.from_pylist(rows(), schema=schema)


def policy(columns=MASKS, **more):
    return {
        "version": 1,
        "source": {"table": TABLE},
        "entity": "row",
        "privacy": {"k": 2},
        "columns": columns,
        "release": RELEASE,
        **more,
    }


@pytest.fixture
def put(place, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", masked.KEY)
    place.put(TABLE, table())
    yield place
    place.drop(RELEASE)
    place.drop(TABLE)


def released(place):
    names = place.names(RELEASE)
    return sorted(
        (dict(zip(names, map(plain, row), strict=True)) for row in place.read(RELEASE)),
        key=lambda row: row["id"],
    )


def plain(cell):
    return cell.replace(tzinfo=None) if isinstance(cell, dt.datetime) else cell


def test_every_mask_shows_what_is_computed_by_hand(put):
    kanon_sql.anonymize(policy(), connection=put.connection)
    found = released(put)
    for row, shown in zip(rows(), found, strict=True):
        wanted = by_hand(row)
        assert {name: shown[name] for name in wanted} == wanted
        assert shown["iban"][4:] == account(row["iban"])
        assert masked.is_iban(shown["iban"])


def test_noise_keeps_the_total_and_stays_within_its_bound(put):
    kanon_sql.anonymize(policy(), connection=put.connection)
    for name, most in (("pay", 50), ("fee", Decimal("0.5")), ("w", 0.25)):
        pairs = [(row[name], shown[name]) for row, shown in zip(rows(), released(put), strict=True)]
        assert all((a is None) == (b is None) for a, b in pairs)
        moved = [b - a for a, b in pairs if a is not None]
        assert sum(moved) == pytest.approx(0, abs=0 if name != "w" else 1e-9)
        assert all(-most <= each <= most for each in moved)
        assert len(set(moved)) > 3


def test_shuffled_values_stay_in_their_class_and_leave_their_rows(put):
    kanon_sql.anonymize(policy(), connection=put.connection)
    found = released(put)
    for age in (20, 21):
        before = [row["dealt"] for row in rows() if row["age"] == age]
        after = [
            shown["dealt"] for row, shown in zip(rows(), found, strict=True) if row["age"] == age
        ]
        assert Counter(before) == Counter(after)
        assert before != after
    assert len({row["age"] for row in found}) == 2


def test_no_value_that_is_masked_is_in_the_release(put):
    kanon_sql.anonymize(policy(), connection=put.connection)
    cells = {str(cell) for row in released(put) for name, cell in row.items() if name != "id"}
    planted = {
        row[name] for row in rows() for name in ("name", "mail", HOSTILE, "iban", "kept", "u")
    }
    assert not cells & {value for value in planted if value and len(value) > 5}


def test_a_member_is_tried_here_or_tells_why_not():
    tried = {each.get("action") for each in MASKS.values()}
    lists = {key for key, kind in BY_KEY.items() if kind.in_lists}  # test_lists.py tries them
    assert set(BY_KEY) - tried - set(ALONE) - lists == set()


def test_a_key_is_needed_before_anything_is_written(put, monkeypatch):
    monkeypatch.delenv("KANON_TEST_KEY")
    with pytest.raises(InputError, match="KANON_TEST_KEY must hold a key"):
        kanon_sql.anonymize(policy(), connection=put.connection)
    assert RELEASE not in put.left()


def test_format_is_alike_where_its_rounds_are_tabulated(tmp_path, monkeypatch):
    """Many numbers of 6 and 11 digits: halves of three and four are looked up, one of five is hashed, as are few of 14."""
    monkeypatch.setenv("KANON_TEST_KEY", masked.KEY)
    many, release = (tmp_path / f"{name}.parquet" for name in ("many", "release"))
    texts = [f"{(number * 7919) % 10**6:06}" for number in range(100_000)]
    texts += [f"+49 ({number % 97:02}) {number:05}" for number in range(40_000)]
    texts += [f"{number}:1:2:3 4 567890123" for number in range(500)] + [None, "12345", "-"] * 20
    pq.write_table(pa.table({"text": texts, "age": [1] * len(texts)}), many)
    columns = {
        "text": {"role": "identifying", "action": "format", "key_env": "KANON_TEST_KEY", "linkable": "accept"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
    }  # fmt: skip
    more = {"source": {"path": str(many)}, "release": str(release)}
    run, dropped, drop = [], [], DuckDB.drop
    fetch = DuckDB._run

    def noted(self, ready, given):
        run.append(ready.text)
        return fetch(self, ready, given)

    def left(self, named, *, view=False):
        dropped.append(named.name)
        return drop(self, named, view=view)

    monkeypatch.setattr(DuckDB, "_run", noted)
    monkeypatch.setattr(DuckDB, "drop", left)
    kanon_sql.anonymize(policy(columns, **more))
    assert Counter(pq.read_table(release)["text"].to_pylist()) == Counter(
        map(masked.permuted, texts)
    )
    assert sum("_rounds" in each and "LEFT JOIN" in each for each in run) == 1
    assert sum("_rounds" in name for name in dropped) == 1


@pytest.mark.parametrize("rows_of_value", [1, 7])
def test_pseudonyms_are_alike_where_they_are_looked_up(rows_of_value, monkeypatch):
    """Values with several rows are hashed once each: those that differ by case alone too, in a column that ignores it."""
    monkeypatch.setenv("KANON_TEST_KEY", masked.KEY)
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE visits AS SELECT i AS visit, 20 + i % 5 AS age, "
        "CASE WHEN i % 11 > 0 THEN ['Ann ', 'ANN '][1 + i % 2] || (i // ?) END AS mask_1_hash, "
        "DATE '2000-01-01' + (i % 90)::INTEGER AS seen FROM RANGE(120000) AS t(i)",
        [2 * rows_of_value],
    )
    connection.execute("ALTER TABLE visits ALTER mask_1_hash TYPE VARCHAR COLLATE NOCASE")
    keyed = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    columns = {
        "visit": {"role": "insensitive"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "mask_1_hash": {**keyed, "linkable": "accept"},
        "seen": {**keyed, "linkable": "accept"},
    }
    run, fetch, dropped, drop = [], DuckDB._run, [], DuckDB.drop

    def noted(self, ready, given):
        run.append(ready.text)
        return fetch(self, ready, given)

    def left(self, named, *, view=False):
        dropped.append(named.name)
        return drop(self, named, view=view)

    monkeypatch.setattr(DuckDB, "_run", noted)
    monkeypatch.setattr(DuckDB, "drop", left)
    more = {"source": {"table": "visits"}, "release": {"table": "released"}}
    kanon_sql.anonymize(policy(columns, **more), connection=connection)

    def pseudonym(value):
        return value and hmac.digest(masked.KEY.encode(), value.encode(), "sha256").hex()

    source = "SELECT visit, mask_1_hash, CAST(seen AS VARCHAR) FROM visits ORDER BY visit"
    released = "SELECT visit, mask_1_hash, seen FROM released ORDER BY visit"
    rows_of_source = connection.execute(source).fetchall()
    wanted = [(visit, pseudonym(a), pseudonym(b)) for visit, a, b in rows_of_source]
    assert connection.execute(released).fetchall() == wanted
    made = [each for each in run if "SELECT DISTINCT" in each and "_hashes" in each]
    assert len({each[:80] for each in made}) >= (1 if rows_of_value == 1 else 2)
    assert sum("_hashes" in name for name in dropped) == len(made)


def test_cells_are_alike_where_they_are_looked_up(monkeypatch):
    """Values with many rows are masked once each: those that differ by case alone too, and a cell may be NULL."""
    monkeypatch.setenv("KANON_TEST_KEY", masked.KEY)
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE visits AS SELECT i AS visit, 20 + i % 5 AS age, CASE WHEN i % 11 > 0 THEN ['Ann ', 'ANN '][1 + i % 2] || i % 900 END AS name, "
        "list_extract(['12345', '+49 30 123456', '0049 (30) 654321', ''], 1 + i % 5) AS phone, 'call 030 12345' || i % 60 AS cell, "
        "CASE WHEN i % 7 > 0 THEN i % 1000 - 500 END AS value FROM RANGE(120000) AS t(i)"
    )
    connection.execute("ALTER TABLE visits ALTER name TYPE VARCHAR COLLATE NOCASE")
    keyed = {"role": "identifying", "key_env": "KANON_TEST_KEY"}
    columns = {
        "visit": {"role": "insensitive"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "name": {**keyed, "action": "fake", "kind": "name"},
        "phone": {**keyed, "action": "format", "linkable": "accept"},
        "cell": {"role": "identifying", "action": "redact"},
        "value": {"role": "identifying", "action": "bucket", "width": 7},
    }
    run, fetch, dropped, drop = [], DuckDB._run, [], DuckDB.drop

    def noted(self, ready, given):
        run.append(ready.text)
        return fetch(self, ready, given)

    def left(self, named, *, view=False):
        dropped.append(named.name)
        return drop(self, named, view=view)

    monkeypatch.setattr(DuckDB, "_run", noted)
    monkeypatch.setattr(DuckDB, "drop", left)
    more = {"source": {"table": "visits"}, "release": {"table": "released"}}
    kanon_sql.anonymize(policy(columns, **more), connection=connection)
    shown = "SELECT visit, name, phone, cell, value FROM {} ORDER BY visit"
    wanted = [
        (visit, faked(name), masked.permuted(phone), masked.redacted(cell), masked.bucket(value, 7))
        for visit, name, phone, cell, value in connection.execute(shown.format("visits")).fetchall()
    ]
    assert connection.execute(shown.format("released")).fetchall() == wanted
    (staged,) = [each for each in run if "_masked_cells" in each and "LEFT JOIN" in each]
    assert staged.count("LEFT JOIN") == 4
    assert "sha256" not in staged
    assert sum("_masked_cells" in name for name in dropped) >= 4


def test_a_value_that_comes_while_values_are_masked_ends_the_release(monkeypatch):
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE visits AS SELECT 20 + i % 5 AS age, 'room ' || i % 50 AS note FROM RANGE(120000) AS t(i)"
    )
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "note": {"role": "identifying", "action": "redact"},
    }
    fetch = DuckDB._run

    def changed(self, ready, given):
        if "LEFT JOIN" in ready.text and "_masked_cells" in ready.text:
            self.connection.execute("UPDATE visits SET note = 'room 77' WHERE note = 'room 7'")
        return fetch(self, ready, given)

    monkeypatch.setattr(DuckDB, "_run", changed)
    more = {"source": {"table": "visits"}, "release": {"table": "released"}}
    with pytest.raises(kanon_sql.errors.KanonError, match=r"^stage: the database refused"):
        kanon_sql.anonymize(policy(columns, **more), connection=connection)
    tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert tables == [("visits",)]


@pytest.mark.parametrize("action", [{"action": "format"}, {"action": "fake", "kind": "email"}])
def test_a_domain_is_refused_where_values_are_not_hashed_with_it(action):
    number = {"role": "identifying", **action, "key_env": "KANON_KEY", "linkable": "accept"}
    policy = {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "number": {**number, "domain": "patient"},
        },
        "privacy": {"k": 2},
        "search": {"algorithm": "optimal"},
    }
    with pytest.raises(kanon_sql.PolicyError, match="domain: goes with action: hash"):
        kanon_sql.plan(policy)
