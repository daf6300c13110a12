"""Top-down specialization in plain Python: each round counts every candidate anew, on the rows.

Shares no code with the product. Gains are as the product says that they are: logarithms of nine
places, summed exactly, the gain in bits a row of eight; or without a target the loss that is removed, of widths in
thousand-millionths. Scores are fractions.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor, log

from cutting import VALUES, Node, measure


def _n_log_n(counts):
    return sum(count * Fraction(round(log(count) * 10**9), 10**9) for count in counts)


def _classes(rows):
    return Counter(target for _, target, *_ in rows).values()


def gain(parts):
    """What knowing the part tells of the class, of rows that are divided into parts."""
    parts = [part for part in parts if part]
    rows = [row for part in parts for row in part]
    whole = _n_log_n([len(rows)]) - _n_log_n(_classes(rows))
    within = sum(_n_log_n([len(part)]) - _n_log_n(_classes(part)) for part in parts)
    in_bits = float(whole - within) / len(rows) / log(2)
    return Fraction(round(in_bits * 10**8), 10**8)


def inside(rows, at, node):
    return [row for row in rows if node.low <= row[0][at] <= node.high]


def width(given, at, rows):
    """The width of what covers some rows in a column, in thousand-millionths of the whole column's."""
    there = {row[0][at] for row in rows}
    if len(there) < 2:
        return 0
    if given.trees[at] is not None:
        return floor(_covering(given.roots[at], there) / (given.roots[at].high + 1) * 10**9 + 0.5)
    if min(there) < 0:
        return 10**9
    every = [measure(row[0][at]) for row in given.rows if row[0][at] >= 0]
    span = measure(max(there)) - measure(min(there))
    return floor(span / (max(every) - min(every)) * 10**9 + 0.5)


def _covering(node, places):
    """The leaves under the lowest node that covers some places."""
    for child in node.children:
        if all(child.low <= place <= child.high for place in places):
            return _covering(child, places)
    return node.high - node.low + 1


def _loss(given, at, rows):
    return len(rows) * width(given, at, rows)


def removed(given, at, parts):
    """The loss that rows have less of when they are divided into parts, as a share of all cells."""
    parts = [part for part in parts if part]
    whole = _loss(given, at, [row for part in parts for row in part])
    within = sum(_loss(given, at, part) for part in parts)
    return Fraction(whole - within, 10**9 * len(given.rows) * len(given.trees))


def gain_of(given, at, parts, form):
    return removed(given, at, parts) if form == "loss" else gain(parts)


def children(given, at, node, form="gain_per_loss"):
    """The children of a part: a tree's are given, a line's are the halves of the best split."""
    if given.trees[at] is not None:
        return node.children
    rows = inside(given.rows, at, node)
    there = sorted({row[0][at] for row in rows})
    fewest = max([k for columns, k, *_ in given.requirements if at in columns], default=1)
    best, halves = None, ()
    for place in there[:-1]:
        pair = (Node(node.low, place, 0), Node(place + 1, node.high, 0))
        counts = [inside(rows, at, half) for half in pair]
        if form == "loss":
            if min(map(len, counts)) < fewest:
                continue
            told = removed(given, at, counts)
        else:
            told = (
                _n_log_n([len(rows)])
                - _n_log_n(_classes(rows))
                - sum(_n_log_n([len(part)]) - _n_log_n(_classes(part)) for part in counts)
            )
        if best is None or told > best:
            best, halves = told, pair
    return halves


def counted(given, rows, of):
    """What a requirement counts of a class: rows, persons, or the values that are known."""
    if of == [VALUES]:
        return len({row[3] for row in rows} - {None})
    return len({row[2] for row in rows}) if given.entity else len(rows)


def smallest(given, cut, columns, *of):
    """A(QID): the smallest class over some columns."""
    crowds = {}
    for row in given.rows:
        key = tuple(
            next(node for node in cut[at] if node.low <= row[0][at] <= node.high) for at in columns
        )
        crowds.setdefault(key, []).append(row)
    return min(counted(given, rows, [*of]) for rows in crowds.values())


def all_smallest(given, cut):
    return tuple(smallest(given, cut, columns, *of) for columns, _, *of in given.requirements)


def holds(given, sizes):
    return all(size >= k for size, (_, k, *_) in zip(sizes, given.requirements, strict=True))


def score_of(form, told, loss):
    if form == "gain":
        return told
    if form == "gain_per_loss_plus_one":
        return told / (loss + 1)
    return told / loss if loss else told


def candidates(given, cut, form="gain_per_loss", average="affected"):
    """Every part that could be specialized: what it tells and loses, its score, and if it is valid."""
    before = all_smallest(given, cut)
    for at, parts in enumerate(cut):
        for node in parts:
            below = children(given, at, node, form)
            if not below:
                continue
            told = gain_of(given, at, [inside(given.rows, at, child) for child in below], form)
            new = [*cut[:at], [*(p for p in parts if p is not node), *below], *cut[at + 1 :]]
            after = all_smallest(given, new)
            held = [at in columns for columns, *_ in given.requirements]
            over = len(held) if average == "all" else sum(held)
            drop = sum(b - a for b, a in zip(before, after, strict=True))
            loss = Fraction(drop, over) if over else Fraction(0)
            scored = score_of(form, told, loss)
            yield {
                "at": at, "node": node, "information": told, "anonymity": loss, "score": scored,
                "after": after, "valid": holds(given, after), "cut": new,
            }  # fmt: skip


def top_down(given, form="gain_per_loss", average="affected"):
    """The steps and the last cut; None where whole columns are too small."""
    cut = [[root] for root in given.roots]
    if not holds(given, all_smallest(given, cut)):
        return None
    steps = []
    while True:
        able = [
            each
            for each in candidates(given, cut, form, average)
            if each["valid"] and each["information"] > 0
        ]
        if not able:
            return steps, cut
        best = min(able, key=lambda each: (-each["score"], each["at"], each["node"].low))
        steps.append(best)
        cut = best["cut"]
