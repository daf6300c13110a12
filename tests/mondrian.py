"""Mondrian in plain Python, by recursion over lists of rows: the oracle of the one in SQL.

Axes are lines (every value with a number, None before all) or trees (every value with its path to
the root). Nothing is shared with the product but the definition.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

STRICT = {"algorithm": "mondrian", "choose": "width", "grouping": "cuts"}
"""How a policy asks for Mondrian as it was published."""


@dataclass
class LineAxis:
    """Values in order; `measures` maps each value but None to a number.

    `every` value is there in the table; widths are of "values", "ranks" or "distinct" values.
    """

    measures: dict
    weight: Fraction = Fraction(1)
    every: frozenset = frozenset()
    by: str = "values"

    def width(self, values, by=None):
        present, by = set(values), by or self.by
        if len(present) == 1:
            return Fraction(0)
        if by == "distinct":
            return Fraction(len(present), len(self.every))
        if None in present:
            return Fraction(1)
        measures = self.measures
        if by == "ranks":
            measures = {v: n for n, v in enumerate(sorted(measures, key=measures.get))}
        at = [Fraction(measures[v]) for v in present]
        every = [Fraction(m) for m in measures.values()]
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
            right = set(ordered[n:])
            yield (median and n not in beside, rank), {v: v in right for v in ordered}

    def label(self, values):
        present = set(values)
        low, high = min(present, key=self.place), max(present, key=self.place)
        if low == high:
            return low
        return "*" if low is None else f"[{low}, {high}]"


def centre(numbers, output):
    """The mean or the median of a box's numbers to six decimals; none where any is missing."""
    if None in numbers:
        return None
    ordered, half = sorted(numbers), len(numbers) // 2
    found = Fraction(sum(ordered), len(ordered))
    if output == "median":
        found = Fraction(ordered[half] + ordered[-half - 1], 2)
    return math.floor(found * 10**6 + Fraction(1, 2)) / 10**6


def in_a_set(axis, values):
    """Give the different values as one text, in their order."""
    if set(values) == {None}:
        return None

    def escaped(value):
        return "\\N" if value is None else str(value).replace("\\", "\\\\").replace("|", "\\|")

    return "|".join(map(escaped, sorted(set(values), key=axis.place)))


