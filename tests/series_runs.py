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
from kanon_sql.series import step

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


class Runs:
    """A series of a policy in one database, one call a release, whose clock stands unless it is moved."""

    def __init__(self, connection, monkeypatch, policy):
        monkeypatch.setenv("SERIES_KEY", KEY)
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        monkeypatch.setattr(step, "moment", lambda: self.now)
        self.connection, self.policy = connection, policy
        self.fill([("z", 0, "z", "v", "z")] * 20)
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
