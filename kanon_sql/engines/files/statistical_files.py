"""Files that pyreadstat or pyarrow read in parts: of SPSS, Stata and SAS with labels of values, of Arrow and of ORC."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_sql.engines.files.file_kind import (
    ColumnInFile,
    FileKind,
    StoredRows,
    UnreadableFileError,
    UnwritableRowsError,
    batches_of,
    needs_files_extra,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.engines.locations import Source


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
