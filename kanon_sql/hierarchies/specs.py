"""Generalization hierarchies as a policy states them: where the levels come from, never rows.

A hierarchy's level 0 is the column itself; its last level is one value for all, the root, or several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.keys import Keyed
from kanon_sql.documents.shapes import ByKind, Fixed, Parsed, Shape
from kanon_sql.hierarchies.by_rule import (
    DateHierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    SuppressHierarchy,
)
from kanon_sql.hierarchies.entries import (
    CsvHierarchy,
    QueryHierarchy,
    TableHierarchy,
    TreeHierarchy,
)
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from kanon_sql.hierarchies.hierarchy_kind import HierarchyKind

KINDS: tuple[type[HierarchyKind], ...] = (
    CsvHierarchy,
    TableHierarchy,
    QueryHierarchy,
    TreeHierarchy,
    MaskHierarchy,
    IntervalHierarchy,
    DateHierarchy,
    SuppressHierarchy,
)
"""Every kind of hierarchy."""

HIERARCHY: Shape[HierarchyKind] = ByKind(
    plain=Parsed(
        Fixed(
            "suppress",
            "must be suppress, or a mapping such as {csv: file}, {mask: 5} or {intervals: [5, 10]}",
        ),
        lambda _: SuppressHierarchy(),
    ),
    mapping=Keyed({kind.key: kind.shape for kind in KINDS}),
)
"""How a policy states a hierarchy."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A hierarchy as it was found: its height, and a hash of every value's path to the root.

    One of `several_roots` ends in as many labels, and a column goes no further than those.
    """

    height: int
    digest: str
    several_roots: bool = False

    @property
    def root(self) -> int:
        """The level at which a column says nothing of a row: one above the last where there are several roots."""
        return self.height + self.several_roots
