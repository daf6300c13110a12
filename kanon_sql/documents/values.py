"""Plain values as a file has them, held to their kind; what is of another raises, and is no plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def mapping(value: object) -> dict[str, object]:
    """Give a mapping as one."""
    if not isinstance(value, dict):
        raise TypeError("a mapping was expected")
    return value


def listed(value: object) -> list[object]:
    """Give a list as one."""
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


def whole(value: object) -> int:
    """Give a whole number as one; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a whole number was expected")
    return value


def count(value: object) -> int:
    """Give a whole number that is not negative as one."""
    if (found := whole(value)) < 0:
        raise ValueError("no count is negative")
    return found


def texts_and_counts(value: object) -> dict[str, str | int]:
    """Give a mapping to texts and whole numbers as one."""
    return {
        key: each if isinstance(each, str) else whole(each) for key, each in mapping(value).items()
    }


def number(value: object) -> float:
    """Give a number as one, as a text too; one that is too large raises."""
    return float(value) if isinstance(value, int | float) else float(str(value))


def levels_of(value: object, names: Sequence[str]) -> tuple[int, ...]:
    """Give the level of each column, which must be these in this order."""
    levels = mapping(value)
    if list(levels) != list(names):
        raise ValueError("other columns are named")
    return tuple(map(whole, levels.values()))
