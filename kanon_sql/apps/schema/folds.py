"""Columns that a table of events becomes in its people's table: counts, sets, first and last values, sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import Keyed, MapOf
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Fixed, Shape, Text, Whole
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name

if TYPE_CHECKING:
    from sqlglot import exp

Capped = Annotated[int, Whole(1, 10**9)]


@dataclass(frozen=True, slots=True)
class Fold:
    """One column of a person made of all their rows of a table.

    `kind` names the branch of the template: `count`, `set`, `first`, `last` or `sum`. `size` is the greatest count, the
    characters that a value of a set keeps, or the unit that a sum is rounded to; None for none.
    """

    kind: str
    column: str | None = None
    size: int | None = None

    def leaves(self, named: str) -> dict[str, object]:
        """Return what the template of folded rows prints for the column `named`."""
        own: exp.Expr | None = None if self.column is None else column(self.column, of="s")
        size = None if self.size is None else literal(self.size)
        return {"kind": self.kind, "from": own, "size": size, "as": name(named)}

    def __str__(self) -> str:
        """Describe the fold.

        >>> print(Fold("count", None, 3), "|", Fold("set", "icd", 1), "|", Fold("sum", "cost", 100), "|", Fold("last", "day"))
        number of rows, 3 standing for more | set of icd by its first 1 characters | sum of cost to the nearest 100 | last day
        """
        if self.kind == "count":
            return "number of rows" + (
                "" if self.size is None else f", {self.size} standing for more"
            )
        if self.kind == "set":
            cut = "" if self.size is None else f" by its first {self.size} characters"
            return f"set of {self.column}{cut}"
        if self.kind == "sum":
            return f"sum of {self.column}" + (
                "" if self.size is None else f" to the nearest {self.size}"
            )
        return f"{self.kind} {self.column}"


def _count(
    count: Annotated[bool, Fixed(word=True, words="must be true")], top: Capped | None = None
) -> Fold:
    del count
    return Fold("count", None, top)


def _set(set: Annotated[str, Text()], characters: Capped | None = None) -> Fold:  # noqa: A002  the key of a policy
    return Fold("set", set, characters)


def _first(first: Annotated[str, Text()]) -> Fold:
    return Fold("first", first)


def _last(last: Annotated[str, Text()]) -> Fold:
    return Fold("last", last)


def _sum(sum: Annotated[str, Text()], round: Capped | None = None) -> Fold:  # noqa: A002  the keys of a policy
    return Fold("sum", sum, round)


FOLDS: Shape[dict[str, Fold]] = MapOf(
    Keyed(
        {
            "count": Record(_count),
            "set": Record(_set),
            "first": Record(_first),
            "last": Record(_last),
            "sum": Record(_sum),
        }
    )
)
"""The shape of `into`: names of columns, each with its fold."""
