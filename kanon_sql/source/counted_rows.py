"""Rows that are counted before they are read: each tuple of a source with how many rows it stands for.

Every statement that reads a source may read `repeated_rows`, a view in which each tuple is as often as it counts: a
statement that knows nothing of weights is right, and only slower. Those that every plan executes read the tuples, and
sum the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.documents.text import counted
from kanon_sql.engines.base import whole
from kanon_sql.errors import SourceError
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.errors import Fault
    from kanon_sql.policy.model import Policy
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

MOST = 10**15
"""The most rows that a source may stand for: numbers of Python, SQL and JSON are exact up to there."""


class CountedRows(NamedTuple):
    """A table of tuples as it is read: each row once, or as often as its `weight` says; `size` is its own rows."""

    table: exp.Table
    weight: str | None
    size: int


def weight_problems(policy: Policy, weight: str, columns: Sequence[ColumnType]) -> Iterator[Fault]:
    """List why a column cannot be the weight of a source."""
    found = next((each for each in columns if each.name == weight), None)
    if found is None:
        yield policy.fault("source.weight", f"{weight} is not a column of the source")
    elif found.family not in {"integer", "decimal"}:
        what = f"{weight} is {found.type.split('(')[0]}, and a number of rows is a whole number"
        yield policy.fault("source.weight", what)


def count_tuples(run: Session, table: exp.Table, weight: str) -> tuple[CountedRows, int]:
    """Count the tuples of a table and the rows that they stand for. Raises SourceError where a weight is none."""
    size, rows, wrong = map(whole, run.engine.fetch(source_sql.count_weights(table, weight))[0])
    what = ""
    if wrong:
        what = f"{weight} is no whole number of at least 1 in {counted(wrong, 'tuple')}"
    elif rows > MOST:
        what = f"the tuples stand for more than {MOST:,} rows"
    if what:
        raise SourceError(run.policy.subject, [run.policy.fault("source.weight", what)])
    return CountedRows(table, weight, size), rows


def see_unique(run: Session, opened: OpenSource) -> exp.Table:
    """See rows among which a value is unique if it is so in the source: of a tuple that counts more there are two."""
    tuples = opened.tuples
    if tuples.weight is None:
        return tuples.table
    view = run.scratch.table("twice")
    names = tuple(each.name for each in opened.columns)
    run.see(view, source_sql.repeated_rows(view, tuples.table, names, tuples.weight, most=2))
    return view


def see_repeated(run: Session, tuples: CountedRows, names: Iterable[str]) -> exp.Table:
    """See the rows that tuples stand for: each as often as it counts, in its columns of these names."""
    if tuples.weight is None:
        return tuples.table
    view = run.scratch.table("repeated")
    run.see(view, source_sql.repeated_rows(view, tuples.table, tuple(names), tuples.weight))
    return view
