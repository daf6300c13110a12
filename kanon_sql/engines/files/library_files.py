"""Files that a library reads: workbooks of Excel, files of SPSS, Stata and SAS, of Arrow and of ORC.

Openpyxl reads a workbook row by row: every cell is the text that CSV would have for it. Pyreadstat and pyarrow read the
others in parts, with labels of values.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from contextlib import closing, suppress
from decimal import Decimal
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from kanon_sql.base.documents.shapes import Parsed, Text, check
from kanon_sql.base.documents.text import counted, joined, printable
from kanon_sql.engines.destination_format import (
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
LOOKED_AT = 20
"""The rows below a short first one in which the names of a sheet are looked for."""
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
    rows = enumerate(sheet.iter_rows(**bounds, values_only=True), start=bounds["min_row"])
    for number, row in rows:
        if any(cell is not None for cell in row):
            width = width or _width(row)
            cells = [_text(cell) for cell in row]
            if any(cell is not None for cell in cells[width:]):
                at, names = _likely_names([(number, row), *islice(rows, LOOKED_AT)])
                first = _letters(bounds.get("min_col", 1))
                what = (
                    f"has more cells in row {number} than in its first one; name the table's cells by range, such as "
                    f"{first}{at}:{_letters(bounds.get('min_col', 1) - 1 + _width(names))} if its names stand there"
                )
                raise UnreadableFileError(what)
            yield [*cells[:width], *[None] * (width - len(cells))]


def _likely_names(rows: Sequence[tuple[int, Sequence[object]]]) -> tuple[int, Sequence[object]]:
    """Return the first of numbered rows that has a value in each column of the widest; the first row if none has.

    >>> _likely_names([(3, ("Person", None, "Visit")), (4, ("id", "age", "day", "dose")), (5, (1, 2, 3, 4))])
    (4, ('id', 'age', 'day', 'dose'))
    """
    there = [(at, row) for at, row in rows if any(cell is not None for cell in row)]
    widest = max(_width(row) for _, row in there)
    return next(
        (each for each in there if None not in (*each[1][:widest],) and len(each[1]) >= widest),
        there[0],
    )


def _letters(number: int) -> str:
    """Name a column as a sheet does.

    >>> _letters(1), _letters(26), _letters(27), _letters(703)
    ('A', 'Z', 'AA', 'AAA')
    """
    rest, last = divmod(number - 1, 26)
    return (_letters(rest) if rest else "") + chr(ord("A") + last)


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


class Values(StrEnum):
    """What is read of values that have labels: these, or the codes themselves."""

    LABELS = "labels"
    CODES = "codes"


CELLS = 4_000_000
"""The cells of a part. Each part skips the rows before it again, so that parts are few."""
SINCE_1960, SINCE_1582 = 3653, 141_428
"""Days from the beginning of SAS's and Stata's calendar, and of SPSS's, to 1970."""
DAY = 86_400
TABLE_BEGINS = re.compile(rb"HEADER RECORD\*{7}MEMB(ER |V8)")


