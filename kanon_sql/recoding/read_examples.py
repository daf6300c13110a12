"""Read a few classes of a release, and a label of each column: what a reader of it will see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import code, column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.plan import SHOWN_CLASSES, ExampleClass, Examples
from kanon_sql.counting.plans.recodings import Multidimensional
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.hierarchies.labels_sql import ReleasedRegions
from kanon_sql.policy.masks import DROP
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.recoding.recode import (
    cut_regions_again,
    drop_counted,
    recode,
    stage_to_count,
)
from kanon_sql.recoding.staging_sql import hidden_entity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery


SHOWN_LABELS = 64
"""Labels of one column that classes are looked for among, where there are very many."""

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlglot import exp

    from kanon_sql.policy.hierarchies.labels_sql import Released


def example_classes(
    staged: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None,
    least: int,
    most: int,
    rows: int = 0,
    codes: Collection[str] = (),
    among: str | None = None,
    weight: str | None = None,
) -> Statement:
    """Read the labels and sizes of at most so many classes, each of at least so many rows or entities.

    They are the first by a hash of their labels: the same in every database and for any order of the rows. Columns of
    `codes` hold a code for each label: classes are counted by these, and the codes of a class alone are read as texts.
    Where `among` names a column, only classes with one of its first labels are counted, all of which must be shown.
    A staged row stands for one row, or for as many as its `weight` says.
    """
    return Statement(
        "recoding/example_classes",
        {
            "staged": staged,
            "columns": [_told_apart(q, codes) for q in quasi],
            "entity": None if entity is None else column(entity, of="t"),
            "weight": None if weight is None else column(weight, of="t"),
            "least": least,
            "most": most,
            "among": None if among is None else _told_apart(among, codes),
            "labels": SHOWN_LABELS,
        },
        scans=rows,
    )


def example_label(
    staged: exp.Table,
    released: Released,
    *,
    entity: str | None,
    least: int,
    rows: int = 0,
    codes: Collection[str] = (),
    weight: str | None = None,
) -> Statement:
    """Read the label of one column that most rows are released with, or its two bounds, for several values of the source.

    It is of at least so many released rows or entities.
    """
    ends = zip(released.names, released.column.output.parts, strict=True)
    return Statement(
        "recoding/example_label",
        {
            "staged": staged,
            "map": released.table,
            "columns": [
                {
                    **_told_apart(of, codes),
                    "mapped": name(released.part(kind, released.level)),
                }
                for of, kind in ends
            ],
            "entity": None if entity is None else column(entity, of="t"),
            "weight": None if weight is None else column(weight, of="t"),
            "least": least,
        },
        scans=rows,
    )


def _told_apart(text: str, codes: Collection[str]) -> dict[str, object]:
    """Name a released column, by its codes where it has them."""
    coded = text in codes
    return {"released": code(text, of="t") if coded else column(text, of="t"), "coded": coded}


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


Count = Callable[["Session", "Planned", "exp.Table", "str | None"], "tuple[float, float] | None"]
"""A function that measures simple counts of staged labels, by their table and the column of their weights."""


def examples_of_plan(
    run: Session, planned: Planned, count: Count
) -> tuple[Examples, tuple[float, float] | None]:
    """Return examples of a plan's release, and its simple counts as `count` measures them.

    Its quasi-identifiers are staged, read, and dropped again.

    Where the search's frequency set has the classes, or regions have their rows, one row stands for each: to stage all of
    10 million rows took longer than the whole search.
    """
    of_labels = replace(run, policy=_labels_alone(run.policy))
    with run.engine.journal.step("examples"):
        of_classes = _regions(of_labels, planned)
        if of_classes is None:
            query = recode(of_labels, planned, run.scratch.table("staged"))
            of_classes = _with_class_rows(of_labels, planned, query)
        if of_classes is not None:
            query, weight = of_classes
            found = read_examples(of_labels, query, rows=planned.plan.classes, weight=weight)
            counts = count(run, planned, query.staged, weight)
        else:
            query = stage_to_count(of_labels, query, rows=planned.opened.rows)
            found = read_examples(of_labels, query, rows=planned.plan.released_rows)
            counts = count(run, planned, query.staged, None)
        drop_counted(run, query)
    return found, counts


def _regions(run: Session, planned: Planned) -> tuple[ReleaseQuery, str] | None:
    """Return the query that sees one row a region, and their weight, if regions have all that is counted of them."""
    if run.policy.entity is not None or not isinstance(planned.plan.recoding, Multidimensional):
        return None
    from kanon_sql.recoding.multidimensional.assign_regions import (  # noqa: PLC0415  of Mondrian
        see_regions,
    )

    return see_regions(run, planned, cut_regions_again(run, planned))


def _with_class_rows(
    run: Session, planned: Planned, query: ReleaseQuery
) -> tuple[ReleaseQuery, str] | None:
    """Stage one row a class, if a frequency set has the classes; return the query, and the column of their weight."""
    if planned.encoded is None:
        return None
    from kanon_sql.recoding.counted_classes import (  # noqa: PLC0415  of a search of nodes
        with_class_rows,
    )

    found = with_class_rows(run, planned, query)
    if found is not None:
        run.engine.execute(found[0].staging)
    return found


def _labels_alone(policy: Policy) -> Policy:
    """Return the policy of the quasi-identifiers alone: no secret is needed, and nothing else is staged."""
    columns = (
        each if each.role is Role.QUASI else replace(each, role=Role.IDENTIFYING, action=DROP)
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
