"""Statements that choose, for all columns together, which value of its rows each class shows in each of them.

Over all classes each value shall be shown as often as rows have it, and each pair of values of two columns too, as far as
whole classes allow. A class shows at first the value at a point of its rows, where the points of the classes are spread
evenly. Then, in steps, classes choose again: in a step a class chooses in one column alone, with what all others show
before the step. All figures are whole numbers and ties end by place, so every engine finds the same cells.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import ReleasedValues

STEPS = 60
"""How many times classes choose. Each step is three statements over a bounded number of classes."""
CHOOSING = 100
"""The most classes that choose in one column in one step: of more classes a choice moves less than a whole step can."""


def apportion(
    found: Mapping[int, exp.Table],
    tuples: exp.Table,
    values: Mapping[int, ReleasedValues],
    named: Callable[[str], exp.Table],
) -> Iterator[Statement]:
    """Yield the statements that create the tables `found` of what each region of `tuples` shows, a table for each column.

    `values` maps the columns' numbers to their axes; `named` names a table for a step before the last ones.
    """
    numbers = sorted(found)
    places = {n: column(f"place_{n}", of="w") for n in numbers}
    columns = [{"number": n, "place": places[n]} for n in numbers]
    pairs = [
        {"first": a, "second": b, "first_place": places[a], "second_place": places[b]}
        for a, b in combinations(numbers, 2)
    ]
    steps = max(STEPS, len(numbers))
    most = steps * CHOOSING
    counts, spots, shown, offers = (named(f"apportioned_{each}") for each in
                                    ("counts", "spots", "start", "offers"))  # fmt: skip
    rest, movable = named("apportioned_rest_0"), named("apportioned_movable_0")
    yield _of("counts", counts=counts, tuples=tuples, columns=columns)
    yield _of("spots", spots=spots, counts=counts, quasi=numbers[0])
    yield _of("start", shown=shown, counts=counts, spots=spots)
    yield _of("movable", movable=movable, shown=shown, most=most)
    yield _of("rest", rest=rest, tuples=tuples, shown=shown, columns=columns, pairs=pairs)
    stride = steps // len(numbers)
    yield _of("offers", offers=offers, counts=counts, spots=spots, steps=steps, stride=stride, most=most)  # fmt: skip
    for step in range(steps):
        moves, after = named(f"apportioned_moves_{step}"), step + 1
        yield _of("moves", moves=moves, offers=offers, movable=movable, rest=rest, step=step)
        before, rest = rest, named(f"apportioned_rest_{after}")
        yield _of("rest_after", rest=rest, before=before, moves=moves, movable=movable)
        before, movable = movable, named(f"apportioned_movable_{after}")
        yield _of("movable_after", movable=movable, before=before, moves=moves)
    for number, table in found.items():
        own = {"found": table, "shown": shown, "movable": movable, **values[number].leaves}
        yield Statement("multidimensional/apportioned", own)


def _of(what: str, **leaves: object) -> Statement:
    return Statement(f"multidimensional/apportioned_{what}", leaves)
