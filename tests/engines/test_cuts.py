"""The searches over cuts take the same steps on every engine, to the last digit of a score."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from random import Random

import pyarrow as pa
import pytest
from bottom_up_oracle import bottom_up as by_merging
from cut_searches import NAMES, expected, told
from cutting import VALUES, Table, lines, numbered, parts_of, tuples, widths
from python_cuts import SENSITIVE, requirements_of
from top_down_oracle import top_down as by_splitting

from kanon_sql.base.sql.quoting import table
from kanon_sql.counting.run.inputs import open_engine
from kanon_sql.engines.scratch import scratch
from kanon_sql.policy.cut_steps import Score
from kanon_sql.recoding.single_dimensional.bottom_up import BottomUpTable, bottom_up
from kanon_sql.recoding.single_dimensional.cut_scores import RemovedLoss, TupleSource
from kanon_sql.recoding.single_dimensional.top_down import TopDownTable, top_down

TREE = (((("a", "b"), ("c", "d")), ("e", "f", "g")), (("h", "i"), "j"))
SMALL = (("k", "l"), "m")


def rows(*widths):
    """Rows drawn alike each time, more of the low places; the class follows the first column."""
    drawn = Random(5)
    found = []
    for n in range(200):
        at = tuple(int(drawn.random() * drawn.random() * width) for width in widths)
        found.append((at, (at[0] // 3 + drawn.randrange(2)) % 3, n % 70, (None, 1, 2, 3)[n % 4]))
    covering = [tuple(n % width for width in widths) for n in range(max(widths))]
    return (*found, *((at, 0, n, 1) for n, at in enumerate(covering)))


def missing(given):
    """The same where the first value of each line is NULL."""
    return tuple(
        (tuple(p - (t is None) for p, t in zip(at, given.trees, strict=True)), *rest)
        for at, *rest in given.rows
    )


FROM_ABOVE = Table((TREE, None, SMALL), rows(10, 14, 3), (((0, 1), 2), ((1, 2), 4)))
FROM_ABOVE = replace(FROM_ABOVE, rows=missing(FROM_ABOVE))
FROM_BELOW = Table((TREE, SMALL), rows(10, 3), (((0, 1), 5), ((0,), 9)))


def put(place, given):
    """Make the tables on an engine."""
    columns, found = tuples(given)
    kinds = [pa.int64() if name == "row_count" else pa.int32() for name in columns]
    arrays = [
        pa.array(each, kind) for each, kind in zip(zip(*found, strict=True), kinds, strict=True)
    ]
    place.put("tuples_of_the_test", pa.table(arrays, names=columns))
    yield "tuples_of_the_test"
    for at, tree in enumerate(given.trees):
        if tree is not None:
            names = ["node", "parent", "low", "high", "level"]
            arrays = [pa.array(each, pa.int32()) for each in zip(*numbered(tree), strict=True)]
            place.put(f"nodes_of_the_test_{at}", pa.table(arrays, names=names))
            yield f"nodes_of_the_test_{at}"


def put_widths(place, given, stack):
    """Make the lines, and the widths of each tree's nodes; give the leaves that name them."""
    found = [None] * len(given.trees), [None] * len(given.trees)
    made = [(0, at, "line", of, ["place", "measure", "span"]) for at, of in lines(given)]
    made += [
        (1, at, "widths", [*widths(tree)], ["node", "width"])
        for at, tree in enumerate(given.trees)
        if tree is not None
    ]
    for kind, at, what, of, names in made:
        name = f"{what}_of_the_test_{at}"
        place.put(name, pa.table([list(each) for each in zip(*of, strict=True)], names=names))
        stack.callback(place.drop, name)
        found[kind][at] = table(name)
    return found


SEARCHES = {
    "top_down": (FROM_ABOVE, TopDownTable, top_down, by_splitting),
    "top_down by loss": (
        FROM_ABOVE,
        TopDownTable,
        partial(top_down, score=Score.LOSS),
        partial(by_splitting, form="loss"),
    ),
    "bottom_up": (FROM_BELOW, BottomUpTable, bottom_up, by_merging),
}


@pytest.mark.parametrize("counted", ["rows", "people", "values"])
@pytest.mark.parametrize("name", SEARCHES)
def test_the_steps_are_those_of_the_oracle(place, name, counted):
    if place.name == "spark" and (name, counted) != ("bottom_up", "values"):
        pytest.skip("tested on the other engines, and from the policy on Spark (test_boxes.py)")
    given, kind, search, oracle = SEARCHES[name]
    given = replace(given, entity=counted != "rows")
    if counted == "values":
        more = (*given.requirements, ((0, 1), 2, VALUES))
        given = replace(given, requirements=more)
    steps, cut = oracle(given)
    assert len(steps) > 3
    requirements = requirements_of(given)
    before = place.left()
    with ExitStack() as stack:
        names = list(put(place, given))
        for each in names:
            stack.callback(place.drop, each)
        engine = stack.enter_context(open_engine(place.connection, None, None, writes=False))
        tables = stack.enter_context(scratch(engine))
        trees = [
            None if t is None else table(f"nodes_of_the_test_{at}")
            for at, t in enumerate(given.trees)
        ]
        source = TupleSource(
            engine,
            tables,
            table(names[0]),
            trees,
            requirements,
            given.entity,
            (SENSITIVE,)[: given.valued],
        )
        if name == "top_down by loss":
            cells = len(given.rows) * len(given.trees)
            gains = RemovedLoss(*put_widths(place, given, stack), cells, requirements)
            source = replace(source, gains=gains)
        seen = kind(source)
        found = search(seen, requirements, NAMES)
        assert told(found) == expected(steps)
        parts = sorted(tuple(map(int, row)) for row in place.read(seen.intervals().name))
        assert parts == parts_of(cut)
    assert place.left() == before
