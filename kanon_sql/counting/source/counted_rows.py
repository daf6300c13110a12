"""Views of a source's rows that runs read: tuples with weights, rows without NULL, samples.

A weight is the number of rows that a tuple stands for. Any statement can read `repeated_rows`, a view that repeats each
tuple by its weight. So a statement without support for weights is still correct, only slower. Statements of every plan
read the tuples and sum the weights.

Rows with NULL in a quasi-identifier that `nulls: suppress` removes are suppressed rows. They count towards the
suppression limit, in metrics, and in distributions of the source. They are in no class, and their values are in no
hierarchy or boundary. Samples, of rows or of entities with all their rows, are drawn by a hash: the same everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.documents.text import counted
from kanon_sql.engines.base import ColumnType, whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import SourceError
from kanon_sql.policy.model import Column, Nulls, Role, Suppression

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
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


def without_nulls(run: Session, opened: OpenSource) -> OpenSource:
    """Return the source without rows with NULL in a quasi-identifier; unchanged if there are none."""
    view = run.scratch.table("without_nulls")
    run.see(view, without_nulls_statement(run.policy, view, opened.tuples.table))
    weight, counted = opened.tuples.weight, None
    if weight is None:
        table, rows = view, run.engine.fetch_count(source_sql.count_rows(view))
    else:
        counted, rows = count_tuples(run, view, weight)
        table = see_repeated(run, counted, [each.name for each in opened.columns])
    if rows == opened.rows:
        return opened
    return replace(
        opened,
        table=table,
        rows=rows,
        counted=counted,
        all_rows=opened.table,
        all_counted=opened.counted,
        left_out=opened.rows - rows,
    )


def without_nulls_statement(policy: Policy, view: exp.Table, origin: exp.Table) -> Statement:
    """Return the statement that keeps the rows without NULL in any quasi-identifier."""
    return source_sql.without_nulls(view, origin, [each.name for each in policy.quasi])


def count_nulls(run: Session, opened: OpenSource) -> dict[str, int]:
    """Count the rows with NULL in each quasi-identifier; only those with such rows are in the result."""
    found = {}
    for each in run.policy.quasi:
        statement = source_sql.count_missing(opened.source, each.name, rows=opened.source_rows)
        found[each.name] = run.engine.fetch_count(statement)
    return {name: rows for name, rows in found.items() if rows}


NUMBER = "_kanon_row"
"""The column of a sample that numbers its rows, in the order of the hash."""


def numbered_sample(run: Session, opened: OpenSource, most: int) -> tuple[Session, OpenSource, str]:
    """Copy a sample of at most `most` rows into a scratch table, with a column that numbers them.

    With an entity, the sample has about so many rows: all rows of some people, and none of the others. A source with
    no more rows is copied whole. Returns the run with the sample's policy, the sample and the name of the column. That
    policy does not release the column, and a suppression limit in rows becomes the same share of the sample.
    """
    policy, rows = run.policy, opened.source_rows
    taken = {each.name.casefold() for each in opened.columns}
    number = NUMBER
    while number in taken:
        number += "_"
    told_apart = [each.name for each in policy.columns if each.role in {Role.QUASI, Role.SENSITIVE}]
    entity = None
    if policy.entity is not None:
        entity = policy.entity
        told_apart.append(entity)
    sample = run.scratch.create(
        "sample",
        source_sql.numbered_sample,
        opened.source,
        [each.name for each in opened.columns],
        dict.fromkeys(told_apart),
        number,
        entity=entity,
        share=None if rows <= most else Fraction(most, rows),
        most=most,
        rows=rows,
    )
    columns = (*opened.columns, ColumnType(number, "BIGINT"))
    count = run.engine.fetch_count(source_sql.count_rows(sample))
    run = replace(run, policy=policy_of_sample(policy, number, rows=count, of_rows=rows))
    found = replace(opened, table=sample, columns=columns, rows=count, all_rows=None, left_out=0)
    return run, without_nulls(run, found) if policy.nulls is Nulls.SUPPRESS else found, number


def policy_of_sample(policy: Policy, number: str, *, rows: int, of_rows: int) -> Policy:
    """Return the policy for a sample: it drops the column `number`, and turns a limit in rows to a share."""
    suppression = policy.suppression
    if suppression.rows is not None and rows < of_rows:
        suppression = Suppression(share=min(Fraction(suppression.rows, of_rows), Fraction(1)))
    beside = Column(number, Role.IDENTIFYING)
    return replace(policy, columns=(*policy.columns, beside), suppression=suppression)
