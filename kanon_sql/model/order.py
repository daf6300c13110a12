"""In which order the values of a quasi-identifier stand on a line, where it is cut into intervals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OrderKind(StrEnum):
    """As numbers, as dates (to the day), by the bytes of their texts, or as a list says."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Listed:
    """Values in the order of a list, by their texts."""

    values: tuple[str, ...]


Order = OrderKind | Listed
