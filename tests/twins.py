"""Algorithms that promise no optimum, once more in plain Python on the rows, as their papers tell them."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import strategies as st
from oracle import Problem, trees


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

    def show(self, i):
        tops = self.problem.tops
        levels = [tops[c] if c in self.blanked[i] else at for c, at in enumerate(self.node)]
        return self.problem.generalized(self.problem.rows[i], levels)


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
