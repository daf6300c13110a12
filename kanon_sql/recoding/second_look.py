"""The second look at a policy and its plan: columns that are lost, what would keep more of them, and a few classes.

A column is lost where more than half of the rows have one label of it, and no value has so many. The release is safe, and
says little of the column; nobody asked for that, so it is named, with counts and the cheapest way on. No label is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted, joined, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import code, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.value_axes import LinePaths
from kanon_sql.counting.plans.plan import SHOWN_CLASSES, ColumnChange, ExampleClass, Examples
from kanon_sql.counting.plans.recodings import Multidimensional
from kanon_sql.counting.source.person_keys import unique_counts
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.hierarchies.labels_sql import ReleasedRegions
from kanon_sql.policy.hierarchies.mapping_sql import level
from kanon_sql.policy.masks import DROP
from kanon_sql.policy.model import Role
from kanon_sql.policy.policy_rules import entity_column, is_released
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.recoding.recode import (
    cut_regions_again,
    drop_counted,
    recode,
    stage_to_count,
)
from kanon_sql.recoding.staging_sql import hidden_entity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery

    Staged = tuple[exp.Table, str | None]
    """Staged rows, and the column that says for how many rows each stands; None if each stands for itself."""


MOST_STAGED = 200_000
"""The most staged rows of which classes are counted without each column in turn."""
FEW_CLASSES = 10
"""How many of the smallest classes a release must have room for: fewer rows can tell little apart, whatever is recoded."""
MOST_COLUMNS = 8
"""The most lost columns, those of the most rows, for which other columns are counted out."""
MOST_LEFT_OUT = 4
"""The most other columns that are left out to count what a lost column could tell apart."""
FINER = (
    "give it a hierarchy with levels between its values and its root (intervals for numbers, dates for days, mask for codes, csv "
    "or tree for groups)"
)


MOST_LOOKED_AT = 1_000_000
"""The most rows of a release whose columns are counted before and after each time that its plan is applied."""
AS_IT_IS = "as it is"


def rows_of_values(domains: Sequence[exp.Table], least: int) -> Statement:
    """Count for each column its values, the rows of values that few rows have, of the most frequent value, and of NULL."""
    return Statement("recoding/rows_of_values", {"domains": domains, "least": least})


def rows_of_labels(
    staged: exp.Table, columns: Sequence[tuple[str, LinePaths | None]], weight: str | None
) -> Statement:
    """Count the labels of each staged column, the rows of the most frequent one, and the rows whose label does not stand for all values.

    A column comes with the paths of its hierarchy, if it has one: several of its levels may have one label alone.
    """
    return Statement(
        "recoding/rows_of_labels",
        {
            "staged": staged,
            "columns": [
                {
                    "released": column(each, of="t"),
                    "root": literal(ROOT),
                    "paths": paths and paths.table,
                    "levels": [column(level(n), of="p") for n in paths.levels] if paths else [],
                }
                for each, paths in columns
            ],
            "weight": None if weight is None else column(weight, of="t"),
        },
    )


def rows_in_joined_classes(
    staged: exp.Table, weight: str | None, sets: Sequence[Sequence[str]], least: int
) -> Statement:
    """Count the staged rows in classes of at least so many rows, over each of several sets of columns."""
    return Statement(
        "recoding/rows_in_joined_classes",
        {
            "staged": staged,
            "sets": [[column(each, of="t") for each in names] for names in sets],
            "least": least,
            "weight": None if weight is None else column(weight, of="t"),
        },
    )


@dataclass(frozen=True, slots=True)
class ValueRows:
    """The values of a column, and its rows: all, those of rare values, the most with one value, and those without a value.

    A value is rare if fewer rows than the smallest class may hold have it.
    """

    values: int
    rows: int
    rare: int
    most: int
    nulls: int


@dataclass(frozen=True, slots=True)
class StagedLabels:
    """The labels of a staged column, and its rows: the most with one label, and those with a label of not all values."""

    labels: int
    most: int
    kept: int


def _value_rows(run: Session, mapped: Sequence[Mapped], least: int) -> list[ValueRows]:
    fetched = run.engine.fetch(rows_of_values([each.domain for each in mapped], least))
    return [ValueRows(*map(whole, counts)) for _, *counts in fetched]


def one_row_each(run: Session, opened: OpenSource) -> Iterator[str]:
    """Say that each person has one row, where the release does not show whose it is: nobody could recount people in it."""
    entity = entity_column(run.policy)
    if entity is None or is_released(entity) or run.policy.series is not None:
        return
    found = unique_counts(run.engine, opened.table, [entity.name])[entity.name]
    if found.unique == opened.rows:
        yield (
            f"entity: each of {opened.rows:,} rows has another {printable(entity.name)}, which is not released: a certificate "
            "has to leave claims about people UNCHECKED; say entity: row, which protects as much here and can be recounted"
        )


def all_or_nothing(run: Session, mapped: Sequence[Mapped]) -> Iterator[str]:
    """Yield a warning for each column of which most rows can only be released as the root, whatever a search finds."""
    least = demands(run.policy.privacy)[0].class_size
    for each, found in zip(mapped, _value_rows(run, mapped, least), strict=True):
        if each.hierarchy.height == 1 and 2 * found.rare > found.rows:
            have = f"{found.rare:,} of {counted(found.rows, 'row')} have a value that fewer than {least:,} rows have"
            yield f"columns.{each.column.name}.hierarchy: {have}, and each value is kept or removed as a whole: {FINER}"


def other_columns(policy: Policy) -> dict[str, str]:
    """Return in words what a release does to each column that is no quasi-identifier."""
    return {
        each.name: AS_IT_IS if each.mask is None else each.mask.shown
        for each in policy.columns
        if each.role is not Role.QUASI
    }


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What a release does to each column, and remarks on the columns that it loses."""

    changes: tuple[ColumnChange, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def empty(self) -> tuple[str, ...]:
        """A sentence for each other column with several values before and one label in all released rows."""
        return tuple(
            f"{each.name}: says nothing any more, as all released rows have one label; drop it, or give it a finer hierarchy"
            for each in self.changes
            if each.labels <= 1 < each.values
            and not any(lost.startswith(f"{each.name}: ") for lost in self.lost)
        )


def look_again(
    run: Session, planned: Planned, staged: exp.Table, weight: str | None = None
) -> SecondLook:
    """Count the values and labels of each column, and name each of which more than half of the staged rows have one label.

    A staged row counts as one row, or as often as its column `weight` states. Each column is counted by the first of its
    released columns, which is NULL at the root where it is a bound. The whole range of an order without a hierarchy counts as
    a label of some values.
    """
    mapped, least = planned.mapped, demands(run.policy.privacy)[0].class_size
    changes, labels, values = _changes(run, mapped, staged, weight, least)
    if not changes:
        return SecondLook()
    return SecondLook(changes, tuple(_lost(run, planned, (staged, weight), labels, values)))


def look_at_rows(
    run: Session, mapped: Sequence[Mapped], staged: exp.Table, *, rows: int, least: int, more: str
) -> SecondLook:
    """Count the columns of staged rows as `look_again`, where no plan says how all rows are recoded.

    Values are rare that fewer than `least` rows have. A lost column is named, with what would keep `more` of it.
    """
    changes, labels, values = _changes(run, mapped, staged, None, least)
    names = [each.column.released_as[0] for each in mapped]
    lost = _lost_rows(labels, values, rows) if rows >= FEW_CLASSES * least else []
    said = (f"{_under_one_label(names[n], of, rows)}; {more}" for n, of in lost)
    return SecondLook(changes, tuple(said))


def _changes(
    run: Session,
    mapped: Sequence[Mapped],
    staged: exp.Table,
    weight: str | None,
    least: int,
) -> tuple[tuple[ColumnChange, ...], list[StagedLabels], list[ValueRows]]:
    """Count the values of each column before, and the labels of its staged rows."""
    if not mapped:
        return (), [], []
    names = [each.column.released_as[0] for each in mapped]
    columns = list(zip(names, map(_paths, mapped), strict=True))
    counts = run.engine.fetch(rows_of_labels(staged, columns, weight))
    labels = [StagedLabels(*map(whole, each)) for _, *each in counts]
    values = _value_rows(run, mapped, least)
    changes = tuple(
        ColumnChange(
            each.column.name, of.values, of.rows - of.nulls, shown.labels, shown.kept,
            values_shown=each.column.output.is_of_rows,
        )
        for each, of, shown in zip(mapped, values, labels, strict=True)
    )  # fmt: skip
    return changes, labels, values


def _lost_rows(
    labels: Sequence[StagedLabels], values: Sequence[ValueRows], released: int
) -> list[tuple[int, int]]:
    """Return the columns of which more than half of the rows have one label, by number, with these rows, the most first.

    Of two labels more than three quarters have one.
    """
    return sorted(
        (
            (n, of.most)
            for n, of in enumerate(labels)
            if of.most > released * (0.75 if of.labels == 2 else 0.5)  # of two labels one has half
            and 2 * values[n].most <= values[n].rows
        ),
        key=lambda found: (-found[1], found[0]),
    )


def _under_one_label(name: str, rows: int, released: int) -> str:
    share = f"{rows:,} of {counted(released, 'row')} ({rows / released:.0%})"
    return f"{name}: {share} are released under one label"


def _paths(mapped: Mapped) -> LinePaths | None:
    """Return the paths of a column's hierarchy; None if it has none, or is cut by an order alone."""
    if mapped.column.order is not None:
        return mapped.above
    return LinePaths(mapped.paths, mapped.hierarchy.height)


def _lost(
    run: Session,
    planned: Planned,
    of_rows: Staged,
    labels: Sequence[StagedLabels],
    values: Sequence[ValueRows],
) -> list[str]:
    """Return a remark for each lost column, the most first."""
    plan, (_, weight) = planned.plan, of_rows
    plain = [n for n, each in enumerate(planned.mapped) if len(each.column.released_as) == 1]
    mapped = [planned.mapped[n] for n in plain]
    labels, values = [labels[n] for n in plain], [values[n] for n in plain]
    names = [each.column.released_as[0] for each in mapped]
    if not plain or plan.released_rows < FEW_CLASSES * demands(run.policy.privacy)[0].class_size:
        return []
    lost = _lost_rows(labels, values, plan.released_rows)
    few = (plan.classes if weight is not None else plan.released_rows) <= MOST_STAGED
    remarks = []
    for at, (n, rows) in enumerate(lost):
        said = _under_one_label(names[n], rows, plan.released_rows)
        if mapped[n].hierarchy.height == 1 and 2 * values[n].rare > values[n].rows:
            said = f"{said}, as most values are of few rows: {FINER}"
        elif plan.recoding.in_regions and (order := _order_of(mapped[n])) is not None:
            said = f"{said}; to keep more of it, say order: {order} in place of its hierarchy: it is cut between any two values then"
        elif few and at < MOST_COLUMNS and len(names) > 1:
            said += _cheapest(run, planned, of_rows, names, n)
        remarks.append(said)
    return remarks


def _order_of(mapped: Mapped) -> str | None:
    """Return the order along which a column could be cut without its hierarchy; None if it has none, or has that order."""
    stated = mapped.column.hierarchy
    if stated is None or mapped.column.order is not None or not stated.casts_texts:
        return None
    return "date" if stated.of_dates else "number"


def _cheapest(
    run: Session, planned: Planned, staged: Staged, names: Sequence[str], lost: int
) -> str:
    """Name other columns without which half of the rows are in classes large enough to be told apart by the lost one.

    Such a class has twice the rows of the smallest one that the policy allows. Columns are left out one by one, each time the one
    without which the most rows are in such classes. Where these rows are there already, the kind of recoding is what loses it.
    """
    released, name = planned.plan.released_rows, names[lost]
    least = demands(run.policy.privacy)[0].class_size
    rest, out = [each for n, each in enumerate(names) if n != lost], list[str]()
    ((_, there),) = run.engine.fetch(rows_in_joined_classes(*staged, [rest], 2 * least))
    rows = whole(there)
    if 2 * rows >= released:
        finer = "give it more levels just below the one label"
        if not planned.plan.recoding.in_regions:
            finer = f"{finer}, or use algorithm: mondrian, which does not recode all rows alike"
        classes = f"{counted(rows, 'row')} are in classes of at least {2 * least:,}"
        return f", although {classes}, large enough to be divided by {name}; {finer}"
    while rest and len(out) < MOST_LEFT_OUT and 2 * rows < released:
        sets = [[each for each in rest if each != other] for other in rest]
        fetched = run.engine.fetch(rows_in_joined_classes(*staged, sets, 2 * least))
        found = [whole(each) for _, each in fetched]
        best = max(range(len(rest)), key=lambda n: found[n])
        rows = found[best]
        out.append(rest.pop(best))
    if 2 * rows < released:
        return (
            f": {counted(len(names), 'quasi-identifier')} are more than classes of {least:,} rows can tell apart; drop columns, or "
            f"make them coarser"
        )
    return (
        f"; to keep more of it, drop {joined(out)}, or give coarser labels to {'it' if len(out) == 1 else 'them'}: {counted(rows, 'row')} would be "
        f"in classes of at least {2 * least:,}, large enough to be divided by {name}"
    )


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
    """Return the column with the most values in a release by regions, of which every class is large enough."""
    columns = [each for each in query.released if isinstance(each, ReleasedRegions)]
    if len(columns) < len(query.released):
        return None
    values = [run.engine.fetch_count(source_sql.count_rows(each.table)) for each in columns]
    return columns[values.index(max(values))].names[0]


Count = Callable[
    ["Session", "Planned", "exp.Table", "str | None"], "tuple[float, float, float] | None"
]
"""A function that measures simple counts of staged labels, by their table and the column of their weights."""


def examples_of_plan(
    run: Session, planned: Planned, count: Count
) -> tuple[Examples, tuple[float, float, float] | None]:
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
