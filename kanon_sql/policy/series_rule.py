"""The `series:` of a policy: what releases over time may show of rows that come and go.

A release shows each row from a release of birth up to one of death. A cell is the set of rows with the same class,
birth and death; every cell satisfies the policy's models, as every class does (`kanon_sql/release/series` keeps the rule).
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import Keyed, Only
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import (
    Anything,
    ByKind,
    OneOf,
    Parsed,
    Shape,
    Text,
    Wrong,
    check,
)
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from kanon_sql.base.documents.shapes import Known

DAY = 86_400
UNITS = {"hour": 3600, "day": DAY, "week": 7 * DAY}
DURATION = re.compile(r"([1-9]\d{0,4}) *(hour|day|week)s?")
BIRTHS = re.compile(r"([1-9]\d{0,8})(k?)|k")
A_DURATION = "must be a time such as 30 days, 12 hours or 2 weeks"
A_SIZE = "must be a number of people, or a multiple of k such as 2k"


class Changes(StrEnum):
    """What the series shows of a row whose values change: its first values, or the row as another one."""

    FREEZE = "freeze"
    NEW = "new"


class Gone(StrEnum):
    """What happens when rows of the release are no longer in the source."""

    AT_ONCE = "at_once"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where a series remembers its rows: a table of the release's database, or a folder of this machine."""

    table: str | None = None
    path: str | None = None

    @property
    def name(self) -> str:
        """Its table or path, for messages."""
        return self.table or self.path or ""


@dataclass(frozen=True, slots=True)
class Deletions:
    """How long a row that left the source may stay in the release: at most `within` seconds, 0 for not at all.

    With `refuse` no release is made while a shown row is missing from the source.
    """

    within: int = 30 * DAY
    refuse: bool = False

    def __str__(self) -> str:
        """Write the rule as a policy states it.

        >>> str(Deletions()), str(Deletions(0)), str(Deletions(refuse=True)), str(Deletions(7200))
        ('within 30 days', 'at once', 'refuse', 'within 2 hours')
        """
        if self.refuse:
            return "refuse"
        if not self.within:
            return "at once"
        unit = "day" if self.within % DAY == 0 else "hour"
        number = self.within // UNITS[unit]
        return f"within {number} {unit}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Births:
    """The least number of people whose rows of one class appear together: a number, or a multiple of k."""

    at_least: int = 1
    times_k: bool = True

    def people(self, k: int) -> int:
        """Return the number of people for a policy of this k.

        >>> Births(2).people(5), Births(7, times_k=False).people(5)
        (10, 7)
        """
        return self.at_least * k if self.times_k else self.at_least

    def __str__(self) -> str:
        number = "" if self.times_k and self.at_least == 1 else str(self.at_least)
        return f"{number}{'k' if self.times_k else ''}"


def _births(value: object) -> Births:
    """Read the least number of people of a birth. Raises Wrong.

    >>> _births("2k"), _births(7)
    (Births(at_least=2, times_k=True), Births(at_least=7, times_k=False))
    """
    text = str(value).strip() if isinstance(value, str | int) and value is not True else ""
    found = BIRTHS.fullmatch(text)
    if found is None:
        raise Wrong(("", A_SIZE))
    return Births(int(found[1] or 1), times_k=found[1] is None or bool(found[2]))


def _within(text: str) -> Deletions:
    """Read how long a deleted row may stay. Raises Wrong.

    >>> _within("30 days").within
    2592000
    """
    found = DURATION.fullmatch(text.strip())
    if found is None:
        raise Wrong(("", A_DURATION))
    return Deletions(int(found[1]) * UNITS[found[2]])


def _word(gone: Gone) -> Deletions:
    return Deletions(0) if gone is Gone.AT_ONCE else Deletions(refuse=True)


def _row(name: str, known: Known) -> str:
    """Check the column that identifies rows over time: no reader may see it, or follow a row by it. Raises Wrong."""
    column = next((each for each in known["columns"] if each.name == name), None)
    if column is None and name in known["doubtful"]:
        return name
    check(("", column is not None, "must be the name of a column listed under columns"))
    dropped = (
        f"names {name}, by which readers could follow a row from release to release; drop it: "
        f"columns.{name}: {{role: identifying, action: drop}}"
    )
    check(("", column is None or column.is_dropped, dropped))
    return name


LEDGER: Shape[Ledger] = Keyed(
    {
        "table": Only("table", Parsed(Text(), lambda text: Ledger(table=text))),
        "path": Only("path", Parsed(Text(), lambda text: Ledger(path=text))),
    }
)
ROW: Shape[str] = Parsed(
    Text(),
    _row,
    {**Text().schema(), "description": "the column whose value a row keeps over time"},
    context=True,
)
BIRTHS_AT_LEAST: Shape[Births] = Parsed(
    Anything(),
    _births,
    {
        "anyOf": [
            {"type": "integer", "minimum": 1},
            {"type": "string", "pattern": r"^\s*(\d+k?|k)\s*$"},
        ]
    },
)
DELETIONS: Shape[Deletions] = ByKind(
    plain=Parsed(OneOf(Gone), _word),
    mapping=Only(
        "within",
        Parsed(
            Text(),
            _within,
            {"type": "string", "pattern": r"^\s*\d+ *(hour|day|week)s?\s*$"},
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Series:
    """The rule of a series of releases, and where it remembers which rows it has shown.

    `key_env` names the secret under which the ledger hashes rows; `row` is the column that identifies a row over time.
    Without it all values of a row do, and a series takes new rows alone.
    """

    ledger: Annotated[Ledger, LEDGER]
    key_env: str
    row: Annotated[str | None, ROW] = None
    births: Annotated[Births, Only("at_least", BIRTHS_AT_LEAST)] = Births()
    deletions: Annotated[Deletions, DELETIONS] = Deletions()
    changes: Changes = Changes.FREEZE

    def __str__(self) -> str:
        """Describe the rule in one line.

        >>> print(Series(Ledger("ledger"), "KEY", "visit"))
        new rows of a class appear at least k together; deleted rows leave within 30 days; changed rows keep their first values
        """
        new = f"new rows of a class appear at least {self.births} together"
        if self.row is None:
            return f"{new}; no row may leave or change, as a row is recognized by all its values"
        deleted = f"deleted rows leave {self.deletions}"
        if self.deletions.refuse:
            deleted = "no release is made without a shown row"
        changed = {
            Changes.FREEZE: "changed rows keep their first values",
            Changes.NEW: "changed rows leave and appear as new ones",
        }[self.changes]
        return f"{new}; {deleted}; {changed}"

    @property
    def not_protected(self) -> tuple[str, ...]:
        """What a series with this rule does not hide, in sentences for the readers of a report."""
        changed = {
            Changes.FREEZE: "A row whose values change keeps its first values, which may be out of date.",
            Changes.NEW: (
                "A row whose values change leaves, and appears as another row: someone who knows both its values can compare "
                "the cells of both."
            ),
        }[self.changes]
        kept = self.deletions.within and not self.deletions.refuse
        waiting = f" A deleted row may still be shown; it leaves {self.deletions}." if kept else ""
        of_row = () if self.row is None else (f"{changed}{waiting}",)
        return (
            *of_row,
            "That fewer people than needed came or left can be inferred from a class that does not change.",
            "Another series or release of the same people is not compared with this one.",
            "Inside a cell some values are likelier than others.",
        )


SERIES = Record(Series)
