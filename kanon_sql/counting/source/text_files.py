"""Text files: check their headers, and find the first line that does not fit the others.

The database reads the rows. Its message about a refused file may quote data. So this module searches for the line
itself, if the file is on this machine, and reports its number and its count of fields.
"""

from __future__ import annotations

import csv
import glob
import gzip
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.files.text_encodings import recognize
from kanon_sql.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

LONGEST_LINE = 2_000_000
"""The most bytes of a line that DuckDB reads."""
LONGEST_FIELD = "field limit"
"""Part of the message of Python's reader for a field too long for it, which DuckDB may still read."""
ENDINGS = tuple(
    f"{ending}{packed}" for ending in (".csv", ".tsv", ".txt") for packed in ("", ".gz")
)
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
    return f"{count} field{'' if count == 1 else 's'}"
