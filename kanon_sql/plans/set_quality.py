"""What a release comes to over one set of quasi-identifiers, where there are several."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.documents.text import counted
from kanon_sql.documents.values import listed, mapping, whole


def classes_text(classes: int, smallest: int) -> str:
    """Write how many classes there are, and the size of the smallest."""
    return f"{counted(classes, 'equivalence class')}, smallest size {smallest:,}"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one set of quasi-identifiers of several."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "columns": list(self.columns),
            "classes": self.classes,
            "smallest_class": self.smallest_class,
        }

    @classmethod
    def read(cls, value: object) -> SetFigures:
        """Read it from plain values."""
        told = mapping(value)
        names = tuple(str(name) for name in listed(told["columns"]))
        return cls(names, whole(told["classes"]), whole(told["smallest_class"]))
