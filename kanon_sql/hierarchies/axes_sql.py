"""Statements that lay each quasi-identifier out as an axis: every value of it has a place.

On a line places are the values' ranks in their order, from 0 on, with NULL before all of them at
-1. On a tree a place is the path to the value as bits, so that every node of the hierarchy is an
interval of places. The working table of a partition has the distinct tuples of places.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, assert_never

from kanon_sql.hierarchies import mapping_sql
from kanon_sql.hierarchies.order import (
    Dates,
    Listed,
    OrderKind,
    Snapped,
    Steps,
)
from kanon_sql.hierarchies.specs import EXACT
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.packing import Packing

NULL_PLACE = -1
EXACT_UNIT = 10**15
"""Numbers are told apart to so many parts of one."""


def units(
    table: exp.Table,
    domain: exp.Table,
    order: Snapped,
    *,
    sides: tuple[exp.Table, int] | None = None,
) -> Statement:
    """List the units that the values of a domain lie in, and those of the numbered column of `sides`."""
    kept, number = sides or (None, 0)
    low, high = name(f"low_{number}"), name(f"high_{number}")
    leaves = {"units": table, "sides": kept, "low": low, "high": high, "begin": column("low")}
    stepped = literal(order.width) if isinstance(order, Steps) else None
    return Statement("hierarchies/units", {**leaves, "stepped": stepped, **_unit_of(domain, order)})


def unit_line(axis: exp.Table, units_: exp.Table, domain: exp.Table, order: Snapped) -> Statement:
    """Give every value of a domain the place, the measure and the span of its unit."""
    leaves = {"axis": axis, "units": units_, "null_place": literal(NULL_PLACE)}
    return Statement("hierarchies/unit_line", {**leaves, **_unit_of(domain, order)})


def _unit_of(domain: exp.Table, order: Snapped) -> dict[str, object]:
    """Say how a value is rounded down to where its unit begins: numbers in whole parts of one."""
    shared = {"domain": domain, "value": column("value", of="d")}
    match order:
        case Dates(unit=unit):
            none = dict.fromkeys(("unit", "width", "step", "scale"))
            return {**shared, **none, "calendar": unit.value}
        case Steps(width=width, scale=scale):
            parts = 10**scale
            return {
                **shared,
                "calendar": None,
                "unit": literal(parts),
                "width": literal(int(EXACT.multiply(width, Decimal(parts)))),
                "step": literal(Decimal(1).scaleb(-scale)) if scale else None,
                "scale": literal(scale),
            }
        case _:
            assert_never(order)


def line(axis: exp.Table, domain: exp.Table, order: OrderKind | Listed) -> Statement:
    """Give every value of a domain its place, its measure, and the span of all measures."""
    kind = OrderKind.LIST if isinstance(order, Listed) else order
    listed = [literal(text) for text in order.values] if isinstance(order, Listed) else []
    return Statement(
        "hierarchies/line",
        {
            "axis": axis,
            "domain": domain,
            "value": column("value", of="d"),
            "plain_value": column("value"),
            "nth": column("nth"),
            "kind": kind.value,
            "unit": literal(EXACT_UNIT),
            "listed": [{"text": text, "number": literal(n)} for n, text in enumerate(listed)],
            "listed_text": column("listed_text", of="l"),
            "null_place": literal(NULL_PLACE),
        },
    )


def tree(axis: exp.Table, map_: exp.Table, packing: Packing) -> Statement:
    """Give every value its place as a leaf of its hierarchy, with the labels above it.

    The hierarchy is the only one of its packing, which has one key.
    """
    (height,) = packing.tops
    return Statement(
        "hierarchies/tree",
        {
            "axis": axis,
            "map": map_,
            "parts": [
                {
                    "ordinal": name(mapping_sql.ordinal(s.level)),
                    "weight": literal(1 << s.shift),
                }
                for s in packing.segments
            ],
            "levels": [
                {"as": name(mapping_sql.level(n)), "leaves": name(mapping_sql.leaves(n))}
                for n in range(1, height + 1)
            ],
        },
    )


def nodes(table: exp.Table, axis: exp.Table, masks: Sequence[int], *, all_leaves: int) -> Statement:
    """List a hierarchy's nodes by level and place; `masks` has the bits that each level keeps."""
    return Statement(
        "hierarchies/nodes",
        {
            "nodes": table,
            "axis": axis,
            "value": column("value"),
            "levels": [
                {
                    "number": literal(n),
                    "mask": literal(mask),
                    "as": name(mapping_sql.level(n)),
                    "leaves": name(mapping_sql.leaves(n)),
                }
                for n, mask in enumerate(masks)
                if n
            ],
            "leaves": column("leaves"),
            "all_leaves": literal(all_leaves),
            "zero": literal(0),
        },
    )


def survey_line(axis: exp.Table) -> Statement:
    """Ask for the values without a place, the last place, the uneven measures, and the places shared."""
    return Statement("hierarchies/survey_line", {"axis": axis})


def places(
    working: exp.Table,
    source: exp.Table,
    axes: Sequence[tuple[exp.Column, exp.Table, str]],
    *,
    spreads: Sequence[tuple[exp.Column, exp.Table]],
    entity: exp.Column | None,
    target: tuple[exp.Column, exp.Table] | None = None,
    region: int,
    rows: int,
) -> Statement:
    """Count the distinct tuples of places, all in one region: (source column, axis, its place).

    With a `target` they are told apart by its values too, which are numbered from 0 on.
    """
    held = len(axes) + len(spreads) + sum(each is not None for each in (entity, target))
    return Statement(
        "hierarchies/places",
        {
            "working": working,
            "source": source,
            "region": literal(region),
            "axes": [
                {
                    "as": name(f"place_{n}"),
                    "place": column(place, of=f"q{n}"),
                    "table": table,
                    "alias": name(f"q{n}"),
                    "column": own,
                    "value": column("value", of=f"q{n}"),
                }
                for n, (own, table, place) in enumerate(axes)
            ],
            "spreads": [
                {
                    "as": name(f"spread_{n}"),
                    "code": column("code", of=f"v{n}"),
                    "table": table,
                    "alias": name(f"v{n}"),
                    "column": own,
                    "value": column("value", of=f"v{n}"),
                }
                for n, (own, table) in enumerate(spreads)
            ],
            "targets": [
                {
                    "as": name("target"),
                    "code": column("code", of="t"),
                    "table": values,
                    "alias": name("t"),
                    "column": own,
                    "value": column("value", of="t"),
                }
                for own, values in ([] if target is None else [target])
            ],
            "entity": entity,
            "groups": [literal(n + 2) for n in range(held)],
        },
        scans=rows,
    )
