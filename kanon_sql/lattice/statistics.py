"""What metrics rest on: statistics of a table, the counts of a node, and the sums of a whole recoding."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.plans.recodings import ReleasedNode
    from kanon_sql.privacy.attackers import SizeCount

Cost = tuple[float, ...]
"""Less is better; compared from the left. All metrics but the ranked loss have one figure."""


PLACES = Decimal("1e-9")
"""To so many places engines take a logarithm, so that their sums of it are exact."""


@cache
def rows_and_logarithm(rows: int) -> float:
    """Return c * ln c of c rows, to the last bit as an engine gives it where all c have one value.

    >>> rows_and_logarithm(0), rows_and_logarithm(11)
    (0.0, 26.376848003)
    """
    return float(rows * Decimal(rows).ln().quantize(PLACES)) if rows else 0.0


@dataclass(frozen=True, slots=True)
class LevelStatistics:
    """One quasi-identifier at one level, over all rows of the source.

    `values` counts its distinct values; `leaves` sums over the rows the leaves under the row's
    value; `narrowest` and `widest` are the least and most leaves under one value; `entropy` is
    the sum over its values of c * ln c, c being how many rows have the value (`rows_and_logarithm`).
    """

    values: int
    leaves: int
    narrowest: int
    widest: int
    entropy: float


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """One quasi-identifier: `domain` counts the leaves of its hierarchy.

    Where the hierarchy has several roots, the last of its `levels` is that of a root above them.
    """

    domain: int
    levels: tuple[LevelStatistics, ...]
    several_roots: bool = False

    @classmethod
    def of(
        cls, domain: int, levels: Sequence[LevelStatistics], *, rows: int, several_roots: bool
    ) -> ColumnStatistics:
        """Complete the levels of a hierarchy, where it has several roots, by one at which all rows are one."""
        root = LevelStatistics(1, rows * domain, domain, domain, rows_and_logarithm(rows))
        return cls(domain, (*levels, *([root] if several_roots else [])), several_roots)

    @property
    def height(self) -> int:
        """The last level of the hierarchy."""
        return len(self.levels) - 1 - self.several_roots


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """What is known of the source before any node is checked.

    `classes` counts its distinct quasi-identifier tuples. Of the rows so many were `left_out` before any class was
    counted: they are suppressed at every node, each as a row of the widest labels of the node. Where a class is the
    people with the same rows, however few labels these have, there are so many `persons`.
    """

    rows: int
    classes: int
    columns: tuple[ColumnStatistics, ...]
    left_out: int = 0
    persons: int | None = None

    @property
    def most_classes(self) -> int:
        """The most classes that a node can have, with one of the rows that are left out, if any are."""
        return self.classes + bool(self.left_out)

    def with_left_out(self, rows: int) -> TableStatistics:
        """Count so many rows more, which no class has; with fewer than none take those out again."""
        columns = tuple(
            replace(
                column,
                levels=tuple(
                    replace(at, leaves=at.leaves + rows * at.widest) for at in column.levels
                ),
            )
            for column in self.columns
        )
        return replace(self, rows=self.rows + rows, columns=columns, left_out=self.left_out + rows)

    @property
    def heights(self) -> tuple[int, ...]:
        """The last level of each hierarchy, whatever a search may use of it."""
        return tuple(column.height for column in self.columns)

    def uniform_figures(self, levels: Sequence[int], suppressed: int, need: Need) -> list[float]:
        """Give what holds of suppressed rows where all labels of a level have the same leaves, or all are one."""
        if need is Need.LEAVES:
            at = zip(self.columns, levels, strict=True)
            return [float(suppressed * column.levels[level].widest) for column, level in at]
        return [rows_and_logarithm(suppressed) for _ in self.columns]


@dataclass(frozen=True, slots=True)
class Counts:
    """What one check of a node found.

    `rows` are all rows, `suppressed` those of the failing classes, `classes` the classes that
    fit. A brief check leaves out the rest: the entities of the smallest class of all and of the
    smallest that fits, and the summed squares of the rows of the fitting and the failing classes. Where models ask for
    it, `beyond` are the rows of a population in none of the classes that fit. Of models that are not monotone, so many
    rows are `unavoidable`: every finer node suppresses as many, at least; None where that is not counted.
    Where a model is of the whole table, so many of the smallest classes that fit all others are suppressed too, and
    are not among the `classes`; None where no model is.
    """

    rows: int
    classes: int
    failing: int
    suppressed: int
    smallest: int | None = None
    smallest_kept: int | None = None
    squares: int | None = None
    failing_squares: int | None = None
    beyond: int = 0
    unavoidable: int | None = None
    smallest_suppressed: int | None = None


class Need(StrEnum):
    """What an exact cost needs known beyond the numbers of classes and of suppressed rows.

    Squares come with a detailed check; leaves and entropy are looked up for suppressed rows. Of kept rows are the wide
    leaves, the sum of those under labels that have several, a number a column; and the ambiguity, as a share of all
    tuples of leaves, which columns at their roots do not change: the same number for each column.
    """

    NOTHING = "nothing"
    SQUARES = "squares"
    LEAVES = "leaves"
    ENTROPY = "entropy"
    WIDE = "wide"
    AMBIGUITY = "ambiguity"


@dataclass(frozen=True, slots=True)
class Finer:
    """What finer nodes that were checked say of one that was not.

    No more than so many of its classes fit, and the squares of the rows of all its classes sum to
    at least so much: classes only merge on the way up.
    """

    fitting: int | None = None
    squares: int = 0


NOTHING_FINER = Finer()


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the rows of a recoding at several nodes.

    `classes` and `squares` are of the classes that a reader sees: those that several nodes release
    under the same labels are one. `leaves` sums over released rows, a figure a column, the leaves
    under their labels; `shared` over all rows the logarithm of how many rows of the source have
    the row's label; `suppressed_logs` is c * ln c over the labels of suppressed rows, where it is asked for. `sizes`
    counts those classes by their size.
    """

    released_nodes: tuple[ReleasedNode, ...]
    suppressed: int
    classes: int
    smallest: int
    squares: int
    leaves: tuple[int, ...]
    shared: tuple[float, ...]
    suppressed_logs: tuple[float, ...] | None = None
    sizes: tuple[SizeCount, ...] = ()
