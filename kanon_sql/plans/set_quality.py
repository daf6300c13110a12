"""The released classes over one set of quasi-identifiers, if there are several."""

from __future__ import annotations

from kanon_sql.documents.text import counted
from kanon_sql.late_dataclass import dataclass


def size_text(size: int, entity: str | None) -> str:
    """Format the size of a class, in rows or in the people of a column, whose name may be unknown.

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
    """Format the number of classes and the size of the smallest, in rows or in people of a column."""
    return f"{counted(classes, 'equivalence class')}, smallest {size_text(smallest, entity)}"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one set of quasi-identifiers of several."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int
