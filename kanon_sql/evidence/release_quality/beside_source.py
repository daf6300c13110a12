"""Measures a release that is staged beside its source's own values: classes, columns, and what labels cover.

A node of a hierarchy covers the values under it, an interval all values from its first to its last, a set the values
that it lists, and a representative itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.hierarchies.mapping_sql import leaf_count
from kanon_sql.policy.hierarchies.order import EXACT_UNIT, Steps
from kanon_sql.policy.model import Column, Role
from kanon_sql.recoding.axes import BILLION, measured_by
from kanon_sql.recoding.recode import recode, stage_to_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.recoding.planning.make_plan import Planned


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


def beside_source(view: exp.Table, source: exp.Table, copies: Mapping[str, str]) -> Statement:
    """See a source with some columns a second time; `copies` has their other names."""
    described = [{"from": column(own, of="s"), "as": name(text)} for own, text in copies.items()]
    return Statement(
        "release_quality/penalties/beside_source",
        {"view": view, "source": source, "copies": described},
    )


def cells(
    named: exp.Table, released: exp.Table, parts: Sequence[str], own: str, *, rows: int = 0
) -> Statement:
    """Create the table of one column's labels with the source's values of their rows."""
    leaves = {
        "cells": named,
        "released": released,
        "parts": [column(text, of="t") for text in parts],
        "own": column(own, of="t"),
    }
    return Statement("release_quality/penalties/cells", leaves, scans=rows)


def penalty_of_labels(
    of: exp.Table, each: Mapped, levels: Sequence[int], order: str | None
) -> Statement:
    """Sum the penalties of released cells, whose labels are of some levels of a hierarchy."""
    return Statement(
        "release_quality/penalties/penalty_of_labels",
        {
            "cells": of,
            "domain": each.domain,
            "paths": each.paths,
            "as_text": each.as_text,
            "order": order,
            "unit": literal(EXACT_UNIT),
            "levels": [{"parts": released_parts(each, at)} for at in levels if at],
        },
    )


def penalty_of_places(of: exp.Table, axis: exp.Table, order: str) -> Statement:
    """Sum the penalties of released cells, whose labels are intervals of the places of values."""
    leaves = {"cells": of, "axis": axis, "order": order, "unit": literal(EXACT_UNIT)}
    return Statement("release_quality/penalties/penalty_of_places", leaves)


def values_of_units(
    named: exp.Table, axis: exp.Table, units: exp.Table, *, floating: bool = False
) -> Statement:
    """Create the table of one column's values by place, each with the beginning of its unit as the label."""
    unit = literal(10**6)
    leaves = {"values": named, "axis": axis, "units": units, "unit": unit, "floating": floating}
    return Statement("release_quality/penalties/values_of_units", leaves)


def values_of_cells(named: exp.Table, of: exp.Table, axis: exp.Table, covers: str) -> Statement:
    """Create the table of one column's values by place with the labels that cover them: an interval, or a set."""
    leaves = {"values": named, "cells": of, "axis": axis, "covers": covers, "unit": literal(10**6)}
    return Statement(
        "release_quality/penalties/values_of_cells", {**leaves, "parts": [column("value", of="a")]}
    )


OWN = "_kanon_own"


@dataclass(frozen=True, slots=True)
class ReleaseBesideSource:
    """A plan's release in a scratch table of one run, with the source's own values beside its labels.

    `own` has the name, for each quasi-identifier, of the column with the source's values. `rows` counts released rows.
    """

    table: exp.Table
    own: tuple[str, ...]
    rows: int


def stage_beside_source(
    run: Session, planned: Planned, *, also: Sequence[str] = ()
) -> ReleaseBesideSource:
    """Stage the quasi-identifiers as a plan releases them, each beside the source's own values.

    The table has raw values: callers aggregate it and never read its rows. `also` names more source columns to keep.
    """
    policy, opened = run.policy, planned.opened
    taken = {each.name.casefold() for each in opened.columns}
    taken |= {text.casefold() for each in policy.columns for text in each.released_as}
    copies: dict[str, str] = {}
    for number, each in enumerate(policy.quasi):
        text = f"{OWN}_{number}"
        while text in taken:
            text += "_"
        copies[each.name] = text
    view, staged = run.scratch.table("beside_source"), run.scratch.table("release_beside_source")
    run.see(view, beside_source(view, opened.table, copies))
    types = {each.name: each for each in opened.columns}
    columns = (
        *opened.columns,
        *(replace(types[own], name=text) for own, text in copies.items()),
    )
    shown = [
        each
        if each.role is Role.QUASI
        else Column(each.name, Role.INSENSITIVE)
        if each.name in also
        else Column(each.name, Role.IDENTIFYING)
        for each in policy.columns
    ]
    shown += [Column(text, Role.INSENSITIVE) for text in copies.values()]
    alone = replace(run, policy=replace(policy, columns=tuple(shown)))
    beside = replace(planned, opened=replace(opened, table=view, columns=columns))
    stage_to_count(alone, recode(alone, beside, staged), rows=opened.rows)
    rows = run.engine.fetch_count(source_sql.count_rows(staged))
    return ReleaseBesideSource(staged, tuple(copies.values()), rows)


