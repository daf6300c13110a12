"""Text files: their headers, and the first line that does not fit the others.

The database reads the rows. Its message about a file that it refuses may quote data, so the line is looked for
again here, in a file of this machine, and reported by its number and its count of fields.
"""

from __future__ import annotations

import csv
import glob
import gzip
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

LONGEST_LINE = 2_000_000
"""Bytes of one line that DuckDB reads."""
LONGEST_FIELD = "field limit"
"""Part of the message of Python's reader for a field that is too long for it; DuckDB may read it."""
ENDINGS = tuple(
    f"{ending}{packed}" for ending in (".csv", ".tsv", ".txt") for packed in ("", ".gz")
)
LINE = re.compile(r"\bLine: (\d+)")
WIDTHS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
DELIMITERS = ";\t|,"


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    """Open a text file; bytes that are no UTF-8 become lone surrogates."""
    opens = gzip.open if path.lower().endswith(".gz") else open
    with opens(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield file


def _files_of(pattern: str) -> list[str]:
    """List the files of this machine that a pattern matches, if they can be read here."""
    found = [] if "://" in pattern else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    return [path for path in found if path.lower().endswith(ENDINGS) and Path(path).is_file()]


def header_delimiter(pattern: str, skip: int = 0) -> str | None:
    """Find what separates the names in the header of a text file; None leaves it to the database."""
    files = _files_of(pattern)
    return _delimiter_in(files[0], skip) if files else None


def _delimiter_in(path: str, skip: int) -> str:
    with _opened(path) as file:
        for _ in range(skip):
            file.readline()
        header = re.sub(r'"[^"]*"', "", file.readline(1 << 16))
    return max(DELIMITERS, key=header.count) if any(d in header for d in DELIMITERS) else ","


def first_fields(pattern: str, delimiter: str | None, skip: int = 0) -> list[str]:
    """Read the fields of the first line of the first text file, names or values; none where it cannot be read here."""
    for path in _files_of(pattern):
        if fields := _header(path, delimiter or _delimiter_in(path, skip), skip):
            return fields
    return []


def header_problems(
    pattern: str, delimiter: str | None, skip: int, *, union_by_name: bool
) -> Iterator[Fault]:
    """List headers that are missing, or that name other columns than those of the other files.

    DuckDB leaves a column out that the first file has not, and takes a header below a blank line
    for a row. Empty files have no rows. A header may be a row of data, so it is not quoted.
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
    """Read the names in a header; None if there are no lines, or if it cannot be read here."""
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
    """Read the fields of each record, and the number of its first line; blank lines are skipped.

    Raises ValueError, with that number, where DuckDB would not read on, or not as CSV.
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
            except UnicodeEncodeError:
                raise ValueError(f"line {number} is not UTF-8 text") from None
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
    """Describe the line that does not fit, in a text file that the database refused to read.

    Where the files are not this machine's, only the numbers in the database's message are known.
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
        for number, fields in records(path, delimiter, skip):
            if not wide:
                wide, header = len(fields), number
                title = f"; if it is no header, skip: {number} in the policy's source leaves it out"
                continue
            if len(fields) != wide:
                what = (
                    f"line {number} has {_fields(len(fields))}, and line {header} has {wide}{title}"
                )
                if len(fields) < wide or any(fields[wide:]):
                    return what
                trailing = trailing or what
            title = ""
    except (ValueError, OSError, EOFError) as error:
        return (
            None
            if isinstance(error, OSError) or LONGEST_FIELD in str(error.__cause__)
            else str(error)
        )
    return trailing


def _fields(count: int) -> str:
    return f"{count} field{'' if count == 1 else 's'}"
