"""The interface of kinds of files that a library reads: their endings, the keys that go with them, and their rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from kanon_sql.engines.locations import Source

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
