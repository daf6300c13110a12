"""Sorts the rows of a table once, where one sort is its search and its rows are released in the same run.

The rows are written in the order of one line, rows that are equal there by lot, with what is released of them. So the
number of a row says in which part of the line it lies, and parts are bounded by the sorted rows: the distinct tuples are
not counted, and the rows are not sorted again to be staged.

Guarantee: the regions are those that the distinct tuples are cut into, with the same bounds and rows, so that a plan that
was made of tuples has the hash of its regions here, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.recoding.multidimensional import runs_sql
from kanon_sql.recoding.multidimensional.assign_regions import AssignedRegions, release_regions
from kanon_sql.recoding.multidimensional.regions_sql import LineCut, LinedRows, Packed, keys_of
from kanon_sql.recoding.multidimensional.runs import line_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.axes import Space
    from kanon_sql.recoding.multidimensional.regions_sql import LineOrder, Regions
    from kanon_sql.recoding.rare_bounds import CutRequest


@dataclass(frozen=True, slots=True)
class SortedTable:
    """The regions `of` sorted rows, whose tuples are single rows in a view; `ranks` has the rows of each place of each axis."""

    of: AssignedRegions
    ranks: exp.Table


def sort_rows(request: CutRequest, space: Space) -> SortedTable | None:
    """Sort the rows, and cut them into regions; None where the distinct tuples are to be sorted instead.

    That is where rows are not staged in this run, where classes fit by more than their rows, where what is released
    follows from more than a region and the row itself, where a key of the line does not fit into one number, and on
    engines whose tables do not number their rows.
    """
    run = request.run
    if not (request.stages and run.engine.capabilities.places_rows and _is_plain(request, space)):
        return None
    with run.engine.journal.step("order"):
        return _sorted(request, space)


def _sorted(request: CutRequest, space: Space) -> SortedTable | None:
    """Sort the rows by a key of one number, and cut them into regions; None where it does not fit, or rows are too few."""
    run, regions = request.run, space.regions
    create = run.scratch.create
    ranks = create("local_ranks", ranks_of_values, space.tables, request.mapped)
    rows, order = line_order(run.engine, regions, ranks)
    if regions.runs is None or rows < regions.runs.least or len(keys_of(order.radixes)) > 1:
        run.scratch.drop(ranks)
        return None
    cut = LineCut.of(rows, regions.runs.least)
    carried = carried_columns(run.policy)
    stored = create("sorted_rows", sorted_rows, request, space.tables, order, carried)
    in_order = run.scratch.table("rows_by_number")
    first = run.engine.fetch_count(first_row(stored))
    run.see(in_order, rows_by_number(in_order, stored, first))
    parts = create("parts", parts_of_rows, in_order, regions, cut)
    long = create("long_tuples", long_tuples, in_order, parts)
    filled = create("filled_runs", runs_sql.filled_runs, long, order, cut)
    run.scratch.drop(long)
    bounds, seen = run.scratch.table("region_bounds"), run.scratch.table("runs")
    run.see(bounds, bounds_of_parts(bounds, parts, filled))
    run.see(seen, runs_of_rows(seen, in_order, filled, regions, cut))
    measured = create("regions", regions.survey_again, bounds)
    for spent in (bounds, parts):
        run.scratch.drop(spent)
    released = release_regions(run, space, measured, seen, keyed=True)
    lined = LinedRows(order, cut, filled, in_order, carried)
    return SortedTable(AssignedRegions(measured, released, seen, lined), ranks)


def _is_plain(request: CutRequest, space: Space) -> bool:
    """Return whether a region and the row itself say all that is released of a row, and rows alone whether it fits."""
    policy, opened, regions = request.run.policy, request.opened, space.regions
    sizes = regions.runs
    one_line = sizes is not None and sizes.one_sort and not sizes.least_loss and not regions.bounded
    of_rows = not (regions.entity or regions.sensitive or regions.targeted)
    of_source = opened.counted is None and opened.population is None
    return (
        one_line
        and of_rows
        and of_source
        and request.run.draft is None
        and all(each.measure == SIZE for each in regions.requirements)
        and not any(each.output.is_of_rows or each.output.is_of_class for each in space.labels)
        and not any(each.mask for each in policy.columns if not each.is_dropped)
        and policy.entity is None
        and policy.dealt_by is None
    )


def carried_columns(policy: Policy) -> tuple[str, ...]:
    """Name the columns that are released as they are, beside the quasi-identifiers."""
    return tuple(c.name for c in policy.columns if c.role is not Role.QUASI and not c.is_dropped)


def ranks_of_values(
    ranks: exp.Table, tables: Sequence[exp.Table], mapped: Sequence[Mapped]
) -> Statement:
    """List the places of each axis that rows have, with numbers in their order, by the counts of the values."""
    axes = [
        {
            "table": table,
            "domain": each.domain,
            "own": column("value", of="a"),
            "value": column("value", of="d"),
            "nulls": each.nulls,
        }
        for table, each in zip(tables, mapped, strict=True)
    ]
    return Statement("multidimensional/runs/ranks_of_values", {"ranks": ranks, "axes": axes})


def sorted_rows(
    table: exp.Table,
    request: CutRequest,
    tables: Sequence[exp.Table],
    order: LineOrder,
    carried: Sequence[str],
) -> Statement:
    """Write the rows in the order of one line, with packed coordinates, their key, and what is released of them."""
    places = [column("place", of=f"q{n}") for n, _ in enumerate(tables)]
    joins = [
        {
            "table": axis,
            "column": column(each.column.name, of="s"),
            "value": column("value", of=f"q{n}"),
            "nulls": each.nulls,
        }
        for n, (each, axis) in enumerate(zip(request.mapped, tables, strict=True))
    ]
    leaves = {
        "rows": table,
        "source": request.opened.table,
        "joins": joins,
        "places": places,
        "carried": [column(text, of="s") for text in carried],
        "axes": range(len(order.axes)),
        "keys": keys_of(order.radixes),
        "given": order.given,
        "radixes": order.radixes,
        "least": order.least,
        "ranks": order.ranks,
        "packed": Packed.bits(places, order.axes),
    }
    return Statement("multidimensional/runs/sorted_rows", leaves, scans=request.opened.rows)


def first_row(rows: exp.Table) -> Statement:
    """Find the place of the first of sorted rows in their table."""
    return Statement("multidimensional/runs/first_row", {"rows": rows})


def rows_by_number(view: exp.Table, rows: exp.Table, first: int) -> Statement:
    """See sorted rows with their numbers in the line, where the first one is stored at a place that need not be 0."""
    leaves = {"numbered": view, "rows": rows, "first": first}
    return Statement("multidimensional/runs/rows_by_number", leaves)


def parts_of_rows(table: exp.Table, rows: exp.Table, regions: Regions, cut: LineCut) -> Statement:
    """Bound the parts of equal size that sorted rows are cut into, by their numbers."""
    leaves = {"parts": table, "rows": rows, "cut": cut, "places": runs_sql.unpacked(regions)}
    return Statement("multidimensional/runs/parts_of_rows", leaves)


def long_tuples(table: exp.Table, rows: exp.Table, parts: exp.Table) -> Statement:
    """Find the tuples whose rows fill a part, with their rows and where they end."""
    leaves = {"long": table, "rows": rows, "parts": parts}
    return Statement("multidimensional/runs/long_tuples", leaves)


def bounds_of_parts(view: exp.Table, parts: exp.Table, filled: exp.Table) -> Statement:
    """See the bounds of regions: those of parts, but for the parts that one tuple fills, which are one region."""
    leaves = {"bounds": view, "parts": parts, "filled": filled}
    return Statement("multidimensional/runs/bounds_of_parts", leaves)


def runs_of_rows(
    view: exp.Table, rows: exp.Table, filled: exp.Table, regions: Regions, cut: LineCut
) -> Statement:
    """See the rows of each region as tuples of one row."""
    places = [
        {**each, "as": regions.carried[n]} for n, each in enumerate(runs_sql.unpacked(regions))
    ]
    leaves = {"runs": view, "rows": rows, "filled": filled, "cut": cut, "places": places}
    return Statement("multidimensional/runs/runs_of_rows", leaves)
