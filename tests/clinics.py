"""A clinic with stays and orders of people, with hostile names, for the tests of what is known of their rows."""

from __future__ import annotations

import random
import re
from collections import defaultdict

from hospitals import KEY_ENV, literal, quoted

K = 4
PEOPLE, STAYS, ORDERS = "the people", 'vis"its, all', "order"
WARDS = {"inner": ["card'io", "lung"], "outer": ["skin", "eye; ear"]}
DAY = {"role": "quasi", "hierarchy": {"intervals": [10, 50]}}
WARD = {"role": "quasi", "hierarchy": {"tree": {"all": WARDS}}}
ITEMS = {STAYS: ("wa.rd", "select"), ORDERS: ("drug",)}


def rows_of(seed, *, people=120):
    """People of two classes, with up to four stays and two orders each; a fifth of the days are unknown."""
    r = random.Random(seed)
    wards = [each for listed in WARDS.values() for each in listed]
    made = {PEOPLE: [(f"p{n}", "MF"[n % 2]) for n in range(people)], STAYS: [], ORDERS: []}
    for n in range(people):
        for _ in range(r.randrange(5)):
            ward = wards[int(len(wards) * r.random() ** 2)]
            day = None if r.random() < 0.2 else int(100 * r.random() ** 2)
            made[STAYS].append((f"p{n}", ward, day, len(made[STAYS])))
            if r.random() < 0.3:  # the same event twice
                made[STAYS].append((f"p{n}", ward, day, len(made[STAYS])))
        for _ in range(r.randrange(3)):
            made[ORDERS].append((f"p{n}", f"d{int(6 * r.random() ** 2)}", len(made[ORDERS])))
    return made


def build(execute, rows, schema="main"):
    kinds = {
        PEOPLE: ("id text primary key", "sex text"),
        STAYS: ('"the person" text', '"wa.rd" text', '"select" integer', "n integer"),
        ORDERS: ('"the person" text', "drug text", "n integer"),
    }
    for name, columns in kinds.items():
        execute(f"CREATE TABLE {schema}.{quoted(name)} ({', '.join(columns)})")
        values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows[name])
        execute(f"INSERT INTO {schema}.{quoted(name)} VALUES {values}")


def policy(known=2, **changes):
    events = {"of": "person", "protect": "events", "known": known}
    shown = {"n": {"role": "insensitive"}}
    tables = {
        PEOPLE: {
            "entity": "person",
            "columns": {"sex": {"role": "quasi", "hierarchy": "suppress"}},
            "privacy": {"k": K},
        },
        STAYS: {**events, "columns": {"wa.rd": WARD, "select": DAY, **shown}},
        ORDERS: {
            **events,
            "columns": {"drug": {"role": "quasi", "hierarchy": {"mask": 2}}, **shown},
        },
    }
    names = [f"{PEOPLE}.id", f"{STAYS}.the person", f"{ORDERS}.the person"]
    return {
        "version": 2,
        "keys": {"person": {"key_env": KEY_ENV, "columns": names}},
        "tables": {**tables, **changes},
        "release": {"schema": "the anon"},
    }


def events_of(tables, person="the person"):
    """The events of each person over all tables, each as the name of its table and its items."""
    found = defaultdict(list)
    for name, rows in tables.items():
        for row in rows:
            found[row[person]].append((name, *(str(row[each]) for each in ITEMS[name])))
    return found


def covers(label, value):
    """Whether a label may stand for a value of either table."""
    ends = re.fullmatch(r"\[(\d+), (\d+)\)", str(label))
    if ends:
        return value is not None and int(ends[1]) <= value < int(ends[2])
    same = (label is None and value is None) or str(label) == str(value)
    masked = str(label) == f"{str(value)[:1]}*"
    return same or masked or label in {"*", "all", "**"} or value in WARDS.get(label, [])
