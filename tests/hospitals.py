"""A hospital of five tables with hostile names, and an oracle in plain Python over its release."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections import Counter, defaultdict

KEY_ENV, KEY = "KANON_TEST_KEY", "a key of thirty-two bytes, or so"
PATIENTS, VISITS, DIAGNOSES, BILLS, STAFF = (
    'the "patients"',
    "visits",
    "dia gnoses",
    "bills",
    "order",
)
TABLES = {
    STAFF: {"id": "text primary key", "specialty": "text", "head": "text"},
    PATIENTS: {"id": "text primary key", "na me": "text", "select": "text", "born": "integer", "region": "text"},
    VISITS: {"id": "text primary key", "pa.tient": "text", "doctor": "text", "ward": "text", "day": "integer"},
    DIAGNOSES: {"visit": "text", "icd": "text", "day": "integer"},
    BILLS: {"pa.tient": "text", "amount": "integer", "year": "integer"},
}  # fmt: skip
FOREIGN = (
    (VISITS, "pa.tient", PATIENTS, "id"),
    (VISITS, "doctor", STAFF, "id"),
    (DIAGNOSES, "visit", VISITS, "id"),
)
"""Foreign keys that the database has; `keys` of the policy states those of bills and of heads."""
PLANTED = "PLANTED"


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def rows_of_hospital(people, seed=1):
    """Rows by table: everybody has up to four visits; bills of ten people are nobody's."""
    r = random.Random(seed)
    made = {name: [] for name in TABLES}
    for n in range(7):
        made[STAFF].append(
            (f"{PLANTED}-s{n}", f"spec {n % 3}", None if n == 0 else f"{PLANTED}-s{n // 2}")
        )
    for n in range(people):
        me = f"{PLANTED}-p{n}"
        made[PATIENTS].append(
            (
                me,
                f"{PLANTED} name {n}",
                r.choice("MF"),
                r.randrange(1930, 2010),
                r.choice(["north", "south"]),
            )
        )
        for v in range(r.randrange(1, 5)):
            visit, day = f"{PLANTED}-v{n}-{v}", r.randrange(1460)
            made[VISITS].append(
                (visit, me, f"{PLANTED}-s{r.randrange(7)}", f"w'{r.randrange(12)}", day)
            )
            for _ in range(r.randrange(3)):
                made[DIAGNOSES].append((visit, f"{r.choice('ABC')}{r.randrange(30)}", day))
        for _ in range(r.randrange(3)):
            made[BILLS].append((me, r.randrange(1000), r.randrange(2020, 2023)))
    made[BILLS] += [(f"{PLANTED}-nobody{n}", 5, 2020) for n in range(10)]
    return made


def literal(cell):
    if cell is None:
        return "NULL"
    return str(cell) if isinstance(cell, int) else "'" + cell.replace("'", "''") + "'"


def build(execute, rows, schema=""):
    """Create the tables of the hospital with their foreign keys, and fill them."""
    at = f"{schema}." if schema else ""
    for name, columns in TABLES.items():
        parts = [f"{quoted(c)} {kind}" for c, kind in columns.items()]
        parts += [
            f"FOREIGN KEY ({quoted(column)}) REFERENCES {at}{quoted(to)} ({quoted(of)})"
            for table, column, to, of in FOREIGN
            if table == name
        ]
        execute(f"CREATE TABLE {at}{quoted(name)} ({', '.join(parts)})")
        for start in range(0, len(rows[name]), 500):
            values = ", ".join(
                f"({', '.join(map(literal, row))})" for row in rows[name][start : start + 500]
            )
            execute(f"INSERT INTO {at}{quoted(name)} VALUES {values}")


def policy(**changes):
    """A policy with every protection; `changes` replace the entries of tables, or leave a key out where None."""
    tables = {
        PATIENTS: {
            "entity": "patient",
            "columns": {
                "na me": {"role": "identifying", "action": "drop"},
                "select": {"role": "quasi", "hierarchy": "suppress"},
                "born": {"role": "quasi", "hierarchy": {"intervals": [10, 20, 40]}},
                "region": {"role": "sensitive"},
            },
            "privacy": {"k": 5},
            "suppression": "10%",
        },
        VISITS: {
            "of": "patient",
            "protect": "none",
            "columns": {"ward": {"role": "insensitive"}, "day": {"role": "insensitive"}},
        },
        DIAGNOSES: {
            "of": "patient",
            "protect": "cut",
            "columns": {
                "icd": {"role": "sensitive"},
                "day": {"role": "quasi", "hierarchy": {"intervals": [100, 400]}},
            },
            "privacy": {"k": 5},
        },
        BILLS: {
            "of": "patient",
            "protect": "summary",
            "into": {"bills": {"count": True, "top": 2}, "years": {"set": "year"}},
        },
        STAFF: {"copy": True},
    }
    return {
        "version": 2,
        "keys": {
            "patient": {
                "key_env": KEY_ENV,
                "columns": [f"{PATIENTS}.id", f"{VISITS}.pa.tient", f"{BILLS}.pa.tient"],
            },
            "visit": {"key_env": KEY_ENV, "columns": [f"{VISITS}.id", f"{DIAGNOSES}.visit"]},
            "staff": {
                "key_env": KEY_ENV,
                "columns": [f"{STAFF}.id", f"{STAFF}.head", f"{VISITS}.doctor"],
            },
        },
        "tables": {**tables, **changes.pop("tables", {})},
        "release": {"schema": "the anon"},
        **changes,
    }


def pseudonym(value, domain):
    """HMAC-SHA-256, as RFC 2104 has it, of a value behind the name of its key domain."""
    if value is None:
        return None
    text = f"{len(domain)}:{domain}:{value}"
    return hmac.new(KEY.encode(), text.encode(), hashlib.sha256).hexdigest()


def released(execute, schema, tables):
    """The rows of a release by table, each as a mapping of its columns."""
    found = {}
    for name in tables:
        names = [
            row[0]
            for row in execute(
                f"SELECT column_name FROM information_schema.columns WHERE table_schema = {literal(schema)} "
                f"AND table_name = {literal(name)} ORDER BY ordinal_position"
            ).fetchall()
        ]
        rows = execute(f"SELECT * FROM {quoted(schema)}.{quoted(name)}").fetchall()
        found[name] = [dict(zip(names, row, strict=True)) for row in rows]
    return found


def assert_no_planted(found):
    for name, rows in found.items():
        for row in rows:
            assert not any(PLANTED in str(cell) for cell in row.values()), name


def assert_keys_valid(found, keys):
    for table, column, to, of in keys:
        there = {row[of] for row in found[to]}
        assert {row[column] for row in found[table]} - {None} <= there, (table, column)


def below_k(people, key, labels, linked, k):
    """People whose labels and rows of linked tables fewer than k have: `linked` has a person and a value for each row."""
    rows = defaultdict(list)
    for number, pairs in enumerate(linked):
        for person, value in pairs:
            rows[person].append((number, tuple(map(str, value))))
    signature = {
        row[key]: (tuple(str(row[each]) for each in labels), tuple(sorted(rows[row[key]])))
        for row in people
    }
    sizes = Counter(signature.values())
    return sum(size for size in sizes.values() if size < k), min(sizes.values())
