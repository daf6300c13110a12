"""What a recoding of several nodes costs, from sums over its rows: the metrics of one node, by row.

With one node all are what they are there. A suppressed row counts as it does for one node; to the
metrics that charge nothing for suppression it lies at the last node, at which it fell short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.model.metric import (
    ClassSize,
    Discernibility,
    Entropy,
    Height,
    Loss,
    Precision,
    level_shares,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.model.metric import Cost, Metric, TableFacts
    from kanon_sql.model.recoding import Layer


@dataclass(frozen=True, slots=True)
class Sums:
    """What the rows of a layered recoding come to.

    `classes` and `squares` are of the classes that a reader sees: those that several nodes release
    under the same labels are one. `leaves` sums over released rows, a figure a column, the leaves
    under their labels; `shared` over all rows the logarithm of how many rows of the source have
    the row's label; `left` is c * ln c over the labels of suppressed rows, where it is asked for.
    """

    layers: tuple[Layer, ...]
    suppressed: int
    classes: int
    smallest: int
    squares: int
    leaves: tuple[int, ...]
    shared: tuple[float, ...]
    left: tuple[float, ...] | None = None


def layered_cost(metric: Metric, facts: TableFacts, sums: Sums) -> Cost:
    """Give the cost of a recoding of several nodes."""
    rows, suppressed = facts.rows, sums.suppressed
    match metric:
        case Height():
            *before, last = sums.layers
            heights = sum(layer.rows * layer.node.height for layer in before)
            return ((heights + (last.rows + suppressed) * last.node.height) / rows,)
        case Precision():
            shares = [
                layer.rows * sum(level_shares(facts, layer.node)) / len(facts.columns)
                for layer in sums.layers
            ]
            return ((math.fsum(shares) + suppressed) / rows,)
        case Loss():
            return metric.of_columns(
                [
                    (leaves + suppressed * column.domain - rows) / (rows * (column.domain - 1))
                    if column.domain > 1
                    else 0.0
                    for column, leaves in zip(facts.columns, sums.leaves, strict=True)
                ]
            )
        case Discernibility():
            return (float(sums.squares + rows * suppressed),)
        case ClassSize():
            return (rows / (sums.classes + (1 if suppressed else 0)),)
        case Entropy():
            return (_entropy(metric, facts, sums),)
    raise InternalError(f"{metric.name} is not known of several nodes")


def _entropy(metric: Entropy, facts: TableFacts, sums: Sums) -> float:
    lost = math.fsum(
        shared - column.levels[0].entropy
        for column, shared in zip(facts.columns, sums.shared, strict=True)
    )
    if metric.count_suppressed and sums.suppressed:
        if sums.left is None:
            raise InternalError("what the suppressed rows had left was not counted")
        whole = sums.suppressed * math.log(sums.suppressed)
        lost += math.fsum(whole - left for left in sums.left)
    return lost / math.log(2)


def layered_figures(facts: TableFacts, sums: Sums) -> Iterator[tuple[str, float]]:
    """Yield every metric for a recoding of several nodes, as `metric.figures` does for one."""
    yield "height", layered_cost(Height(), facts, sums)[0]
    yield "precision", 1 - layered_cost(Precision(), facts, sums)[0]
    yield "loss", layered_cost(Loss(), facts, sums)[0]
    yield "discernibility", layered_cost(Discernibility(), facts, sums)[0]
    yield "aecs", layered_cost(ClassSize(), facts, sums)[0]
    yield "entropy", layered_cost(Entropy(), facts, sums)[0]
