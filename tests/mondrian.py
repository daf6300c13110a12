"""Mondrian in plain Python, by recursion over lists of rows: the oracle of the one in SQL.

Axes are lines (every value with a number, None before all) or trees (every value with its path to
the root). Nothing is shared with the product but the definition.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction


@dataclass
class LineAxis:
    """Values in order; `measures` maps each value but None to a number."""

    measures: dict
    weight: Fraction = Fraction(1)

    def width(self, values):
        present = set(values)
        if len(present) == 1:
            return Fraction(0)
        if None in present:
            return Fraction(1)
        at = [Fraction(self.measures[v]) for v in present]
        every = [Fraction(m) for m in self.measures.values()]
        return (max(at) - min(at)) / (max(every) - min(every))

    def place(self, value):
        return (0, 0) if value is None else (1, self.measures[value])

    def cuts(self, values):
        """Every way to cut: the groups that each value belongs to."""
        ordered = sorted(set(values), key=self.place)
        for n in range(1, len(ordered)):
            left = set(ordered[:n])
            yield self.place(ordered[n - 1]), {v: v in left for v in ordered}

    def label(self, values):
        present = set(values)
        low, high = min(present, key=self.place), max(present, key=self.place)
        if low == high:
            return low
        return "*" if low is None else f"[{low}, {high}]"


@dataclass
class TreeAxis:
    """Leaves of a hierarchy: `paths` maps a value to its labels from level 1 to the root."""

    paths: dict
    weight: Fraction = Fraction(1)

    def _at(self, value, level):
        return (0, value) if level == 0 else (level, self.paths[value][level - 1])

    def _level(self, values):
        height = len(next(iter(self.paths.values())))
        return next(n for n in range(height + 1) if len({self._at(v, n) for v in values}) == 1)

    def width(self, values):
        level = self._level(values)
        if level == 0:
            return Fraction(0)
        label = {self._at(v, level) for v in values}
        under = sum(self._at(v, level) in label for v in self.paths)
        return Fraction(under, len(self.paths))

    def cuts(self, values):
        level = self._level(values)
        if level:
            yield (0, 0), {v: self._at(v, level - 1) for v in set(values)}

    def label(self, values):
        level = self._level(values)
        value = next(iter(values))
        return value if level == 0 else self.paths[value][level - 1]


def partition(rows, axes, fits):
    """Cut rows (tuples, the axes' values first) until no cut is allowable; gives lists of rows."""
    widths = [
        float(axis.weight) * float(axis.width([r[n] for r in rows])) for n, axis in enumerate(axes)
    ]
    for n in sorted(range(len(axes)), key=lambda n: (-widths[n], n)):
        if not widths[n]:
            continue
        allowable = []
        for place, groups in axes[n].cuts([r[n] for r in rows]):
            parts = defaultdict(list)
            for row in rows:
                parts[groups[row[n]]].append(row)
            if all(map(fits, parts.values())):
                sizes = list(map(len, parts.values()))
                allowable.append((max(sizes) - min(sizes) if len(sizes) == 2 else 0, place, parts))
        if allowable:
            _, _, parts = min(allowable, key=lambda cut: cut[:2])
            return [done for part in parts.values() for done in partition(part, axes, fits)]
    return [rows]


def boxes(rows, axes, fits):
    """Give the boxes as labels, with how many rows each has."""
    found = Counter()
    for part in partition(rows, axes, fits):
        found[tuple(axis.label([r[n] for r in part]) for n, axis in enumerate(axes))] += len(part)
    return found
