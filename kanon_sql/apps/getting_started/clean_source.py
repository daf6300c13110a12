"""Finds dirty columns of a source by their profiles, and writes the query that cleans them into the first policy."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from kanon_sql.apps.getting_started.column_profiles import MEASURE, ZIP, cleaned_rows
from kanon_sql.apps.getting_started.role_names import rule_of
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import query
from kanon_sql.counting.source.files import files_at
from kanon_sql.counting.source.lineage import find_table, open_query
from kanon_sql.counting.source.open_view import is_plain
from kanon_sql.counting.source.person_keys import KEY_OF_A_PERSON, folded
from kanon_sql.counting.source.text_files import header_delimiter
from kanon_sql.engines.local_files import relative_to
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import KanonError
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.locations import Source

CATEGORIES = 1000
"""The most distinct values of a column whose spellings are brought to one case."""
MEDICAL = re.compile(r"[A-Z]9[9A](\.[9A]+)?|[A-Z]9{2,4}")
"""Matches the shape of a diagnosis code: a letter, two digits, and perhaps more after a dot."""
LEADING = 0.8
"""The least share of rows with the most frequent shape for which a column named like a ZIP code is brought to it."""
MOSTLY = 0.95
ROUNDED = 0.05
"""The least share of rows with a unique value for which a measure is rounded."""


@dataclass(frozen=True, slots=True)
class Cure:
    """What the cleaning query does to a column, and the reason, in counts."""

    name: str
    cure: Literal["trim", "upper", "lower", "digits", "round", "finite"]
    why: str
    length: int = 0
    shortest: int = 0
    width: float = 1
    is_text: bool = False
    missing: tuple[str, ...] = ()


def cures_of(
    profiles: Sequence[ColumnProfile],
    known: Mapping[str, ColumnProfile],
    missing: Mapping[str, tuple[str, ...]],
) -> dict[str, Cure]:
    """Return the cures of dirty columns by name; a column without a cure is not changed.

    `known` are profiles without the texts and codes that stand for a `missing` value; the cleaning query still meets them.
    """
    found = ((each.name, _cure(known[each.name], each)) for each in profiles)
    return {
        name: replace(
            cure, missing=tuple(dict.fromkeys(text.strip() for text in missing.get(name, ())))
        )
        for name, cure in found
        if cure is not None
    }


def _cure(each: ColumnProfile, whole: ColumnProfile) -> Cure | None:
    """Return the cure for a column's profile without missing texts; for codes, `whole` counts what becomes NULL."""
    if each.is_date:
        return None
    has_others = len(each.shapes) != 1  # beside the texts that the policy reads as NULL
    if has_others and (code := _digits(whole, unknown=whole.present - each.present)) is not None:
        return code
    if each.is_number:
        return _rounded(each) or _finite(each)
    if each.kind != "text":
        return None
    blanks = f"{_rows_have(each.padded)} blanks at the ends" if each.padded else ""
    spelled = each.folded < each.trimmed and (
        each.trimmed <= CATEGORIES
        or is_medical_code(each, padded=True)
        or KEY_OF_A_PERSON.fullmatch(folded(each.name)) is not None  # else one person counts as two
    )
    if spelled:
        why = f"{counted(each.values, 'spelling')} are {counted(each.folded, 'value')} in one case"
        cure: Literal["upper", "lower"] = (
            "upper" if each.longest <= 3 or is_medical_code(each, padded=True) else "lower"
        )
        return Cure(each.name, cure, f"{why}; {blanks}" if blanks else why)
    return Cure(each.name, "trim", blanks) if blanks else None


def is_medical_code(each: ColumnProfile, *, padded: bool = False) -> bool:
    """Whether all values have the shape of a diagnosis code, after trimming and in one case if `padded`."""
    shapes = [shape for shape, _ in each.shapes]
    texts = [str(shape or "").strip().upper() if padded else str(shape or "") for shape in shapes]
    return bool(texts) and all(MEDICAL.fullmatch(text) for text in texts)


def _digits(each: ColumnProfile, *, unknown: int) -> Cure | None:
    """Return the cure that brings codes to one number of digits, if nearly all codes have it.

    So many rows have a text that stands for an `unknown` value.
    """
    if not each.shapes or each.present == 0:
        return None
    shape, rows = each.shapes[0]
    length = len(shape or "")
    share = rows / each.present
    is_zip = ZIP.search(folded(each.name)) is not None
    if shape is None or shape.strip("9") or length < 4 or rows == each.present:
        return None
    if share < (LEADING if is_zip else MOSTLY) or (not is_zip and each.numbers == each.present):
        return None
    fitting = sum(n for of, n in each.shapes if of is not None and of.strip() == shape)
    if not is_zip and fitting + unknown < each.present:
        return None  # other codes are codes, too
    least = length - 1 if is_zip else length
    named = ", ".join(_in_words(*found, length, least) for found in each.shapes[1:])
    others = each.present - sum(n for _, n in each.shapes)
    more = (
        f", {others:,} {'has' if others == 1 else 'have'} other shapes "
        f"(become NULL, unless {length} digits in blanks)"
        if others
        else ""
    )
    why = f"{_rows_have(rows)} {length} digits; {named}{more}"
    return Cure(each.name, "digits", why, length=length, shortest=least)


def _rows_have(rows: int) -> str:
    return f"{counted(rows, 'row')} {'has' if rows == 1 else 'have'}"


