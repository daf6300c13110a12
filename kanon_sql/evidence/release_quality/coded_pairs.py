"""Counts the rows of every two quasi-identifiers, of a release and its source, by codes of their values.

A search has counted the source by codes already: in its frequency set, or in the tuples of its regions. To count pairs of
these and to look up the bins of a few thousand pairs takes less than half of the time of a GROUP BY of the rows; to look up
the bins of each row takes more than that alone.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.hierarchies.mapping_sql import Packing
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.planning.make_plan import Planned


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
    leaves = {"banded": named, "values": values_, "dates": dates}
    return Statement(
        "release_quality/pairs/banded_values",
        {**leaves, "width": literal(wide), "nulls": literal(NULLS)},
    )


def count_errors(of: exp.Table, least: int) -> Statement:
    """Count the pairs of bands with at least so many rows of the source; find their median errors, and that of one in ten."""
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


MOST_PARTS = 2
"""The keys that a column's code may have bits in; one of more is counted by its rows."""

MOST_CODED = 4_000_000
"""The most pairs of values, summed over every two columns, that are kept in a table."""


def pairs_are_few(values: Sequence[int], rows: int) -> bool:
    """Return whether the pairs of values of so many `rows` are few enough to be counted as they are, before bins.

    >>> pairs_are_few([100, 1000, 50], 10**7), pairs_are_few([10**5, 10**4], 10**7)
    (True, False)
    """
    return sum(min(one * other, rows) for one, other in combinations(values, 2)) <= MOST_CODED


@dataclass(frozen=True, slots=True)
class ColumnCodes:
    """The codes of one quasi-identifier: its columns in a table of tuples, each with a mask or whole, and its own table.

    That table has the columns `named` for a value, or for the text `own` of a value.
    """

    keys: tuple[tuple[str, int | None], ...]
    table: exp.Table
    named: tuple[str, ...]
    by_text: bool = False


@dataclass(frozen=True, slots=True)
class CodedTuples:
    """A table of tuples of codes with their rows, and the codes of each quasi-identifier."""

    table: exp.Table
    columns: tuple[ColumnCodes, ...]

    @property
    def wide(self) -> bool:
        """Whether the code of a column has bits in two keys."""
        return any(len(each.keys) > 1 for each in self.columns)


def numbered_tuples(table: exp.Table, codes: Sequence[exp.Table]) -> CodedTuples:
    """Return the tuples `key_0` and so on of the numbers of values, which a table a column has with their texts."""
    columns = (
        ColumnCodes(((f"key_{n}", None),), each, ("code",), by_text=True)
        for n, each in enumerate(codes)
    )
    return CodedTuples(table, tuple(columns))


def searched_tuples(planned: Planned) -> CodedTuples | None:
    """Return the tuples of codes that the run's own search has counted; None if it has none of the source's rows alone."""
    opened = planned.opened
    if opened.population is not None or opened.counted is not None:
        return None
    encoded = planned.encoded
    if encoded is None:
        return _tuples_of_regions(planned)
    return packed_tuples(encoded.table, encoded.counting.packing, encoded.codes)


def packed_tuples(
    table: exp.Table, packing: Packing, codes: Sequence[exp.Table]
) -> CodedTuples | None:
    """Return the tuples of a frequency set; None where a column has bits in more than two keys."""
    columns = []
    for quasi, each in enumerate(codes):
        masks = zip(packing.keys, packing.column_masks(quasi, 0), strict=True)
        keys = tuple((key, mask) for key, mask in masks if mask)
        if len(keys) > MOST_PARTS:
            return None
        columns.append(ColumnCodes(keys, each, tuple(key for key, _ in keys)))
    return CodedTuples(table, tuple(columns))


def _cut_of(planned: Planned) -> PartitionedTable | None:
    """Return the regions that the run itself has cut."""
    from kanon_sql.recoding.multidimensional import mondrian  # noqa: PLC0415  of Mondrian

    return planned.cut if isinstance(planned.cut, mondrian.PartitionedTable) else None


