"""What a user should know of how a file is read: repeated names, rows that may be a footer, nested fields, value labels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted, joined, printable
from kanon_sql.counting.run.session import on_disk
from kanon_sql.counting.source.column_problems import nested
from kanon_sql.counting.source.files import files_at
from kanon_sql.counting.source.library_files import read_file
from kanon_sql.counting.source.read_texts import ReadColumn, count_missing_entries
from kanon_sql.counting.source.text_copies import is_plain
from kanon_sql.counting.source.text_files import first_fields
from kanon_sql.engines.files.file_kinds import kind_of_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.locations import Source

FOOTERS = (
    "Total", "TOTAL", "total", "Totals", "Grand Total", "Grand total", "Subtotal", "Sum", "Summe", "Gesamt", "Mean", "Average",
)  # fmt: skip
"""Texts by which a row below a table begins that is no row of it."""
MOST_FOOTERS = 3
"""The most rows that are taken for footers; a text in more rows is a value like others."""
BEGIN = 3
"""The first columns, in which a footer has its text."""


def file_notes(run: Session, view: exp.Table, source: Source, base: str) -> Iterator[str]:
    """Yield notes on a file that is open under the name `view`; nothing is changed or left out."""
    if source.path is None:
        return
    columns = run.engine.columns(view)
    kind = kind_of_file(source.path)
    if kind is not None and "values" in kind.keys:
        yield from read_file(run, source, base).notes
    elif is_plain(source) and source.header is not False:
        yield from _repeated(run, source, base)
    if below := [each.name for each in columns if nested(each)]:
        name, has = printable(below[0]), "has" if len(below) == 1 else "have"
        yield (
            f"{joined([*map(printable, below)])} {has} nested fields: take them apart in a query, whose columns are "
            f"{name}.FIELD and * EXCLUDE ({name})"
        )
    yield from _footers(run, view, [each for each in columns if each.family == "text"][:BEGIN])


def _repeated(run: Session, source: Source, base: str) -> Iterator[str]:
    pattern = files_at(on_disk(source.path or "", run.engine), base).pattern
    fields = first_fields(pattern, source.delimiter, source.skip)
    names = Counter(each.strip().casefold() for each in fields if each.strip())
    if repeated := sum(times - 1 for times in names.values()):
        what = (
            "has the name of another, and gets"
            if repeated == 1
            else "have the names of others, and get"
        )
        yield f"{counted(repeated, 'column')} {what} a number behind it (_1, _2); give each a name of its own"


def _footers(run: Session, view: exp.Table, columns: Sequence[ColumnType]) -> Iterator[str]:
    asked = [ReadColumn(each, (text,)) for each in columns for text in FOOTERS]
    if not asked:
        return
    counts = run.engine.fetch_counts(count_missing_entries(view, asked))
    for read, count in zip(asked, counts, strict=True):
        each, (text,) = read.column, read.missing
        if 0 < count <= MOST_FOOTERS:
            rows = f"{counted(count, 'row')} {'has' if count == 1 else 'have'} {text} in {printable(each.name)}"
            yield f"{rows}: a footer is left out by where: \"coalesce({printable(each.name)}, '') <> '{text}'\""
