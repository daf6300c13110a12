"""The interface of all formats of a release: its key in a policy, its files, and what they cannot hold.

Each format is one object. Code that writes or reads releases calls it and never compares formats.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.lakes.lake_tables import LakeFormat
from kanon_sql.errors import InternalError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.locations import Destination, Source


EXTRA = "files"


class UnreadableFileError(ValueError):
    """A file cannot be read as what it is; the words quote none of its values."""


class UnwritableRowsError(ValueError):
    """Rows do not fit into a kind of file; the words quote none of their values."""


@dataclass(frozen=True, slots=True)
class ColumnInFile:
    """A column as a file stores it. `labels` are pairs of a stored value and its value label, a text.

    A date or a timestamp is a number of units since 1970, once `origin` days are subtracted; `units` make a day.
    """

    name: str
    stores: Literal["text", "number", "date", "timestamp", "typed"]
    labels: tuple[tuple[str | Decimal, str], ...] = ()
    units: int = 1
    origin: int = 0
    title: str | None = None
    """The label of the column itself."""


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The columns of a file, and a function that opens its rows: a reader of batches of Arrow, which holds one at a time.

    A column that stores text or numbers has that type in the batches, where NaN is a number that is missing, and one that
    is `typed` has its own. A fault that is
    found while rows are read is added to the list that the function takes, as databases change what is raised.
    """

    columns: tuple[ColumnInFile, ...]
    opened: Callable[[list[UnreadableFileError]], Any]
    notes: tuple[str, ...] = field(default=())


class FileKind(ABC):
    """One kind of file that no database reads, but a library of the extra `files`."""

    key: ClassVar[str]
    label: ClassVar[str]
    """The kind's name in messages."""
    endings: ClassVar[tuple[str, ...]]
    keys: ClassVar[frozenset[str]] = frozenset()
    """The keys of a source that go with it, besides `path`."""

    @abstractmethod
    def read(self, path: str, source: Source) -> StoredRows:
        """Open a file. Raises UnreadableFileError and MissingExtraError."""

    writes: ClassVar[bool] = False
    """Whether it writes files, too; then it has the methods and words below."""
    loses: ClassVar[str] = ""
    """What its files cannot hold, in words."""
    most_rows: ClassVar[int | None] = None
    most_cells: ClassVar[int | None] = None
    """The most cells of a release that its library holds in memory; None if it writes row by row."""

    def why_no_name(self, name: str) -> str | None:
        """Return why no column may have this name in its files; None if one may."""
        del name
        return None

    def write(self, rows: Any, path: str, titles: Mapping[str, str]) -> None:  # noqa: ANN401  a reader of Arrow
        """Write batches of Arrow to a file, with the titles that columns have. Raises UnwritableRowsError."""
        del rows, path, titles
        raise InternalError(f"{self.label} is not written")


@contextmanager
def needs_files_extra() -> Iterator[None]:
    """Turn the failed import of a library into the extra to install."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(EXTRA) from error


def batches_of(
    columns: Sequence[ColumnInFile], parts: Callable[[], Iterator[Sequence[Sequence[object]]]]
) -> Callable[[list[UnreadableFileError]], Any]:
    """Return a function that opens a reader of Arrow over parts of a file, each a list of cells for every column."""
    with needs_files_extra():
        import pyarrow as pa  # type: ignore[import-untyped]
    types = [pa.string() if each.stores == "text" else pa.float64() for each in columns]
    schema = pa.schema([(each.name, of) for each, of in zip(columns, types, strict=True)])

    def batches(failed: list[UnreadableFileError]) -> Iterator[object]:
        try:
            for cells in parts():
                arrays = [
                    _array(pa, each.stores, of) for each, of in zip(columns, cells, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
        except UnreadableFileError as error:
            failed.append(error)
            raise

    return lambda failed: pa.RecordBatchReader.from_batches(schema, batches(failed))


def _array(pa: Any, stores: str, cells: Sequence[Any]) -> object:  # noqa: ANN401  pyarrow itself
    """Return cells as an array of Arrow. `pyarrow.array` would import pandas, which outlives DuckDB's objects."""
    if stores == "text":
        builder = pa.lib.StringBuilder()
        builder.append_values(cells)
        return builder.finish()
    numbers = array("d", [math.nan if cell is None else cell for cell in cells])
    return pa.Array.from_buffers(pa.float64(), len(numbers), [None, pa.py_buffer(numbers)])


