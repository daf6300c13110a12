"""Find the labels of regions, column by column, from the bounds of the regions or from their rows."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.hierarchies.order import has_median
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.model import Output
from kanon_sql.recoding.multidimensional import regions_sql
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis, ReleasedValues

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from kanon_sql.recoding.axes import Space
    from kanon_sql.run.session import Session


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """The table of each region's labels; `shown` has the tables of the values that are released alone."""

    table: exp.Table
    shown: Mapping[int, exp.Table] = field(default_factory=dict)


def release_regions(
    run: Session,
    space: Space,
    regions: exp.Table,
    tuples: exp.Table | None = None,
    *,
    keyed: bool = False,
) -> ReleasedTable:
    """Create the table of each region's labels; labels that depend on rows need `tuples` with regions."""
    found: dict[int, exp.Table] = {}
    shown: dict[int, exp.Table] = {}
    for n, (axis, labels) in enumerate(zip(space.regions.axes, space.labels, strict=True)):
        output = labels.output
        if output is Output.NODE and isinstance(axis, LineAxis):
            found[n] = run.scratch.create(
                "nodes_of_lines", regions_sql.nodes_of_lines, regions, axis, n
            )
        if not output.is_of_rows:
            continue
        if tuples is None:
            raise InternalError(f"{output} follows from rows, and there are none")
        values = ReleasedValues(axis, space.tables[n], n)
        if output is Output.SET:
            found[n] = run.scratch.create("sets", regions_sql.sets, tuples, values)
            shown[n] = space.tables[n]
        elif output is Output.REPRESENTATIVE:
            median = has_median(run.policy.quasi[n].order) and isinstance(axis, LineAxis)
            found[n] = shown[n] = run.scratch.create(
                "representatives", regions_sql.representatives, tuples, values, median=median
            )
        elif isinstance(axis, LineAxis):
            found[n] = run.scratch.create("centres", regions_sql.centres, tuples, axis, n, output)
        else:
            raise InternalError(f"{output} is of a line")
    released = run.scratch.create(
        "released_regions", space.regions.released, regions, space.labels, found=found, keyed=keyed
    )
    return ReleasedTable(released, shown)
