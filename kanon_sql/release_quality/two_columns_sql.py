"""Statements that compare a release with its source by the values of every two quasi-identifiers."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

BINS = 64
"""Most bins of a column: one with more values has these in bins of equally many, as sdnist has numbers."""


def pairs_of(columns: int) -> list[tuple[int, int]]:
    """List every two of some columns, by number."""
    return list(combinations(range(columns), 2))


def binned_values(named: exp.Table, values_: exp.Table) -> Statement:
    """Create the table of one column's values and labels by bins."""
    leaves = {"binned": named, "values": values_, "bins": BINS}
    return Statement("release_quality/binned_values", leaves)


def bins(binned: Sequence[exp.Table]) -> Statement:
    """Count the bins of each column."""
    return Statement("release_quality/bins", {"binned": list(binned)})


def source_pairs(
    named: exp.Table,
    tuples: exp.Table,
    binned: Sequence[exp.Table],
    *,
    codes: Sequence[exp.Table] = (),
    rows: int = 0,
) -> Statement:
    """Create the table of the source's rows by two bins; with `codes` its tuples have numbers of values for texts."""
    leaves = {
        "pairs": named,
        "tuples": tuples,
        "codes": list(codes),
        "binned": list(binned),
        "of": pairs_of(len(binned)),
    }
    return Statement("release_quality/source_pairs", leaves, scans=rows)


def binned_pairs(
    named: exp.Table, coded: exp.Table, binned: Sequence[exp.Table], codes: Sequence[exp.Table]
) -> Statement:
    """Create the same table as `source_pairs` from the rows of each pair of numbers of values."""
    leaves = {"pairs": named, "coded": coded, "binned": list(binned), "codes": list(codes)}
    return Statement("release_quality/binned_pairs", leaves)


def released_pairs(
    named: exp.Table, classes: exp.Table, binned: Sequence[exp.Table], *, rows: int = 0
) -> Statement:
    """Create the table of a release's rows by two labels."""
    leaves = {
        "pairs": named,
        "classes": classes,
        "binned": list(binned),
        "of": pairs_of(len(binned)),
    }
    return Statement("release_quality/released_pairs", leaves, scans=rows)


def pair_cells(
    named: exp.Table, own: exp.Table, released: exp.Table, binned: Sequence[exp.Table]
) -> Statement:
    """Create the table of all pairs of bins with the source's rows, and those that the release lets expect."""
    leaves = {"cells": named, "source_pairs": own, "released_pairs": released}
    return Statement("release_quality/pair_cells", {**leaves, "binned": list(binned)})


def pair_sums(of: exp.Table, rows: int, released: int) -> Statement:
    """Sum up the differences of every two columns."""
    leaves = {"cells": of, "both": rows + released, "released": released}
    return Statement("release_quality/pair_sums", leaves)


def pair_queries(of: exp.Table, ranges: exp.Table) -> Statement:
    """Count the rows of each query on two columns, in the source and as the release lets expect."""
    return Statement("release_quality/pair_queries", {"cells": of, "ranges": ranges})
