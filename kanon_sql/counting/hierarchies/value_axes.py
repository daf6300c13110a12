"""The coordinates of values: statements that lay each quasi-identifier out on an axis, and their refusals.

On a line a coordinate is the rank of the value in its order, from 0 on; NULL is at -1, before all values. On a tree it
is the path to the value as bits, so that every node of the hierarchy is an interval of coordinates. The working table
of a partition has the distinct tuples of coordinates. A value without a coordinate is refused, unless its row is new.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, assert_never

from kanon_sql.base.documents.text import clause
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.errors import Fault, HierarchyError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.order import (
    BY_BYTES,
    EXACT_UNIT,
    Dates,
    Listed,
    OrderKind,
    Snapped,
    Steps,
)
from kanon_sql.policy.hierarchies.specs import EXACT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.hierarchies.mapping_sql import Packing
    from kanon_sql.policy.hierarchies.order import Order
    from kanon_sql.policy.model import Column


def units(
    table: exp.Table,
    domain: exp.Table,
    order: Snapped,
    *,
    kept: tuple[exp.Table, int] | None = None,
) -> Statement:
    """Create the table of a domain's units: their places, bounds, measures, and the span of all measures.

    `kept` is a table of boundaries with the number of this column in it; units at its boundaries are added.
    """
    boundaries, number = kept or (None, 0)
    return Statement(
        "hierarchies/units",
        {
            "units": table,
            "boundaries": boundaries,
            "low": name(f"low_{number}"),
            "high": name(f"high_{number}"),
            "stepped": literal(order.width) if isinstance(order, Steps) else None,
            **_unit_of(domain, order),
        },
    )


def unit_line(axis: exp.Table, units_: exp.Table, domain: exp.Table, order: Snapped) -> Statement:
    """Map every value of a domain to the place and the measure of its unit, and the span of all measures."""
    leaves = {"axis": axis, "units": units_, **_unit_of(domain, order)}
    return Statement("hierarchies/unit_line", leaves)


def _unit_of(domain: exp.Table, order: Snapped) -> dict[str, object]:
    """Return the leaves of the fragment that rounds a value down to the start of its unit."""
    match order:
        case Dates(unit=unit):
            none = dict.fromkeys(("unit", "width", "step", "scale"))
            return {"domain": domain, **none, "calendar": unit.value}
        case Steps(width=width, scale=scale):
            parts = 10**scale
            return {
                "domain": domain,
                "calendar": None,
                "unit": literal(parts),
                "width": literal(int(EXACT.multiply(width, Decimal(parts)))),
                "step": literal(Decimal(1).scaleb(-scale)) if scale else None,
                "scale": literal(scale),
            }
        case _:
            assert_never(order)


@dataclass(frozen=True, slots=True)
class LinePaths:
    """The complete paths of the hierarchy of a column with an order; `as_text` if it lists its values."""

    table: exp.Table
    height: int
    as_text: bool = True

    @property
    def levels(self) -> range:
        """The numbers of the levels above the values."""
        return range(1, self.height + 1)


def line(
    axis: exp.Table,
    domain: exp.Table,
    order: OrderKind | Listed,
    *,
    along: LinePaths | None = None,
    rows: int = 0,
) -> Statement:
    """Map every value of a domain to its place, its measure, and the span of all measures.

    With `along`, values stand as the leaves of that hierarchy: depth first, siblings by the bytes of their labels.
    """
    kind = OrderKind.LIST if isinstance(order, Listed) else order
    listed = order.values if isinstance(order, Listed) else ()
    return Statement(
        "hierarchies/line",
        {
            "axis": axis,
            "domain": domain,
            "kind": OrderKind.TEXT.value if kind in BY_BYTES else kind.value,
            "by_rows": kind is OrderKind.FREQUENCY,
            "unit": literal(EXACT_UNIT),
            "listed": [literal(text) for text in listed],
            "paths": None if along is None else along.table,
            "levels": () if along is None else along.levels[::-1],
            "many": rows > mapping_sql.MANY_ROWS,
            "keyed": "sql/hierarchies/part/keyed_values.sql.j2",
            "ranges": mapping_sql.RANGES,
        },
    )


def line_nodes(table: exp.Table, axis: exp.Table, paths: LinePaths) -> Statement:
    """Create the table of a line's places with the labels above each, and each label's count of places."""
    leaves = {"table": table, "axis": axis, "paths": paths.table, "as_text": paths.as_text}
    return Statement("hierarchies/line_nodes", {**leaves, "levels": paths.levels})


def parted_nodes(nodes_: exp.Table, levels: range) -> Statement:
    """Count, for each level, how often a line leaves a node before it has had all values of the node."""
    return Statement("hierarchies/parted_nodes", {"nodes": nodes_, "levels": levels})


MOST_NARROW = 2**31 - 1
"""The greatest whole number of four bytes."""


def tree(
    axis: exp.Table, map_: exp.Table, packing: Packing, *, keep: int | None = None
) -> Statement:
    """Map every value to its place as a leaf of its hierarchy, with the labels above it.

    `packing` packs this hierarchy alone, into one key. `keep` is a mask of the bits to keep of a place: values below a
    node share its place then. Places are of four bytes where these hold all: they stand in every row of a cut.
    """
    (height,) = packing.tops
    (mask,) = packing.column_masks(0, 0)
    parts = mapping_sql.path_bits(packing, quasi=0, key=0)
    leaves = {"axis": axis, "map": map_, "parts": parts, "levels": range(1, height + 1)}
    return Statement("hierarchies/tree", {**leaves, "keep": keep, "narrow": mask <= MOST_NARROW})


def nodes(
    table: exp.Table,
    axis: exp.Table,
    masks: Sequence[int],
    *,
    least: int = 0,
    all_leaves: int,
) -> Statement:
    """Create the table of a hierarchy's nodes from level `least` on: level, place, label, share of leaves.

    `masks` has the bits of a place that each level keeps.
    """
    above = list(enumerate(masks))[max(least, 1) :]
    leaves = {"nodes": table, "axis": axis, "values": not least, "levels": above}
    return Statement("hierarchies/nodes", {**leaves, "all_leaves": all_leaves})


def count_places(axis: exp.Table) -> Statement:
    """Count the distinct places of an axis, with that of NULL."""
    return Statement("hierarchies/count_places", {"axis": axis})


def survey_line(axis: exp.Table) -> Statement:
    """Return a line's counts: values without a place, last place, uneven measures, values sharing a place."""
    return Statement("hierarchies/survey_line", {"axis": axis})


