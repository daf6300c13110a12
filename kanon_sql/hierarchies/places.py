"""The places of a column's values on a line, in the order that a policy states."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.errors import Fault, HierarchyError
from kanon_sql.hierarchies import axes_sql, mapping_sql
from kanon_sql.hierarchies.order import Dates, Listed, OrderKind, Steps

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.hierarchies.axes_sql import LinePaths
    from kanon_sql.hierarchies.order import Order
    from kanon_sql.policy.model import Column
    from kanon_sql.run.session import Session

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
    line, units = run.scratch.table("axis"), None
    match order:
        case Dates() | Steps():
            units = run.scratch.table("units")
            run.engine.execute(axes_sql.units(units, domain, order))
            run.engine.execute(axes_sql.unit_line(line, units, domain, order))
            why = NOT_ORDERED[OrderKind.DATE if isinstance(order, Dates) else OrderKind.NUMBER]
        case Listed():
            run.engine.execute(axes_sql.line(line, domain, order))
            why = NOT_ORDERED[OrderKind.LIST]
        case OrderKind():
            run.engine.execute(axes_sql.line(line, domain, order, along=along, rows=rows))
            why = NOT_ORDERED[order] if along is None else NOT_LISTED
        case _:
            assert_never(order)
    without, *_ = run.engine.fetch_counts(axes_sql.survey_line(line))
    if without and not new:
        check_no_problems(f"{without} distinct values {why}")
    return line, units


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
