"""Algorithms that promise no optimum, once more in plain Python on the rows, as their papers tell them."""

from __future__ import annotations

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
