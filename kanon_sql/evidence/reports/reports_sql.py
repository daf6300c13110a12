"""Statements that a report is measured by: classes of a table, and what follows from these alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

Keys = tuple[tuple[str, ...], ...]
"""The columns of each quasi-identifier: one, or two bounds."""


def classes(
    named: exp.Table, of: exp.Table, keys: Keys, *, entity: str | None = None, rows: int = 0
) -> Statement:
    """Create the table of classes, with their rows and their size; `key_0` and so on are the texts of their labels."""
    numbered = iter(range(sum(map(len, keys))))
    parts = [[column(f"part_{next(numbered)}", of="c") for _ in each] for each in keys]
    return Statement(
        "reports/classes",
        {
            "classes": named,
            "table": of,
            "columns": _columns(keys),
            "entity": None if entity is None else column(entity, of="t"),
            "keys": [{"parts": each} for each in parts],
        },
        scans=rows,
    )


def class_sizes(of: exp.Table) -> Statement:
    """Count the classes of each size and number of rows, of a table of classes."""
    leaves = {"classes": of, "table": of, "columns": (), "entity": None}
    return Statement("reports/class_sizes", leaves)


def class_sizes_of_rows(
    of: exp.Table, keys: Keys, *, entity: str | None = None, rows: int = 0
) -> Statement:
    """Count the classes of each size and number of rows, of the rows of a table: it makes no table of them."""
    leaves = {"classes": None, "table": of, "columns": _columns(keys)}
    who = None if entity is None else column(entity, of="t")
    return Statement("reports/class_sizes", {**leaves, "entity": who}, scans=rows)


def label_rows(
    of: exp.Table,
    labels: Sequence[exp.Table | None],
    domains: Sequence[exp.Table | None],
    keys: Keys,
    *,
    most: int,
) -> Statement:
    """Count the rows of the labels of each column, and those of the source under them, where a table has these.

    Where the domain of a column is given, a label that is one of its values is marked.
    """
    columns = [
        {
            "number": n,
            "labels": each,
            "domain": domain,
            "parts": [column("value", of="d")] * len(parts),
        }
        for n, (each, domain, parts) in enumerate(zip(labels, domains, keys, strict=True))
    ]
    return Statement("reports/label_rows", {"classes": of, "columns": columns, "most": most})


def value_rows(named: exp.Table, values: exp.Table, domain: exp.Table) -> Statement:
    """Create the table of a source's rows under each released value, by the `values` that it stands for."""
    return Statement("reports/value_rows", {"labels": named, "values": values, "domain": domain})


def class_values(
    named: exp.Table, of: exp.Table, keys: Keys, value: str, *, rows: int = 0
) -> Statement:
    """Create the table of the values of a sensitive column in each class."""
    leaves = {"values": named, "table": of, "columns": _columns(keys)}
    return Statement("reports/class_values", {**leaves, "value": column(value, of="t")}, scans=rows)


def value_distances(values: exp.Table, keys: Keys, *, steps: int, most: int) -> Statement:
    """Count the classes by how their values are distributed."""
    columns = range(sum(map(len, keys)))
    leaves = {"values": values, "columns": columns, "steps": steps, "most": most}
    return Statement("reports/value_distances", leaves)


def pair_entropies(of: exp.Table, pairs: Sequence[tuple[int, int]]) -> Statement:
    """Sum over the pairs of two columns' values their rows times the logarithm of these."""
    described = [{"number": n, "one": a, "other": b} for n, (a, b) in enumerate(pairs)]
    return Statement("reports/pair_entropies", {"classes": of, "pairs": described})


def coded_entropies(coded: exp.Table, columns: int) -> Statement:
    """Sum up as `pair_entropies`, from a table of `pairs_of_codes`, over every two of the first columns."""
    return Statement("reports/coded_entropies", {"coded": coded, "columns": columns})


def label_pairs(of: exp.Table, one: int, other: int, *, most: int) -> Statement:
    """Count the rows of the pairs of two columns' labels."""
    return Statement(
        "reports/label_pairs", {"classes": of, "one": one, "other": other, "most": most}
    )


def label_tree(
    of: exp.Table, quasi: int, paths: exp.Table, *, finest: int, height: int, most: int
) -> Statement:
    """List the nodes of a hierarchy that have released rows under them, from the finest released level up."""
    return Statement(
        "reports/label_tree",
        {
            "classes": of,
            "quasi": quasi,
            "paths": paths,
            "finest": finest,
            "levels": range(finest, height + 1),
            "height": height,
            "most": most,
        },
    )


def _columns(keys: Keys) -> list[exp.Column]:
    return [column(text, of="t") for parts in keys for text in parts]