def representative(axis, values, *, median):
    """Give the lower median of the known values, or the most frequent; none where most are missing."""
    known = sorted((v for v in values if v is not None), key=axis.place)
    if 2 * len(known) < len(values):
        return None
    if median:
        return known[(len(known) - 1) // 2]
    return min(known, key=lambda v: (-known.count(v), axis.place(v)))


def node_above(paths, values):
    """Give the lowest label that all values have above them, with the values that it covers of the paths."""
    present = set(values)
    if len(present) == 1:
        return next(iter(present)), present
    if None in present:
        return "*", None
    for level in range(len(paths[next(iter(present))])):
        labels = {paths[v][level] for v in present}
        if len(labels) == 1:
            (label,) = labels
            return label, {v for v in paths if v is not None and paths[v][level] == label}
    raise AssertionError("a root is above all")


@dataclass
class TreeAxis:
    """Leaves of a hierarchy: `paths` maps a value to its labels from level 1 to the root."""

    paths: dict
    weight: Fraction = Fraction(1)
    every: frozenset = frozenset()
    by: str = "values"

    def _at(self, value, level):
        return (0, value) if level == 0 else (level, self.paths[value][level - 1])

    def _level(self, values):
        height = len(next(iter(self.paths.values())))
        return next(n for n in range(height + 1) if len({self._at(v, n) for v in values}) == 1)

    def width(self, values, by=None):
        level = self._level(values)
        if level == 0:
            return Fraction(0)
        if (by or self.by) == "distinct":
            return Fraction(len(set(values)), len(self.every))
        label = {self._at(v, level) for v in values}
        under = sum(self._at(v, level) in label for v in self.paths)
        return Fraction(under, len(self.paths))

    def place(self, value):
        """Where a value's path from the root stands, siblings by the bytes of their texts."""
        labels = [*reversed(self.paths[value]), value]
        return tuple((label is not None, str(label).encode()) for label in labels)

    def cuts(self, values, *, median=False):
        level = self._level(values)
        if level:
            yield (False, 0), {v: self._at(v, level - 1) for v in set(values)}

    def label(self, values):
        level = self._level(values)
        value = next(iter(values))
        return value if level == 0 else self.paths[value][level - 1]


@dataclass
class Table:
    """What a recursion is of: axes, what fits, and how cuts are chosen; rows are tuples.

    The axes' values come first in a row, `target` is the place of the target in it. Where lines are
    `dealt`, it orders rows beyond their places. Parts of at most `leaf` rows are not cut.
    """

    axes: list
    fits: object
    median: bool = False
    dealt: object = None
    choose: str = "width"
    target: int | None = None
    halved: bool = True
    leaf: int = 0

    def widths(self, rows):
        return [
            float(axis.weight) * float(axis.width([r[n] for r in rows]))
            for n, axis in enumerate(self.axes)
        ]

    def allowable(self, rows, n):
        """Every allowable cut of an axis: its parts, and what it is preferred by among these."""
        if self.halved and self.dealt is not None and isinstance(self.axes[n], LineAxis):
            parts = self.halves(rows, n)
            if all(map(self.fits, parts)):
                yield (), parts
            return
        for (away, rank), groups in self.axes[n].cuts([r[n] for r in rows], median=self.median):
            parts = defaultdict(list)
            for row in rows:
                parts[groups[row[n]]].append(row)
            if all(map(self.fits, parts.values())):
                sizes = list(map(len, parts.values()))
                uneven = max(sizes) - min(sizes) if len(sizes) == 2 else 0
                yield (away, uneven, rank), list(parts.values())

    def halves(self, rows, n):
        """The lower half of the rows, rounded up, and the others, in the order of an axis and then all."""
        ordered = sorted(
            rows,
            key=lambda row: (
                self.axes[n].place(row[n]),
                *(axis.place(row[m]) for m, axis in enumerate(self.axes)),
                self.dealt(row),
            ),
        )
        half = (len(rows) + 1) // 2
        return [ordered[:half], ordered[half:]]

    def score(self, rows, parts, n):
        """How bad a cut of an axis is."""
        if self.choose == "loss":
            return sum(len(part) * self.loss(part) for part in parts)
        targets = [[row[self.target] for row in part] for part in parts]
        if self.choose == "information":
            return sum(map(unsaid, targets))
        line = isinstance(self.axes[n], LineAxis)
        return -explained([row[self.target] for row in rows], targets, line=line)

    def loss(self, rows):
        """The widths of a side, in whole parts of one; fewer where weights are large."""
        heaviest = max([axis.weight for axis in self.axes])
        unit = 10**9 if heaviest <= 1 else 10**9 // math.ceil(heaviest)
        total = 0.0
        for width in self.widths(rows):
            total += width
        return math.floor(total * unit + 0.5)

    def cut(self, rows):
        """The parts of the cut that is chosen; None where none is allowable."""
        _, parts = self.chosen(rows)
        return parts

    def chosen(self, rows):
        """The axis of the cut that is chosen, and its parts."""
        widths = self.widths(rows)
        found = []
        for n in sorted(range(len(self.axes)), key=lambda n: (-widths[n], n)):
            cuts = list(self.allowable(rows, n)) if widths[n] else []
            if cuts and self.choose == "width":
                return n, min(cuts, key=lambda cut: cut[0])[1]
            for rule, parts in cuts:
                found.append(((self.score(rows, parts, n), -widths[n], n, *rule), parts))
        if not found:
            return None, None
        (_, _, n, *_), parts = min(found, key=lambda cut: cut[0])
        return n, parts


def ln(count):
    """A natural logarithm to nine places."""
    return Decimal(math.log(count)).quantize(Decimal("1e-9")) if count else Decimal(0)


def unsaid(targets):
    """Rows times the entropy of their classes, in nats."""
    counts = Counter(targets).values()
    return len(targets) * ln(len(targets)) - sum(n * ln(n) for n in counts)


def steps(numbers):
    """Each number as whole steps, of which there are 10^9 from the least to the greatest."""
    known = [number for number in numbers if number is not None]
    low, length = (min(known), (max(known) - min(known)) or 1) if known else (0, 1)
    return [None if n is None else math.floor((n - low) / length * 10**9 + 0.5) for n in numbers]


def explained(every, parts, *, line):
    """The share of a target's squares that lie between parts, of all that could, in 10^-12.

    Numbers are shares of the way from the least to the greatest. Of the two sides of a line it is
    one product, of the branches of a tree a sum of rounded squares.
    """
    every = [number for number in every if number is not None]
    parts = [found for part in parts if (found := [n for n in part if n is not None])]
    if not parts or (line and len(parts) < 2):
        return 0
    low, length = min(every), (max(every) - min(every)) or 1
    means = [sum(n - low for n in part) / len(part) / length for part in parts]
    shares = [len(part) / len(every) for part in parts]
    if line:
        away = means[0] - means[1]
        return math.floor(shares[0] * shares[1] * away * away * 10**12 + 0.5)
    mean = sum(n - low for n in every) / len(every) / length
    return sum(
        math.floor(share * (own - mean) * (own - mean) * 10**12 + 0.5)
        for share, own in zip(shares, means, strict=True)
    )


def partition(rows, axes, fits, **options):
    """Cut rows until no cut is allowable; gives lists of rows."""
    return partitioned(rows, Table(axes, fits, **options))


def partitioned(rows, table):
    parts = None if len(rows) <= table.leaf else table.cut(rows)
    if parts is None:
        return [rows]
    return [done for part in parts for done in partitioned(part, table)]


def boxes(rows, axes, fits, **options):
    """Give the boxes as labels, with how many rows each has."""
    found = Counter()
    for part in partition(rows, axes, fits, **options):
        found[tuple(axis.label([r[n] for r in part]) for n, axis in enumerate(axes))] += len(part)
    return found
