"""Describes in words and by an example how each quasi-identifier is transformed.

The example's value is made up: a member of the released label, computed from the label alone. No value of the source
is read. For a hierarchy that lists its values (a file, a table, a query, a tree) none is made up.
"""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from typing import TYPE_CHECKING, assert_never

from kanon_sql.documents.text import counted, joined
from kanon_sql.hierarchies.order import BY_BYTES, Dates, Listed, OrderKind, Steps
from kanon_sql.hierarchies.places import follows_hierarchy
from kanon_sql.hierarchies.specs import (
    ROOT,
    CsvHierarchy,
    DateHierarchy,
    DateUnit,
    IntervalHierarchy,
    MaskHierarchy,
    QueryHierarchy,
    SuppressHierarchy,
    TableHierarchy,
    TreeHierarchy,
)
from kanon_sql.late_dataclass import dataclass
from kanon_sql.plans.recoding_texts import recoding_texts
from kanon_sql.plans.recodings import levels_used
from kanon_sql.policy.model import Output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.hierarchies.order import Order
    from kanon_sql.hierarchies.specs import HierarchySpec
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.model import Column, Policy


ANY, ANY_BELOW = "any value", "a value of this group"
"""The texts in place of an example value if none is made up."""
OF_CLASS = {
    Output.MEAN: "the mean of its class",
    Output.MEDIAN: "the median of its class",
    Output.SET: "the values that its class has",
    Output.REPRESENTATIVE: "a value of its class, the same for all of its rows",
}
OF_REGION = {Output.NODE: "the lowest group of the hierarchy that has all values of its class"}
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
    for number, (each, recoded) in enumerate(zip(policy.quasi, recoding_texts(plan), strict=True)):
        levels, height = levels_used(plan.recoding, number), plan.heights[each.name]
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
    spec = _hierarchy(column.hierarchy)
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


def _hierarchy(spec: HierarchySpec) -> str:
    """Describe a hierarchy of the policy, without any value that it lists.

    >>> _hierarchy(MaskHierarchy(5))
    'text of at most 5 characters, masked from the right'
    """
    match spec:
        case IntervalHierarchy(widths=widths, bottom=bottom, top=top):
            below = "" if bottom is None else f", one below {bottom:f}"
            above = "" if top is None else f", one from {top:f} on"
            text = f"intervals of {joined([f'{width:f}' for width in widths], 'or')}{below}{above}"
        case MaskHierarchy(length=length):
            text = f"text of at most {counted(length, 'character')}, masked from the right"
        case DateHierarchy(units=units):
            text = f"dates by {joined(units, 'or')}"
        case SuppressHierarchy():
            text = "kept or removed as a whole"
        case CsvHierarchy(path=path):
            text = f"the hierarchy of the file {path}"
        case TableHierarchy(name=name):
            text = f"the hierarchy of the table {name}"
        case QueryHierarchy():
            text = "the hierarchy of a query of the policy"
        case TreeHierarchy(paths=paths):
            text = f"a hierarchy that the policy lists, of {counted(len(paths), 'value')}"
        case _:
            assert_never(spec)
    return text


def _becomes(column: Column, levels: tuple[int, ...], height: int) -> str:
    """Describe the labels that a column has in the release."""
    if column.output in OF_CLASS:
        return OF_CLASS[column.output]
    spec = column.hierarchy
    if not levels:
        return OF_REGION.get(column.output, "the range of values that its rows share")
    if spec is None:
        return ""
    parts = [_at_level(spec, level, height) for level in sorted(levels)]
    ranges = ", as two columns" if column.output is Output.BOUNDS else ""
    return f"{joined(list(dict.fromkeys(parts)), 'or')}{ranges}"


def _at_level(spec: HierarchySpec, level: int, height: int) -> str:
    """Describe the labels of one level of a hierarchy.

    >>> _at_level(IntervalHierarchy((Decimal(5), Decimal(20))), 2, 3)
    'an interval of 20'
    >>> _at_level(MaskHierarchy(5), 2, 5)
    'its first 3 of 5 characters'
    """
    if level == 0:
        return UNCHANGED
    listed = isinstance(spec, CsvHierarchy | TableHierarchy | QueryHierarchy | TreeHierarchy)
    if level >= height and not listed:
        return "nothing: one label for all values"
    match spec:
        case IntervalHierarchy(widths=widths):
            text = f"an interval of {widths[level - 1]:f}"
        case MaskHierarchy(length=length, masked=masked):
            kept = length - masked[level - 1]
            text = f"its first {'character' if kept == 1 else kept} of {length} characters"
        case DateHierarchy(units=units):
            text = f"the {units[level - 1]}"
        case (
            CsvHierarchy()
            | TableHierarchy()
            | QueryHierarchy()
            | TreeHierarchy()
            | SuppressHierarchy()
        ):
            text = f"{'the coarsest' if level >= height else 'a'} group of the hierarchy"
        case _:
            assert_never(spec)
    return text


