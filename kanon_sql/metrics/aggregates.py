"""Combine the terms of single columns into the cost of a node, or of every node at once."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.lattice.statistics import Cost


class Aggregation(StrEnum):
    """How the terms of the columns are combined into the cost of a node."""

    SUM = "sum"
    PRODUCT = "product"
    MAX = "max"
    RANK = "rank"


def fold_lattice(
    terms: Sequence[Sequence[float]], fold: Aggregation, finish: Callable[[float], float]
) -> list[Cost]:
    """Combine a term for each column and level into a cost for each node, in lexicographic order."""
    if fold is Aggregation.RANK:
        vectors: list[tuple[float, ...]] = [()]
        for column in terms:
            vectors = [(*vector, term) for vector in vectors for term in column]
        return [tuple(sorted(vector, reverse=True)) for vector in vectors]
    start = {Aggregation.SUM: 0.0, Aggregation.PRODUCT: 1.0, Aggregation.MAX: 0.0}[fold]
    values = [start]
    for column in terms:
        if fold is Aggregation.SUM:
            values = [value + term for value in values for term in column]
        elif fold is Aggregation.PRODUCT:
            values = [value * term for value in values for term in column]
        else:
            values = [max(value, term) for value in values for term in column]
    return [(finish(value),) for value in values]


def fold_node(terms: Sequence[float], fold: Aggregation, finish: Callable[[float], float]) -> Cost:
    """Combine the terms of one node, in the very order and arithmetic of `fold_lattice`."""
    return fold_lattice([[term] for term in terms], fold, finish)[0]
