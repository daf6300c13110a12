"""Labels and classes of a release that are shown to whoever plans or makes it. They are written to no file."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN_CLASSES = 5
"""How many classes are shown."""


@dataclass(frozen=True, slots=True)
class ExampleClass:
    """An equivalence class of a release: its labels in the order of the released columns, and its size."""

    labels: tuple[str | None, ...]
    rows: int
    people: int | None = None


@dataclass(frozen=True, slots=True)
class Examples:
    """Some classes of a release, in an order that has nothing to do with the source's, and labels of its columns.

    Every class, and every label in `labels`, is of at least k released rows, or people where these are counted. A label,
    by the name of its quasi-identifier, stands for several values of the source. `columns` are the released columns.
    """

    columns: tuple[str, ...]
    classes: tuple[ExampleClass, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
