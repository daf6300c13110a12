"""One step of a search that goes one way: what it generalized, and what it saw then."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.documents.values import listed, mapping, whole


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A node on the way, as Sweeney (2002, figure 9) shows Datafly's: counts, never values.

    `column` was raised to `level`; the first step raises none. `distinct` counts the values of
    each quasi-identifier, in the policy's order, and `short_rows` the rows in classes that do not fit.

    >>> SearchStep("birth", 1, (2, 3, 2, 3), 2).document()
    {'generalize': 'birth', 'level': 1, 'distinct': [2, 3, 2, 3], 'short_rows': 2}
    """

    column: str | None
    level: int
    distinct: tuple[int, ...]
    short_rows: int

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        raised = {} if self.column is None else {"generalize": self.column, "level": self.level}
        return {**raised, "distinct": list(self.distinct), "short_rows": self.short_rows}

    @classmethod
    def read(cls, value: object) -> SearchStep:
        """Read it from plain values."""
        told = mapping(value)
        column = told.get("generalize")
        return cls(
            None if column is None else str(column),
            whole(told.get("level", 0)),
            tuple(map(whole, listed(told["distinct"]))),
            whole(told["short_rows"]),
        )
