"""Read the `hierarchy:` entry of a policy."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.hierarchies.specs import (
    EXACT,
    LONGEST_MASK,
    CsvHierarchy,
    DateHierarchy,
    DateUnit,
    HierarchySpec,
    IntervalHierarchy,
    MaskHierarchy,
    QueryHierarchy,
    SuppressHierarchy,
    TableHierarchy,
    TreeHierarchy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from decimal import Decimal

    from kanon_sql.documents.lines import Item

KINDS = ("csv", "table", "query", "tree", "mask", "intervals", "dates", "suppress")
OPTIONS = {"csv": ("delimiter", "ragged"), "table": ("ragged",), "query": ("ragged",),
           "tree": ("ragged",)}  # fmt: skip
CALENDAR = (DateUnit.DAY, DateUnit.MONTH, DateUnit.QUARTER, DateUnit.YEAR, DateUnit.DECADE,
            DateUnit.CENTURY)  # fmt: skip


def read_hierarchy(item: Item) -> HierarchySpec | None:
    """Read one hierarchy; faults are listed in the document."""
    if item.value == "suppress":
        return SuppressHierarchy()
    if not isinstance(item.value, dict):
        item.fault(
            "must be suppress, or a mapping such as {csv: file}, {mask: 5} or {intervals: [5, 10]}"
        )
        return None
    entries = item.mapping(known=(*KINDS, "delimiter", "ragged"))
    given = [kind for kind in KINDS if kind in entries]
    if len(given) != 1:
        item.fault(f"must have exactly one of {', '.join(KINDS)}")
        return None
    kind = given[0]
    for option in ("delimiter", "ragged"):
        if option in entries and option not in OPTIONS.get(kind, ()):
            entries[option].fault(f"has no meaning beside {kind}")
    if kind in MADE:
        return MADE[kind](entries[kind])
    return _given(kind, entries)


def _given(kind: str, entries: dict[str, Item]) -> HierarchySpec | None:
    """Read a hierarchy that comes with its own values."""
    ragged = "ragged" in entries
    if ragged and entries["ragged"].value != "repeat":
        entries["ragged"].fault("must be repeat: a short path repeats its value up to its parent")
    if kind == "tree":
        return _tree(entries["tree"], ragged=ragged)
    text = entries[kind].text()
    delimiter = entries["delimiter"].text() if "delimiter" in entries else None
    if delimiter is not None and len(delimiter) != 1:
        entries["delimiter"].fault("must be one character")
    if text is None:
        return None
    match kind:
        case "csv":
            return CsvHierarchy(text, delimiter, ragged)
        case "table":
            return TableHierarchy(text, ragged)
        case "query":
            return QueryHierarchy(text, ragged)
        case _:
            raise InternalError(f"no hierarchy is given by {kind}")


def _suppress(item: Item) -> SuppressHierarchy:
    if item.value is not True:
        item.fault("must be true")
    return SuppressHierarchy()


def _tree(item: Item, *, ragged: bool) -> TreeHierarchy | None:
    if not isinstance(item.value, dict) or len(item.value) != 1:
        item.fault("must be a mapping with one root")
        return None
    paths = tuple(_paths(item, ()))
    if not paths:
        item.fault("has no leaf")
        return None
    if not ragged and len({len(path) for path in paths}) > 1:
        item.fault(
            "has leaves at different depths; say ragged: repeat to let short paths repeat their leaf"
        )
    leaves = [path[0] for path in paths]
    if len(set(leaves)) < len(leaves):
        item.fault(f"has {len(leaves) - len(set(leaves))} leaves twice")
    return TreeHierarchy(paths, ragged)


def _paths(item: Item, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(item.value, dict | list):
        if not item.value:
            item.fault("has a group without members")
        if isinstance(item.value, list):
            for child in item.value:
                yield from _paths(child, above)
        else:
            for name, child in item.value.items():
                if child.value is None:
                    yield (name, *above)
                else:
                    yield from _paths(child, (name, *above))
    elif item.value is None:
        item.fault("has a leaf that is null; quote it if it is a text")
    else:
        yield (item.written, *above)


def _mask(item: Item) -> MaskHierarchy | None:
    if not isinstance(item.value, dict):
        length = item.integer(least=1, most=LONGEST_MASK)
        return MaskHierarchy(length) if length else None
    entries = item.mapping(known=("length", "steps", "character"))
    if "length" not in entries:
        item.fault("has no length")
        return None
    length = entries["length"].integer(least=1, most=LONGEST_MASK)
    if length is None:
        return None
    steps = (
        tuple(
            step for part in entries["steps"].items() if (step := part.integer(least=1)) is not None
        )
        if "steps" in entries
        else ()
    )
    if any(a >= b for a, b in pairwise(steps)) or (steps and steps[-1] > length):
        entries["steps"].fault("must grow, and end at the length or before")
        steps = ()
    character = (entries["character"].text() if "character" in entries else None) or "*"
    if len(character) != 1:
        entries["character"].fault("must be one character")
    return MaskHierarchy(length, steps, character)


def _intervals(item: Item) -> IntervalHierarchy | None:
    entries: dict[str, Item] = {}
    widths_item = item
    if isinstance(item.value, dict):
        entries = item.mapping(known=("widths", "offset", "bottom", "top"))
        if "widths" not in entries:
            item.fault("has no widths")
            return None
        widths_item = entries["widths"]
    widths: list[Decimal] = []
    for part in widths_item.items():
        width = part.decimal()
        if width is None:
            continue
        if width <= 0:
            part.fault("must be more than 0")
            continue
        if widths and (width <= widths[-1] or EXACT.remainder(width, widths[-1])):
            part.fault("must be a multiple of the width before it, or a level would cut across it")
            continue
        widths.append(width)
    bounds: dict[str, Decimal | None] = {
        name: entries[name].decimal() if name in entries else None
        for name in ("offset", "bottom", "top")
    }
    bottom, top = bounds["bottom"], bounds["top"]
    if bottom is not None and top is not None and bottom >= top:
        entries["top"].fault("must be above bottom")
    if not widths:
        widths_item.fault("must be a list of widths")
        return None
    from_zero = type(widths[0])(0)
    return IntervalHierarchy(tuple(widths), bounds["offset"] or from_zero, bottom, top)


def _dates(item: Item) -> DateHierarchy | None:
    units = [unit for part in item.items() if (unit := part.choice(DateUnit)) is not None]
    if not units:
        item.fault("must be a list of units such as [month, year]")
        return None
    if DateUnit.WEEK in units and units[-1] is not DateUnit.WEEK:
        item.fault("weeks cross the borders of months and years; week can only be the last unit")
    order = [CALENDAR.index(unit) for unit in units if unit is not DateUnit.WEEK]
    if any(a >= b for a, b in pairwise(order)):
        item.fault("units must grow from fine to coarse")
    if DateUnit.WEEK in units and order and order[-1] > 0:
        item.fault("only day can come before week")
    return DateHierarchy(tuple(units))


MADE: dict[str, Callable[[Item], HierarchySpec | None]] = {
    "mask": _mask,
    "intervals": _intervals,
    "dates": _dates,
    "suppress": _suppress,
}
"""Hierarchies that are made by rule from the values of the source."""