NUMBER = r"(-?\d+(?:\.\d+)?)"
RANGES = (
    re.compile(rf"\[{NUMBER}, {NUMBER}[\])]"),
    re.compile(rf"{NUMBER} to {NUMBER}"),
    re.compile(r"(\d+)-(\d+)"),
)
DATE = r"(\d{4}-\d{2})-(\d{2})"
DAYS = (re.compile(rf"\[{DATE}, {DATE}[\])]"), re.compile(rf"{DATE} to {DATE}"))
WITHIN = Decimal("0.85")
"""The position of an example within its interval, as a share: neither a bound nor the center."""
LETTERS, DIGITS = "abcdefghij", "3748261905"


def made_up(column: Column, levels: tuple[int, ...], label: str) -> str | None:
    """Make up a value that a label stands for, from the label alone; None if that is not possible.

    >>> from kanon_sql.policy.model import Column, Role
    >>> ages = Column("age", Role.QUASI, IntervalHierarchy((Decimal(20),)))
    >>> made_up(ages, (1,), "[20, 40)")
    '37'
    """
    if column.output.is_of_rows:
        return None
    spec = column.hierarchy
    if isinstance(spec, MaskHierarchy):
        return _unmasked(spec, label)
    if isinstance(spec, DateHierarchy):
        one = len(levels) == 1 and 0 < levels[0] <= len(spec.units)
        return _day_of(spec.units[levels[0] - 1], label) if one else None
    return _number_in(label) or _day_in(label)


def _number_in(label: str) -> str | None:
    """Make up a number within an interval; None if the label is no interval, or a point.

    >>> [_number_in(label) for label in ("[20, 40)", "20 to 25", "20-39", "[0.5, 1.0)", "[7, 7]", "1980-03")]
    ['37', '24', '36', '0.9', None, None]
    """
    for pattern in RANGES:
        if (found := pattern.fullmatch(label)) is None:
            continue
        try:
            low, high = map(Decimal, found.groups())
            inner = (low + (high - low) * WITHIN).quantize(_unit(low, high), ROUND_FLOOR)
        except InvalidOperation:
            return None
        return f"{inner:f}" if low <= inner < high else None
    return None


def _unit(low: Decimal, high: Decimal) -> Decimal:
    """Return the finest decimal place that either of two bounds has, at most units."""
    places = min(int(low.as_tuple().exponent), int(high.as_tuple().exponent), 0)
    return Decimal(1).scaleb(places)


def _day_in(label: str) -> str | None:
    """Make up a day within an interval of days: the 17th of its last month; None if that is not inside.

    >>> _day_in("[2022-10-01, 2022-11-30]"), _day_in("[2022-10-01, 2022-10-01]")
    ('2022-11-17', None)
    """
    for pattern in DAYS:
        if (found := pattern.fullmatch(label)) is not None:
            first, _, last, day = found.groups()
            return f"{last}-17" if first < last and day > "17" else None
    return None


def _day_of(unit: DateUnit, label: str) -> str | None:
    """Make up a day within a calendar unit, from its label; None for other labels, days and weeks.

    >>> _day_of(DateUnit.QUARTER, "1980-Q3"), _day_of(DateUnit.DECADE, "1980s"), _day_of(DateUnit.YEAR, "*")
    ('1980-08-17', '1983-08-17', None)
    """
    found = re.fullmatch(r"(\d{4})(?:s|-Q(\d)|-(\d{2}))?", label)
    if found is None:
        return None
    year, quarter, month = found.groups()
    match unit:
        case DateUnit.MONTH:
            return f"{year}-{month}-17" if month else None
        case DateUnit.QUARTER:
            return f"{year}-{3 * int(quarter) - 1:02d}-17" if quarter else None
        case DateUnit.YEAR:
            return f"{year}-08-17" if label == year else None
        case DateUnit.DECADE | DateUnit.CENTURY:
            after = 3 if unit is DateUnit.DECADE else 37
            return f"{int(year) + after:04d}-08-17" if label.endswith("s") else None
        case (
            DateUnit.DAY | DateUnit.WEEK
        ):  # a label of a day is that day, and one of a week has no day in it
            return None
        case _:
            assert_never(unit)


def _unmasked(spec: MaskHierarchy, label: str) -> str | None:
    """Make up a text whose masked form is the label; None if nothing or everything is masked.

    >>> _unmasked(MaskHierarchy(5), "021**"), _unmasked(MaskHierarchy(5), "*****"), _unmasked(MaskHierarchy(5), "02134")
    ('02137', None, None)
    """
    kept = label.rstrip(spec.character)
    masked = len(label) - len(kept)
    if not kept or not masked:
        return None
    filled = DIGITS if kept.isdigit() else LETTERS
    return kept + "".join(filled[n % len(filled)] for n in range(masked))
