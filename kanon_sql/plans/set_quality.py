"""The released classes over one set of quasi-identifiers, if there are several."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.documents.text import counted


def classes_text(classes: int, smallest: int) -> str:
    """Format the number of classes and the size of the smallest."""
    return f"{counted(classes, 'equivalence class')}, smallest size {smallest:,}"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one set of quasi-identifiers of several."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int
