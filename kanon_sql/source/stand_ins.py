"""Released columns that join the rows of a person: pseudonyms that repeat, and columns that stand in for the entity.

Everything is counted in the engine. A table of many rows is searched in a sample of its people, and what is
suspicious there is counted in all rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.documents.text import joined
from kanon_sql.engines.base import whole
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.linkable import JOINS_ROWS, possible_stand_ins, unlinked
from kanon_sql.source import exposed_rows_sql, source_sql
from kanon_sql.source.counted_rows import see_unique

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.errors import Fault
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

SAMPLE = 20_000
"""About how many rows of a larger table are searched: those of so many people, with all their rows."""
MOST_COLUMNS = 12
"""The most columns of which pairs are searched: those with the most values that repeat."""
EXPOSED = 20
"""One in so many people of several rows must have a value that is in several of their rows and in nobody else's."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Columns whose values repeat, mostly within the rows of one person.

    Of `several` people with several rows, `people` have a value that is in several of their rows and in nobody else's.
    Those of a `sampled` count are some of all people, with all their rows.
    """

    columns: tuple[str, ...]
    repeated: int
    own: int
    people: int
    several: int
    sampled: bool = False

    @property
    def links(self) -> bool:
        """Whether a release is refused: whoever joins equal values is mostly right, and finds the rows of one person in twenty."""
        return (
            self.people > 0
            and 2 * self.own > self.repeated
            and EXPOSED * self.people >= self.several
        )

    @property
    def is_told(self) -> bool:
        """Whether it joins the rows of people too few, or with too little certainty, to be refused, but does."""
        return EXPOSED * self.people >= self.several and self.people > 0 and not self.links

    def __str__(self) -> str:
        """Format what was counted.

        >>> print(StandIn(("uid",), 200, 200, 200, 200))
        of 200 people with several rows, 200 have a value that is in several of their rows and in nobody else's; of the values in several rows, 100% are one person's
        """
        what = "a value that is" if len(self.columns) == 1 else "values that are together"
        sample = " in a sample of all people" if self.sampled else ""
        return (
            f"of {self.several:,} people with several rows{sample}, {self.people:,} have {what} in several of their rows and in "
            f"nobody else's; of the values in several rows, {self.own / self.repeated:.0%} are one person's"
        )


def linking_problems(run: Session, opened: OpenSource) -> Iterator[Fault]:
    """List the columns that would join the rows of a person: pseudonyms that repeat, and stand-ins for the entity."""
    policy = run.policy
    hashed = [column.name for column in unlinked(policy)]
    if hashed:
        statement = source_sql.count_repeats(opened.table, hashed, rows=opened.rows)
        for name, repeats in zip(hashed, run.engine.fetch_counts(statement), strict=True):
            if repeats:
                what = f"{repeats} rows repeat a value: they would share a pseudonym, {JOINS_ROWS}"
                yield policy.fault(f"columns.{name}", what)
    for each in opened.stand_ins:
        if each.links:
            first, *second = each.columns
            beside = f"together with {joined(second)} " if second else ""
            drop = "drop one of them" if second else "drop it"
            what = (
                f"{beside}stands in for {policy.entity}, and links all rows of a person: {each}. Such a set of rows can be "
                f"unique whatever k is; {drop} (role: identifying, action: drop), make it coarser in a query, or accept "
                f"it by linkable: accept"
            )
            yield policy.fault(f"columns.{first}", what)


def find_stand_ins(run: Session, opened: OpenSource) -> tuple[StandIn, ...]:
    """Count whom each released column, and each two of them, would give away as the entity that is hidden.

    Columns alone are all there; of two only those that are refused. What is refused was counted in all rows.
    """
    names = possible_stand_ins(run.policy)
    if run.policy.source.frequency_set is not None:
        from kanon_sql.source.frequency_set import counted_columns  # noqa: PLC0415  few plans have one

        names = [name for name in names if name in counted_columns(run.policy)]
    if not names:
        return ()
    table, rows = see_unique(run, opened), opened.tuples.size
    parts = max(1, -(-rows // SAMPLE))
    alone = _count(run, table, [(name,) for name in names], parts=parts, rows=rows)
    if parts > 1:
        alone = _counted_whole(run, table, alone, rows=rows)
    left = [each for each in alone if not each.links and each.repeated > 1]
    most = sorted(left, key=lambda each: -each.repeated)[:MOST_COLUMNS]
    left = [each for each in left if each in most]
    pairs = [
        (*first.columns, *second.columns)
        for first, second in combinations(left, 2)
        # A pair has no more values in several rows than this.
        if EXPOSED * first.repeated * second.repeated >= max(first.several, second.several)
    ]
    together = _count(run, table, pairs, parts=parts, rows=rows) if pairs else []
    together = [each for each in together if each.links]
    if parts > 1:
        together = _counted_whole(run, table, together, rows=rows)
    return (*alone, *(each for each in together if each.links))


def _count(
    run: Session, table: exp.Table, sets: Sequence[tuple[str, ...]], *, parts: int, rows: int
) -> list[StandIn]:
    quasi = [each.name for each in run.policy.quasi]
    statement = exposed_rows_sql.stand_ins(
        table, str(run.policy.entity), quasi, sets, parts=parts, rows=rows
    )
    found = {
        number: counts
        for number, *counts in (map(whole, row) for row in run.engine.fetch(statement))
    }
    several = found.get(0, [0])[0]
    return [
        StandIn(columns, repeated, own, people, several, sampled=parts > 1)
        for number, columns in enumerate(sets, start=1)
        for repeated, own, people in [found.get(number, [0, 0, 0])]
    ]


def _counted_whole(
    run: Session, table: exp.Table, found: Sequence[StandIn], *, rows: int
) -> list[StandIn]:
    """Count those in all rows that would be refused by the sample, which overrates them: who else has a value may be outside."""
    suspicious = [each.columns for each in found if each.links]
    if not suspicious:
        return list(found)
    again = {each.columns: each for each in _count(run, table, suspicious, parts=1, rows=rows)}
    return [again.get(each.columns, each) for each in found]