def _tuples_of_regions(planned: Planned) -> CodedTuples | None:
    """Return the tuples of a plan's regions, whose codes are places; None where they were not kept."""
    cut = _cut_of(planned)
    if cut is None or cut.assigned is None:
        return None
    columns = (
        ColumnCodes(((f"place_{n}", None),), table, ("place",))
        for n, table in enumerate(cut.space.tables)
    )
    return CodedTuples(cut.assigned, tuple(columns))


def count_apportioned(
    run: Session, planned: Planned, binned: Sequence[exp.Table]
) -> exp.Table | None:
    """Create the table of pairs of bins in the source and in a release of apportioned values, from the pairs of both.

    None where a plan has not all columns so, its pairs were not kept, or values of one place are in several bins.
    """
    cut, tuples = _cut_of(planned), _tuples_of_regions(planned)
    if cut is None or cut.released.pairs is None or tuples is None:
        return None
    bins = run.scratch.create("bins_of_codes", bins_of_codes, tuples, binned)
    if run.engine.fetch_count(count_ambiguous(bins)):
        return None
    pairs = cut.released.pairs
    return run.scratch.create("cells", apportioned_cells, pairs.table, pairs.more, bins)


def labels_of_regions(planned: Planned) -> tuple[exp.Table, tuple[tuple[str, ...], ...]] | None:
    """Return the table of what each region of a plan is released as, and its columns; None where it was not kept."""
    cut = _cut_of(planned)
    if cut is None:
        return None
    return cut.released.table, tuple(each.names for each in cut.space.labels)


def count_in_bins(
    run: Session,
    tuples: CodedTuples,
    binned: Sequence[exp.Table],
    values: Sequence[int],
    *,
    many: bool,
) -> exp.Table | None:
    """Create the table of the rows by pairs of bins; None where values of one code are in several bins.

    `values` counts the different values of each column.
    """
    coded = count_pairs(run, tuples, values, many=many)
    return put_in_bins(run, coded, tuples, binned)


def put_in_bins(
    run: Session, coded: exp.Table, tuples: CodedTuples, binned: Sequence[exp.Table]
) -> exp.Table | None:
    """Create the same from the rows of pairs of codes that were counted before."""
    bins = run.scratch.create("bins_of_codes", bins_of_codes, tuples, binned)
    if run.engine.fetch_count(count_ambiguous(bins)):
        return None
    return run.scratch.create("source_pairs", binned_pairs, coded, bins, wide=tuples.wide)


def count_pairs(
    run: Session, tuples: CodedTuples, values: Sequence[int], *, many: bool = True, rows: int = 0
) -> exp.Table:
    """Create the table of the rows by the codes of every two columns, which have so many `values` each.

    Of `many` tuples, those of some columns that have few together are counted first, and their pairs from these.
    """
    few = [
        (each, run.scratch.create("tuples_of_few", tuples_of_few, tuples, each))
        for each in (columns_of_few(values) if many else [])
    ]
    return run.scratch.create(
        "coded_pairs", partial(pairs_of_codes, many=many, rows=rows, few=few), tuples
    )


MOST_OF_FEW = 50_000
"""The most tuples of some columns from which pairs of these are counted: a hundredth of the tuples of a large table."""


def columns_of_few(values: Sequence[int]) -> list[tuple[int, ...]]:
    """Divide columns into sets, of three or more, that have few tuples each; every two columns may be in one.

    The pair with the most tuples is taken first, and columns are added that make the most new pairs.

    >>> columns_of_few([2, 74, 1000, 16, 7]), columns_of_few([900, 800, 700])
    ([(0, 2, 4), (0, 1, 3, 4)], [])
    """
    sizes = [1 + each for each in values]
    left = set(combinations(range(len(values)), 2))
    found: list[tuple[int, ...]] = []
    while left:
        of: tuple[int, ...] = max(left, key=lambda pair: (sizes[pair[0]] * sizes[pair[1]], pair))
        while True:
            together = math.prod(sizes[at] for at in of)
            added = {
                at: sum(tuple(sorted((at, one))) in left for one in of)
                for at in range(len(values))
                if at not in of and together * sizes[at] <= MOST_OF_FEW
            }
            best = max(added, key=lambda at: (added[at], -sizes[at], -at), default=None)
            if best is None or not added[best]:
                break
            of = (*of, best)
        left -= set(combinations(sorted(of), 2))
        if len(of) > 2:
            found.append(tuple(sorted(of)))
    return found


