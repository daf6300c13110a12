"""Tables of Delta Lake and Iceberg as a policy names them."""

from __future__ import annotations

import re
from enum import StrEnum

from kanon_sql.late_dataclass import dataclass

NAMED = re.compile(r"(delta|iceberg):(?!//)(.+)", re.DOTALL)


class LakeFormat(StrEnum):
    """A format of tables whose versions stay readable until they are expired."""

    DELTA = "delta"
    ICEBERG = "iceberg"

    @property
    def label(self) -> str:
        """Its name in a message."""
        return "Delta" if self is LakeFormat.DELTA else "Iceberg"

    @property
    def extra(self) -> str:
        """The extra of kanon-sql that installs the library which reads and writes it."""
        return self.value


@dataclass(frozen=True, slots=True)
class LakeTable:
    """One table, or one `version` of it: a number of Delta, a snapshot of Iceberg; by default the newest.

    The `place` of a Delta table is its folder; of an Iceberg table its name, which begins with that of the catalog.
    """

    format: LakeFormat
    place: str
    version: int | None = None

    @property
    def name(self) -> str:
        """Its name in a message, and as a text in a policy and on the command line.

        >>> LakeTable(LakeFormat.DELTA, "lake/people").name
        'delta:lake/people'
        """
        return f"{self.format}:{self.place}"


def lake_table_from_text(text: str) -> LakeTable | None:
    """Read a text that names a table of a format; None where it names none.

    >>> lake_table_from_text("iceberg:lake.clinic.people").place
    'lake.clinic.people'
    >>> lake_table_from_text("people.csv")
    """
    found = NAMED.fullmatch(text)
    return None if found is None else LakeTable(LakeFormat(found[1]), found[2])
