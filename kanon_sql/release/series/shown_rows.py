"""Counts of a release of a series: what it shows, holds back and still shows of deleted rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """Counts of one release: the rows of the source, those `outside` of the recoding, and what the series did.

    `born` rows appear, `left` rows leave, of which `withdrawn` are live; `held_back` rows are live and not shown yet,
    `waiting` rows are shown and no longer in the source. `cells` of the ledger were recounted.
    """

    number: int
    rows: int
    outside: int
    shown: int
    born: int
    held_back: int
    waiting: int
    left: int
    withdrawn: int
    cells: int

    def document(self, released: int) -> Mapping[str, int]:
        """Return the counts for the summary of a release; `released` is not used."""
        del released
        return {
            "series_release": self.number,
            "new_rows": self.rows,
            "outside": self.outside,
            "born": self.born,
            "left": self.left,
            "withdrawn": self.withdrawn,
            "held_back": self.held_back,
            "waiting": self.waiting,
            "cells": self.cells,
        }

    def __str__(self) -> str:
        """Return the line that the command line prints."""
        companions = f" ({self.withdrawn:,} of them as companions)" if self.withdrawn else ""
        outside = f", {self.outside:,} outside the plan's recoding" if self.outside else ""
        return (
            f"release {self.number} of the series: {self.born:,} rows appear, {self.left:,} leave{companions}, "
            f"{self.held_back:,} are held back{outside}; {counted(self.waiting, 'deleted row')} still shown; all {self.cells:,} cells "
            f"of the ledger satisfy the policy"
        )
