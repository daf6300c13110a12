"""Values that a column's type lists in an order: an ENUM, an ordered categorical. Neighbours are grouped, as their order means it.

They are part of the type, as the names of columns are of a table, so a policy may list them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import whole
from kanon_sql.engines.frames import declared_orders

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.apps.getting_started.init_source import InitSource

INTERVAL = re.compile(r"([\[(][^,]+), ([^,]+[\])])")
FEWEST, MOST = 3, 100
"""The fewest listed values that are grouped, and the most that a policy lists."""


def with_listed_values(
    opened: InitSource, profiles: Mapping[str, ColumnProfile], *, cured: Container[str]
) -> dict[str, ColumnProfile]:
    """Return profiles with the values that the types of columns list; the texts of a cured column may be others."""
    engine = opened.run.engine
    if opened.frame is not None:
        found = declared_orders(opened.frame)
    elif names := [each.name for each in engine.columns(opened.view) if each.enum]:
        rows = engine.fetch(listed_values(opened.view, names))
        found = {
            name: tuple(str(label) for number, label in rows if whole(number) == n)
            for n, name in enumerate(names)
        }
    else:
        found = {}
    listed = {
        name: values
        for name, values in found.items()
        if FEWEST <= len(values) <= MOST and name not in cured
    }
    return {
        name: replace(each, listed=listed[name]) if name in listed else each
        for name, each in profiles.items()
    }


def listed_values(source: exp.Table, names: Sequence[str]) -> Statement:
    """Read the values that the types of columns list."""
    leaves = {"source": source, "columns": [column(each, of="s") for each in names]}
    return Statement("getting_started/listed_values", leaves)


def nested_groups(listed: Sequence[str]) -> dict[str, object]:
    """Return the tree of values that groups neighbours by two, a last one with the group before it, up to one root.

    >>> nested_groups(["low", "mid", "high"])
    {'*': {'low to mid': ['low', 'mid'], 'high': ['high']}}
    >>> nested_groups(["(0, 1]", "(1, 2]", "(2, 3]", "(3, 9]"])
    {'*': {'(0, 2]': ['(0, 1]', '(1, 2]'], '(2, 9]': ['(2, 3]', '(3, 9]']}}
    """
    groups: list[tuple[str, str, object]] = [(each, each, None) for each in listed]
    while len(groups) > FEWEST or groups[0][2] is None:
        starts = list(range(0, max(len(groups) - 1, FEWEST), 2))
        ends = [*starts[1:], len(groups)]
        parts = [groups[start:end] for start, end in zip(starts, ends, strict=True)]
        groups = [(part[0][0], part[-1][1], _members(part)) for part in parts]
    return {"*": _members(groups)}


def _members(groups: Sequence[tuple[str, str, object]]) -> object:
    if groups[0][2] is None:
        return [first for first, _, _ in groups]
    return {_between(first, last): members for first, last, members in groups}


def _between(first: str, last: str) -> str:
    """Return the label of all values from the first to the last: of intervals, the interval from end to end."""
    if first == last:
        return first
    ends = INTERVAL.fullmatch(first), INTERVAL.fullmatch(last)
    if ends[0] is not None and ends[1] is not None:
        return f"{ends[0][1]}, {ends[1][2]}"
    return f"{first} to {last}"
