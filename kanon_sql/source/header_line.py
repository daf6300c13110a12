"""Detect text files whose first line is a row and no header, by its fields and the values below them.

If the policy does not say whether there is a header, and the first line looks like a row, the file is refused. Its
fields may be values of a person, and would appear as column names in the policy, the plan and every message.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, SourceError
from kanon_sql.policy.missing_texts import STAND_FOR_MISSING, stands_for_missing
from kanon_sql.source.source_sql import header_signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine

MOST_ROWS, MOST_COLUMNS = 10_000, 100
"""The first rows and columns by which a header is judged."""
FEWEST = 0.1
"""The share of fields like those of a row from which on a line is taken for a row. It is not zero:
a column may be called 2019."""
NEARLY_ALL = 0.9
"""The share of numbers, or of dates, in a column from which on it counts as a column of these."""
NUMBER = re.compile(r"[^\w\s.,+-]?\s?[+-]?(\d[\d.,' ]*|[.,]\d+)([eE][+-]?\d+)?\s?[%€$£]?", re.ASCII)
DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?|"
    r"\d{1,2}[ -][A-Za-z]{3,9}\.?[ -]\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2}, \d{4}"
)
OWN = re.compile(r"[^@\s]+@[^@\s]+\.\w+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""E-mail addresses and UUIDs, which are never names of columns."""
REPEATED = re.compile(r"(.+)_\d+")
"""The name that DuckDB gives to a column whose name an earlier column has."""
YEARS = range(1800, 2101)


def check_header(engine: Engine, table: exp.Table, name: str, width: int | None) -> None:
    """Raise SourceError, with counts only, if the header that was read of a text file looks like a row.

    `width` is the number of fields of the header, if it is known: further columns are partition keys of folders.
    """
    names = [each.name for each in engine.columns(table)][:width][:MOST_COLUMNS]
    if not names:
        return
    signs = list(_signs(engine, table, names))
    rows, headers = signs.count("row"), signs.count("header")
    if rows <= headers or rows < FEWEST * len(names):
        return
    what = (
        f"has no header, as it seems: {rows} of {len(names)} fields of its first line are numbers, dates or identifiers, "
        "or values of their own column. Say which it is in the policy's source, or in place of the file's name: "
        "{path: FILE, header: false} reads that line as a row (columns: column_1, column_2, ...), header: true as names"
    )
    raise SourceError(name, [Fault("source", what)])


def _signs(engine: Engine, table: exp.Table, names: Sequence[str]) -> Iterator[str]:
    """Yield "row", "header" or "neither" for each field of a first line, by what the field looks like."""
    texts = list(_undoubled(names))
    counts = engine.fetch_counts(
        header_signs(
            table,
            [(n, t.strip()) for n, t in zip(names, texts, strict=True)],
            STAND_FOR_MISSING,
            most=MOST_ROWS,
        )
    )
    series = _is_series([text for text in texts if NUMBER.fullmatch(text.strip())])
    for n, text in enumerate(texts):
        present, numbers, days, named = counts[4 * n : 4 * n + 4]
        typed = present > 0 and max(numbers, days) >= NEARLY_ALL * present
        plain = text.strip()
        is_number = NUMBER.fullmatch(plain) is not None
        if stands_for_missing(plain) or (is_number and series and not named):
            yield "neither"
        elif is_number or DATE.fullmatch(plain) or OWN.fullmatch(plain):
            yield "row"
        elif typed:
            yield "header"
        else:
            yield "row" if named else "neither"


def _undoubled(names: Sequence[str]) -> Iterator[str]:
    """Yield the fields of a first line without the numbers that DuckDB has added to repeated fields."""
    seen: set[str] = set()
    for name in names:
        found = REPEATED.fullmatch(name)
        seen.add(name)
        yield found[1] if found is not None and found[1] in seen else name


def _is_series(numbers: Sequence[str]) -> bool:
    """Whether numbers are column names nevertheless: increasing years, or numbers that count from 0 or 1.

    >>> _is_series(["0", "1", "2"]), _is_series(["1990", "1995", "2001"]), _is_series(["72", "1008"])
    (True, True, False)
    """
    if len(numbers) < 2 or not all(re.fullmatch(r"\d{1,9}", each) for each in numbers):
        return False
    whole = [int(each) for each in numbers]
    steps = {after - before for before, after in pairwise(whole)}
    if min(steps) <= 0:
        return False
    counts_on = len(whole) > 2 and steps == {1} and whole[0] in {0, 1}
    return counts_on or whole[:2] == [0, 1] == whole or all(each in YEARS for each in whole)
