"""Read a few classes of a release, and a label of each column: what a reader of it will see."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.hierarchies.labels_sql import ReleasedRegions
from kanon_sql.plans.examples import SHOWN_CLASSES, ExampleClass, Examples
from kanon_sql.policy.model import Action, Role
from kanon_sql.privacy.demands import demands
from kanon_sql.recoding.examples_sql import example_classes, example_label
from kanon_sql.recoding.recode import drop_counted, recode, stage_to_count
from kanon_sql.recoding.staging_sql import hidden_entity
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.policy.model import Policy
    from kanon_sql.release.query import ReleaseQuery
    from kanon_sql.run.session import Session

LEAST = 2
"""The least size of a class that is shown, where no model asks for more."""

MANY_ROWS = 1_000_000
"""Released rows from which only some classes are counted to show a few: there may be a class for every k rows."""


def read_examples(
    run: Session, query: ReleaseQuery, *, rows: int, weight: str | None = None
) -> Examples:
    """Read classes and labels of the staged rows of a release, each of at least k rows or people.

    A staged row counts as one row, or as often as its column `weight` states.

    Guarantee: no other column than the released quasi-identifiers is read, and a label that is shown beside a level
    stands for several values.
    """
    entity = hidden_entity(query.policy) or query.policy.entity
    least = max(LEAST, *(each.class_size for each in demands(query.policy.privacy)))
    counted = query.rows
    statement = example_classes(
        counted.table,
        query.quasi,
        entity=entity,
        least=least,
        most=SHOWN_CLASSES,
        rows=rows,
        codes=counted.coded,
        among=_widest_column(run, query) if rows >= MANY_ROWS else None,
        weight=weight,
    )
    classes = []
    for *labels, of_rows, size in run.engine.fetch(statement):
        texts = tuple(None if each is None else str(each) for each in labels)
        people = None if entity is None else whole(size)
        classes.append(ExampleClass(texts, whole(of_rows), people))
    of_columns = {}
    for each in _with_labels(query):
        asked = example_label(
            counted.table,
            each,
            entity=entity,
            least=least,
            rows=rows,
            codes=counted.coded,
            weight=weight,
        )
        for bounds in run.engine.fetch(asked):
            of_columns[each.column.name] = " to ".join(map(str, bounds))
    return Examples(tuple(query.quasi), tuple(classes), of_columns)


def _widest_column(run: Session, query: ReleaseQuery) -> str | None:
    """Return the column of the most values of a release by regions, whose classes are all large enough."""
    columns = [each for each in query.released if isinstance(each, ReleasedRegions)]
    if len(columns) < len(query.released):
        return None
    values = [run.engine.fetch_count(source_sql.count_rows(each.table)) for each in columns]
    return columns[values.index(max(values))].names[0]


def examples_of_plan(run: Session, planned: Planned) -> Examples:
    """Return examples of a plan's release: its quasi-identifiers are staged, read, and dropped again.

    Where the search's frequency set has the classes, one row is staged for each: to stage all of 10 million rows took
    longer than the whole search.
    """
    of_labels = replace(run, policy=_labels_alone(run.policy))
    with run.engine.journal.step("examples"):
        staged = run.scratch.table("staged")
        query = recode(of_labels, planned, staged)
        of_classes = _with_class_rows(of_labels, planned, query)
        if of_classes is not None:
            query, weight = of_classes
            run.engine.execute(query.staging)
            found = read_examples(of_labels, query, rows=planned.plan.classes, weight=weight)
        else:
            query = stage_to_count(of_labels, query, rows=planned.opened.rows)
            found = read_examples(of_labels, query, rows=planned.plan.released_rows)
        drop_counted(run, query)
    return found


def _with_class_rows(
    run: Session, planned: Planned, query: ReleaseQuery
) -> tuple[ReleaseQuery, str] | None:
    """Return the query that stages one row a class, and their weight, if a frequency set has the classes."""
    if planned.encoded is None:
        return None
    from kanon_sql.recoding.counted_classes import (  # noqa: PLC0415  of a search of nodes
        with_class_rows,
    )

    return with_class_rows(run, planned, query)


def _labels_alone(policy: Policy) -> Policy:
    """Return the policy of the quasi-identifiers alone: no secret is needed, and nothing else is staged."""
    columns = (
        each
        if each.role is Role.QUASI
        else replace(each, role=Role.IDENTIFYING, action=Action.DROP)
        for each in policy.columns
    )
    return replace(policy, columns=tuple(columns))


def _with_labels(query: ReleaseQuery) -> Iterator[Released]:
    """Yield the columns that have one level above their values, and below the root if bounds are released."""
    for each in query.released:
        by_rows = each.column.output.is_of_rows
        if isinstance(each, ReleasedRegions) or each.level == 0 or by_rows:
            continue
        if not (each.bounds and each.level == each.height):
            yield each
