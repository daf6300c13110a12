"""Algorithms that promise no optimum, once more in plain Python on the rows, as their papers tell them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction

from hypothesis import strategies as st
from oracle import Problem, aggregated, trees


def values(problem, node):
    """The distinct values of each column, counted on the generalized rows."""
    rows = [problem.generalized(row, node) for row in problem.rows]
    return tuple(len({row[column] for row in rows}) for column in range(len(node)))


def raised(node, column):
    return (*node[:column], node[column] + 1, *node[column + 1 :])


def by_datafly(problem):
    """Sweeney's loop: the nodes it saw, and the rows it suppresses; None if it finds no end."""
    node = tuple(0 for _ in problem.tops)
    seen = []
    while True:
        seen.append(node)
        gone = problem.enforced(node)
        stops = problem.outcome(node).suppressed <= min(problem.k, problem.max_suppressed)
        if stops and len(gone) <= problem.max_suppressed and len(gone) < len(problem.rows):
            return seen, gone
        counts = values(problem, node)
        below = [c for c, top in enumerate(problem.tops) if node[c] < top]
        if not below:
            return None
        most = max(counts[c] for c in below)
        node = raised(node, next(c for c in below if counts[c] == most))


def by_greed(problem, order):
    """The nodes that the fixed order saw, or None if not even the last is feasible."""
    node = tuple(0 for _ in problem.tops)
    seen = [node]
    rest = [c for c in range(len(problem.tops)) if c not in order]
    for column in [*order, *rest]:
        while seen[-1] not in problem.feasible and node[column] < problem.tops[column]:
            node = raised(node, column)
            seen.append(node)
    return seen if node in problem.feasible else None


def way_of(problem, order):
    """The fixed order from bottom to top: the nodes that records go along, each for itself."""
    node = tuple(0 for _ in problem.tops)
    nodes = [node]
    for column in [*order, *(c for c in range(len(problem.tops)) if c not in order)]:
        for _ in range(problem.tops[column]):
            node = raised(node, column)
            nodes.append(node)
    return nodes


def record_by_record(problem, nodes):
    """Where each row is released: at the first node at which its class fits among those left."""
    at, left = {}, set(range(len(problem.rows)))
    for node in nodes:
        classes = defaultdict(list)
        for i in left:
            classes[problem.generalized(problem.rows[i], node)].append(i)
        for rows in classes.values():
            if problem.fits(rows, problem.k, problem.l):
                at.update(dict.fromkeys(rows, node))
        left -= set(at)
    return at


def told(problem, seen):
    """What steps show of nodes: distinct values, and rows in classes too small."""
    return [(values(problem, node), problem.outcome(node).suppressed) for node in seen]


def family_of(width, ranks=None):
    """The combinations that mu-Argus tests: one column of each of two or three of its nested sets."""
    ranks = ranks or [2] * width
    identifying, more, most = ({c for c in range(width) if ranks[c] >= least} for least in range(3))
    pairs = {
        frozenset((a, b))
        for one, other in ((identifying, more), (identifying, most), (more, most))
        for a in one
        for b in other
        if a != b
    }
    triples = {frozenset((a, b, c)) for a in identifying for b in more for c in most}
    return sorted(sorted(each) for each in pairs | triples if len(each) >= 2)


