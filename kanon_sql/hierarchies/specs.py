"""All kinds of generalization hierarchies as a policy states them, and a hierarchy after it was read.

Level 0 of a hierarchy is the column itself. Its last level has one label, the root, or several.
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
"""The shape of a hierarchy in a policy."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A hierarchy after it was read: its height, and a hash of its entries (`digest_of`).

    With `several_roots` its last level has several labels, and a column is generalized no further.
    """

    height: int
    digest: str
    several_roots: bool = False

    @property
    def root(self) -> int:
        """The level at which all values have one label: above the last level if there are several roots."""
        return self.height + self.several_roots
