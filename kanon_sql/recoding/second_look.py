"""The second look at a policy and its plan: columns that are lost, and what would keep more of them.

A column is lost where more than half of the rows have one label of it, and no value has so many. The release is safe, and
says little of the column; nobody asked for that, so it is named, with counts and the cheapest way on. No label is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.value_axes import LinePaths
from kanon_sql.counting.plans.plan import ColumnChange
from kanon_sql.engines.base import whole
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.hierarchies.mapping_sql import level
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import demands

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned

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
    """Count the labels of each staged column, the rows of the most frequent one, and those of labels of not all values.

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


def _value_rows(run: Session, mapped: Sequence[Mapped]) -> list[ValueRows]:
    least = demands(run.policy.privacy)[0].class_size
    fetched = run.engine.fetch(rows_of_values([each.domain for each in mapped], least))
    return [ValueRows(*map(whole, counts)) for _, *counts in fetched]


def all_or_nothing(run: Session, mapped: Sequence[Mapped]) -> Iterator[str]:
    """Yield a warning for each column of which most rows can only be released as the root, whatever a search finds."""
    least = demands(run.policy.privacy)[0].class_size
    for each, found in zip(mapped, _value_rows(run, mapped), strict=True):
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


def look_again(
    run: Session, planned: Planned, staged: exp.Table, weight: str | None = None
) -> SecondLook:
    """Count the values and labels of each column, and name each of which more than half of the staged rows have one label.

    A staged row counts as one row, or as often as its column `weight` states. Each column is counted by the first of its
    released columns, which is NULL at the root where it is a bound. The whole range of an order without a hierarchy counts as
    a label of some values.
    """
    mapped = planned.mapped
    if not mapped:
        return SecondLook()
    names = [each.column.released_as[0] for each in mapped]
    columns = list(zip(names, map(_paths, mapped), strict=True))
    counts = run.engine.fetch(rows_of_labels(staged, columns, weight))
    labels = [StagedLabels(*map(whole, each)) for _, *each in counts]
    values = _value_rows(run, mapped)
    changes = tuple(
        ColumnChange(
            each.column.name, of.values, of.rows - of.nulls, shown.labels, shown.kept,
            values_shown=each.column.output.is_of_rows,
        )
        for each, of, shown in zip(mapped, values, labels, strict=True)
    )  # fmt: skip
    return SecondLook(changes, tuple(_lost(run, planned, (staged, weight), labels, values)))


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
    """Return a remark for each column of which more than half of the staged rows have one label, the most first."""
    plan, (_, weight) = planned.plan, of_rows
    plain = [n for n, each in enumerate(planned.mapped) if len(each.column.released_as) == 1]
    mapped = [planned.mapped[n] for n in plain]
    labels, values = [labels[n] for n in plain], [values[n] for n in plain]
    names = [each.column.released_as[0] for each in mapped]
    if not plain or plan.released_rows < FEW_CLASSES * demands(run.policy.privacy)[0].class_size:
        return []
    lost = sorted(
        (
            (n, of.most)
            for n, of in enumerate(labels)
            if 2 * of.most > plan.released_rows and 2 * values[n].most <= values[n].rows
        ),
        key=lambda found: (-found[1], found[0]),
    )
    few = (plan.classes if weight is not None else plan.released_rows) <= MOST_STAGED
    remarks = []
    for at, (n, rows) in enumerate(lost):
        share = (
            f"{rows:,} of {counted(plan.released_rows, 'row')} ({rows / plan.released_rows:.0%})"
        )
        said = f"{names[n]}: {share} are released under one label"
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
        finer = "give it finer levels near its root"
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