def mean_penalty(run: Session, planned: Planned, beside: ReleaseBesideSource) -> float:
    """Return the mean NCP of all cells of the quasi-identifiers, the same measure for every recoding.

    A cell's penalty is the share of the source's values that its label covers: in a column ordered by numbers or dates
    their width over the column's width, as in a column of these that shows values of classes; in other columns their number over the number of the column's values. A label
    of one value costs 0, a label of an order that holds NULL beside a value 1, and a cell of a suppressed row 1.
    """
    rows, columns = planned.opened.source_rows, len(planned.mapped)
    return sum(_billionths(run, planned, beside)) / (rows * columns * BILLION)


def column_penalties(run: Session, planned: Planned, beside: ReleaseBesideSource) -> list[float]:
    """Return the mean NCP of each quasi-identifier's cells, measured as in `mean_penalty`."""
    rows = planned.opened.source_rows
    return [each / (rows * BILLION) for each in _billionths(run, planned, beside)]


def _billionths(run: Session, planned: Planned, beside: ReleaseBesideSource) -> list[int]:
    """Return the sum of each column's penalties over all cells, in billionths.

    A cell that follows from the rows of its class costs what the class spans: another class may show the same value.
    """
    recoding, by_order = planned.plan.recoding, run.policy.search.options.by_order
    suppressed = planned.opened.source_rows - beside.rows
    of_class = [name for each in planned.mapped for name in each.column.released_as]
    billionths = []
    for number, (each, own) in enumerate(zip(planned.mapped, beside.own, strict=True)):
        of_column = run.scratch.create(
            "cells",
            cells,
            beside.table,
            of_class if each.column.output.is_of_rows else each.column.released_as,
            own,
            rows=beside.rows,
        )
        order = measured_by(each, planned.opened)
        if by_order and each.column.order is not None and order is not None:
            statement = penalty_of_places(of_column, each.paths, order)
        else:
            every = range(each.hierarchy.height + 1)
            levels = levels_used(recoding, number) if recoding.nodes else every
            if each.column.output.is_of_rows:  # a class has its own values alone
                levels = ()
            statement = penalty_of_labels(of_column, each, levels, order)
        ((penalty,),) = run.engine.fetch(statement)
        billionths.append(whole(penalty) + suppressed * BILLION)
        run.scratch.drop(of_column)
    return billionths


def uncovered(planned: Planned, *, by_order: bool) -> str | None:
    """Return the reason why the values that labels cover are unknown; None if they are known."""
    if planned.opened.left_out:
        return "the source has rows with NULL, which nulls: suppress leaves out of all hierarchies"
    for each in planned.mapped:
        if _by_cells(each, by_order=by_order) and each.column.output.no_cover is not None:
            return each.column.output.no_cover
    return None


def _by_cells(each: Mapped, *, by_order: bool) -> bool:
    """Return True if a column's cells, and not the levels of its hierarchy, show what they cover."""
    return each.column.output.is_of_rows or (by_order and each.column.order is not None)


def values_of_labels(run: Session, planned: Planned, number: int) -> exp.Table | None:
    """Create the table of a column's values with the labels that cover them; None if only its cells show what they cover.

    A cell that is a value of the source covers that value, and one that is where a unit begins covers the unit. A region
    on a line that shows a node of the hierarchy covers the values under it.
    """
    each, recoding = planned.mapped[number], planned.plan.recoding
    output, create = each.column.output, run.scratch.create
    if not _by_cells(each, by_order=run.policy.search.options.by_order):
        every = range(each.hierarchy.height + 1)
        levels = levels_used(recoding, number) if recoding.nodes else every
        return create("values", values, each, tuple(levels))
    if output.by_nodes and each.above is not None:
        along = replace(each, paths=each.above.table)
        return create("values", values, along, (0, *each.above.levels))
    if output.covers != "itself":
        return None
    if each.units is not None:
        floating = (
            isinstance(each.column.order, Steps) and each.column.name in planned.opened.floating
        )
        return create("values", values_of_units, each.paths, each.units, floating=floating)
    return create("values", values, each, (0,))


def covered_values(run: Session, planned: Planned, beside: ReleaseBesideSource) -> list[exp.Table]:
    """Create a table per column: its values, with the labels of a plan's release that cover them."""
    by_order = run.policy.search.options.by_order
    tables = []
    for number, (each, own) in enumerate(zip(planned.mapped, beside.own, strict=True)):
        known = values_of_labels(run, planned, number)
        if known is None:
            covers, parts = each.column.output.covers, each.column.released_as
            if covers is None:
                raise InternalError(f"what the cells of {each.column.output} cover is unknown")
            found = run.scratch.create("cells", cells, beside.table, parts, own, rows=beside.rows)
            axis = _axis(run, each, ordered=by_order and each.column.order is not None)
            create = values_of_cells
            known = run.scratch.create("values", create, found, axis, covers)
        tables.append(known)
    return tables


def _axis(run: Session, each: Mapped, *, ordered: bool) -> exp.Table:
    """Return the table of a column's values with their places in the order."""
    if ordered:
        return each.paths
    return run.scratch.create("places", values, each, (0,))