class DestinationFormat:
    """One format of a release. Its rows are a table of a database, or of a lake, unless it `is_file`.

    A format of files answers the methods below; a method that it must override, but does not, raises InternalError
    or refuses the column.
    """

    key: str
    """The key by which a policy states it, as in `{csv: FILE}`."""
    label: str
    """The format's name in messages."""
    in_database: ClassVar[bool] = False
    """Whether the rows are in the database of the run."""
    is_file: ClassVar[bool] = False
    """Whether an engine writes the rows to a file, or to a folder of files."""
    is_path: bool = False
    """Whether a release is named by a path, and not by a name in a database or a catalog."""
    lake: LakeFormat | None = None
    """The format of the lake; None for a table of a database and for plain files."""

    endings: tuple[str, ...] = ()
    """The endings of files that are of this format."""
    options: ClassVar[tuple[str, ...]] = ()
    """The fields of a `Destination` that this format alone has."""
    spelled: ClassVar[str] = ""
    """The word by which engines know the format of its files: csv, json or parquet."""
    delimiter: ClassVar[str | None] = None
    """What parts the fields of a line, below a line of names; None where files are no lines of fields."""
    template: ClassVar[str] = ""
    """The template that writes its files. A dialect without that template does not write this format."""
    library: FileKind | None = None
    """What writes and reads its files where no database does; then it has no template."""
    holds_codes: ClassVar[bool] = False
    """Whether labels can be written from a column of codes, in less time than from texts."""
    holds_types: ClassVar[bool] = True
    """Whether a column has one type, which numbers and dates of a source of texts are released as."""
    runs_formulas: ClassVar[bool] = False
    """Whether programs that open its files run texts as formulas."""
    takes_series: ClassVar[bool] = False
    """Whether the next release of a series can be written there at once with its ledger, and read again with its types."""

    def leaves(self, out: Destination, path: str) -> dict[str, object]:
        """Return the leaves of its template besides the table, its columns, the path and the verdict."""
        del out, path
        return {}

    def spark_options(self, out: Destination) -> dict[str, str]:
        """Return the options of Spark's writer."""
        del out
        raise InternalError(f"{self.key} is no format that Spark writes")

    def lost(self, column: ColumnType) -> str | None:
        """Return the type of a column that its files do not hold; None if they hold every value.

        A script refuses such columns, because it does not compare what it wrote. By default it refuses all.
        """
        return column.type

    def why_no_name(self, name: str) -> str | None:
        """Return why no column may have this name in its files; None if one may."""
        del name
        return None


class DatabaseTable(DestinationFormat):
    """A table, or a view, of the database."""

    key = "table"
    label = "a table"
    in_database = True
    takes_series = True


class ParquetFiles(DestinationFormat):
    """One file of Parquet, or a folder of several."""

    key = "parquet"
    label = "Parquet"
    is_file = is_path = True
    endings = (".parquet",)
    options = ("partition_by", "compression", "row_group_rows", "file_size")
    spelled = "parquet"
    template = "engines/copy_parquet"
    holds_codes = True
    takes_series = True

    def leaves(self, out: Destination, path: str) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import (  # noqa: PLC0415  a policy is read without sqlglot
            column,
            literal,
            name,
        )

        def known(value: str | int | None) -> object:
            return None if value is None else literal(value)

        return {
            "partition_by": [name(c) for c in out.partition_by],
            "partition_columns": [column(c) for c in out.partition_by],
            "escaped": literal(SCRIPT_ESCAPES),
            "compression": literal(out.compression.value),
            "compression_level": out.compression.level,
            "row_group_rows": known(out.row_group_rows),
            "file_size": known(out.file_size),
            "plan": known(out.recoded_by) if out.partition_by and out.recoded_by else None,
            "added_by": literal(str(len(out.added))) if out.added else None,
            "suppressed": known(out.suppressed or None),
            "is_address": "://" in path,  # where DuckDB cannot see that a folder is new
        }

    def spark_options(self, out: Destination) -> dict[str, str]:
        rows = out.row_group_rows
        limit = {} if rows is None else {"parquet.block.row.count.limit": str(rows)}
        return {"compression": out.compression.value, **limit}

    def lost(self, column: ColumnType) -> str | None:
        return column.lost_in_parquet


class CsvFiles(DestinationFormat):
    """One file of CSV with a header, or a folder of several."""

    key = "csv"
    label = "CSV"
    is_file = is_path = True
    endings = (".csv", ".csv.gz")
    spelled = "csv"
    delimiter = ","
    template = "engines/copy_csv"
    holds_types = False
    runs_formulas = True
    options = ("bom",)

    def spark_options(self, out: Destination) -> dict[str, str]:
        packed = out.name.lower().endswith(".gz")
        return {**SPARK_CSV, "compression": "gzip" if packed else "none"}

    def lost(self, column: ColumnType) -> None:
        """Return None: a file of CSV has the text of every value."""

    def why_no_name(self, name: str) -> str | None:
        return BAD_HEADER if name != name.strip() or "\r" in name else None


class LibraryRows(DestinationFormat):
    """One file that a library writes, such as a workbook of Excel."""

    is_file = is_path = True

    def __init__(self, library: FileKind) -> None:
        self.library = library
        self.key, self.label = library.key, library.label
        self.endings = (f".{library.key}",)

    def why_no_name(self, name: str) -> str | None:
        return None if self.library is None else self.library.why_no_name(name)


class LakeRows(DestinationFormat):
    """A table of a lake, whose files its own library commits."""

    takes_series = True

    def __init__(self, lake: LakeFormat) -> None:
        self.lake = lake
        self.key, self.label = lake.value, lake.label
        self.is_path = lake is LakeFormat.DELTA


SCRIPT_ESCAPES = (
    "kanon-sql: a column of partition_by has values that are not ASCII, which DuckDB escapes in names of folders and "
    "Spark reads otherwise; apply the plan instead, which renames them"
)
SPARK_CSV = {
    "header": "true",
    "quote": '"',
    "escape": '"',
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}
BAD_HEADER = (
    "is a name that begins or ends with a blank, or holds a carriage return, which readers of CSV "
    "change or refuse in a header; name it otherwise in a query, or release Parquet"
)
