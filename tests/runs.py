"""Grouping by order in plain Python, row by row: the oracle of the one in SQL.

A leaf's rows are sorted one by one, and the best runs of a section are found by trying every boundary. Nothing is
shared with the product but the definition.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

STEPS = 10


def in_order(rows, table, *, values=(), by_count=False):
    """The rows of a leaf in its reflected order; those that differ in no coordinate by what else they have.

    `values` says how many different values of each axis the whole table has.
    """
    places = [[axis.place(row[n]) for row in rows] for n, axis in enumerate(table.axes)]
    local = [{place: n for n, place in enumerate(sorted(set(each)))} for each in places]

    def rule(n):
        if by_count:
            return len(local[n]), n
        pairs = table.axes[n].weight * sum(many * many for many in Counter(places[n]).values())
        return -pairs / math.sqrt(max(values[n] - 1, 1)), len(local[n]), n

    order = sorted(range(len(local)), key=rule)

    def key(row):
        digits, odd = [], 0
        for n in order:
            rank = local[n][table.axes[n].place(row[n])]
            digit = len(local[n]) - 1 - rank if odd else rank
            odd = (odd * len(local[n]) + digit) % 2
            digits.append(digit)
        return digits

    return sorted(rows, key=lambda row: (key(row), table.dealt(row)))


def alike(table):
    """What the rows of one tuple share."""
    places = table.axes

    def of(row):
        return tuple(axis.place(row[n]) for n, axis in enumerate(places)), table.dealt(row)

    return of


def in_parts(rows, many, table):
    """As many parts of nearly equal size; those that one tuple fills, between two that it reaches into, are one."""
    narrow, wide = divmod(len(rows), many)
    part_of = [n for n in range(many) for _ in range(narrow + (n < wide))]
    tuple_of = list(map(alike(table), rows))
    first, last = {}, {}
    for part, each in zip(part_of, tuple_of, strict=True):
        first.setdefault(each, part)
        last[each] = part
    parts = {}
    for row, part, each in zip(rows, part_of, tuple_of, strict=True):
        inside = first[each] < part < last[each]
        parts.setdefault(first[each] + 1 if inside else part, []).append(row)
    return [parts[part] for part in sorted(parts)]


def best_runs(rows, least, table):
    """The runs of a section that lose least of those with a boundary at the end of a step."""
    if len(set(map(alike(table), rows))) == 1:
        return [rows]
    many = max(len(rows) // least, 1)
    assert len(rows) >= least, "sections hold a run, as leaves have at least four"
    slack = len(rows) - many * least
    steps = min(slack, STEPS)
    moved = [slack * step // steps if steps else 0 for step in range(steps + 1)]
    heaviest = max(axis.weight for axis in table.axes)
    unit = 10**9 if heaviest <= 1 else 10**9 // math.ceil(heaviest)
    unit = max(unit // 1000, 1)

    def part(block, low, high):
        return rows[block * least + moved[low] : (block + 1) * least + moved[high]]

    @cache
    def loss(block, low, high):
        found, total = part(block, low, high), 0.0
        for width in table.widths(found):
            total += width
        return len(found) * math.floor(total * unit + 0.5)

    @cache
    def best(start, end, low, high):
        """The least loss from one boundary to another, with the boundaries in between: the first in the middle."""
        if end - start == 1:
            return loss(start, low, high), ()
        half = 1 << (end - start - 1).bit_length() - 1
        found = []
        for step in range(low, high + 1):
            one, before = best(start, start + half, low, step)
            other, behind = best(start + half, end, step, high)
            found.append((one + other, step, (*before, step, *behind)))
        total, _, bounds = min(found)
        return total, bounds

    bounds = (0, *best(0, many, 0, steps)[1], steps)
    return [part(n, bounds[n], bounds[n + 1]) for n in range(many)]


def merged(runs, fits):
    """Runs with their neighbours until all fit: two by two, and more at once after eight rounds."""
    for reach in (*[1] * 8, *(2**n for n in range(1, 32))):
        failing = [not fits(run) for run in runs]
        if not any(failing):
            return runs
        groups, streak = [], 0
        for n, (run, fails) in enumerate(zip(runs, failing, strict=True)):
            before = streak
            streak = streak + 1 if fails else 0
            joins = fails and n == len(runs) - 1
            if reach == 1:
                joins |= streak % 2 == 0 if fails else before % 2 == 1
            else:
                joins |= any(failing[max(n - reach, 0) : n])
            if groups and joins:
                groups[-1] += run
            else:
                groups.append(list(run))
        runs = groups
    raise AssertionError("the rows of a leaf do not fit together")


def values_of(rows, table):
    """How many different values a whole table has on each axis."""
    return [len({axis.place(row[n]) for row in rows}) for n, axis in enumerate(table.axes)]


def grouped(leaf, table, *, values, least, most, least_loss, by_count=False):
    """The runs of one leaf of a table that has so many `values` on each axis."""
    rows = in_order(leaf, table, values=values, by_count=by_count)
    if least_loss:
        sections = in_parts(rows, -(-len(rows) // most), table)
        runs = [run for section in sections for run in best_runs(section, least, table)]
    else:
        runs = in_parts(rows, max(len(rows) // least, 1), table)
    return merged(runs, table.fits)
