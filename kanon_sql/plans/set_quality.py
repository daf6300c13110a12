"""What a release comes to over one set of quasi-identifiers, where there are several."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.documents.text import counted


def classes_text(classes: int, smallest: int) -> str:
    """Write how many classes there are, and the size of the smallest."""
    return f"{counted(classes, 'equivalence class')}, smallest size {smallest:,}"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one set of quasi-identifiers of several."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int
