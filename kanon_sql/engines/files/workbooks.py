"""Sheets of Excel workbooks, read by openpyxl row by row: every cell is the text that CSV would have for it."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from contextlib import closing, suppress
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from kanon_sql.base.documents.shapes import Parsed, Text, check
from kanon_sql.base.documents.text import counted, joined, printable
from kanon_sql.engines.files.file_kind import (
    ColumnInFile,
    FileKind,
    StoredRows,
    UnreadableFileError,
    UnwritableRowsError,
    batches_of,
    needs_files_extra,
)
from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.engines.locations import Source

EXACT = 10**15
FIRST_YEAR = 1901
ROWS = 10_000
"""The rows of a part."""
RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})?")
UNCOMPUTED = re.compile(rb"<c ([^>]*)>\s*<f[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
"""A formula in a cell whose value no program has computed."""
NEVER = "saved by a program that does not compute: open it in Excel or LibreOffice, and save it"


class Workbook(FileKind):
    """A workbook of Excel, of which one sheet is read."""

    key = "xlsx"
    label = "an Excel workbook"
    endings = (".xlsx",)
    keys = frozenset({"sheet", "range", "header", "skip"})

    writes = True
    loses = (
        "it has no empty texts, no texts of more than 32,767 characters, and numbers of 15 digits"
    )
    most_rows = 1_048_575

    def write(self, rows: Any, path: str, titles: Mapping[str, str]) -> None:  # noqa: ANN401  a reader of Arrow
        """Write a sheet row by row. No text is a formula, whatever it begins with."""
        del titles
        with needs_files_extra():
            from openpyxl import Workbook as Book  # type: ignore[import-untyped]
            from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]
            from openpyxl.utils.exceptions import (  # type: ignore[import-untyped]
                IllegalCharacterError,
            )
        book = Book(write_only=True)
        sheet = book.create_sheet("release")

        def cell(value: object) -> object:
            if isinstance(value, str) and value[:1] in {"=", "#"}:
                made = WriteOnlyCell(sheet, value)
                made.data_type = "s"
                return made
            if isinstance(value, int) and abs(value) > EXACT:
                raise UnwritableRowsError(
                    f"has whole numbers above {EXACT:,}, which Excel rounds; cast them to text"
                )
            if isinstance(value, dt.date) and value.year < FIRST_YEAR:
                raise UnwritableRowsError(
                    "has days before 1901, which Excel does not know; cast them to text"
                )
            return value

        try:
            sheet.append([cell(name) for name in rows.schema.names])
            for batch in rows:
                columns = [column.to_pylist() for column in batch.columns]
                for row in zip(*columns, strict=True):
                    sheet.append([cell(value) for value in row])
            book.save(path)
        except BaseException as error:
            _abandon(sheet)
            if not isinstance(error, IllegalCharacterError):
                raise
            raise UnwritableRowsError(
                "has texts with control characters, which Excel refuses"
            ) from error

    def read(self, path: str, source: Source) -> StoredRows:
        """Open the sheet that a source names, or the only one. Its first row has the names, unless `header: false`.

        Rows without a value are left out, and columns without a name and a value.
        """
        book = _opened(path)
        try:
            sheet = _sheet_of(book, source.sheet)
            _check_computed(path, sheet)
            headed = source.header is not False
            names = _names(next(_cells(sheet, source), None), headed=headed)
        except BaseException:
            book.close()
            raise
        columns = tuple(ColumnInFile(name, "text") for name in names if name)
        kept = [at for at, name in enumerate(names) if name]
        nameless = [at for at, name in enumerate(names) if not name]

        def parts() -> Iterator[list[list[str | None]]]:
            with closing(book):
                there = _cells(sheet, source)
                if headed:
                    next(there, None)
                while part := list(islice(there, ROWS)):
                    if any(row[at] is not None for row in part for at in nameless):
                        what = "has values in a column without a name; name it, or leave it out by range: A1:H"
                        raise UnreadableFileError(what)
                    yield [[row[at] for row in part] for at in kept]

        return StoredRows(columns, batches_of(columns, parts))


def _opened(path: str) -> Any:  # noqa: ANN401  of openpyxl
    """Open a workbook for reading its rows in their order. Raises UnreadableFileError."""
    with needs_files_extra():
        import openpyxl
    try:
        return openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        what = "is no Excel workbook that can be read: cut off, with a password, or an older kind"
        raise UnreadableFileError(what) from error


def _sheet_of(book: Any, named: str | None) -> Any:  # noqa: ANN401  of openpyxl
    """Return the sheet of a name, or the only one that is visible. Raises UnreadableFileError."""
    there = [each for each in book.worksheets if each.sheet_state == "visible"]
    found = [each for each in book.worksheets if each.title == named] or there
    titles = joined([printable(each.title) for each in there])
    if named is not None and found[0].title != named:
        raise UnreadableFileError(f"has no sheet of that name; it has {titles}")
    if named is None and len(there) != 1:
        what = f"has {len(there)} sheets ({titles}); say {{path: FILE, sheet: NAME}}"
        raise UnreadableFileError(what)
    return found[0]


def _abandon(sheet: Any) -> None:  # noqa: ANN401  of openpyxl
    """Close a sheet that is not saved, and remove openpyxl's own file of its rows."""
    with suppress(Exception):
        sheet.close()
    with suppress(Exception):
        sheet._writer.cleanup()  # noqa: SLF001  otherwise the file stays until the process ends


