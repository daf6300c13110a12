"""Rows that are numbered in one line of the whole table, so that their numbers say in which of its equal parts they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Axis


@dataclass(frozen=True, slots=True)
class LineOrder:
    """The order of a line: the axes as they follow each other, how many values each has, and from which one on.

    The `ranks` have the numbers of values of the axes that have no `least` one.
    """

    axes: Sequence[Axis]
    given: Sequence[int]
    radixes: Sequence[int]
    least: Mapping[int, int]
    ranks: exp.Table


@dataclass(frozen=True, slots=True)
class LineCut:
    """Equal parts of a line: the first ones are a row longer than the `narrow` ones, and have so many rows together."""

    narrow: int
    in_wide: int

    @classmethod
    def of(cls, rows: int, least: int) -> LineCut:
        """Cut so many rows into as many parts as have the least rows.

        >>> LineCut.of(47, 10), LineCut.of(40, 10), LineCut.of(7, 10)
        (LineCut(narrow=11, in_wide=36), LineCut(narrow=10, in_wide=0), LineCut(narrow=7, in_wide=0))
        """
        parts = max(rows // least, 1)
        narrow, wide = divmod(rows, parts)
        return cls(narrow, wide * (narrow + 1))


@dataclass(frozen=True, slots=True)
class LinedRows:
    """How rows find their region: by the order and the parts of a line, and the runs that one tuple has `filled`."""

    order: LineOrder
    cut: LineCut
    filled: exp.Table
