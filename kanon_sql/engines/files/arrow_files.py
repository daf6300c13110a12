"""Files of Arrow (Feather) and of ORC, read by pyarrow batch by batch, with their own types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.engines.files.file_kind import (
    ColumnInFile,
    FileKind,
    StoredRows,
    UnreadableFileError,
    needs_files_extra,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.engines.locations import Source


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
