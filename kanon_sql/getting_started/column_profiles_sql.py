"""Statements that say what the values of columns look like, in counts and shapes, and the query that cleans them."""

from __future__ import annotations

from decimal import Decimal
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING

from kanon_sql.policy.missing_texts import STAND_FOR_MISSING
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

INFINITE = ("infinity", "-infinity")
"""Days that databases have which are no day of a calendar: no hierarchy has a place for them."""
SENTINELS = (
    "1900-01-01", "1901-01-01", "1899-12-31", "1899-12-30", "1800-01-01", "1753-01-01", "1111-11-11", "0001-01-01",
    "1970-01-01", "2099-12-31", "2999-12-31", "9999-01-01", "9999-12-31",
    *INFINITE,
)  # fmt: skip
"""Days that programs write where they know none."""
SHARES = ("0.01", "0.05", "0.5", "0.95", "0.99")
"""Quantiles of numbers and dates."""
BOUND = 10**15
"""Numbers that are not below it are in no quantile."""
LONGEST_SHAPE = 20
MOST_SHAPES = 8
MOST_VALUES = 8
SIGNS = digits + ascii_uppercase + ascii_lowercase
MARKS = "9" * 10 + "A" * 26 + "a" * 26
PLAIN = "9Aa_ -./:,+()"
"""The characters of shapes that are shown: all others could be a value's own."""


def column_counts(source: exp.Table, columns: Sequence[tuple[str, str]]) -> Statement:
    """Count what the values of each column are like; a column is a name and the kind of its type."""
    described = [{"column": column(text, of="s"), "kind": kind} for text, kind in columns]
    leaves = {
        "source": source,
        "columns": described,
        "unknown": [literal(word) for word in STAND_FOR_MISSING],
        "one": literal(1),
        "digits": literal(digits),
        "nothing": literal(""),
        "bound": literal(BOUND),
    }
    return Statement("getting_started/column_counts", leaves)


def column_shapes(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the most frequent shapes of columns of texts."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "signs": literal(SIGNS),
        "marks": literal(MARKS),
        "plain": literal(PLAIN),
        "nothing": literal(""),
        "longest": LONGEST_SHAPE,
        "most": MOST_SHAPES,
    }
    return Statement("getting_started/column_shapes", leaves)


def column_quantiles(source: exp.Table, columns: Sequence[tuple[str, str, bool]]) -> Statement:
    """Find how numbers and dates are spread; a column is a name, the kind of its values, and whether that is its type."""
    leaves = {
        "source": source,
        "columns": [
            {"column": column(text, of="s"), "kind": kind, "is_typed": is_typed}
            for text, kind, is_typed in columns
        ],
        "shares": [
            {"share": literal(Decimal(share)), "as": name(f"share_{n}")}
            for n, share in enumerate(SHARES)
        ],
        "one": literal(1),
        "bound": literal(BOUND),
    }
    return Statement("getting_started/column_quantiles", leaves)


def sentinel_dates(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the rows of each of `SENTINELS` in columns of dates."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "sentinels": [
            {"day": literal(day), "as": name(f"day_{n}")} for n, day in enumerate(SENTINELS)
        ],
    }
    return Statement("getting_started/sentinel_dates", leaves)


def frequent_values(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Read the most frequent values of some columns, which are data."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "most": MOST_VALUES,
    }
    return Statement("getting_started/frequent_values", leaves)


def cleaned_rows(
    columns: Sequence[Mapping[str, object]],
    *,
    kind: str,
    origin: exp.Table | None = None,
    path: str = "",
    delimiter: str | None = None,
    has_header: bool = True,
    required: str | None = None,
) -> Statement:
    """Select the rows of a table or of files after the cures of their columns, where the `required` one is not NULL.

    A column has a name, the name of its cure, and what that needs: `length`, `shortest`, `days`, `width`, `is_text`,
    and the texts that stand for a `missing` value, where a cure reads numbers.
    """
    described = [
        {
            "column": column(str(each["name"])),
            "as": name(str(each["name"])),
            "cure": each["cure"],
            "length": each.get("length", 0),
            "shortest": each.get("shortest", 0),
            "days": [literal(day) for day in _texts(each.get("days"))],
            "width": literal(Decimal(str(each.get("width", 1)))),
            "is_text": each.get("is_text", False),
            "missing": [literal(text) for text in _texts(each.get("missing"))],
        }
        for each in columns
    ]
    leaves = {
        "origin": origin,
        "path": literal(path),
        "kind": kind,
        "delimiter": literal(delimiter) if delimiter else None,
        "names": [] if has_header else [literal(str(each["name"])) for each in columns],
        "required": column(required) if required else None,
        "columns": described,
        "digits": literal(digits),
        "nothing": literal(""),
        "zero": literal("0"),
        "bound": literal(BOUND),
    }
    return Statement("getting_started/cleaned_rows", leaves)


def _texts(value: object) -> Sequence[str]:
    return value if isinstance(value, tuple) else ()