class StatisticalFile(FileKind):
    """A file with one type for each column, and labels of columns and of values."""

    keys = frozenset({"values", "encoding"})
    reader: ClassVar[str]
    """The function of pyreadstat that reads it."""
    reader_of: ClassVar[dict[str, str]] = {}
    """Its functions for endings that have another."""
    dates: ClassVar[tuple[re.Pattern[str], int, int]]
    """The formats of dates, the units that make a day, and the days from the calendar's beginning to 1970."""
    timestamps: ClassVar[tuple[re.Pattern[str], int, int]]

    most_cells = 50_000_000
    writer: ClassVar[str] = ""
    """The function of pyreadstat that writes it."""
    names: ClassVar[re.Pattern[str]]
    """The names that a column may have in it."""
    named: ClassVar[str]
    """The same in words."""

    def why_no_name(self, name: str) -> str | None:
        if self.names.fullmatch(name):
            return None
        return f"is no name that {self.label} has ({self.named}); name it otherwise in a query"

    def write(self, rows: Any, path: str, titles: Mapping[str, str]) -> None:  # noqa: ANN401  a reader of Arrow
        """Write a file at once: pyreadstat writes none in parts, so that the release is held as a table of Arrow."""
        with needs_files_extra():
            import polars as pl
            import pyreadstat
        table = pl.from_arrow(rows.read_all())
        try:
            getattr(pyreadstat, self.writer)(table, path, column_labels=dict(titles))
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
            raise UnwritableRowsError(
                f"does not fit into a file of {self.label}: {self.loses}"
            ) from error

    def check(self, path: str) -> None:
        """Raise UnreadableFileError for what pyreadstat would read in part, without a word."""

    def _part(self, path: str, **options: object) -> tuple[dict[str, Sequence[object]], Any]:
        with needs_files_extra():
            import pyreadstat
        name = next(
            (of for end, of in self.reader_of.items() if path.lower().endswith(end)), self.reader
        )
        try:
            rows, described = getattr(pyreadstat, name)(
                path, output_format="dict", disable_datetime_conversion=True, **options
            )
        except (
            pyreadstat.ReadstatError,
            pyreadstat.PyreadstatError,
            UnicodeError,
            OSError,
        ) as error:
            what = f"cannot be read as {self.label}: cut off, with a password, or of another kind"
            raise UnreadableFileError(what) from error
        return rows, described

    def read(self, path: str, source: Source) -> StoredRows:
        """Open a file. Its missing values are NULL, user-defined ones too; text labels stand for values, unless `values: codes`."""
        self.check(path)
        encoding = {} if source.encoding is None else {"encoding": source.encoding}
        _, described = self._part(path, metadataonly=True, **encoding)
        columns = tuple(self._columns(described, with_labels=source.values is not Values.CODES))
        rows = max(1, CELLS // max(1, len(columns)))

        def parts() -> Iterator[list[Sequence[object]]]:
            done = 0
            while True:
                cells, _ = self._part(path, row_offset=done, row_limit=rows, **encoding)
                part = [cells[each.name] for each in columns]
                if not part or not part[0]:
                    return
                done += len(part[0])
                yield part
                if len(part[0]) < rows:
                    return

        named = sum(1 for each in columns if each.labels)
        notes = [
            f"{named:,} of {len(columns):,} columns have value labels, which are read in place of the codes (values: codes reads the codes)"
        ]
        return StoredRows(columns, batches_of(columns, parts), tuple(notes if named else ()))

    def _columns(self, described: Any, *, with_labels: bool) -> Iterator[ColumnInFile]:  # noqa: ANN401  of pyreadstat
        for name, title in described.column_names_to_labels.items():
            labels = described.variable_value_labels.get(name) if with_labels else None
            pairs = tuple(
                (of if isinstance(of, str) else Decimal(of), str(text).replace("\0", ""))
                for of, text in (labels or {}).items()
            )
            if described.readstat_variable_types[name].startswith("string"):
                yield ColumnInFile(name, "text", pairs, title=title)
                continue
            written = str(described.original_variable_types[name] or "")
            for stores, (formats, units, origin) in (
                ("date", self.dates),
                ("timestamp", self.timestamps),
            ):
                if not pairs and formats.match(written):
                    yield ColumnInFile(name, stores, (), units, origin, title)  # type: ignore[arg-type]
                    break
            else:
                yield ColumnInFile(name, "number", pairs, title=title)


class Spss(StatisticalFile):
    """A file of SPSS."""

    key = "sav"
    label = "SPSS"
    endings = (".sav", ".zsav", ".por")
    reader = "read_sav"
    writes = True
    writer = "write_sav"
    names = re.compile(
        r"(?!(?i:ALL|AND|BY|EQ|GE|GT|LE|LT|NE|NOT|OR|TO|WITH)\Z)[^\W\d_][\w.]{0,30}(?<![._])"
    )
    named = "a letter, then letters, digits and underscores, 31 at most, and no reserved word"
    loses = "it has no empty texts, no blanks at the end of texts, numbers of 15 digits, and seconds of 3 decimals"
    reader_of: ClassVar = {".por": "read_por"}
    dates = (re.compile(r"[AEJS]?DATE\d*\Z"), DAY, SINCE_1582)
    timestamps = (re.compile(r"(DATETIME|YMDHMS)[\d.]*\Z"), DAY, SINCE_1582)


class Stata(StatisticalFile):
    """A file of Stata."""

    key = "dta"
    label = "Stata"
    endings = (".dta",)
    reader = "read_dta"
    writes = True
    writer = "write_dta"
    names = re.compile(
        r"(?!(aggregate|array|boolean|break|byte|case|catch|class|colvector|complex|const|continue|default|delegate|delete|do|"
        r"double|else|eltypedef|end|enum|explicit|export|external|float|for|friend|function|global|goto|if|in|inline|int|"
        r"local|long|NULL|pragma|protected|quad|rowvector|short|typedef|typename|using|virtual|with|_all|_b|_coef|_cons|_n|"
        r"_N|_pi|_pred|_rc|_skip|_se|strL|str\d+)\Z)[^\W\d]\w{0,31}"
    )
    named = "a letter or underscore, then letters, digits and underscores, 32 at most, and no reserved word"
    loses = "it has no empty texts, no texts of more than 2,045 bytes, numbers of 15 digits, and seconds of 3 decimals"
    dates = (re.compile(r"%-?\d*t?d"), 1, SINCE_1960)
    timestamps = (re.compile(r"%-?\d*t[cC]"), 1000 * DAY, SINCE_1960)


class Sas(StatisticalFile):
    """A file of SAS. Its formats, which hold labels of values, are in a catalog beside it that is not read."""

    key = "sas7bdat"
    label = "SAS"
    endings = (".sas7bdat", ".xpt")
    reader = "read_sas7bdat"
    reader_of: ClassVar = {".xpt": "read_xport"}
    dates = (
        re.compile(
            r"(DATE|(DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|WEEKDAT[EX]|WORDDAT[EX]|JULIAN|MONYY|MMYY|YYMM|YYMON|YYQ|(B8601|E8601|IS8601)DA)[\d.]*\Z"
        ),
        1,
        SINCE_1960,
    )
    timestamps = (
        re.compile(r"(DATETIME|DATEAMPM|MDYAMPM|DTDATE|(B8601|E8601|IS8601)D[TN])[\d.]*\Z"),
        DAY,
        SINCE_1960,
    )

    def check(self, path: str) -> None:
        """Refuse a transport file that is cut off, or has several tables, of which the first would be read."""
        if not path.lower().endswith(".xpt"):
            return
        tables, size, end = 0, 0, b""
        with Path(path).open("rb") as file:
            while block := file.read(1 << 20):
                size += len(block)
                tables += len(TABLE_BEGINS.findall(end + block))
                end = block[-27:]
        if size % 80:
            raise UnreadableFileError("cannot be read as SAS: it is cut off within a record")
        if tables > 1:
            what = f"has {tables} tables, and one is read: write each to a file of its own"
            raise UnreadableFileError(what)


class ArrowFile(FileKind):
    """A file of Arrow, which pandas and R call Feather."""

    key = "arrow"
    label = "Arrow"
    endings = (".feather", ".arrow", ".ipc")

    def read(self, path: str, source: Source) -> StoredRows:
        del source
        with needs_files_extra():
            import pyarrow as pa  # type: ignore[import-untyped]
            from pyarrow import ipc
        try:
            try:
                rows = ipc.open_file(pa.memory_map(path))
                numbers: Any = range(rows.num_record_batches)
                schema = rows.schema
            except pa.ArrowInvalid:
                with ipc.open_stream(pa.memory_map(path)) as stream:
                    schema, rows = stream.schema, None
        except (pa.ArrowException, OSError) as error:
            what = "is no file of Arrow that can be read: cut off, of Feather's first version, or of another kind"
            raise UnreadableFileError(what) from error

        def opened(_: list[UnreadableFileError]) -> object:
            if rows is None:
                return ipc.open_stream(pa.memory_map(path))
            return pa.RecordBatchReader.from_batches(schema, map(rows.get_batch, numbers))

        return StoredRows(_as_they_are(schema.names), opened)


class Orc(FileKind):
    """A file of ORC."""

    key = "orc"
    label = "ORC"
    endings = (".orc",)

    def read(self, path: str, source: Source) -> StoredRows:
        del source
        with needs_files_extra():
            import pyarrow as pa
            from pyarrow import orc
        try:
            rows = orc.ORCFile(path)
        except (pa.ArrowException, OSError) as error:
            what = "is no file of ORC that can be read: cut off, or of another kind"
            raise UnreadableFileError(what) from error

        def stripes() -> Iterator[object]:
            for number in range(rows.nstripes):
                yield rows.read_stripe(number)

        return StoredRows(
            _as_they_are(rows.schema.names),
            lambda _: pa.RecordBatchReader.from_batches(rows.schema, stripes()),
        )


def _as_they_are(names: list[str]) -> tuple[ColumnInFile, ...]:
    return tuple(ColumnInFile(name, "typed") for name in names)