def _check_computed(path: str, sheet: Any) -> None:  # noqa: ANN401  of openpyxl
    """Raise UnreadableFileError for formulas without a value, which would be read as empty cells."""
    count, end = 0, b""
    part = sheet._worksheet_path  # noqa: SLF001  no public name leads to the sheet's file
    with zipfile.ZipFile(path) as packed, packed.open(part) as file:
        while block := file.read(1 << 20):
            text = end + block
            whole = text.rfind(b"<c ")
            end = text[max(whole, 0) :]
            count += _uncomputed(text[: max(whole, 0)])
    count += _uncomputed(end)
    if count:
        raise UnreadableFileError(f"has {counted(count, 'formula')} without a value, {NEVER}")


def _uncomputed(cells: bytes) -> int:
    """Count the formulas without a value. One whose value is an empty text has a type, str."""
    return sum(1 for each in UNCOMPUTED.finditer(cells) if b't="str"' not in each[1])


def _cells(sheet: Any, source: Source) -> Iterator[list[str | None]]:  # noqa: ANN401  of openpyxl
    """Yield the rows of a sheet as texts; rows without a value are left out."""
    bounds = bounds_of(source.range) if source.range else {"min_row": 1 + source.skip}
    sheet.reset_dimensions()  # some programs write a wrong one
    width = 0
    for row in sheet.iter_rows(**bounds, values_only=True):
        if any(cell is not None for cell in row):
            width = width or _width(row)
            cells = [_text(cell) for cell in row]
            if any(cell is not None for cell in cells[width:]):
                what = "has a row with more cells than its first one; name the table's cells by range: A1:H"
                raise UnreadableFileError(what)
            yield [*cells[:width], *[None] * (width - len(cells))]


def _width(row: Sequence[object]) -> int:
    return max(at for at, cell in enumerate(row, start=1) if cell is not None)


def bounds_of(text: str) -> dict[str, int]:
    """Return the rows and columns of a range such as A5:H200, or A5:H to the last row.

    >>> bounds_of("B5:D")
    {'min_col': 2, 'min_row': 5, 'max_col': 4}
    """
    found = RANGE.fullmatch(text.upper().replace("$", ""))
    if found is None:
        raise InternalError("a range passed the policy that is none")
    first, row, last, end = found.groups()
    bounds = {"min_col": _number(first), "min_row": int(row), "max_col": _number(last)}
    return bounds if end is None else {**bounds, "max_row": int(end)}


def _range(text: str) -> str:
    """Check a range of cells. Raises Wrong."""
    found = RANGE.fullmatch(text.upper().replace("$", ""))
    check(
        ("", found is not None, "must be a range of cells such as A5:H200, or A5:H to the last row")
    )
    return text


Range = Annotated[str, Parsed(Text(), _range)]
"""A range of cells, as a policy states it."""


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _text(cell: object) -> str | None:
    """Write the value of a cell as a text: whole numbers without a point, days without a time, dates as ISO writes them."""
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat(sep=" ")
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    return str(cell)


def _names(first: Sequence[str | None] | None, *, headed: bool) -> list[str]:
    """Return the names in a first row, '' for a cell without one; column_1, column_2, ... if it is no header.

    Raises UnreadableFileError for repeated names.
    """
    if first is None:
        raise UnreadableFileError("has no rows in that sheet, or range")
    if not headed:
        return [f"column_{n + 1}" for n in range(len(first))]
    names = [(cell or "").strip() for cell in first]
    given = [name.casefold() for name in names if name]
    repeated = len(given) - len(set(given))
    if repeated:
        what = f"has {counted(repeated, 'column')} with the name of another: give each its own, or read them by header: false"
        raise UnreadableFileError(what)
    return names
