"""Statements that measure a release: its classes, its columns' values, and what its labels hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.hierarchies.mapping_sql import leaf_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped

Keys = tuple[tuple[str, ...], ...]
"""The columns of each quasi-identifier: one, or two bounds."""


def classes(
    named: exp.Table, of: exp.Table, keys: Keys, *, rows: int = 0, weight: str | None = None
) -> Statement:
    """Create the table of different tuples; `key_0` and so on are the texts of the quasi-identifiers.

    A row counts as one row, or as often as its column `weight` states.
    """
    weighed = None if weight is None else column(weight, of="t")
    described = [
        {
            "columns": [
                {
                    "own": column(text, of="t"),
                    "bytes": column(f"text_{n}_{at}", of="r"),
                    "text": name(f"text_{n}_{at}"),
                }
                for at, text in enumerate(parts)
            ],
            "parts": [column(f"text_{n}_{at}", of="c") for at, _ in enumerate(parts)],
        }
        for n, parts in enumerate(keys)
    ]
    leaves = {"classes": named, "table": of, "keys": described, "weight": weighed}
    return Statement("release_quality/classes", leaves, scans=rows)


def class_sums(of: exp.Table) -> Statement:
    """Sum over classes: how many, rows, smallest, squares, rows times their logarithms."""
    return Statement("release_quality/class_sums", {"classes": of})


def column_values(of: exp.Table, count: int) -> Statement:
    """Count the different values of each column, and sum their rows times the logarithms of these."""
    return Statement("release_quality/column_values", {"classes": of, "columns": range(count)})


def majority(of: exp.Table, keys: Keys, target: str) -> Statement:
    """Count the rows that have the most frequent value of a column in their class."""
    leaves = {"table": of, "keys": _keys(keys), "target": column(target, of="t")}
    return Statement("release_quality/majority", leaves)


def labels(named: exp.Table, each: Mapped, levels: Sequence[int]) -> Statement:
    """Create the table of one column's labels at some levels."""
    described = [
        {
            "number": at,
            "parts": released_parts(each, at),
            "leaves": column(leaf_count(at), of="p") if at else None,
        }
        for at in levels
    ]
    return Statement(
        "release_quality/labels",
        {
            "labels": named,
            "domain": each.domain,
            "paths": each.paths,
            "as_text": each.as_text,
            "levels": described,
        },
    )


def released_parts(each: Mapped, at: int) -> list[exp.Column]:
    """Name what is released at one level: a label or value, two bounds, or nothing."""
    if at == 0:
        return [column("value", of="d")] * len(each.column.released_as)
    found = each.column.output.level_columns(at, each.hierarchy.height)
    return [column(text, of="p") for text in found]


def label_sums(of: exp.Table, labels_: Sequence[exp.Table]) -> Statement:
    """Sum over the rows of a release what their labels hide, column by column."""
    return Statement("release_quality/label_sums", {"classes": of, "labels": list(labels_)})


def ambiguity(of: exp.Table, labels_: Sequence[exp.Table]) -> Statement:
    """Sum over the rows of a release the tuples of leaves that each may stand for."""
    return Statement("release_quality/ambiguity", {"classes": of, "labels": list(labels_)})


def label_remainders(of: exp.Table, labels_: Sequence[exp.Table]) -> Statement:
    """Compare the rows of each label with those of the source, for a release at one node."""
    return Statement("release_quality/label_remainders", {"classes": of, "labels": list(labels_)})


def squared_error(each: Mapped, at: int) -> Statement:
    """Sum the squared distances of numbers to the middles of their intervals at one level."""
    ends = {end: name(f"{end}_{at}") for end in ("low", "high")}
    return Statement(
        "release_quality/squared_error", {"domain": each.domain, "paths": each.paths, **ends}
    )


def _keys(keys: Keys) -> list[dict[str, object]]:
    return [{"parts": [column(text, of="t") for text in parts]} for parts in keys]


def values(named: exp.Table, each: Mapped, levels: Sequence[int]) -> Statement:
    """Create the table of one column's values by place, with their labels at some levels."""
    return Statement(
        "release_quality/values",
        {
            "values": named,
            "domain": each.domain,
            "paths": each.paths,
            "as_text": each.as_text,
            "unit": literal(10**6),
            "levels": [{"number": at, "parts": released_parts(each, at)} for at in levels],
        },
    )


def places(values_: Sequence[exp.Table]) -> Statement:
    """Count the places of each column's values."""
    return Statement("release_quality/penalties/places_of_columns", {"values": list(values_)})


@dataclass(frozen=True, slots=True)
class Predicate:
    """A user's condition on one column in one COUNT query; none takes the column whole."""

    query: int
    quasi: int
    column: str
    condition: exp.Expr | None


def taken(
    ranges: exp.Table, predicates: Sequence[Predicate], values_: Sequence[exp.Table]
) -> Statement:
    """Create the table of places that the predicates of queries take."""
    described = [
        {
            "query": literal(str(each.query)),
            "quasi": literal(str(each.quasi)),
            "table": values_[each.quasi],
            "column": name(each.column),
            "condition": each.condition,
        }
        for each in predicates
    ]
    return Statement("release_quality/taken", {"ranges": ranges, "predicates": described})


def shares(
    named: exp.Table, values_: exp.Table, ranges: exp.Table, quasi: int, *, before: bool
) -> Statement:
    """Create the table of the shares of labels, or of the source's own values, that queries take."""
    leaves = {"shares": named, "values": values_, "ranges": ranges}
    label = name("own" if before else "label")
    return Statement(
        "release_quality/shares", {**leaves, "label": label, "quasi": literal(str(quasi))}
    )


def count_queries(
    of: exp.Table, shares_: Sequence[exp.Table], queries: Sequence[tuple[int, Sequence[int]]]
) -> Statement:
    """Count the rows that meet each query, each row by the shares of its labels; one row, a column a query.

    `queries` gives the number of each query, and those of the columns that it has a predicate on.
    """
    described = [
        {"number": number, "query": literal(str(number)), "columns": list(columns)}
        for number, columns in queries
    ]
    by_column = [
        {"table": each, "queries": [q for q in described if quasi in q["columns"]]}  # type: ignore[operator]
        for quasi, each in enumerate(shares_)
    ]
    return Statement(
        "release_quality/count_queries", {"classes": of, "shares": by_column, "queries": described}
    )


def penalty_of_intervals(
    of: exp.Table, quasi: int, domain: exp.Table, order: str, *, bounds: bool
) -> Statement:
    """Sum the penalties of cells whose labels are intervals of numbers or dates, as the labels show them."""
    start, end, separator = (1, 0, "|v") if bounds else (2, 1, ", ")
    leaves = {"classes": of, "quasi": quasi, "domain": domain, "order": order}
    return Statement(
        "release_quality/penalties/penalty_of_intervals",
        {
            **leaves,
            "unit": literal(10**6),
            "separator": literal(separator),
            "start": start,
            "end": end,
            "root": literal("|" if bounds else f"v{ROOT}"),
        },
    )


def penalty_of_covered(of: exp.Table, quasi: int, values_: exp.Table) -> Statement:
    """Sum the penalties of cells whose labels cover a share of the column's values."""
    leaves = {"classes": of, "quasi": quasi, "values": values_}
    return Statement("release_quality/penalties/penalty_of_covered", leaves)


def shared_values(of: exp.Table, quasi: int, values_: exp.Table) -> Statement:
    """Count the values of a column that more than one released label covers."""
    leaves = {"classes": of, "quasi": quasi, "values": values_}
    return Statement("release_quality/shared_values", leaves)
