"""Text files: checks headers, finds the first line that does not fit the others, and reads texts as the policy says.

The database reads the rows. Its message about a refused file may quote data. So this module searches for the line
itself, if the file is on this machine, and reports its number and its count of fields. Views show texts that stand for
a missing value as NULL, and formats as ISO texts.
"""

from __future__ import annotations

import csv
import glob
import gzip
import re
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import CatalogText, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import ColumnType
from kanon_sql.engines.files.file_texts import STAND_FOR_MISSING, number_of, recognize
from kanon_sql.errors import Fault
from kanon_sql.policy.text_formats import MONTHS, PARTS, Unparsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from sqlglot import exp

    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.text_formats import TextFormat, TextPattern


LONGEST_LINE = 2_000_000
"""The most bytes of a line that DuckDB reads."""
LONGEST_FIELD = "field limit"
"""Part of the message of Python's reader for a field too long for it, which DuckDB may still read."""
ENDINGS = tuple(
    f"{ending}{packed}" for ending in (".csv", ".tsv", ".tab", ".txt") for packed in ("", ".gz")
)
FEWEST_FIELDS, MOST_ABOVE = 3, 9
"""The fewest fields of a line of which one holds a title, and the most lines above the names."""
FEWEST_NUMBERS, LOOKED_AT = 2, 24
"""The fewest columns of numbers that show that a line is no row, and the lines in which they are looked for."""
NUMBER = re.compile(r"[-+]?\d+(?:[ ']\d{3})*(?:[.,]\d+)*%?")
NAME = re.compile(r"[^\W\d]")
"""Matches the beginning of a name, and of no number or day."""
LINE = re.compile(r"\bLine: (\d+)")
WIDTHS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
HEAD = 30
"""The most lines that may be above a table."""
DELIMITERS = ";\t|,"


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    """Open a text file. Bytes that are no UTF-8 become lone surrogates."""
    opens = gzip.open if path.lower().endswith(".gz") else open
    with opens(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield file


def _files_of(pattern: str) -> list[str]:
    """List the text files of this machine that a pattern matches; none for an address."""
    found = [] if "://" in pattern else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    return [path for path in found if path.lower().endswith(ENDINGS) and Path(path).is_file()]


def header_delimiter(pattern: str, skip: int = 0) -> str | None:
    """Return the delimiter in the header of the first file of a pattern; None leaves it to the database."""
    files = _files_of(pattern)
    return _delimiter_in(files[0], skip) if files else None


def _delimiter_in(path: str, skip: int) -> str:
    """Return the delimiter that parts the header most: of those that part the next line as often, if there are any."""
    with _opened(path) as file:
        for _ in range(skip):
            file.readline()
        header, below = (re.sub(r'"[^"]*"', "", file.readline(1 << 16)) for _ in range(2))
    present = [each for each in DELIMITERS if each in header]
    even = [each for each in present if header.count(each) == below.count(each)]
    return max(even or present or ",", key=header.count)


def first_fields(pattern: str, delimiter: str | None, skip: int = 0) -> list[str]:
    """Return the fields of the first line of the first readable file; an empty list if there is none."""
    for path in _files_of(pattern):
        if fields := _header(path, delimiter or _delimiter_in(path, skip), skip):
            return fields
    return []


def lines_above_names(pattern: str, delimiter: str | None) -> int:
    """Count the lines above the names of a file that begins with a title in one field of many; 0 if none is found."""
    title = first_fields(pattern, delimiter)
    if len(title) < FEWEST_FIELDS or sum(bool(each.strip()) for each in title) != 1:
        return 0
    for skip in range(1, MOST_ABOVE + 1):
        names = [each.strip() for each in first_fields(pattern, delimiter, skip)]
        if len(names) == len(title) == len(set(names)) and all(map(NAME.match, names)):
            return skip
    return 0


def lines_below_names(pattern: str, delimiter: str | None, skip: int) -> int:
    """Count the lines below the names that have no number where all further lines have: units, types; 0 for none.

    At least two columns say so, as a line without a number in one can be a row, and so can one that says what is missing.
    """
    for path in _files_of(pattern):
        with _opened(path) as file:
            rows = csv.reader(
                islice(file, skip + 1, skip + LOOKED_AT),
                delimiter=delimiter or _delimiter_in(path, skip),
            )
            try:
                lines = [[each.strip() for each in row] for row in rows if row]
            except (csv.Error, UnicodeError):
                return 0
        return next(filter(None, (_without_numbers(lines, count) for count in (2, 1))), 0)
    return 0


def _without_numbers(lines: Sequence[Sequence[str]], count: int) -> int:
    """Return the count if so many first lines are no rows; else 0.

    >>> below = [["63", "m", "1,5"], ["41", "f", "2"], ["NA", "m", "7"], ["5", "f", "2"]]
    >>> _without_numbers([["years", "", "kg"], *below], 1), _without_numbers([["NA", "m", ""], *below], 1)
    (1, 0)
    """
    above, below = lines[:count], lines[count:]
    numbers = [
        at
        for at in range(min(map(len, lines), default=0))
        if sum(NUMBER.fullmatch(row[at]) is not None for row in below) >= FEWEST_FIELDS
        and all(
            NUMBER.fullmatch(row[at]) or row[at].casefold() in STAND_FOR_MISSING for row in below
        )
    ]
    if len(numbers) < FEWEST_NUMBERS or any(
        NUMBER.fullmatch(row[at]) for row in above for at in numbers
    ):
        return 0
    return (
        count
        if all(row[at].casefold() not in STAND_FOR_MISSING for row in above[:1] for at in numbers)
        else 0
    )


def header_problems(
    pattern: str, delimiter: str | None, skip: int, *, union_by_name: bool
) -> Iterator[Fault]:
    """List headers that are missing, or whose columns differ from those of the first file.

    DuckDB omits a column that the first file lacks, and reads a header below a blank line as a
    row. Empty files are skipped. A header may be a row of data, so messages do not quote it.
    """
    first: tuple[str, set[str]] | None = None
    for path in _files_of(pattern):
        header = _header(path, delimiter or _delimiter_in(path, skip), skip)
        if header is None:
            continue
        if not header:
            what = f"line {skip + 1} of {path} is blank, where its header must be"
            yield Fault(
                "source", f"{what}; skip: {_blank_lines(path, skip)} leaves out what is above"
            )
            continue
        names = {name.strip() for name in header}
        first = first or (path, names)
        if not names & first[1]:
            what = f"{path} names none of the columns of {first[0]}; does it have a header line?"
            yield Fault("source", what)
        elif names != first[1] and not union_by_name:
            more, less = len(names - first[1]), len(first[1] - names)
            what = (
                f"{path} has {more} other columns than {first[0]}, and lacks {less} of its columns"
            )
            yield Fault("source", f"{what}; union_by_name: true reads them as NULL")


def _header(path: str, delimiter: str, skip: int) -> list[str] | None:
    """Return the names in a header; None if the file has no line there, or Python cannot read the line."""
    with _opened(path) as file:
        for _ in range(skip):
            file.readline()
        try:
            return next(csv.reader(file, delimiter=delimiter), None)
        except csv.Error:
            return None


def _blank_lines(path: str, skip: int) -> int:
    with _opened(path) as file:
        return next((n for n, line in enumerate(file) if n >= skip and line.strip()), skip)


def records(path: str, delimiter: str, skip: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line and the fields of each record. Blank lines are skipped.

    Raises ValueError, with the number of a line, where DuckDB would refuse the file as CSV.
    """
    number = 0
    last, first_end = "", None

    def numbered(file: TextIO) -> Iterator[str]:
        nonlocal number, last
        for line in file:
            number += 1
            last = line
            try:
                size = len(line.encode())
            except UnicodeEncodeError as error:
                raise ValueError(f"line {number} is not UTF-8 text") from error
            if size > LONGEST_LINE:
                raise ValueError(f"line {number} has {size} bytes, more than {LONGEST_LINE}")
            if number > skip:
                yield line

    with _opened(path) as file:
        reader = csv.reader(numbered(file), delimiter=delimiter, strict=True)
        begins = skip + 1
        while True:
            try:
                record = next(reader, None)
            except csv.Error as error:
                if LONGEST_FIELD in str(error):
                    what = f"line {begins} has a field of more than {csv.field_size_limit()} characters"
                else:
                    what = f"line {begins} has a quote that is not closed, or text after a closing quote"
                raise ValueError(what) from error
            if record is None:
                return
            end = last[len(last.rstrip("\r\n")) :]
            first_end = first_end or end
            if end not in {first_end, ""}:
                raise ValueError(f"line {number} ends by {end!r}, and those above by {first_end!r}")
            if record:
                yield begins, record
            begins = number + 1


def find_misfit(pattern: str, delimiter: str | None, skip: int, error: BaseException) -> str | None:
    """Describe the first line that does not fit, in text files that the database refused; None if unknown.

    For files elsewhere, the description uses only the numbers in the database's message.
    """
    files = _files_of(pattern)
    for path in files:
        chosen = delimiter or _delimiter_in(path, skip)
        if (what := _find_misfit_in(path, chosen, skip)) is not None:
            return what if len(files) == 1 else f"{what} (in {path})"
    message = str(error)
    if (line := LINE.search(message)) is None:
        return None
    widths = WIDTHS.search(message)
    return f"line {line[1]} " + (
        f"has {_fields(int(widths[2]))}, and its header has {widths[1]}" if widths else "is not CSV"
    )


def _find_misfit_in(path: str, delimiter: str, skip: int) -> str | None:
    wide, title = 0, ""
    trailing: str | None = None
    try:
        lines = records(path, delimiter, skip)
        for number, fields in lines:
            if not wide:
                wide, header = len(fields), number
                title = f"; if it is no header, skip: {number} in the policy's source leaves it out"
                continue
            if len(fields) != wide:
                what = (
                    f"line {number} has {_fields(len(fields))}, and line {header} has {wide}{title}"
                )
                if wide == 1 and len(fields) > 1 and not title and number <= HEAD:
                    return f"{what}; if the table begins here, skip: {number - 1} leaves out what is above"
                if len(fields) < wide or any(fields[wide:]):
                    return what if next(lines, None) else f"{what}; if it is a footer, delete it"
                trailing = trailing or what
            title = ""
    except (ValueError, OSError, EOFError) as error:
        if isinstance(error, OSError) or LONGEST_FIELD in str(error.__cause__):
            return None
        return with_encoding(path, error)
    return trailing


def with_encoding(path: str, error: Exception, key: str = "path") -> str:
    """Return the words of a fault; of bytes that are no UTF-8 with the encoding to name, beside the `key` of the file."""
    if not isinstance(error.__cause__, UnicodeEncodeError):
        return str(error)
    try:
        found = recognize(path)
    except (ValueError, OSError, EOFError):
        found = None
    return str(error) if found is None else f"{error}: {found.remedy(key)}"


def _fields(count: int) -> str:
    return counted(count, "field")


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
    return Statement("source/counts/count_missing_entries", leaves)


def count_unparsed(origin: exp.Table, columns: Iterable[ReadColumn]) -> Statement:
    """Count the rows of each column with a format whose text is neither NULL, nor read by the format."""
    leaves = {"origin": origin, **_leaves(columns, points=False)}
    return Statement("source/counts/count_unparsed", leaves)


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