def tuples_of_few(named: exp.Table, tuples: CodedTuples, few: Sequence[int]) -> Statement:
    """Create the table of the tuples of these columns' codes, with their rows, from those of all columns."""
    masks: dict[str, int | None] = {}
    for key, mask in (each for at in few for each in tuples.columns[at].keys):
        masks[key] = None if mask is None else (masks.get(key) or 0) | mask
    keys = [
        {
            "key": column(key, of="c"),
            "mask": None if mask is None else literal(mask),
            "as": name(key),
        }
        for key, mask in masks.items()
    ]
    leaves = {"tuples": named, "counted": tuples.table, "keys": keys}
    return Statement("release_quality/pairs/tuples_of_few", leaves)


def pairs_of_codes(
    named: exp.Table,
    tuples: CodedTuples,
    *,
    many: bool,
    rows: int = 0,
    few: Sequence[tuple[tuple[int, ...], exp.Table]] = (),
) -> Statement:
    """Create the table of the rows by the codes of every two columns; of `many` tuples pair by pair.

    Pairs of columns that are among the `few` are counted from the table of these columns' tuples.
    """
    parts = range(MOST_PARTS if tuples.wide else 1)
    sides = [
        (number, part, name(f"{which}_{('value', 'more')[part]}"))
        for part in parts
        for number, which in enumerate(("first", "second"))
    ]
    codes = [[_code(each, part) for part in parts] for each in tuples.columns]
    of = []
    for pair in combinations(range(len(codes)), 2):
        found = [{"code": codes[pair[side]][part], "as": as_} for side, part, as_ in sides]
        groups = [literal(at) for at, each in enumerate(found, start=3) if each["code"]["key"]]  # type: ignore[index]
        counted = next((each for among, each in few if {*pair} <= {*among}), tuples.table)
        which = {"first": pair[0], "second": pair[1], "counted": counted}
        of.append({**which, "parts": found, "groups": groups})
    described = [
        {
            "pair": column(("first_quasi", "second_quasi")[side], of="p"),
            "as": as_,
            "columns": [{"number": n, "code": each[part]} for n, each in enumerate(codes)],
        }
        for side, part, as_ in sides
    ]
    leaves = {"pairs": named, "counted": tuples.table, "many": many, "of": of, "sides": described}
    return Statement("release_quality/pairs/pairs_of_codes", leaves, scans=rows)


def _code(of: ColumnCodes, part: int) -> dict[str, object]:
    """Describe the bits of a code in the first or the second of its keys."""
    if part >= len(of.keys):
        return {"key": None, "mask": None}
    key, mask = of.keys[part]
    return {"key": column(key, of="c"), "mask": None if mask is None else literal(mask)}


def bins_of_codes(named: exp.Table, tuples: CodedTuples, binned: Sequence[exp.Table]) -> Statement:
    """Create the table of the bin of each code."""
    described = []
    for of, table in zip(tuples.columns, binned, strict=True):
        codes = [column(each, of="k") for each in of.named]
        parts = [
            {"code": codes[part] if part < len(codes) else None, "as": name(text)}
            for part, text in enumerate(("code", "more")[: MOST_PARTS if tuples.wide else 1])
        ]
        known = "own" if of.by_text else "value"
        described.append(
            {
                "binned": table,
                "codes": of.table,
                "own": column(known, of="b"),
                "known": column(known, of="k"),
                "parts": parts,
                "groups": codes,
            }
        )
    leaves = {"bins": named, "columns": described}
    return Statement("release_quality/pairs/bins_of_codes", leaves)


def count_ambiguous(bins: exp.Table) -> Statement:
    """Count the codes whose values are in several bins."""
    return Statement("release_quality/pairs/count_ambiguous", {"bins": bins})


