"""Finds the types that a source of texts is released with, over all of its rows, and checks those of a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.counting.plans.shown_plan import EXACT, Form, TextType
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault
from kanon_sql.policy.hierarchies.order import Snapped, Steps
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.run.inputs import NamedTable
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Column, Policy


FORMS = tuple(each for each in Form if each is not Form.FIXED)
"""The forms that a text has or has not, whatever the number of its decimals."""


def text_forms(origin: exp.Table, columns: Sequence[str], *, rows: int) -> Statement:
    """Find the forms of the least and the greatest text of each column, and the number of decimals of both."""
    leaves = {"columns": [column(each, of="s") for each in columns], "forms": list(map(str, FORMS))}
    return Statement("source/text_forms", {"origin": origin, **leaves}, scans=rows)


def count_misfits(origin: exp.Table, types: Mapping[str, TextType], *, rows: int) -> Statement:
    """Count the rows of each column whose text is not written as the column's type writes a value."""
    leaves = {"origin": origin, "columns": columns_of_types([*types], types)}
    return Statement("source/counts/count_misfits", leaves, scans=rows)


def typed_rows(
    view: exp.Table, origin: exp.Table, columns: Sequence[str], types: Mapping[str, TextType]
) -> Statement:
    """See rows of a release with texts as values of their types; columns without a type as they are."""
    leaves = {"view": view, "origin": origin, "columns": columns_of_types(columns, types)}
    return Statement("source/typed_rows", leaves)


def columns_of_types(
    columns: Sequence[str], types: Mapping[str, TextType]
) -> list[dict[str, object]]:
    """Describe columns of a table `t`, each with the form of its texts and the number of their decimals."""
    return [
        {
            "column": column(each, of="t"),
            "as": name(each),
            "form": str(types[each].form) if each in types else None,
            "decimals": types[each].decimals if each in types else 0,
        }
        for each in columns
    ]


MOST_DECIMALS = 17
"""The most decimals of a number of 18 digits that has one digit before its point."""


def find_types(
    run: Session,
    opened: OpenSource,
    recoding: Recoding,
    frame: object | None,
    released: Callable[[Sequence[str]], tuple[exp.Table, int] | None] | None,
) -> dict[str, TextType] | None:
    """Return the type of each column of a text file whose released texts are all written as that type writes values.

    None where there is none, and where the source or the release has no use for it: only text files have no types, and
    a release of CSV has none. No sample decides: least and greatest texts only rule types out. Values that a
    quasi-identifier shows are compared with those of the source by their texts, which must therefore stay the same.
    `released` returns the table of the released rows with these columns, or stages them, so that no type tells of a
    suppressed row; None where all rows of the source are released.
    """
    policy = run.policy
    path = policy.source.path
    release = policy.release
    if frame is not None or path is None or source_sql.kind_of(path) != "csv":
        return None
    if release is not None and not release.format.kind.holds_types:
        return None
    names = [each for each, text in _shown(policy, opened, recoding).items() if text]
    if not names:
        return None
    table, _, rows = opened.source_tuples
    found_rows = None if released is None else released(names)
    if found_rows is not None:
        table, rows = found_rows
    left = _possible(run, table, names, rows=rows)
    found: dict[str, TextType] = {}
    while asked := {name: types[0] for name, types in left.items() if types}:
        misfits = run.engine.fetch_counts(count_misfits(table, asked, rows=rows))
        for (each, of), count in zip(asked.items(), misfits, strict=True):
            left[each] = left[each][1:] if count else []
            if not count:
                found[each] = of
    return {name: found[name] for name in names if name in found} or None


def _possible(
    run: Session, table: exp.Table, names: list[str], *, rows: int
) -> dict[str, list[TextType]]:
    """Return the types that the least and the greatest text of each column have, the first to be tried first."""
    found = run.engine.fetch(text_forms(table, names, rows=rows))
    quasi = {each.name for each in run.policy.quasi}
    left = {}
    for each, row in zip(names, found, strict=True):
        _, decimals, *has = map(whole, row)
        forms: dict[Form, int] = dict(zip(FORMS, has, strict=True))
        forms[Form.FIXED] = 0 < decimals <= MOST_DECIMALS
        left[each] = [
            TextType(form, decimals if form is Form.FIXED else 0)
            for form in Form
            if forms[form] and (form in EXACT or each not in quasi)
        ]
    return left


def _shown(policy: Policy, opened: OpenSource, recoding: Recoding) -> dict[str, bool]:
    """Return the columns that are released with values of the source, and whether these are texts there."""
    folders = () if policy.release is None else policy.release.partition_by
    quasi = {each.name: at for at, each in enumerate(policy.quasi)}
    shown = {
        each.name
        for each in policy.columns
        if (each.role in {Role.SENSITIVE, Role.INSENSITIVE} and each.mask is None)
        or (each.name in quasi and _shows_values(each, quasi[each.name], recoding))
    }
    return {
        each.name: each.family == "text"
        for each in opened.columns
        if each.name in shown and each.name not in folders
    }


