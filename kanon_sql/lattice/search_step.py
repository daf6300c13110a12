"""One step of a search that only generalizes: the column raised, and the counts at the new node."""

from __future__ import annotations

from typing import Annotated

from kanon_sql.documents.records import Key, Needed
from kanon_sql.documents.shapes import check
from kanon_sql.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A node on the path of a search, as Sweeney (2002, figure 9) shows Datafly's: counts, never values.

    `column` was raised to `level`; the first step raises none. `distinct` counts the values of each quasi-identifier,
    in the policy's order, and `short_rows` the rows in classes that do not fit.
    """

    column: Annotated[str | None, Key("generalize")] = None
    level: int = 0
    distinct: Annotated[tuple[int, ...], Needed()] = ()
    short_rows: Annotated[int, Needed()] = 0

    def __post_init__(self) -> None:
        check(("level", bool(self.level) == (self.column is not None), "goes with generalize"))
