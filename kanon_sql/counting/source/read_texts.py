"""Statements that see a source as its policy reads it: texts that stand for a missing value as NULL, formats as ISO texts."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import CatalogText, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import ColumnType
from kanon_sql.engines.missing_texts import number_of
from kanon_sql.policy.text_formats import MONTHS, PARTS, Unparsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlglot import exp

    from kanon_sql.errors import Fault
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.text_formats import TextFormat, TextPattern

NUMBERS = frozenset({"integer", "decimal", "float"})
"""The kinds of columns that are compared as numbers with the texts that stand for a missing value."""
OF_LENGTH = ("character", "bpchar")
"""How PostgreSQL spells types of texts that NULLIF makes texts of any length of."""


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column of a source, the texts that are NULL in it, its format if any, and whether other texts stay as they are."""

    column: ColumnType
    missing: tuple[str, ...] = ()
    format: TextFormat | None = None
    keeps_others: bool = True

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the policy that statements hold."""
        return (*self.missing, *(() if self.format is None else self.format.texts))


def read_columns(
    policy: Policy, columns: Iterable[ColumnType], *, unreadable: Iterable[str] = ()
) -> list[ReadColumn]:
    """Return how each column is read; an empty list where no text is read as NULL, and none has a format.

    Texts mean nothing in the `unreadable` columns.
    """
    stated = {each.name: each for each in policy.columns}
    without = set(unreadable)
    found = []
    for each in columns:
        own = stated.get(each.name)
        if own is None or each.name in without:
            found.append(ReadColumn(each))
            continue
        keeps = own.unparsed is Unparsed.REFUSE
        found.append(ReadColumn(each, policy.missing_of(each.name), own.format, keeps))
    return found if any(each.texts for each in found) else []


def formats_elsewhere(policy: Policy, title: str) -> Iterator[Fault]:
    """Yield a fault for each format, for statements of a database in which no expression of ours was tried."""
    for each in policy.columns:
        if each.format is not None:
            what = f"is not written for {title}: make a view there that has its dates as DATE and its numbers as numbers"
            yield policy.fault(f"columns.{each.name}.format", what)


def as_texts(columns: Iterable[ReadColumn]) -> tuple[ColumnType, ...]:
    """Return the columns with the types that they have after they were read: one with a format holds texts."""
    return tuple(
        each.column if each.format is None else ColumnType(each.column.name, "VARCHAR")
        for each in columns
    )


def read_texts(view: exp.Table, origin: exp.Table, columns: Iterable[ReadColumn]) -> Statement:
    """See a source as it is read."""
    return Statement(
        "source/read_texts", {"view": view, "origin": origin, **_leaves(columns, points=False)}
    )


def texts_query(
    origin: exp.Table,
    columns: Iterable[ReadColumn],
    *,
    points: bool = False,
    as_bytes: bool = False,
) -> Statement:
    """Read the same as a query; with `points` in the words that every database shares.

    A text is compared with a point after it then, because some databases ignore blanks at its end.
    """
    leaves = {"origin": origin, **_leaves(columns, points=points), "bytes": as_bytes}
    return Statement("source/texts_query", leaves)


def count_missing_entries(origin: exp.Table, columns: Iterable[ReadColumn]) -> Statement:
    """Count the rows that have each text which stands for a missing value; a column comes with one of them."""
    leaves = {"origin": origin, **_leaves(columns, points=False)}
    return Statement("source/count_missing_entries", leaves)


def count_unparsed(origin: exp.Table, columns: Iterable[ReadColumn]) -> Statement:
    """Count the rows of each column with a format whose text is neither NULL, nor read by the format."""
    leaves = {"origin": origin, **_leaves(columns, points=False)}
    return Statement("source/count_unparsed", leaves)


def _leaves(columns: Iterable[ReadColumn], *, points: bool) -> dict[str, object]:
    listed = list(columns)
    own = _prefix(each.column.name for each in listed)
    described = [
        _described(f"{own}{number}", each, points=points) for number, each in enumerate(listed)
    ]
    return {
        "columns": described,
        "formats": any(each["patterns"] for each in described),
        "points": points,
        "bytes": False,
        "months": [
            {"names": [literal(each) for each in names], "number": literal(f"{number:02}")}
            for number, names in enumerate(MONTHS, start=1)
        ],
    }


def _prefix(names: Iterable[str]) -> str:
    """Return what no column's name begins with, for the columns that stand beside them in between."""
    folded = [each.casefold() for each in names]
    prefix = "part_"
    while any(each.startswith(prefix) for each in folded):
        prefix += "_"
    return prefix


def _described(prefix: str, each: ReadColumn, *, points: bool) -> dict[str, object]:
    own = each.column
    of_length = own.type.startswith(OF_LENGTH) and each.format is None
    return {
        "column": column(own.name, of="m"),
        "as": name(own.name),
        "missing": _compared(each, points=points),
        "trims": each.format is not None,
        "type": CatalogText(own.type) if of_length else None,
        "patterns": [
            _reading(f"{prefix}_{at}", one)
            for at, one in enumerate(each.format.patterns() if each.format else ())
        ],
        "is_dates": each.format is not None and each.format.is_dates,
        "latest": None if each.format is None else _latest(each.format.latest),
        "keeps": each.keeps_others,
        "parsed": name(f"{prefix}_parsed"),
        "parsed_column": column(f"{prefix}_parsed", of="r"),
        "own": column(own.name, of="g"),
        "outer": column(own.name, of="r"),
    }


def _compared(each: ReadColumn, *, points: bool) -> list[dict[str, object]]:
    """Describe what a column is compared with: numbers with the entries that are numbers, others with texts."""
    family = each.column.family
    compared: list[dict[str, object]] = []
    for text in each.missing:
        if family in NUMBERS:
            number = number_of(text)
            if number is not None and number == int(number):
                number = Decimal(int(number))  # as wide as the whole numbers of a column
            elif family == "integer":
                continue
            compared += [] if number is None else [{"kind": "number", "of": literal(number)}]
        elif text:
            compared.append({"kind": "text", "of": literal(f"{text}." if points else text)})
        elif family == "text":
            compared.append({"kind": "blanks"})
    return compared


def _reading(prefix: str, one: TextPattern) -> dict[str, object]:
    """Describe one expression of a format, with the number of the group that holds each part; 0 if there is none."""
    return {
        "kind": one.kind,
        "pattern": literal(one.pattern),
        "as": name(prefix),
        "count": len(one.parts),
        "parts": column(prefix, of="g"),
        "always": one.parts.index(one.always) + 1,
        "at": {part: one.parts.index(part) + 1 if part in one.parts else 0 for part in PARTS},
        "per_day": one.per_day,
        "first_day": one.first_day,
        "removed": literal(one.removed) if one.removed else None,
        "decimal": literal(one.decimal),
    }


def _latest(year: int | None) -> dict[str, exp.Expr] | None:
    """Return the last year that two digits can mean: its century, the one before, and its last two digits, as texts."""
    if year is None:
        return None
    century, rest = divmod(year, 100)
    return {
        "century": literal(f"{century:02}"),
        "before": literal(f"{century - 1:02}"),
        "rest": literal(f"{rest:02}"),
    }
