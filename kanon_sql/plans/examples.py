"""Example labels and classes of a release, shown to the person who makes it and written to no file."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN_CLASSES = 5
"""The most example classes."""


def simple_counts(error: float | None, plain: float | None) -> str | None:
    """Return a sentence on the error of simple counts; None if it was not measured.

    >>> simple_counts(0.016, 0.016)
    'a GROUP BY of two columns is off by 1.6% (median)'
    >>> simple_counts(0.13, 0.524).partition("; ")[2]
    'by 13.0% if the rows of each label are spread over what it covers'
    """
    if error is None or plain is None:
        return None
    off = f"a GROUP BY of two columns is off by {plain:.1%} (median)"
    if error == plain:
        return off
    return f"{off}; by {error:.1%} if the rows of each label are spread over what it covers"


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
    `counts` is the error of simple counts, of labels that are spread over what they cover and of labels as they are;
    None where it was not measured.
    """

    columns: tuple[str, ...]
    classes: tuple[ExampleClass, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    counts: tuple[float, float] | None = None
