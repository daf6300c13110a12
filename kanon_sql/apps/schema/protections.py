"""The protections of a table in a schema. Each is one object that answers for its table everywhere.

What it releases, whether it shows whose row a row is, what it promises and what not, in words for plan, report and
certificate. No other module asks which of them a table has.
"""

from __future__ import annotations

from kanon_sql.base.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Protection:
    """How a table of a schema is released.

    A `counted` table has quasi-identifiers, and a plan of its own. One that is `folded` is released as columns of its
    people's table, and not itself. A `keyed` one shows, by pseudonyms, which rows belong to one person. One of `events` has
    quasi-identifiers whose labels are items of people, of which somebody knows some; or all, where the protection is `whole`.
    """

    key: str
    promise: str
    limit: str
    counted: bool = False
    folded: bool = False
    keyed: bool = False
    events: bool = False
    whole: bool = False
    decided: bool = True
    claims_nothing: bool = False

    @property
    def released(self) -> bool:
        """Whether the release has a table of it."""
        return not self.folded

    @property
    def words(self) -> str:
        """The promise, and its limit."""
        return f"{self.promise}; {self.limit}"


PERSON = Protection(
    "entity",
    "one row a person, each in a class of k or more people",
    "it says nothing of who knows more of a person than these columns",
    counted=True,
    keyed=True,
)
CUT = Protection(
    "cut",
    "released without keys of people, in classes of its own",
    "nobody can join it to people, and no analyst either",
    counted=True,
)
SUMMARY = Protection(
    "summary",
    "in columns of its people's table",
    "these are under its k, and single rows are not released",
    folded=True,
)
NONE = Protection(
    "none",
    "no guarantee",
    "pseudonyms join its rows to people: whoever knows some of a person's rows may find that person, whatever k is",
    keyed=True,
    claims_nothing=True,
)
COPY = Protection(
    "copy",
    "a reference table, as it is",
    "it must hold nothing about people",
)
UNDECIDED = Protection(
    "undecided",
    "not chosen yet",
    "choose protect: cut, summary, signature, events or none",
    keyed=True,
    decided=False,
)
SIGNATURE = Protection(
    "signature",
    "whoever knows a person's class and all their rows finds k people",
    "whoever knows columns that are no quasi-identifiers may find one person",
    keyed=True,
    events=True,
    whole=True,
)
EVENTS = Protection(
    "events",
    "whoever knows a person's class and any known events finds k people",
    "whoever knows more events, or columns that are no quasi-identifiers, may find one person",
    keyed=True,
    events=True,
)

CHOICES = (CUT, SUMMARY, SIGNATURE, EVENTS, NONE)
"""The protections that `protect:` of a table names."""


def protection_of(key: str) -> Protection:
    """Return the protection of a key, as a plan names it. Raises KeyError for another text."""
    return {each.key: each for each in (PERSON, COPY, UNDECIDED, *CHOICES)}[key]
