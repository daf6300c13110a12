"""The levels of a column's hierarchy that a search may choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.records import Record
from kanon_sql.documents.shapes import check
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class LevelBounds:
    """The levels that a search may choose for a column: none below `least`, none above `most`.

    Without `most` the search may choose any level up to the last of the hierarchy.
    """

    least: int = 0
    most: int | None = None

    def __post_init__(self) -> None:
        ordered_ = self.most is None or self.least <= self.most
        check(("most", ordered_, "must not be less than least"))

    def holds(self, level: int) -> bool:
        """Whether a column may be released at a level."""
        return self.least <= level and (self.most is None or level <= self.most)

    def problems(self, height: int) -> Iterator[tuple[str, str]]:
        """Yield the key and a message for each bound above `height`, the last level of the hierarchy."""
        for key, level in (("least", self.least), ("most", self.most or 0)):
            if level > height:
                yield key, f"is {level}, and the last level of its hierarchy is {height}"

    def __str__(self) -> str:
        """Describe the bounds for a message.

        >>> print(LevelBounds(1, 3), LevelBounds(2), LevelBounds(0, 2), LevelBounds(1, 1), sep=" | ")
        levels 1 to 3 | level 2 or coarser | level 2 or finer | level 1
        >>> print(LevelBounds())
        any level
        """
        if self.most is None:
            return f"level {self.least} or coarser" if self.least else "any level"
        if self.least == self.most:
            return f"level {self.most}"
        return (
            f"levels {self.least} to {self.most}" if self.least else f"level {self.most} or finer"
        )


ANY_LEVEL = LevelBounds()
LEVEL_BOUNDS = Record(LevelBounds, any_of=("least", "most"), lacking="has neither least nor most")
