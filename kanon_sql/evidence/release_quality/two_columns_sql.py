"""Statements that compare a release with its source by the values of every two quasi-identifiers."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from sqlglot import exp

BINS = 64
"""Most bins of a column: one with more values has these in bins of equally many, as sdnist has numbers."""
UNIT = 10**6
"""Numbers are distinguished to one part in this many."""
NULLS = -(2**62)
"""The number of the band of NULL, below those of all values."""


def pairs_of(columns: int) -> list[tuple[int, int]]:
    """List every two of some columns, by number."""
    return list(combinations(range(columns), 2))


def binned_values(named: exp.Table, values_: exp.Table) -> Statement:
    """Create the table of one column's values and labels by bins."""
    leaves = {"binned": named, "values": values_, "bins": BINS}
    return Statement("release_quality/pairs/binned_values", leaves)


def spans_of_values(values_: Sequence[exp.Table], dates: Sequence[int]) -> Statement:
    """Count each column's values and those that are no numbers, with the span of the others; of `dates` in years."""
    leaves = {"values": list(values_), "dates": list(dates), "unit": literal(UNIT)}
    return Statement("release_quality/penalties/spans_of_values", leaves)


def banded_values(
    named: exp.Table, values_: exp.Table, width: Decimal, *, dates: bool
) -> Statement:
    """Create the table of one column's values and labels by bands of a width, in units of numbers or in years."""
    wide = width if dates else width * UNIT
    leaves = {"banded": named, "values": values_, "dates": dates, "unit": literal(UNIT)}
    return Statement(
        "release_quality/pairs/banded_values",
        {**leaves, "width": literal(wide), "nulls": literal(NULLS)},
    )


def count_errors(of: exp.Table, least: int) -> Statement:
    """Count the pairs of bands with at least so many rows of the source, and find their median errors."""
    return Statement("release_quality/count_errors", {"cells": of, "least": least})


def bins(binned: Sequence[exp.Table]) -> Statement:
    """Count the bins of each column."""
    return Statement("release_quality/pairs/bins", {"binned": list(binned)})


def binned_tuples(
    named: exp.Table,
    tuples: exp.Table,
    binned: Sequence[exp.Table],
    *,
    codes: Sequence[exp.Table] = (),
) -> Statement:
    """Create the table of the bins of the source's tuples `key_0` and so on, with their rows.

    These are the texts of values, or with `codes`, a table a column, numbers of them.
    """
    of_codes: Sequence[exp.Table | None] = codes or [None] * len(binned)
    columns = [
        _paired(n, column(f"key_{n}", of="t"), "own", each, codes=code)
        for n, (each, code) in enumerate(zip(binned, of_codes, strict=True))
    ]
    weight = column("row_count", of="t")
    leaves = {"binned_rows": named, "source": tuples, "weight": weight, "columns": columns}
    return Statement("release_quality/pairs/binned_rows", leaves)


def binned_rows(
    named: exp.Table,
    source: exp.Table,
    names: Sequence[str],
    binned: Sequence[exp.Table],
    *,
    rows: int = 0,
) -> Statement:
    """Create the same table from the rows of a source, whose columns have these `names`."""
    columns = [
        _paired(n, column(text, of="t"), "value", each, nulls=True)
        for n, (text, each) in enumerate(zip(names, binned, strict=True))
    ]
    leaves = {"binned_rows": named, "source": source, "weight": None, "columns": columns}
    return Statement("release_quality/pairs/binned_rows", leaves, scans=rows)


def counted_pairs(
    named: exp.Table, of: exp.Table, prefix: str, columns: int, *, weighted: bool, many: bool
) -> Statement:
    """Create the table of the rows by two columns, which are named by a prefix and their number.

    A row counts as one row, or if it is `weighted`, as its `row_count`; `many` rows are counted pair by pair.
    """
    described = [{"name": name(f"{prefix}{n}"), "number": n} for n in range(columns)]
    leaves = {"pairs": named, "counted": of, "columns": described, "weighted": weighted}
    of_two = list(combinations(described, 2))
    return Statement("release_quality/pairs/counted_pairs", {**leaves, "of": of_two, "many": many})


def _paired(
    number: int,
    own: exp.Column,
    known: str,
    table: exp.Table,
    *,
    codes: exp.Table | None = None,
    nulls: bool = False,
) -> dict[str, object]:
    """Describe how a column's own values are found among those `known` in the table of its bins."""
    return {
        "own": own,
        "known": column(known, of="b"),
        "among": column("known", of=f"x{number}"),
        "bin": column("bin", of=f"x{number}"),
        "alias": name(f"x{number}"),
        "table": table,
        "codes": codes,
        "nulls": nulls,
    }


def pair_cells(
    named: exp.Table, own: exp.Table, released: exp.Table, binned: Sequence[exp.Table]
) -> Statement:
    """Create the table of all pairs of bins with the source's rows, and those that the release lets expect."""
    leaves = {"cells": named, "source_pairs": own, "released_pairs": released}
    return Statement("release_quality/pairs/pair_cells", {**leaves, "binned": list(binned)})


def pair_sums(of: exp.Table, rows: int, released: int) -> Statement:
    """Sum up the differences of every two columns."""
    leaves = {"cells": of, "both": rows + released, "released": released}
    return Statement("release_quality/pairs/pair_sums", leaves)


def pair_queries(of: exp.Table, ranges: exp.Table) -> Statement:
    """Count the rows of each query on two columns, in the source and as the release lets expect."""
    return Statement("release_quality/pairs/pair_queries", {"cells": of, "ranges": ranges})
