"""Counts of rows that are shown: those of a partition that was added to a release, and those of a series."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.records import Null
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class AddedRows:
    """Counts of a partition: its `rows` in the source, rows that the recoding assigned, and added rows.

    `before` counts the rows published before. Of the `classes_alone` that the partition has by itself, `short_alone`
    fit only together with published rows: 0 if its column is a quasi-identifier, whose value no other class has.
    """

    rows: int
    assigned: int
    added: int
    before: int
    classes_alone: int
    short_alone: int

    @property
    def withheld(self) -> int:
        """The number of withheld rows, which the recoding does not assign."""
        return self.rows - self.assigned

    def document(self, released: int) -> dict[str, int]:
        """Return the counts for the summary of a release; `released` is not used."""
        del released
        return {
            "partition_rows": self.rows,
            "added": self.added,
            "published_before": self.before,
            "withheld": self.withheld,
            "suppressed": self.assigned - self.added,
            "short_alone": self.short_alone,
        }

    @property
    def warning(self) -> str | None:
        """A warning on classes that are smaller for someone who knows a person's partition; None if none are."""
        if not self.short_alone:
            return None
        return (
            f"{self.short_alone:,} of the partition's {self.classes_alone:,} classes fit only together with other "
            f"partitions: whoever knows in which partition a person is sees fewer people than the policy asks for; "
            f"if that can be known, its column is a quasi-identifier"
        )


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """Counts of one release: the rows of the source, those `outside` of the recoding, and what the series did.

    `born` rows appear, `left` rows leave, of which `withdrawn` are live; `withheld` rows are live and not shown yet,
    `waiting` rows are shown and no longer in the source. `cells` of the ledger were recounted.
    """

    number: int
    rows: int
    outside: int
    shown: int
    born: int
    withheld: int
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
            "withheld": self.withheld,
            "waiting": self.waiting,
            "cells": self.cells,
        }

    def __str__(self) -> str:
        """Return the line that the command line prints."""
        companions = f" ({self.withdrawn:,} of them as companions)" if self.withdrawn else ""
        outside = f", {self.outside:,} outside the plan's recoding" if self.outside else ""
        return (
            f"release {self.number} of the series: {self.born:,} rows appear, {self.left:,} leave{companions}, "
            f"{self.withheld:,} are withheld{outside}; {counted(self.waiting, 'deleted row')} still shown; all {self.cells:,} cells "
            f"of the ledger satisfy the policy"
        )


def share_shown(shown: int, waiting: int, withheld: int) -> float:
    """Return the share of living rows that a release shows; `waiting` rows are shown and deleted.

    >>> share_shown(12, 2, 10)
    0.5
    """
    living = shown - waiting
    return round(living / max(1, living + withheld), 6)


@dataclass(frozen=True, slots=True)
class SeriesStatus:
    """A series as its last release left it.

    `withheld` rows are live and no release shows them yet, the oldest since `withheld_since`; `waiting` rows are shown and
    no longer in the source, the oldest since `waiting_since`. Times are ISO 8601. `ever_shown` rows are in `cells`: those of
    one class, first and last release. Classes and cells count rows, or people where the policy counts these.
    """

    releases: int
    released_at: str
    rule: str
    shown: int
    classes: int
    smallest_class: int
    withheld: int
    withheld_since: Annotated[str | None, Null]
    waiting: int
    waiting_since: Annotated[str | None, Null]
    outside: int
    ever_shown: int
    cells: int
    smallest_cell: int
    ended: bool
    not_protected: tuple[str, ...]

    @property
    def shown_share(self) -> float:
        """The share of the source's rows within the recoding that the release shows."""
        return share_shown(self.shown, self.waiting, self.withheld)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Describe the series for the readers of a report or a certificate."""
        outside = (
            f" {counted(self.outside, 'row')} lie outside the recoding." if self.outside else ""
        )
        ended = "; the series has ended" if self.ended else ""
        release = f"This is release {self.releases:,} of a series, made at {self.released_at}{ended}. Its rule: {self.rule}."
        cells = (
            f"A cell is the rows of one class that appeared and left with the same releases. The {self.ever_shown:,} rows that any "
            f"release has shown are in {counted(self.cells, 'cell')}, the smallest of {self.smallest_cell:,}; each satisfies the "
            f"privacy models, and so does every difference of releases inside a class."
        )
        withheld = (
            f"Withheld: {counted(self.withheld, 'living row')} whose class has too few new ones"
            f"{self._age(self.withheld_since)}. The release shows {self.shown_share:.1%} of the living rows.{outside}"
        )
        waiting = (
            f"Waiting: {counted(self.waiting, 'deleted row')} still shown, as others of the cell would be too few"
            f"{self._age(self.waiting_since)}."
        )
        return release, cells, withheld, waiting

    def _age(self, since: str | None) -> str:
        """Describe the age of the oldest of some rows at the time of the release."""
        if since is None:
            return ""
        days = (datetime.fromisoformat(self.released_at) - datetime.fromisoformat(since)).days
        return f", the oldest since {since} ({counted(days, 'day')})"
