"""Every algorithm by its name: where it is published, what it promises, and what it costs.

One entry here, one module beside it. What runs and what is told of it come from this table alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.model.policy import Algorithm
from kanon_sql.search.exhaustive import exhaustive
from kanon_sql.search.incognito import incognito
from kanon_sql.search.lightning import lightning
from kanon_sql.search.optimal import optimal
from kanon_sql.search.samarati import samarati

if TYPE_CHECKING:
    from collections.abc import Callable

    from kanon_sql.model.policy import Search
    from kanon_sql.search.checker import Checker
    from kanon_sql.search.result import Found

    Run = Callable[[Checker, Search, tuple[str, ...]], Found | None]


class Promise(StrEnum):
    """What is certain of the node that an algorithm gives."""

    OPTIMUM = "no feasible node costs less under the metric"
    LEAST_HEIGHT = "no feasible node is lower"
    FEASIBLE = "feasible"


@dataclass(frozen=True, slots=True)
class Described:
    """One algorithm.

    `run` takes the checker, what the policy says of the search, and the names of the
    quasi-identifiers; it gives None where nothing is feasible. `prunes` is true of an algorithm
    that concludes from one node about others, and has no other way: it is refused where models
    are not monotone. One that `enumerates` holds all nodes of the lattice, or of a layer of it: it is
    refused where those are too many.
    """

    run: Run
    paper: str
    promise: Promise
    cost: str
    prunes: bool
    enumerates: bool = True


ALGORITHMS: dict[Algorithm, Described] = {
    Algorithm.OPTIMAL: Described(
        run=lambda checker, *_: optimal(checker),
        paper="this project; tags both ways as Flash does, and bounds costs",
        promise=Promise.OPTIMUM,
        cost="the fewest checks of all here",
        prunes=False,
    ),
    Algorithm.SAMARATI: Described(
        run=lambda checker, search, _: samarati(checker, search.preference),
        paper="Samarati, TKDE 13(6), 2001, section 4",
        promise=Promise.LEAST_HEIGHT,
        cost="a binary search over layers, the last of which is checked whole",
        prunes=True,
    ),
    Algorithm.INCOGNITO: Described(
        run=lambda checker, *_: incognito(checker),
        paper="LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005",
        promise=Promise.OPTIMUM,
        cost="breadth first over growing sets of columns",
        prunes=True,
    ),
    Algorithm.LIGHTNING: Described(
        run=lambda checker, *_: lightning(checker),
        paper="Prasser et al., Transactions on Data Privacy 9, 2016, over boxes of nodes",
        promise=Promise.FEASIBLE,
        cost="as many checks as time allows, in a lattice of any size; the optimum where it ends",
        prunes=False,
        enumerates=False,
    ),
    Algorithm.EXHAUSTIVE: Described(
        run=lambda checker, *_: exhaustive(checker),
        paper="every node, for tests and small lattices",
        promise=Promise.OPTIMUM,
        cost="a check a node",
        prunes=False,
    ),
}
