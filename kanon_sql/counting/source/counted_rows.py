"""Sources of counted rows: tuples, each with a weight, the number of rows that it stands for.

Any statement can read `repeated_rows`, a view that repeats each tuple by its weight. So a statement without support for
weights is still correct, only slower. Statements of every plan read the tuples and sum the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.documents.text import counted
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.errors import Fault
    from kanon_sql.policy.model import Policy

MOST = 10**15
"""The most rows that tuples may stand for. Numbers of Python, SQL and JSON are exact up to there."""


class CountedRows(NamedTuple):
    """A table of `size` rows as it is read. Each stands for as many as its column `weight` says, or one."""

    table: exp.Table
    weight: str | None
    size: int


def weight_problems(policy: Policy, weight: str, columns: Sequence[ColumnType]) -> Iterator[Fault]:
    """List why the column `weight` cannot be the weight of a source."""
    found = next((each for each in columns if each.name == weight), None)
    if found is None:
        yield policy.fault("source.weight", f"{weight} is not a column of the source")
    elif found.family not in {"integer", "decimal"}:
        what = f"{weight} is {found.type.split('(')[0]}, and a number of rows is a whole number"
        yield policy.fault("source.weight", what)


def count_tuples(run: Session, table: exp.Table, weight: str) -> tuple[CountedRows, int]:
    """Count the tuples of a table and the rows they stand for. Raises SourceError for invalid weights."""
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
    """Return a view for counting unique values: each tuple once, or twice if its weight is more than 1."""
    tuples = opened.tuples
    if tuples.weight is None:
        return tuples.table
    view = run.scratch.table("twice")
    names = tuple(each.name for each in opened.columns)
    run.see(view, source_sql.repeated_rows(view, tuples.table, names, tuples.weight, most=2))
    return view


def see_repeated(run: Session, tuples: CountedRows, names: Iterable[str]) -> exp.Table:
    """Return a view of `names` that repeats each tuple by its weight, or the table if it has no weight."""
    if tuples.weight is None:
        return tuples.table
    view = run.scratch.table("repeated")
    run.see(view, source_sql.repeated_rows(view, tuples.table, tuple(names), tuples.weight))
    return view
