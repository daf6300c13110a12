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

    def cuts(self, values, *, median=False):
        """Every way to cut, best first among equals: the groups that each value belongs to.

        By the median those beside it come first: with its value on the left, then on the right.
        """
        ordered = sorted(set(values), key=self.place)
        middle = sorted(values, key=self.place)[(len(values) - 1) // 2]
        at = ordered.index(middle)
        every = range(1, len(ordered))
        order = [n for n in (at + 1, at) if n in every] if median else list(every)
        beside = set(order) if median else set()
        order += [n for n in reversed(every) if n not in order]
        for rank, n in enumerate(order):
            left = set(ordered[:n])
            yield (median and n not in beside, rank), {v: v in left for v in ordered}

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

    def cuts(self, values, *, median=False):
        level = self._level(values)
        if level:
            yield (False, 0), {v: self._at(v, level - 1) for v in set(values)}

    def label(self, values):
        level = self._level(values)
        value = next(iter(values))
        return value if level == 0 else self.paths[value][level - 1]


def partition(rows, axes, fits, *, median=False):
    """Cut rows (tuples, the axes' values first) until no cut is allowable; gives lists of rows."""
    widths = [
        float(axis.weight) * float(axis.width([r[n] for r in rows])) for n, axis in enumerate(axes)
    ]
    for n in sorted(range(len(axes)), key=lambda n: (-widths[n], n)):
        if not widths[n]:
            continue
        allowable = []
        for (away, rank), groups in axes[n].cuts([r[n] for r in rows], median=median):
            parts = defaultdict(list)
            for row in rows:
                parts[groups[row[n]]].append(row)
            if all(map(fits, parts.values())):
                sizes = list(map(len, parts.values()))
                uneven = max(sizes) - min(sizes) if len(sizes) == 2 else 0
                allowable.append((away, uneven, rank, parts))
        if allowable:
            *_, parts = min(allowable, key=lambda cut: cut[:3])
            return [
                done
                for part in parts.values()
                for done in partition(part, axes, fits, median=median)
            ]
    return [rows]


def boxes(rows, axes, fits, *, median=False):
    """Give the boxes as labels, with how many rows each has."""
    found = Counter()
    for part in partition(rows, axes, fits, median=median):
        found[tuple(axis.label([r[n] for r in part]) for n, axis in enumerate(axes))] += len(part)
    return found
