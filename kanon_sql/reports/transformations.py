"""Describes in words and by an example how each quasi-identifier is transformed.

The example's value is made up: a member of the released label, computed from the label alone. No value of the source
is read. For a hierarchy that lists its values (a file, a table, a query, a tree) none is made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.documents.text import counted, joined
from kanon_sql.hierarchies.hierarchy_kind import ROOT, member_of_range
from kanon_sql.hierarchies.order import BY_BYTES, Dates, Listed, OrderKind, Steps
from kanon_sql.hierarchies.places import follows_hierarchy
from kanon_sql.late_dataclass import dataclass
from kanon_sql.plans.recodings import levels_used

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.hierarchies.order import Order
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.model import Column, Policy


ANY, ANY_BELOW = "any value", "a value of this group"
"""The texts in place of an example value if none is made up."""
UNCHANGED = "the value itself"
"""The text on a column that is released at level 0."""


@dataclass(frozen=True, slots=True)
class Transformation:
    """The transformation of one quasi-identifier, in words.

    `rule` describes its hierarchy or order, `recoded` the chosen levels or cuts, and `becomes` the labels that result.
    `after` is a label of the release, and `before` a made-up value that it stands for, or a text for any value. Each is
    None if there is none to show.
    """

    column: str
    released_as: tuple[str, ...]
    rule: str
    recoded: str
    becomes: str
    before: str | None = None
    after: str | None = None

    @property
    def unchanged(self) -> bool:
        """True if all rows keep their value in this column."""
        return self.becomes == UNCHANGED


def transformations(
    policy: Policy, plan: Plan, labels: Mapping[str, Sequence[str]]
) -> tuple[Transformation, ...]:
    """Describe a plan's transformation of each quasi-identifier.

    `labels` has released labels by column, the most frequent first; a label of bounds is `LOW to HIGH`. A column with
    rows at level 0 shows none.
    """
    found = []
    for number, each in enumerate(policy.quasi):
        levels, height = levels_used(plan.recoding, number), plan.heights[each.name]
        recoded = plan.recoding.column_text(number, height)
        shown = () if 0 in levels else labels.get(each.name, ())
        members = ((made_up(each, levels, label), label) for label in shown)
        first = next(iter(shown), None)
        before, after = next((pair for pair in members if pair[0] is not None), (None, first))
        if before is None and after is not None and not each.output.is_of_rows:
            before = ANY if len(shown) == 1 or after == ROOT else ANY_BELOW
        found.append(
            Transformation(
                each.name,
                each.released_as,
                _rule(each),
                recoded,
                _becomes(each, levels, height),
                before,
                after,
            )
        )
    return tuple(found)


def _rule(column: Column) -> str:
    """Describe a column's hierarchy and order: the ways in which it may be generalized."""
    follows = follows_hierarchy(column)
    ordered = "the order of that hierarchy" if follows else column.order and _own(column.order)
    along = f"cut along {ordered}" if ordered else ""
    if column.hierarchy is None:
        return along
    spec = column.hierarchy.described
    return f"{spec}, {along}" if along else spec


NAMED_ORDERS = {
    OrderKind.NUMBER: "its numbers",
    OrderKind.DATE: "its dates",
    **dict.fromkeys(BY_BYTES | {OrderKind.LIST}, "the order of its texts"),
    OrderKind.FREQUENCY: "its values from the most to the least frequent one",
}


def _own(order: Order) -> str:
    """Describe a column's own order, one that follows no hierarchy."""
    match order:
        case Dates(unit=unit):
            return f"its dates by {unit}"
        case Steps(width=width):
            return f"its numbers in steps of {width:f}"
        case Listed(values=values):
            return f"the order of a list of {counted(len(values), 'value')}"
        case OrderKind():
            return NAMED_ORDERS[order]
        case _:
            assert_never(order)


def _becomes(column: Column, levels: tuple[int, ...], height: int) -> str:
    """Describe the labels that a column has in the release."""
    if column.output.words is not None:
        return column.output.words
    spec = column.hierarchy
    if not levels:
        return column.output.region_words
    if spec is None:
        return ""
    parts = [spec.becomes(level, height) if level else UNCHANGED for level in sorted(levels)]
    ranges = ", as two columns" if column.output.bounded else ""
    return f"{joined(list(dict.fromkeys(parts)), 'or')}{ranges}"


def made_up(column: Column, levels: tuple[int, ...], label: str) -> str | None:
    """Make up a value that a label stands for, from the label alone; None if that is not possible.

    >>> from kanon_sql.hierarchies.specs import IntervalHierarchy
    >>> from kanon_sql.policy.model import Column, Role
    >>> ages = Column("age", Role.QUASI, IntervalHierarchy((20,)))
    >>> made_up(ages, (1,), "[20, 40)")
    '37'
    """
    if column.output.is_of_rows:
        return None
    if column.hierarchy is None:
        return member_of_range(label)
    return column.hierarchy.made_up(levels, label)
