"""Released columns that join a person's rows: repeated pseudonyms, and stand-ins for the entity.

The engine counts everything. In a table of many rows, a sample of the people is searched, and columns that are
suspicious there are counted in all rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source import exposed_rows_sql
from kanon_sql.counting.source.counted_rows import see_unique
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.linkable import JOINS_ROWS, possible_stand_ins, unlinked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.errors import Fault

SAMPLE = 20_000
"""The rows of a larger table that are searched, about: all rows of a sample of people."""
MOST_COLUMNS = 12
"""The most columns whose pairs are searched: those with the most repeated values."""
EXPOSED = 20
"""A refusal needs one in so many people with several rows to have a repeated value that others lack."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Columns whose values may join the rows of one person, with the counts that show it.

    Of `several` people with several rows, `people` have a value that is in several of their rows and in nobody else's.
    Of the `repeated` values, `own` are of one person. A `sampled` count is of a sample of people, with all their rows.
    """

    columns: tuple[str, ...]
    repeated: int
    own: int
    people: int
    several: int
    sampled: bool = False

    @property
    def links(self) -> bool:
        """Whether a release is refused: joins by equal values are mostly right, and expose enough people."""
        return (
            self.people > 0
            and 2 * self.own > self.repeated
            and EXPOSED * self.people >= self.several
        )

    @property
    def is_told(self) -> bool:
        """Whether there is only a warning: enough people are exposed, but at most half of the joins are right."""
        return EXPOSED * self.people >= self.several and self.people > 0 and not self.links

    def __str__(self) -> str:
        """Return the counts in words for a message.

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
    """List the columns that would join a person's rows: repeated pseudonyms, and stand-ins for the entity."""
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
    """Count the people whom each released column, and each pair, would expose like the hidden entity.

    Returns every single column, and the pairs that are refused. Counts that refuse a release are of all rows.
    """
    names = possible_stand_ins(run.policy)
    if run.policy.source.frequency_set is not None:
        from kanon_sql.counting.source.frequency_set import counted_columns  # noqa: PLC0415  few plans have one

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
        # The product is the most repeated values that a pair can have.
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
    """Recount in all rows what the sample would refuse: people outside may have the same values."""
    suspicious = [each.columns for each in found if each.links]
    if not suspicious:
        return list(found)
    again = {each.columns: each for each in _count(run, table, suspicious, parts=1, rows=rows)}
    return [again.get(each.columns, each) for each in found]