def _in_words(shape: str | None, rows: int, length: int, least: int) -> str:
    """Say what the query does to the rows of a shape: texts of `least` to `length` digits stay.

    >>> _in_words("9999", 142, 5, 4), _in_words("99999 ", 1, 5, 4)
    ('142 have 4 digits (padded with zeros)', '1 has blanks at the ends')
    """
    have, are = ("has", "is") if rows == 1 else ("have", "are")
    if shape is None:
        return f"{rows:,} {have} other characters (become NULL)"
    if not shape.strip():
        return f"{rows:,} {are} empty (become NULL)"
    blanks = " with blanks at the ends" if shape.strip() != shape else ""
    text = shape.strip()
    if not text.strip("9"):
        stays = least <= len(text) <= length
        done = "" if len(text) == length else " (padded with zeros)" if stays else " (become NULL)"
        if blanks and not done:
            return f"{rows:,} {have} blanks at the ends"
        return f"{rows:,} {have} {len(text)} digits{blanks}{done}"
    if not text.strip("Aa /?."):
        return f"{rows:,} {have} words or letters{blanks} (become NULL)"
    return f"{rows:,} {have} another shape{blanks} (become NULL)"


def _rounded(each: ColumnProfile) -> Cure | None:
    """Return the cure that rounds a measure with unique values in many rows: each would identify its row."""
    name = folded(each.name)
    measured = each.fractions > 0 or each.family == "float" or MEASURE.search(name) is not None
    rule = rule_of(name)
    is_sensitive = rule is not None and rule.role is Role.SENSITIVE
    if not measured or is_sensitive or each.spread is None:
        return None
    if each.unique < ROUNDED * max(each.present, 1) or each.spread.middle < 50:
        return None
    width = max(1.0, rounded_down(each.spread.middle / 50))
    why = (
        f"rounded to {width:,.0f}, and NULL if not below 10^15: "
        f"{counted(each.unique, 'row')} had a value of their own"
    )
    return Cure(each.name, "round", why, width=width, is_text=each.kind == "text")


def _finite(each: ColumnProfile) -> Cure | None:
    """Return the cure that makes numbers NULL that no interval can hold."""
    if not each.unbounded:
        return None
    why = f"{_rows_have(each.unbounded)} no number below 10^15 (infinite, or NaN): NULL"
    return Cure(each.name, "finite", why, is_text=each.kind == "text")


def rounded_down(number: float) -> float:
    """Round a positive number down to 1, 2 or 5 times a power of ten.

    >>> rounded_down(73 / 16), rounded_down(0.07)
    (2.0, 0.05)
    """
    power = 10.0 ** math.floor(math.log10(number))
    return next(round(power * m, 12) for m in (5, 2, 1) if power * m <= number * (1 + 1e-12))


def cleaning_query(
    run: Session,
    source: Source,
    names: Sequence[str],
    cures: Mapping[str, Cure],
    folder: str,
    *,
    required: str | None = None,
) -> str | None:
    """Write the query that cleans a source, for a policy in `folder`; None if none is needed or can be opened.

    Rows in which the `required` column is NULL are left out.
    """
    if not (cures or required) or source.query is not None or source.where is not None:
        return None
    try:
        statement = _statement(run, source, _described(names, cures), folder, required)
        text = statement.render(run.engine.dialect)
        view = run.scratch.table("cleaned")
        run.see(view, open_query(run.engine, view, text, folder))
        there = [each.name for each in run.engine.columns(view)]
    except (KanonError, ValueError, OSError):
        return None
    return text if there == list(names) else None


def see_cleaned(
    run: Session,
    table: exp.Table,
    names: Sequence[str],
    cures: Mapping[str, Cure],
    *,
    required: str | None = None,
) -> exp.Table:
    """Return a view of a table with the rows as the query cleans them."""
    view = run.scratch.table("cleaned")
    statement = cleaned_rows(
        _described(names, cures), kind="table", origin=table, required=required
    )
    text = statement.render(run.engine.dialect)
    run.see(view, source_sql.open_tree(view, query(text, dialect=run.engine.dialect)))
    return view


def _statement(
    run: Session,
    source: Source,
    described: Sequence[Mapping[str, object]],
    folder: str,
    required: str | None,
) -> Statement:
    if source.path is None:
        origin = find_table(run.engine, source.table or "")
        return cleaned_rows(described, kind="table", origin=origin, required=required)
    if not run.engine.capabilities.local_files:
        raise ValueError("a query names files of this machine for DuckDB alone")
    if source.skip or source.union_by_name or not is_plain(source):
        raise ValueError("a query has other arguments for these, or cannot read them")
    found = files_at(source.path, "")
    pattern = found.pattern
    if "://" not in pattern:
        pattern = relative_to(pattern, folder)
    return cleaned_rows(
        described,
        kind=source_sql.kind_of(found.pattern),
        path=pattern,
        delimiter=source.delimiter or header_delimiter(found.pattern, source.skip),
        has_header=source.header is not False,
        required=required,
    )


def _described(names: Sequence[str], cures: Mapping[str, Cure]) -> list[dict[str, object]]:
    return [
        {"name": name, "cure": "none"}
        if name not in cures
        else {
            "name": name,
            "cure": cures[name].cure,
            "length": cures[name].length,
            "shortest": cures[name].shortest,
            "width": f"{cures[name].width:.0f}",
            "is_text": cures[name].is_text,
            "missing": cures[name].missing,
        }
        for name in names
    ]
