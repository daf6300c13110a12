"""First cuts on a sample of the rows in plain Python: the oracle of those in SQL.

A tuple's rows are sampled by a number of its coordinates; all rows are led along the cuts of the sample one by one. Nothing
is shared with the product but the definition.
"""

from __future__ import annotations

from collections import Counter

import mondrian

PRIME, MIXER = 2147483647, 1103515245
FIRST_FACTOR, PRIME_OF_FACTORS = 48271, 1048573


def share(coordinates, rows, one_in):
    """The sampled rows of a tuple: its whole share, and one more where its number is among the rest of it."""
    number, factor = 0, FIRST_FACTOR
    for coordinate in coordinates:
        number += (coordinate + 1) * factor
        factor = factor * FIRST_FACTOR % PRIME_OF_FACTORS
    number = number % PRIME * MIXER % PRIME
    return (rows + number % one_in) // one_in


def sample(rows, table, one_in):
    """The sampled ones of the rows."""
    ranks = []
    for n, axis in enumerate(table.axes):
        known = sorted({axis.place(row[n]) for row in rows if row[n] is not None})
        ranks.append({axis.place(None): -1, **{place: at for at, place in enumerate(known)}})

    def coordinates(row):
        return tuple(ranks[n][axis.place(row[n])] for n, axis in enumerate(table.axes))

    left = {at: share(at, many, one_in) for at, many in Counter(map(coordinates, rows)).items()}
    found = []
    for row in rows:
        at = coordinates(row)
        if left[at]:
            found.append(row)
            left[at] -= 1
    return found


def leaves(rows, sampled, table, smallest):
    """The leaves of rows: cut as the sample is while that has the smallest number of rows, and then as all rows are."""
    n, parts = (None, None) if len(sampled) < smallest else table.chosen(sampled)
    if parts is None:
        return mondrian.partitioned(rows, table)
    place = table.axes[n].place
    low, high = sorted(parts, key=lambda part: max(place(row[n]) for row in part))
    bound = max(place(row[n]) for row in low)
    below = [row for row in rows if place(row[n]) <= bound]
    beyond = [row for row in rows if place(row[n]) > bound]
    assert table.fits(below), "a side has at least the rows that it has in the sample"
    assert table.fits(beyond), "a side has at least the rows that it has in the sample"
    return leaves(below, low, table, smallest) + leaves(beyond, high, table, smallest)
