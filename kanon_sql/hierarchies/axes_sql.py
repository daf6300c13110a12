"""Statements that order each quasi-identifier on an axis: every value has a coordinate, its place.

On a line places are the values' ranks in their order, from 0 on; NULL is before all of them at -1. On a tree a
place is the path to the value as bits, so that every node of the hierarchy is an interval of places. The
working table of a partition has the distinct tuples of places.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, assert_never

from kanon_sql.hierarchies import mapping_sql
from kanon_sql.hierarchies.order import (
    BY_BYTES,
    Dates,
    Listed,
    OrderKind,
    Snapped,
    Steps,
)
from kanon_sql.hierarchies.specs import EXACT
from kanon_sql.late_dataclass import dataclass
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.packing import Packing

EXACT_UNIT = 10**15
"""Numbers are distinguished to this fraction of one."""


def units(
    table: exp.Table,
    domain: exp.Table,
    order: Snapped,
    *,
    kept: tuple[exp.Table, int] | None = None,
) -> Statement:
    """List the units of the values of a domain, and those of the numbered column of kept boundaries."""
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
    """Map every value of a domain to the place, the measure and the span of its unit."""
    leaves = {"axis": axis, "units": units_, **_unit_of(domain, order)}
    return Statement("hierarchies/unit_line", leaves)


def _unit_of(domain: exp.Table, order: Snapped) -> dict[str, object]:
    """Build the leaves by which a value is rounded down to the start of its unit."""
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
    """The complete paths of the hierarchy of a column with an order; `as_text` where it lists its values."""

    table: exp.Table
    height: int
    as_text: bool = True

    @property
    def levels(self) -> range:
        """Number the levels above the values."""
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

    `along` a hierarchy they stand as its leaves do, depth first, siblings by the bytes of their labels.
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
    """Give each place of a line the labels above it, with how many places each of them has."""
    leaves = {"table": table, "axis": axis, "paths": paths.table, "as_text": paths.as_text}
    return Statement("hierarchies/line_nodes", {**leaves, "levels": paths.levels})


def parted_nodes(nodes_: exp.Table, levels: range) -> Statement:
    """Count, level by level, the places where a line has parted a node from its other values."""
    return Statement("hierarchies/parted_nodes", {"nodes": nodes_, "levels": levels})


def tree(
    axis: exp.Table, map_: exp.Table, packing: Packing, *, keep: int | None = None
) -> Statement:
    """Map every value to its place as a leaf of its hierarchy, with the labels above it.

    The hierarchy is the only one of its packing, which has one key. To `keep` some bits of a place makes leaves of the
    nodes of a level.
    """
    (height,) = packing.tops
    parts = mapping_sql.path_bits(packing, quasi=0, key=0)
    leaves = {"axis": axis, "map": map_, "parts": parts, "levels": range(1, height + 1)}
    return Statement("hierarchies/tree", {**leaves, "keep": keep})


def nodes(
    table: exp.Table,
    axis: exp.Table,
    masks: Sequence[int],
    *,
    least: int = 0,
    all_leaves: int,
) -> Statement:
    """List a hierarchy's nodes by level, from the `least` on, and place; `masks` has the bits that each level keeps."""
    above = list(enumerate(masks))[max(least, 1) :]
    leaves = {"nodes": table, "axis": axis, "values": not least, "levels": above}
    return Statement("hierarchies/nodes", {**leaves, "all_leaves": all_leaves})


def count_places(axis: exp.Table) -> Statement:
    """Count the places that values have; NULL has one."""
    return Statement("hierarchies/count_places", {"axis": axis})


def survey_line(axis: exp.Table) -> Statement:
    """Count the values without a place, the uneven measures, and the places that values share; find the last place."""
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
) -> Statement:
    """Count the distinct tuples of places, all in one region: (source column, axis, its place).

    With a `target` its values, numbered from 0 on, are part of the tuples.
    """
    joined = [
        _join(own, table, f"q{n}", place, f"place_{n}")
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


def _join(own: exp.Column, table: exp.Table, alias: str, taken: str, as_: str) -> dict[str, object]:
    """Join a column of the source to a table of its values, of which one column is taken."""
    return {
        "column": own,
        "table": table,
        "alias": name(alias),
        "value": column("value", of=alias),
        "from": column(taken, of=alias),
        "as": name(as_),
    }
