"""Counts of classes over each of several sets of quasi-identifiers, and texts of class sizes."""

from __future__ import annotations

from kanon_sql.documents.text import counted
from kanon_sql.late_dataclass import dataclass


def size_text(size: int, entity: str | None) -> str:
    """Format a class's size in rows if `entity` is None, else in people of that column ("" if unknown).

    >>> size_text(1, None), size_text(1420, "mrn"), size_text(1, "")
    ('1 row', '1,420 people (mrn)', '1 person')
    """
    if entity is None:
        return counted(size, "row")
    return f"{people(size)} ({entity})" if entity else people(size)


def people(number: int) -> str:
    """Format a count of people."""
    return "1 person" if number == 1 else f"{number:,} people"


def classes_text(classes: int, smallest: int, entity: str | None = None) -> str:
    """Format the number of classes and the size of the smallest; `entity` is as in `size_text`."""
    return f"{counted(classes, 'equivalence class')}, smallest {size_text(smallest, entity)}"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one of several sets of quasi-identifiers, and the smallest one's size."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int
