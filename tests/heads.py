"""Heads of K-Optimize in plain Python: what the statements and the search must find.

Shares with the product the types of the answers alone. A head is a set of (column, place) pairs
here, and a class the rows whose places lie between the same ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations

from kanon_sql.recoding.single_dimensional.heads import Child, ExpandedNode, HeadCosts


@dataclass
class Table:
    """Rows of places, each with a target, an entity and a sensitive value; and what is asked."""

    rows: list
    ends: list
    k: int
    max_suppressed: int
    targets: int = 0
    entity: bool = False
    diversity: int = 0

    @property
    def letters(self):
        return [(c, p) for c, (a, b) in enumerate(self.ends) for p in range(a + 1, b + 1)]

    def head(self, bits):
        return {letter for n, letter in enumerate(self.letters) if bits >> n & 1}

    def classes(self, head):
        cuts = [sorted(p for c, p in head if c == column) for column in range(len(self.ends))]
        found = defaultdict(list)
        for row in self.rows:
            parts = (bisect_right(own, p) for own, p in zip(cuts, row["places"], strict=True))
            found[tuple(parts)].append(row)
        return list(found.values())

    def fits(self, members):
        size = len({r["entity"] for r in members}) if self.entity else len(members)
        return size >= self.k and len({r["value"] for r in members}) >= self.diversity

    def kept_cost(self, members):
        if self.targets:
            return len(members) - max(Counter(r["target"] for r in members).values())
        return len(members) ** 2

    def cost(self, head):
        """The cost, and the rows that are suppressed."""
        each = 1 if self.targets else len(self.rows)
        cost = gone = 0
        for members in self.classes(head):
            if self.fits(members):
                cost += self.kept_cost(members)
            else:
                gone += len(members)
                cost += each * len(members)
        return cost, gone

    def bound(self, head, allset):
        """Class by class: what its rows cost in classes as small as those of the allset and as k
        allow, or in as many classes of k rows as there can be, as even as they can be."""
        least = max(self.k, self.diversity)
        each = 1 if self.targets else len(self.rows)
        finest = {id(r): members for members in self.classes(allset) for r in members}
        total = 0
        for members in self.classes(head):
            size = len(members)
            tuples = {id(finest[id(r)]): finest[id(r)] for r in members}.values()
            if not self.fits(members):
                total += each * size
            elif self.targets:
                total += sum(map(self.kept_cost, tuples))
            else:
                own = sum(len(rows) * max(len(rows), least) for rows in tuples)
                parts = size // least
                sizes = [size // parts + (n < size % parts) for n in range(parts)]
                even = sum(part**2 for part in sizes)
                total += max(own, even) if 2 * (size // parts) < each else own
        return total

    def subsets(self):
        letters = self.letters
        for size in range(len(letters) + 1):
            yield from map(set, combinations(letters, size))

    def optimum(self):
        """The least cost of a feasible head, or None."""
        costs = (self.cost(head) for head in self.subsets())
        return min((cost for cost, gone in costs if gone <= self.max_suppressed), default=None)

    def load(self, connection, name="places"):
        """Write the places down as the working table that the statements read."""
        named = [f"place_{n}" for n in range(len(self.ends))]
        extra = [
            *(["target"] if self.targets else []),
            *(["entity"] if self.entity else []),
            *(["spread_0"] if self.diversity else []),
        ]
        keys = {"target": "target", "entity": "entity", "spread_0": "value"}
        counts = Counter(
            (*row["places"], *(row[keys[column]] for column in extra)) for row in self.rows
        )
        columns = ", ".join(f"{column} INTEGER" for column in [*named, *extra])
        connection.execute(f"CREATE TEMP TABLE {name} ({columns}, row_count BIGINT)")
        marks = ", ".join("?" for _ in range(len(named) + len(extra) + 1))
        connection.executemany(
            f"INSERT INTO {name} VALUES ({marks})", [[*key, n] for key, n in counts.items()]
        )


class PythonCutter:
    """Answers as KOptimizeTable by counting rows; late after so many questions."""

    def __init__(self, table, *, batch=3, questions=None):
        self.table = table
        self.max_suppressed = table.max_suppressed
        self.batch = batch
        self.left = questions
        self.asked = 0
        columns = [0] * len(table.ends)
        for number, (column, _) in enumerate(table.letters):
            columns[column] |= 1 << number
        self.columns = tuple(columns)

    def _costs(self, head, allset):
        table = self.table
        cost, gone = table.cost(table.head(head))
        return HeadCosts(cost, gone, table.bound(table.head(head), table.head(allset)))

    def cost(self, heads, allset):
        assert all(head & ~allset == 0 for head in heads)
        return [self._costs(head, allset) for head in heads]

    def open(self, nodes):
        return [self._open(*node) for node in nodes]

    def _open(self, head, tail):
        children = []
        for n, letter in enumerate(self.table.letters):
            if tail >> n & 1 and (child := self._child(head, tail, n, letter)).splits:
                children.append(child)
        return ExpandedNode(self._costs(head, head | tail), children)

    def _child(self, head, tail, number, letter):
        column, place = letter
        splits, useless = 0, True
        for members in self.table.classes(self.table.head(head)):
            if not self.table.fits(members):
                continue
            low = [r for r in members if r["places"][column] < place]
            high = [r for r in members if r["places"][column] >= place]
            if low and high:
                splits += 1
                useless = useless and not self.table.fits(low) and not self.table.fits(high)
        return Child(number, splits, useless, self._costs(head | 1 << number, head | tail))

    def late(self):
        self.asked += 1
        return self.left is not None and self.asked > self.left