class ByMuArgus:
    """mu-Argus on the rows: levels, the outliers of each row, its blanks, and what falls short then."""

    def __init__(self, problem, start=None, ranks=None):
        width = len(problem.tops)
        self.problem = problem
        self.node = None
        node = list(start or (0,) * width)
        for column in range(width):
            while self.rare(node, (column,)):
                if node[column] == problem.tops[column]:
                    return
                node[column] += 1
        self.node = tuple(node)
        told = values(problem, self.node)
        self.family = family_of(width, ranks)
        self.outliers = {
            tuple(each): self.rare(self.node, each)
            for each in self.family
            if all(told[c] > 1 for c in each)
        }
        everyone = range(len(problem.rows))
        of = {i: [c for c, rows in self.outliers.items() if i in rows] for i in everyone}
        self.blanked = {i: self.blanks(of[i]) for i in everyone}
        self.shown = [self.show(i) for i in everyone]
        classes = defaultdict(list)
        for i, row in enumerate(self.shown):
            classes[row].append(i)
        short = [rows for rows in classes.values() if not problem.fits(rows, problem.k, problem.l)]
        self.short = {i for rows in short for i in rows}
        self.classes = {row: rows for row, rows in classes.items() if rows not in short}

    def rare(self, node, columns):
        """The rows whose values of some columns, together, do not fit; with how many such values."""
        classes = defaultdict(list)
        for i, row in enumerate(self.problem.rows):
            labels = self.problem.generalized(row, node)
            classes[tuple(labels[c] for c in columns)].append(i)
        fits = lambda rows: self.problem.fits(rows, self.problem.k, self.problem.l)  # noqa: E731
        self.values = sum(not fits(rows) for rows in classes.values())
        return {i for rows in classes.values() if not fits(rows) for i in rows}

    @staticmethod
    def blanks(outliers):
        """Blank the column in most of the remaining outliers, the first of equals, until none remains."""
        gone = set()
        while left := [each for each in outliers if gone.isdisjoint(each)]:
            counts = Counter(c for each in left for c in each)
            gone.add(min(counts, key=lambda c: (-counts[c], c)))
        return gone

    def levels(self, i):
        """The levels that a row is shown at: a blanked cell is under its root."""
        tops = self.problem.tops
        return [tops[c] if c in self.blanked[i] else at for c, at in enumerate(self.node)]

    def show(self, i):
        return self.problem.generalized(self.problem.rows[i], self.levels(i))

    def cost(self, search):
        """What the release costs: row by row, a suppressed one lying at the node, or wholly gone."""
        problem, count = self.problem, len(self.problem.rows)
        kept = [i for i in range(count) if i not in self.short]
        match search["metric"]:
            case "height":
                heights = [sum(self.levels(i)) for i in kept] + [sum(self.node)] * len(self.short)
                return (sum(heights) / count,)
            case "distortion":
                width = len(problem.tops)
                shares = [
                    Fraction(at, top)
                    for i in kept
                    for at, top in zip(self.levels(i), problem.tops, strict=True)
                ]
                return (float((sum(shares) + width * len(self.short)) / (width * count)),)
            case "loss":
                losses = [self.column_loss(c, kept) for c in range(len(problem.tops))]
                return aggregated(losses, search.get("aggregate", "geometric_mean"))
            case "discernibility":
                squares = sum(len(rows) ** 2 for rows in self.classes.values())
                return (float(squares + count * len(self.short)),)
            case "class_size":
                return (count / (len(self.classes) + (1 if self.short else 0)),)
        counted = search.get("suppressed") == "counted"
        is_share = search["metric"] == "normalized_entropy"
        return (self.normalized_entropy() if is_share else self.entropy(counted=counted),)

    def column_loss(self, column, kept):
        problem, domain = self.problem, len(self.problem.hierarchies[column])
        if domain <= 1:
            return Fraction(0)
        hidden = [
            problem.leaves(column, problem.rows[i][column], self.levels(i)[column]) - 1
            for i in kept
        ]
        whole = (domain - 1) * len(self.short)
        return Fraction(sum(hidden) + whole, (domain - 1) * len(problem.rows))

    def entropy(self, *, counted):
        """Bits lost: of how many rows with the released label its value is one, in the source."""
        columns = range(len(self.problem.tops))
        bits = sum(lost for lost, _ in map(self.bits, columns))
        if not counted:
            return bits
        for column in columns:
            left = Counter(
                self.problem.label(column, self.problem.rows[i][column], self.node[column])
                for i in self.short
            )
            bits += sum(c * math.log2(len(self.short) / c) for c in left.values())
        return bits

    def normalized_entropy(self):
        """The mean over the columns of the bits lost, as a share of those lost where all rows are one."""
        shares = [
            lost / whole if whole else 0.0
            for lost, whole in map(self.bits, range(len(self.problem.tops)))
        ]
        return sum(shares) / len(shares)

    def bits(self, column):
        """The bits that a column loses, and those that it has."""
        problem, lost, whole = self.problem, 0.0, 0.0
        labels = [
            Counter(problem.label(column, row[column], at) for row in problem.rows)
            for at in range(problem.tops[column] + 1)
        ]
        for i, row in enumerate(problem.rows):
            at = self.node[column] if i in self.short else self.levels(i)[column]
            own = labels[0][row[column]]
            lost += math.log2(labels[at][problem.label(column, row[column], at)] / own)
            whole += math.log2(len(problem.rows) / own)
        return lost, whole


@st.composite
def combinations(draw):
    """Tables whose single values are frequent and whose combinations often are not."""
    width = draw(st.integers(2, 4))
    columns = [[*"ab", None], [1, 2], [*"xyz"], [*"pq"]][:width]
    hierarchies = [draw(trees(values)) for values in columns]
    cell = st.tuples(*(st.sampled_from(values) for values in columns))
    rows = draw(st.lists(cell, min_size=6, max_size=40))
    k = draw(st.integers(2, 3))
    people = draw(st.none() | st.lists(st.integers(0, 12), min_size=40, max_size=40))
    spread = draw(st.none() | st.lists(st.sampled_from("uvw"), min_size=40, max_size=40))
    return Problem(
        rows,
        hierarchies,
        k,
        draw(st.integers(0, len(rows))),
        people and people[: len(rows)],
        spread and spread[: len(rows)],
        draw(st.integers(1, 2)) if spread else 1,
    )


@st.composite
def crowds(draw):
    """Tables of a few classes, most as large as k and of one size, and some rows beside them."""
    columns = [["a", "b", "ä", "Z", None], [3, 10, 200]]
    hierarchies = [draw(trees(values)) for values in columns]
    k = draw(st.integers(2, 5))
    cell = st.tuples(*(st.sampled_from(values) for values in columns))
    classes = draw(st.lists(cell, min_size=3, max_size=8, unique=True))
    rows = []
    for at, each in enumerate(classes):
        rows += [each] * draw(st.integers(1, 2) if at < 2 else st.integers(k, k + 1))
    person = st.sampled_from((1, 2, 30)).flatmap(lambda most: st.integers(0, most))
    people = draw(st.none() | st.lists(person, min_size=len(rows), max_size=len(rows)))
    limit = draw(st.integers(0, len(rows)))
    return Problem(rows, hierarchies, k, limit, people)
