"""Histories of small tables, released by the product as a series, and what set algebra over the releases isolates.

All histories of a test are released at once: a history is a quasi-identifier, so that no row of one is in a class with
rows of another. The oracle reads the releases and shares no code with the product: it closes the sets of rows that the
releases show of a class under union, intersection and difference.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import combinations_with_replacement, product

import kanon_sql
from kanon_sql.release.series import step

KEY = "a key that is long enough; it's"
COLUMNS = {
    'the "row"': {"role": "identifying", "action": "drop"},
    "history": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
    "select": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
    "it's a value": {"role": "sensitive"},
    "tag": {"role": "insensitive"},
}
NAMES = [f'"{each.replace(chr(34), chr(34) * 2)}"' for each in COLUMNS]
TYPES = ["TEXT", "INTEGER", "TEXT", "TEXT", "TEXT"]
SCHEMA = f'CREATE OR REPLACE TABLE "the rows" ({", ".join(map(" ".join, zip(NAMES, TYPES, strict=True)))})'


def policy_of(k=2, privacy=None, **series):
    """A policy with hostile names, whose classes are those of the source."""
    return {
        "version": 1,
        "source": {"table": "the rows"},
        "entity": "row",
        "columns": COLUMNS,
        "privacy": privacy or {"k": k},
        "suppression": "100%",
        "release": {"table": 'the "release"'},
        "series": {
            "ledger": {"table": "its ledger"},
            "key_env": "SERIES_KEY",
            "row": 'the "row"',
            **series,
        },
    }


RULES = {
    "waiting": {},
    "births of 2k": {"births": {"at_least": "2k"}},
    "at once": {"deletions": "at_once"},
    "two days, changes are new": {"deletions": {"within": "2 days"}, "changes": "new"},
    "changes are new": {"changes": "new", "deletions": "at_once"},
}
"""What a policy says of births, deletions and changes, by a name."""


class Runs:
    """A series of a policy in one database, one call a release, whose clock stands unless it is moved."""

    def __init__(self, connection, monkeypatch, policy):
        monkeypatch.setenv("SERIES_KEY", KEY)
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        monkeypatch.setattr(step, "moment", lambda: self.now)
        self.connection, self.policy = connection, policy
        self.fill([(f"z {n}", 0, "z", f"v{n}", "z") for n in range(20)])
        plan = kanon_sql.plan(policy, connection=connection)
        self.plan = plan

    def fill(self, rows):
        self.connection.execute(SCHEMA)
        if rows:
            import pyarrow as pa

            names = list(COLUMNS)
            columns = list(zip(*rows, strict=True))
            table = pa.table(dict(zip(names, map(list, columns), strict=True)))
            self.connection.register("given", table)
            self.connection.execute('INSERT INTO "the rows" SELECT * FROM given')
            self.connection.unregister("given")

    def release(self, rows, *, days=1):
        """Release rows; return what the release shows, as (history, class, tag)."""
        self.now += timedelta(days=days)
        self.fill(rows)
        release = kanon_sql.apply(self.plan, policy=self.policy, connection=self.connection)
        return release, self.shown()

    def shown(self):
        return self.connection.execute(
            'SELECT history, "select", tag FROM "the ""release"""'
        ).fetchall()


def paths(classes, releases):
    """Every path of a row over the releases: in each it is absent, or in a class."""
    return list(product(("", *classes), repeat=releases))


def histories(number, classes, releases=4):
    """Every history of so many rows, which are alike but for their paths."""
    return list(combinations_with_replacement(paths(classes, releases), number))


def rows_at(listed, release):
    """The source at a release: the rows of all histories that are there, each with a tag of its own."""
    return [
        (f"{h} {n}", h, path[release], "v", f"{h} {n}")
        for h, of in enumerate(listed)
        for n, path in enumerate(of)
        if path[release]
    ]


def released(connection, monkeypatch, listed, k=2, **rule):
    """Release all histories at once, four releases; return what each shows."""
    runs = Runs(connection, monkeypatch, policy_of(k, **rule))
    steady = [(f"s {n}", -1, "s", "v", f"s {n}") for n in range(2 * k)]
    return [runs.release([*steady, *rows_at(listed, n)])[1] for n in range(4)]


def closed(sets):
    """Close sets, as bits of an integer, under union, intersection and difference."""
    found = set(sets)
    new = set(found)
    while new:
        made = {each for a in new for b in found for each in (a | b, a & b, a & ~b, b & ~a)} - found
        found |= made
        new = made
    return found


def isolated(releases, k):
    """The (history, class) pairs in which some set expression over the releases has 1 to k - 1 rows."""
    of = defaultdict(lambda: [0] * len(releases))
    tags = defaultdict(dict)
    for number, shown in enumerate(releases):
        for history, class_, tag in shown:
            bits = tags[history, class_]
            of[history, class_][number] |= 1 << bits.setdefault(tag, len(bits))
    return {at for at, sets in of.items() if any(0 < each.bit_count() < k for each in closed(sets))}


class RandomHistory:
    """Rows that come late, move, go, return and are replayed, of as many small tables as asked, by a seeded generator."""

    def __init__(self, random, number):
        self.random, self.number = random, number
        self.live, self.gone, self.made = (
            [{} for _ in range(number)],
            [[] for _ in range(number)],
            0,
        )

    def step(self):
        """Change every table, and return all rows."""
        for history in range(self.number):
            live, gone, draw = self.live[history], self.gone[history], self.random.random
            for tag in list(live):
                if draw() < 0.15:
                    gone.append(tag)
                    del live[tag]
                elif draw() < 0.05:
                    live[tag] = self.random.choice("ab"), self.random.choice("uvw")
            if draw() < 0.05:  # a whole class
                gone += [tag for tag in live if live[tag][0] == "a"]
                self.live[history] = live = {t: of for t, of in live.items() if of[0] != "a"}
            for _ in range(self.random.choice((0, 0, 1, 2, 4))):
                self.made += 1
                live[str(self.made)] = self.random.choice("aab"), self.random.choice("uvw")
            if gone and draw() < 0.3:  # a row that was there before
                live[gone.pop()] = self.random.choice("ab"), self.random.choice("uvw")
        return [
            (tag, history, class_, value, tag)
            for history, live in enumerate(self.live)
            for tag, (class_, value) in live.items()
        ]


def short_cells(releases, k, least):
    """Count, in plain Python, the (history, class, releases in which shown) with fewer than k rows, or too few values.

    Rows are (history, class, (tag, value)).
    """
    presence, cells = defaultdict(list), defaultdict(list)
    for number, shown in enumerate(releases):
        for row in shown:
            presence[row].append(number)
    for (history, class_, (_, value)), numbers in presence.items():
        cells[history, class_, tuple(numbers)].append(value)
    return sum(len(of) < k or len({*of}) < least for of in cells.values())
