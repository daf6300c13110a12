"""The outputs that a quasi-identifier may have, and the list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.base.documents.shapes import OneOf
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.order import BY_BYTES, Listed, OrderKind, Snapped, has_median
from kanon_sql.policy.output import Output, OutputOfRows
from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.policy.search_options import Algorithm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.policy.model import Column, Policy


class LabelsOutput(Output):
    """One text: the interval of a column that is cut by its order, otherwise the node of its hierarchy."""

    key = "labels"
    shows_ends = True
    covers = "interval"


LABELS = LabelsOutput()


class IntervalOutput(LabelsOutput):
    """The interval of an order, as one text."""

    key = "interval"

    def why_not(self, column: Column) -> str | None:
        missing = "interval goes with an order; a hierarchy has nodes: say output: node"
        return missing if column.order is None else None

    def hashed_as(self, column: Column) -> Output:
        del column
        return LABELS  # an order gives intervals by default


class NodeOutput(Output):
    """A node of a hierarchy: of a region on a line, the lowest one that has all of its values."""

    key = "node"
    region_words = "the lowest group of the hierarchy that has all values of its class"
    by_nodes = True
    regions_may_join = True

    def why_not(self, column: Column) -> str | None:
        has_nodes = column.hierarchy is not None and not isinstance(column.order, Snapped)
        return None if has_nodes else "node goes with a hierarchy, and with no order: date or snap"

    def hashed_as(self, column: Column) -> Output:
        return LABELS if column.order is None else self  # a hierarchy gives nodes by default

    def problems(self, policy: Policy, column: Column) -> Iterator[str]:
        options, algorithm = policy.search.options, policy.search.algorithm
        in_regions = options.counted_by is Channel.REGIONS
        if column.order is not None and options.by_order and not in_regions:
            what = f"has output: {self} and an order, by which {algorithm} cuts it into intervals"
            instead = f"remove order to cut it into nodes, or use algorithm: {Algorithm.MONDRIAN}"
            yield f"{what}; use output: interval, {instead}"


class BoundsOutput(Output):
    """The bounds of an interval, as two typed columns."""

    key = "bounds"
    reading = "the row's own value lies between the two: compare ranges"
    parts = ("low", "high")
    bounded = shows_own_values = True
    shows_ends = True
    covers = "interval"
    no_wildcard = "are NULL at the root, and nulls: wildcard would match them"
    no_warehouse = "is released as bounds, whose types are each database's own; release labels"
    no_adapter = "its types of bounds are others; release labels"

    def why_not(self, column: Column) -> str | None:
        if column.order is None:
            possible = column.hierarchy is None or bool(column.hierarchy.bounded_levels)
        else:
            texts = {*BY_BYTES, OrderKind.LIST}
            possible = column.order not in texts and not isinstance(column.order, Listed)
        wanted = "bounds goes with a hierarchy of intervals, or order: number or date"
        return None if possible else wanted

    def problems(self, policy: Policy, column: Column) -> Iterator[str]:
        options = policy.search.options
        if options.cuts_axes and not (column.order is not None and options.by_order):
            what = "nodes of hierarchies are released as labels: use output: node"
            more = ", or an order" if options.by_order else ""
            yield f"has output: {self}, but by {policy.search.algorithm} {what}{more}"

    def released_as(self, name: str) -> tuple[str, ...]:
        return tuple(f"{name}_{part}" for part in self.parts)

    def level_columns(self, level: int, height: int) -> tuple[str, ...]:
        return () if level == height else tuple(f"{part}_{level}" for part in self.parts)

    def shown(self, label: str, level: int) -> str:
        return label.replace(":", " to ", 1) if level else label


class SetOutput(OutputOfRows):
    """The values of a class as one text: between bars, with a backslash before a bar, a backslash and the N of NULL."""

    key = "set"
    words = "the values that its class has"
    reading = "one of the values is the row's own: count classes that have a value"
    template = "multidimensional/sets"
    regions_may_join = False
    shows_values = True
    covers = "set"

    def classes_may_join(self, *, several_levels: bool) -> bool:
        return several_levels  # labels of one level, or of one cut, have no value in common

    def leaves(self, column: Column, *, tree: bool) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        del column, tree
        return {"bar": literal("|"), "escape": literal("\\"), "null": literal("\\N")}

    def values_shown(self, cells: exp.Table, axis: exp.Table) -> exp.Table:
        del cells
        return axis


class MeanOutput(OutputOfRows):
    """The mean of the numbers of a region, to six decimals."""

    key = "mean"
    words = "the mean of its class"
    reading = "compute means and slopes with it; standard errors are larger, and it is not the row's own value"
    template = "multidimensional/centres"
    parts = ("centre",)
    hashed_parts = ("steps",)  # whole millionths, as databases do not write a number alike
    is_of_class = True
    only_regions = "a number that no row has, which the order of Mondrian's regions gives; say search: {algorithm: mondrian}, or output: representative"
    no_cover = "a mean or median of a class covers no value of the source"
    median: ClassVar[bool] = False

    def why_not(self, column: Column) -> str | None:
        wanted = f"{self} goes with order: number, without snap"
        return None if column.order is OrderKind.NUMBER else wanted

    def leaves(self, column: Column, *, tree: bool) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        del column
        if tree:
            raise InternalError(f"{self} is of a line")
        return {"median": self.median, "unit": literal(10**6)}


class MedianOutput(MeanOutput):
    """The median of the numbers of a region, to six decimals."""

    key = "median"
    words = "the median of its class"
    reading = "describe classes by it; it is not the row's own value"
    median: ClassVar[bool] = True
    may_be_of_one = True


class RepresentativeOutput(OutputOfRows):
    """One value of a class that stands for all: the lower median of its rows, or the most frequent value.

    The first in their order of those that are as frequent. It is NULL where more than half of the rows are NULL.
    """

    key = "representative"
    words = "a value of its class, the same for all of its rows"
    reading = "describe classes by it; it is not the row's own value"
    template = "multidimensional/representatives"
    parts = ("value",)
    is_of_class = True
    shows_values = shows_own_values = True
    covers = "itself"

    def leaves(self, column: Column, *, tree: bool) -> dict[str, object]:
        return {"median": has_median(column.order) and not tree}

    def values_shown(self, cells: exp.Table, axis: exp.Table) -> exp.Table:
        del axis
        return cells


class ApportionedOutput(RepresentativeOutput):
    """One value for all rows of a region, chosen so that the totals over all regions are those of the table.

    Over all regions each value is shown by about as many rows as have it, and so is each pair of values of two columns
    with this output. The value is of the column's own type, and some row of the region has it; what a row shows need
    not be the value of that row.
    """

    key = "apportioned"
    words = "a value of its class, the same for all of its rows; over all classes each value is shown by about as many rows as have it"
    reading = (
        "count and tabulate it; a row does not show what is true of it, and slopes are weakened"
    )
    only_regions = "a value for a whole class; say search: {algorithm: mondrian}, or remove output"
    template = "multidimensional/apportioned/apportioned"
    together = True

    def leaves(self, column: Column, *, tree: bool) -> dict[str, object]:
        del column, tree
        return {}


NODE, APPORTIONED = NodeOutput(), ApportionedOutput()
OUTPUTS: tuple[Output, ...] = (
    LABELS,
    IntervalOutput(),
    NODE,
    SetOutput(),
    BoundsOutput(),
    MeanOutput(),
    MedianOutput(),
    APPORTIONED,
    RepresentativeOutput(),
)
"""Every output."""
OUTPUT = OneOf(OUTPUTS)
"""The shape of an output of a column in a policy."""
OUTPUT_OF_ALL = OneOf(tuple(each for each in OUTPUTS if each.together))
"""The shape of an output that a policy states once, for all quasi-identifiers that state none."""
