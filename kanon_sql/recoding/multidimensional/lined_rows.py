"""Rows that are numbered along one line of the whole table: a row's number determines its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Axis


@dataclass(frozen=True, slots=True)
class LineOrder:
    """The order of a line: the axes `given`, first to last, and their numbers of values (`radixes`).

    An axis whose values are consecutive has its `least` one here; values of the others are looked up in `ranks`.
    """

    axes: Sequence[Axis]
    given: Sequence[int]
    radixes: Sequence[int]
    least: Mapping[int, int]
    ranks: exp.Table


@dataclass(frozen=True, slots=True)
class LineCut:
    """Equal parts of a line: the last have `narrow` rows each, the first one row more, `in_wide` in all."""

    narrow: int
    in_wide: int

    @classmethod
    def of(cls, rows: int, least: int) -> LineCut:
        """Cut a line into as many parts of at least `least` rows as there can be.

        >>> LineCut.of(47, 10), LineCut.of(40, 10), LineCut.of(7, 10)
        (LineCut(narrow=11, in_wide=36), LineCut(narrow=10, in_wide=0), LineCut(narrow=7, in_wide=0))
        """
        parts = max(rows // least, 1)
        narrow, wide = divmod(rows, parts)
        return cls(narrow, wide * (narrow + 1))


@dataclass(frozen=True, slots=True)
class LinedRows:
    """The order and the parts of a line, by which rows find their run, and the runs `filled` by one tuple."""

    order: LineOrder
    cut: LineCut
    filled: exp.Table