def binned_pairs(named: exp.Table, coded: exp.Table, bins: exp.Table, *, wide: bool) -> Statement:
    """Create the table of the rows by two bins from the rows of each pair of codes."""
    leaves = {"pairs": named, "coded": coded, "bins": bins, "wide": wide}
    return Statement("release_quality/pairs/binned_pairs", leaves)


def count_in_both(
    run: Session,
    tuples: exp.Table,
    codes: Sequence[exp.Table],
    both: Sequence[Sequence[exp.Table]],
    *,
    many: bool,
) -> list[exp.Table]:
    """Create the tables of a source's rows by pairs of bins of `both` lists, each with a table a column, from one count.

    What is counted are pairs of the bins that both share, of a source's `tuples` as `binned_tuples` has them.
    """
    create = run.scratch.create
    shared = [
        one if one is other else create("shared_bins", shared_bins, one, other)
        for one, other in zip(*both, strict=True)
    ]
    in_bins = create("binned_rows", partial(binned_tuples, codes=codes), tuples, shared)
    columns = (
        ColumnCodes(((f"value_{n}", None),), each, ("bin",), by_text=True)
        for n, each in enumerate(shared)
    )
    counts = [whole(count) for _, count in run.engine.fetch(bins(shared))]
    coded = count_pairs(run, CodedTuples(in_bins, tuple(columns)), counts, many=many)
    run.scratch.drop(in_bins)
    found = []
    for side, of in zip(("first_bin", "second_bin"), both, strict=True):
        sides = ["bin" if one is each else side for one, each in zip(shared, of, strict=True)]
        in_shared = create("bins_of_shared", bins_of_shared, shared, sides)
        found.append(create("source_pairs", binned_pairs, coded, in_shared, wide=False))
    return found


def shared_bins(named: exp.Table, one: exp.Table, other: exp.Table) -> Statement:
    """Create the table of one column's values by numbers of the bins that two tables share, with the bins of both."""
    leaves = {"shared": named, "one": one, "other": other}
    return Statement("release_quality/pairs/shared_bins", leaves)


def bins_of_shared(named: exp.Table, shared: Sequence[exp.Table], of: Sequence[str]) -> Statement:
    """Create the table of the bin of each shared one, in the column of each table that `of` names."""
    columns = [
        {"table": table, "bin": column(text, of="s")}
        for table, text in zip(shared, of, strict=True)
    ]
    return Statement("release_quality/pairs/bins_of_shared", {"bins": named, "columns": columns})


def apportioned_cells(
    named: exp.Table, pairs: exp.Table, more: exp.Table, bins: exp.Table
) -> Statement:
    """Create the table of pairs of bins with the rows of the source, and those of regions that show one value of a bin.

    `pairs` has the source's pairs of values, and `more` by how many more rows regions show each.
    """
    leaves = {"cells": named, "pairs": pairs, "more": more, "bins": bins}
    return Statement("release_quality/pairs/apportioned_cells", leaves)


def value_codes(named: exp.Table, domain: exp.Table) -> Statement:
    """Create the table that numbers the values of a column."""
    return Statement("release_quality/pairs/value_codes", {"codes": named, "domain": domain})


def coded_tuples(
    named: exp.Table,
    of: exp.Table,
    codes: Sequence[tuple[str, exp.Table]],
    *,
    entity: str | None = None,
    rows: int = 0,
) -> Statement:
    """Create the table of a source's tuples by the numbers of their values, with their rows and their size."""
    leaves: dict[str, object] = {
        "classes": named,
        "table": of,
        "columns": [{"column": column(text, of="t"), "codes": each} for text, each in codes],
        "entity": None if entity is None else column(entity, of="t"),
    }
    return Statement("release_quality/pairs/coded_tuples", leaves, scans=rows)


def domain_values(domains: Sequence[exp.Table]) -> Statement:
    """Count the different values of each column, and sum their rows times the logarithms of these."""
    return Statement("release_quality/pairs/domain_values", {"domains": list(domains)})
