"""Example labels and classes of a release, shown to the person who makes it and written to no file."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN_CLASSES = 5
"""The most example classes."""


@dataclass(frozen=True, slots=True)
class ExampleClass:
    """An equivalence class of a release: its labels in the order of the released columns, and its size."""

    labels: tuple[str | None, ...]
    rows: int
    people: int | None = None


@dataclass(frozen=True, slots=True)
class Examples:
    """Example classes of a release, in an order unrelated to the source's, and labels of its columns.

    Every class, and every label in `labels`, has at least k released rows, or people where these are counted. `labels`
    has a label by quasi-identifier that stands for several values of the source. `columns` are the released columns.
    """

    columns: tuple[str, ...]
    classes: tuple[ExampleClass, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