def places(
    working: exp.Table,
    source: exp.Table,
    axes: Sequence[tuple[exp.Column, exp.Table, str]],
    *,
    sensitive: Sequence[tuple[exp.Column, exp.Table]],
    entity: exp.Column | None,
    target: tuple[exp.Column, exp.Table] | None = None,
    region: int,
    rows: int,
    nulls: Sequence[bool] = (),
) -> Statement:
    """Create the working table: the distinct tuples of places with their row counts, all in one `region`.

    `axes` has (source column, table of the axis, its column of places); `nulls` says of which an axis may have one, and
    without it all may. Codes of `sensitive` values, the `entity`, and
    the values of a `target`, numbered from 0 on, are part of the tuples.
    """
    joined = [
        _join(own, table, f"q{n}", place, f"place_{n}", nulls=not nulls or nulls[n])
        for n, (own, table, place) in enumerate(axes)
    ]
    values = [
        _join(own, codes, f"v{n}", "code", f"spread_{n}")
        for n, (own, codes) in enumerate(sensitive)
    ]
    targets = [] if target is None else [_join(*target, "t", "code", "target")]
    columns = len(joined) + len(values) + len(targets) + (entity is not None)
    return Statement(
        "hierarchies/places",
        {
            "working": working,
            "source": source,
            "region": region,
            "axes": joined,
            "sensitive": values,
            "targets": targets,
            "entity": entity,
            "groups": range(2, columns + 2),
        },
        scans=rows,
    )


def _join(
    own: exp.Column, table: exp.Table, alias: str, taken: str, as_: str, *, nulls: bool = True
) -> dict[str, object]:
    """Return the leaves that join a source column to a table of its values and select its column `taken`."""
    return {
        "column": own,
        "table": table,
        "alias": name(alias),
        "value": column("value", of=alias),
        "from": column(taken, of=alias),
        "as": name(as_),
        "nulls": nulls,
    }


NOT_ORDERED = {
    OrderKind.NUMBER: "are not numbers between -10^15 and 10^15",
    OrderKind.DATE: "are not finite dates",
    OrderKind.TEXT: "are not texts",
    OrderKind.ALPHABETICAL: "are not texts",
    OrderKind.FREQUENCY: "are not texts",
    OrderKind.LIST: "are not in its list",
}
NOT_LISTED = "are not in its hierarchy, which its values are in the order of; add them, or say order: alphabetical"


def follows_hierarchy(column: Column) -> bool:
    """Whether a column's order is that of the leaves of its hierarchy.

    It is for texts that the hierarchy lists. A mask has its leaves in the order of bytes anyway.
    """
    return column.order is OrderKind.TEXT and column.has_entries


def place_on_line(
    run: Session,
    domain: exp.Table,
    order: Order,
    *,
    new: bool,
    along: LinePaths | None = None,
    rows: int = 0,
) -> tuple[exp.Table, exp.Table | None]:
    """Create and return the line of a domain's values, and the units of an order by units (else None).

    `along` is a hierarchy whose leaves give the order; `rows` is the count of rows that have the values. Raises
    HierarchyError if values have no place, unless they are of `new` rows.
    """
    axis, scale = run.scratch.table("axis"), None
    match order:
        case Dates() | Steps():
            scale = run.scratch.table("units")
            run.engine.execute(units(scale, domain, order))
            run.engine.execute(unit_line(axis, scale, domain, order))
            why = NOT_ORDERED[OrderKind.DATE if isinstance(order, Dates) else OrderKind.NUMBER]
        case Listed():
            run.engine.execute(line(axis, domain, order))
            why = NOT_ORDERED[OrderKind.LIST]
        case OrderKind():
            run.engine.execute(line(axis, domain, order, along=along, rows=rows))
            why = NOT_ORDERED[order] if along is None else NOT_LISTED
        case _:
            assert_never(order)
    without, *_ = run.engine.fetch_counts(survey_line(axis))
    if without and not new:
        check_no_problems(clause(without, "distinct value", why))
    return axis, scale


def without_place(run: Session, table: exp.Table, column: str, order: Order) -> str | None:
    """Return a message on a column's distinct values without a place in an order; None if all have one."""
    if order is OrderKind.TEXT:  # any value has the bytes of its text
        return None
    domain = run.scratch.create("domain", mapping_sql.domain, table, column)
    try:
        on_line = Dates() if order is OrderKind.DATE else order
        place_on_line(run, domain, on_line, new=False)
    except HierarchyError as error:
        return error.faults[0].what
    return None


def check_no_problems(*faults: str) -> None:
    """Raise HierarchyError with these faults, if there are any. The caller adds the column."""
    if faults:
        raise HierarchyError("", [Fault("", what) for what in faults])