def _shows_values(column: Column, at: int, recoding: Recoding) -> bool:
    """Whether each cell of a quasi-identifier, the one `at` a place, is a value of the source, as it is there."""
    if column.output.is_of_rows or not recoding.by_levels:
        return column.output.shows_own_values and not isinstance(column.order, Snapped)
    return levels_used(recoding, at) == (0,)


def types_of_columns(columns: Sequence[ColumnType]) -> dict[str, TextType]:
    """Return the types by which the texts of a file become the columns of a table again."""
    forms = {"integer": Form.WHOLE, "float": Form.POINTED, "boolean": Form.LOWER}
    forms |= {"date": Form.DATE, "timestamp": Form.MOMENT}
    found = {each.name: TextType(forms[each.family]) for each in columns if each.family in forms}
    decimals = {each.name: each for each in columns if each.family == "decimal"}
    return found | {name: _fixed(each.type) for name, each in decimals.items()}


def _fixed(decimal: str) -> TextType:
    return TextType(Form.FIXED, int(decimal.rpartition(",")[2].rstrip(") ")))


def as_in_source(
    run: Session, released: NamedTable, opened: OpenSource, recoding: Recoding
) -> NamedTable:
    """See a release with the source's types where cells are numbers of it: a file may hold 37.0 as 37, or as a text.

    These are cells of quasi-identifiers, and of sensitive columns without a mask. Labels stay texts.
    """
    own = {each.name: each for each in opened.columns}
    there = {each.name: each.family for each in released.columns}
    types = {
        each.name: found
        for at, each in enumerate(run.policy.quasi)
        if each.released_as == (each.name,) and each.name in own
        if there.get(each.name) != own[each.name].family and _holds_numbers(each, at, recoding)
        if (found := _type_of(own[each.name], each)) is not None
    }
    types |= {
        each.name: found
        for each in run.policy.with_role(Role.SENSITIVE)
        if each.mask is None and each.name in own
        if there.get(each.name) == "text" and own[each.name].family != "text"
        if (found := _type_of(own[each.name], each)) is not None
    }
    if not types:
        return released
    view = run.scratch.table("as_in_source")
    names = [each.name for each in released.columns]
    run.see(view, typed_rows(view, released.table, names, types))
    return replace(released, table=view, columns=tuple(run.engine.columns(view)))


def _holds_numbers(column: Column, at: int, recoding: Recoding) -> bool:
    """Whether each cell of a quasi-identifier is a value of the source, or one that is rounded to steps."""
    rounded = column.output.is_of_rows and isinstance(column.order, Steps)
    return (column.output.shows_own_values and rounded) or _shows_values(column, at, recoding)


def _type_of(own: ColumnType, column: Column) -> TextType | None:
    """Return the type that a number of the source is released as; None of other types."""
    steps = column.order if column.output.is_of_rows and isinstance(column.order, Steps) else None
    if own.family == "float":
        return TextType(Form.POINTED)
    if own.family == "decimal" and steps is None:
        return _fixed(own.type)
    if own.family not in {"integer", "decimal"}:
        return None
    scale = 0 if steps is None else steps.scale
    return TextType(Form.FIXED, scale) if scale else TextType(Form.WHOLE)


def types_of_release(policy: Policy, types: Mapping[str, TextType] | None) -> dict[str, TextType]:
    """Return the types of a plan by the columns of its release: a column may be released as two bounds."""
    stated = types or {}
    columns = [each for each in policy.columns if each.name in stated]
    return {name: stated[each.name] for each in columns for name in each.released_as}


def type_problems(
    policy: Policy, opened: OpenSource, recoding: Recoding, types: Mapping[str, TextType] | None
) -> Iterator[Fault]:
    """Yield a fault for each type of a plan that no released column can have."""
    texts = _shown(policy, opened, recoding)
    yield from (
        Fault(f"types.{name}", "is of no column that is released with values of the source")
        for name in types or {}
        if name not in texts
    )
    quasi = {each.name for each in policy.quasi}
    yield from (
        Fault(f"types.{name}", "is of a quasi-identifier, whose values are compared by their texts")
        for name, of in (types or {}).items()
        if name in quasi and of.form not in EXACT
    )


def misfit_problems(
    run: Session, table: exp.Table, types: Mapping[str, TextType]
) -> Iterator[Fault]:
    """Yield a fault for each type of a release that texts of its staged rows are not written as."""
    rows = run.engine.fetch_count(source_sql.count_rows(table))
    counts = run.engine.fetch_counts(count_misfits(table, types, rows=rows))
    for (each, of), count in zip(types.items(), counts, strict=True):
        if count:
            what = f"{count:,} of {rows:,} rows have a value that is not written as {of}"
            yield run.policy.fault(f"columns.{each}", f"{what}, the type that it is released as")
