"""The entry `search` of a policy: an algorithm with its options, a metric, a recoding, a time limit."""

from __future__ import annotations

import re
from dataclasses import field, fields, replace
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

from kanon_sql.base.documents.records import HASHED_AS, LATER, Key, Record
from kanon_sql.base.documents.shapes import Anything, Parsed, Real, Shape, Text, Whole, Wrong, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError
from kanon_sql.policy.metrics.column_metrics import Aggregate
from kanon_sql.policy.metrics.registry import METRICS, NAMES, metric_named
from kanon_sql.policy.metrics.statistics import EVEN
from kanon_sql.policy.search_options import (
    OPTIMAL,
    OPTIONS,
    Algorithm,
    Options,
    default_options,
    options_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.policy.metrics.statistics import Metric

OWN = TypeVar("OWN", bound=Options)
Entry = TypeVar("Entry")
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?", re.ASCII)
A_DURATION = "a duration such as 60s, 5m or 500ms"
LONGEST = 1e9
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


class Recode(StrEnum):
    """The treatment of rows whose class fails at the chosen node.

    `FULL_DOMAIN` suppresses them; `LOCAL` searches further nodes for them, repeatedly; `CELLS` generalizes each class
    as far as it needs.
    """

    FULL_DOMAIN = "full_domain"
    LOCAL = "local"
    CELLS = "cells"


class SuppressedRows(StrEnum):
    """Whether a metric counts suppressed rows. By default discernibility does, and entropy does not."""

    COUNTED = "counted"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Search:
    """The search for a recoding. `max_nodes` is the most nodes of local or cells; `time_limit` is in seconds."""

    options: Options = OPTIMAL
    metric: str = "loss"
    aggregate: Aggregate = Aggregate.GEOMETRIC_MEAN
    count_suppressed: bool = False
    recoding: Recode = Recode.FULL_DOMAIN
    max_nodes: int = field(default=64, metadata={HASHED_AS: "layers"})
    time_limit: float | None = None
    generalization_factor: float = field(default=EVEN, metadata=LATER)
    ignore_suppressed: bool = field(default=False, metadata=LATER)

    @property
    def algorithm(self) -> Algorithm:
        return self.options.algorithm

    def of(self, kind: type[OWN]) -> OWN:
        """Return the options as values of the class `kind`. Raises InternalError if they are of another class."""
        if not isinstance(self.options, kind):
            raise InternalError(f"{self.algorithm} has no options of {kind.__name__}")
        return self.options

    @property
    def target(self) -> str | None:
        """The column that a model will predict from the release, if the algorithm has one."""
        target: str | None = getattr(self.options, "target", None)
        return target

    def metric_of(self, weights: tuple[float, ...]) -> Metric:
        """Return the metric that the search minimizes, where the columns have these weights; see `Policy.metric`."""
        return metric_named(
            self.metric,
            aggregate=self.aggregate,
            count_suppressed=self.count_suppressed,
            ignore_suppressed=self.ignore_suppressed,
            weights=weights,
            factor=self.generalization_factor,
        )

    def switched(self, algorithm: Algorithm) -> Search:
        """Return a search by `algorithm` that keeps the stated options which both algorithms have.

        Options at their defaults become the defaults of `algorithm`. The recoding stays unless the algorithm determines
        it. Mondrian gets no target, as it uses one only if `choose` asks for it.
        """
        if algorithm is self.algorithm:
            return self
        defaults, ours = default_options(algorithm), default_options(self.algorithm)
        kept = {
            name: getattr(self.options, name)
            for name in options_of(algorithm)
            if hasattr(self.options, name)
            and getattr(self.options, name) != getattr(ours, name)
            and not (name == "target" and algorithm is Algorithm.MONDRIAN)
        }
        search = replace(self, options=replace(defaults, **kept))
        return search.at_one_node if search.options.own_recoding else search

    @property
    def at_one_node(self) -> Search:
        """Return the same search with full-domain recoding: rows whose class fails are suppressed."""
        return replace(self, recoding=Recode.FULL_DOMAIN, max_nodes=Search().max_nodes)

    @property
    def at_several_nodes(self) -> bool:
        """Whether rows may be released at several nodes of the lattice."""
        return self.recoding is not Recode.FULL_DOMAIN or self.options.per_record

    @property
    def labels_vary(self) -> bool:
        """Whether a lattice search may release a value at different levels in different rows."""
        return self.at_several_nodes or self.options.suppresses_cells

    def stated(self) -> dict[str, object]:
        """Return the options that are not at their defaults, by the keys of a policy."""
        defaults = default_options(self.algorithm)
        own = {key: getattr(self.options, key) for key in options_of(self.algorithm)}
        return {
            **{key: of for key, of in own.items() if of != getattr(defaults, key)},
            **{
                SPELLED.get(each.name, each.name): of
                for each in fields(self)[1:]
                if (of := getattr(self, each.name)) != each.default
            },
        }


EARLIER = {"layers": "max_nodes"}
"""Keys by the names that they had in earlier versions, with their names now."""


def by_present_names(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return entries of a search by the present names of their keys; of both names, the earlier one stays, as a fault.

    >>> by_present_names({"recoding": "local", "layers": 2})
    {'recoding': 'local', 'max_nodes': 2}
    """
    return {
        key if EARLIER.get(key, key) in entries else EARLIER.get(key, key): value
        for key, value in entries.items()
    }


SPELLED = {"count_suppressed": "suppressed", "ignore_suppressed": "suppressed"}
"""The fields that `stated` lists under another name."""


def dropped_options(before: Search, after: Search, stated: set[str]) -> tuple[str, ...]:
    """List the options that `before` states and `after` does not, except the metric and those in `stated`.

    >>> from kanon_sql.policy.search_options import Greedy, Per
    >>> dropped_options(Search(Greedy(per=Per.RECORD), max_nodes=9), Search(max_nodes=9), set())
    ('per',)
    """
    kept = {"metric", *stated, *after.stated()}
    return tuple(name for name in before.stated() if name not in kept)


def _metric(name: str) -> str:
    check(("", name in NAMES, f"must be one of {', '.join(METRICS)}"))
    return name


def seconds_from(value: object) -> float:
    """Read a time limit: a number of seconds, or a text with a unit. Raises Wrong.

    >>> seconds_from("5m"), seconds_from("500 ms"), seconds_from(7)
    (300.0, 0.5, 7.0)
    """
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        seconds = float(value) if value < LONGEST else LONGEST
    elif isinstance(value, str) and (match := DURATION.fullmatch(value.strip())) is not None:
        seconds = float(match[1]) * SECONDS[match[2]]
    else:
        raise Wrong(("", f"must be {A_DURATION}"))
    between = "must be a duration of more than 0 and less than thirty years, such as 60s"
    check(("", 0 < seconds < LONGEST, between))
    return seconds


METRIC = Parsed(Text(), _metric, {"enum": list(NAMES)})
TIME: Shape[float] = Parsed(
    Anything(),
    seconds_from,
    {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)?\s*$"},
        ]
    },
)


def _factor(value: float) -> float:
    check(("", 0 <= value <= 1, "must be a number from 0 to 1"))
    return value


FACTOR = Parsed(Real(), _factor, {"type": "number", "minimum": 0, "maximum": 1})


def _searched(
    *,
    options: Annotated[Options, Key("*"), OPTIONS] = OPTIMAL,
    metric: Annotated[str, METRIC] = "loss",
    aggregate: Aggregate | None = None,
    suppressed: SuppressedRows | None = None,
    recoding: Recode = Recode.FULL_DOMAIN,
    max_nodes: Annotated[int | None, Whole(2)] = None,
    time_limit: Annotated[float | None, TIME] = None,
    generalization_factor: Annotated[float, FACTOR] = EVEN,
) -> Search:
    """Build a search from its entries. Raises Wrong for an option that needs another entry."""
    several = recoding is not Recode.FULL_DOMAIN
    check(
        ("aggregate", aggregate is None or metric == "loss", "goes with metric: loss"),
        (
            "suppressed",
            suppressed is None or metric in {"entropy", "discernibility"},
            "goes with metric: entropy or discernibility",
        ),
        ("max_nodes", max_nodes is None or several, "goes with recoding: local or cells"),
    )
    default = Search()
    return Search(
        options,
        metric,
        aggregate or default.aggregate,
        metric == "entropy" and suppressed is SuppressedRows.COUNTED,
        recoding,
        max_nodes or default.max_nodes,
        time_limit,
        generalization_factor,
        ignore_suppressed=metric == "discernibility" and suppressed is SuppressedRows.IGNORED,
    )


SEARCH = Record(_searched)
