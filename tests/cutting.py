"""Tables for the searches over cuts: columns of places, trees as nodes, rows with a class column.

A tree is written down as nested tuples whose leaves are values; places go depth first. Shares no
code with the product; `put` makes the tables that it is given, in a real DuckDB.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import strategies as st

from kanon_sql.base.sql.quoting import table

VALUES = "values"


@dataclass(frozen=True)
class Node:
    low: int
    high: int
    level: int
    children: tuple = ()


def grown(tree, first=0):
    """A nested tuple as a Node; a leaf is anything else."""
    if not isinstance(tree, tuple):
        return Node(first, first, 0)
    children, at = [], first
    for each in tree:
        children.append(grown(each, at))
        at = children[-1].high + 1
    return Node(first, at - 1, 1 + max(child.level for child in children), tuple(children))


@dataclass(frozen=True)
class Table:
    """Rows of (places, class, entity, sensitive value); `trees` has a nested tuple a column, None for a line.

    A requirement is (columns, least entities), or (columns, least known values, VALUES).
    """

    trees: tuple
    rows: tuple
    requirements: tuple = field(default=())
    entity: bool = False

    @property
    def valued(self):
        """Whether a requirement counts sensitive values."""
        return any(of == [VALUES] for _, _, *of in self.requirements)

    @property
    def roots(self):
        """The whole domain of each column."""
        return [
            Node(min(places), max(places), 0) if tree is None else grown(tree)
            for tree, places in zip(
                self.trees,
                ([row[0][at] for row in self.rows] for at in range(len(self.trees))),
                strict=True,
            )
        ]


def tuples(given):
    """The distinct tuples of places, class, entity and value with how often they are there; and their names."""
    places = [f"place_{at}" for at in range(len(given.trees))]
    own = [n for n, taken in ((2, given.entity), (3, given.valued)) if taken]
    named = [("entity", "spread_0")[n - 2] for n in own]
    counted = Counter((*row[0], row[1], *(row[n] for n in own)) for row in given.rows)
    return [*places, "target", *named, "row_count"], [(*key, n) for key, n in counted.items()]


def numbered(tree):
    """The nodes in the order of a walk across: number, parent, the interval of places, level."""
    waiting, found = [(grown(tree), None)], []
    while waiting:
        node, parent = waiting.pop(0)
        waiting += [(child, len(found)) for child in node.children]
        found.append((len(found), parent, node.low, node.high, node.level))
    return found


def measure(place):
    """The measure of a place on a line: the next place is ever farther. NULL has none."""
    return None if place < 0 else float(place * place + 3 * place)


def lines(given):
    """The lines, by their columns: places, their measures, and the span of all."""
    for at, tree in enumerate(given.trees):
        if tree is None:
            there = sorted({row[0][at] for row in given.rows})
            of = [measure(place) for place in there if place >= 0]
            span = max(of) - min(of) if of else None
            yield at, [(place, measure(place), span) for place in there]


def widths(tree):
    """The nodes of a tree with their widths: the leaves below as a share of all, none of a leaf itself."""
    found = numbered(tree)
    leaves = 1 + max(high for *_, high, _ in found)
    for node, _, low, high, _ in found:
        yield node, int((high - low + 1) / leaves * 10**9 + 0.5) if high > low else 0


def put_widths(connection, given):
    """Make the lines, and the widths of the nodes of each tree; give the leaves that name them."""
    of_lines, of_trees = [None] * len(given.trees), [None] * len(given.trees)
    for at, places in lines(given):
        connection.execute(f"CREATE TABLE line_{at} (place INTEGER, measure DOUBLE, span DOUBLE)")
        connection.executemany(f"INSERT INTO line_{at} VALUES (?, ?, ?)", places)
        of_lines[at] = table(f"line_{at}")
    for at, tree in enumerate(given.trees):
        if tree is not None:
            connection.execute(f"CREATE TABLE widths_{at} (node INTEGER, width BIGINT)")
            connection.executemany(f"INSERT INTO widths_{at} VALUES (?, ?)", widths(tree))
            of_trees[at] = table(f"widths_{at}")
    return of_lines, of_trees


def put(connection, given):
    """Make `places` and the nodes of each tree; give the leaves that name them."""
    columns, rows = tuples(given)
    kinds = ["BIGINT" if name == "row_count" else "INTEGER" for name in columns]
    declared = ", ".join(map(" ".join, zip(columns, kinds, strict=True)))
    connection.execute(f"CREATE TABLE places ({declared})")
    if rows:
        connection.executemany(f"INSERT INTO places VALUES ({', '.join('?' * len(columns))})", rows)
    trees = []
    for at, tree in enumerate(given.trees):
        if tree is None:
            trees.append(None)
            continue
        connection.execute(
            f"CREATE TABLE nodes_{at} "
            "(node INTEGER, parent INTEGER, low INTEGER, high INTEGER, level INTEGER)"
        )
        connection.executemany(f"INSERT INTO nodes_{at} VALUES (?, ?, ?, ?, ?)", numbered(tree))
        trees.append(table(f"nodes_{at}"))
    return table("places"), trees


def read(connection, cuts):
    """The parts that a search left: column, number, and the interval of places."""
    return connection.table(cuts.name).order("quasi, part").fetchall()


def parts_of(cut):
    """The same of parts in Python."""
    return [
        (quasi, number, part.low, part.high)
        for quasi, parts in enumerate(cut)
        for number, part in enumerate(sorted(parts, key=lambda part: part.low))
    ]


@st.composite
def nested(draw, depth=3):
    """A tree of which every inner node has two children or more."""
    if depth == 0 or draw(st.booleans()):
        return "leaf"
    return tuple(draw(nested(depth=depth - 1)) for _ in range(draw(st.integers(2, 3))))


def branching(draw, depth):
    return tuple(draw(nested(depth=depth)) for _ in range(draw(st.integers(2, 3))))


@st.composite
def tables(draw, *, lines=True, most=40, depth=2):
    """Some rows under trees and lines, with one to three virtual identifiers; every place occurs."""
    trees, domains = [], []
    for _ in range(draw(st.integers(1, 3))):
        if lines and draw(st.booleans()):
            trees.append(None)
            domains.append(range(-1 if draw(st.booleans()) else 0, draw(st.integers(1, 6))))
        else:
            trees.append(branching(draw, depth))
            domains.append(range(grown(trees[-1]).high + 1))
    entity = draw(st.booleans())
    row = st.tuples(
        st.tuples(*(st.sampled_from(domain) for domain in domains)),
        st.integers(0, draw(st.integers(0, 2))),
        st.integers(0, 12) if entity else st.just(0),
        st.sampled_from((None, 1, 1, 2, 3)),
    )
    drawn = st.lists(st.tuples(row, st.integers(1, 3)), min_size=1, max_size=most)
    rows = [each for each, copies in draw(drawn) for _ in range(copies)]
    longest = max(map(len, domains))
    rows += [
        (tuple(domain[at % len(domain)] for domain in domains), *draw(row)[1:])
        for at in range(longest)
    ]
    columns = st.lists(st.integers(0, len(trees) - 1), unique=True, min_size=1).map(tuple)
    requirement = st.one_of(
        st.tuples(columns, st.sampled_from((1, 2, 2, 3, 4, 7))),
        st.tuples(columns, st.sampled_from((1, 2, 3)), st.just(VALUES)),
    )
    requirements = tuple(draw(st.lists(requirement, min_size=1, max_size=3)))
    return Table(tuple(trees), tuple(rows), requirements, entity)
