"""Tables of Delta Lake by `deltalake`: the log says which files hold the living rows of a version."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import deltalake
from deltalake.exceptions import DeltaError, DeltaProtocolError, TableNotFoundError
from deltalake.transaction import AddAction, create_table_with_add_actions
from pyarrow import parquet  # type: ignore[import-untyped]

from kanon_sql.engines.duckdb.extensions import has_extension
from kanon_sql.engines.lakes import delta_sql
from kanon_sql.errors import Fault, ReleaseError, SourceError

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.lake_tables import LakeTable

EXTENSION = "delta"
RETENTION = {
    "delta.logRetentionDuration": "interval 30 days",
    "delta.deletedFileRetentionDuration": "interval 7 days",
}
"""For how long Delta keeps what versions consist of, where a table does not state it."""
AT_ONCE = "interval 0 seconds"
MEANWHILE = "was changed by somebody else meanwhile; nothing was published"


def _snapshot(opened: deltalake.DeltaTable) -> str:
    return f"delta {opened.metadata().id} version {opened.version()}"


class DeltaLake:
    """One version of a Delta table; see `Lake`."""

    def __init__(self, engine: Engine, table: LakeTable, opened: deltalake.DeltaTable) -> None:
        self._engine = engine
        self._table = table
        self._opened = opened

    @property
    def snapshot(self) -> str:
        return _snapshot(self._opened)

    @property
    def is_newest(self) -> bool:
        return deltalake.DeltaTable(self._table.place).version() == self._opened.version()

    @property
    def versions(self) -> int:
        return len(self._opened.history())

    def open_rows(self, view: exp.Table) -> bool:
        """Register a dataset, which is read again each time, only the columns and files that a statement needs.

        DuckDB's own extension does so within DuckDB's memory, where it is installed. What neither reads so, as
        deletion vectors and columns that have other names in the files, is copied once, batch by batch.
        """
        is_here = "://" not in self._table.place
        if is_here and has_extension(self._engine, EXTENSION):
            version = self._opened.version()
            self._engine.execute(delta_sql.read_delta(view, self._table.place, version))
            return True
        return self._engine.register(view, self._rows())

    def _rows(self) -> object:
        if not self._maps_columns:  # the dataset would look for them by other names, and find NULL
            with suppress(DeltaProtocolError):
                return self._opened.to_pyarrow_dataset()
        return self._opened.scan()

    @property
    def _maps_columns(self) -> bool:
        mapping = self._opened.metadata().configuration.get("delta.columnMapping.mode", "none")
        return mapping != "none"

    def release_problems(self) -> list[str]:
        if self._maps_columns:
            return [
                "gives its columns other names in its files (column mapping), which a release does not"
            ]
        if self._opened.metadata().configuration.get("delta.appendOnly") == "true":
            return [
                "only takes more rows (delta.appendOnly), so that nothing in it can be replaced"
            ]
        return []

    def purge(self) -> None:
        """Remove all files that the newest version does not read, and the log before it.

        The log has the least and greatest values of columns, and the values of partitions; it is written anew as
        one checkpoint. To this end the table's retention is nothing for some commits.
        """
        vectors = self._opened.deletion_vectors()
        if any(each.num_rows for each in vectors):  # `vacuum` would remove these
            what = "has deletion vectors again, by a commit since the release: purge it by VACUUM"
            raise ReleaseError(self._table.name, [Fault("--purge", what)])
        before = self._opened.metadata().configuration
        stated = {name: before.get(name) or usual for name, usual in RETENTION.items()}
        self._opened.alter.set_table_properties(dict.fromkeys(RETENTION, AT_ONCE))
        self._newest().vacuum(
            retention_hours=0, dry_run=False, enforce_retention_duration=False, full=True
        )
        self._forget_log()
        self._newest().alter.set_table_properties(stated)

    def _forget_log(self) -> None:
        """Keep the log from its newest version on. What is not expired for lack of a moment is removed here."""
        newest = self._newest()
        newest.create_checkpoint()
        version = newest.version()
        log = Path(self._table.place) / "_delta_log"
        for each in log.iterdir():
            number = each.name.partition(".")[0]
            if number.isdigit() and int(number) < version:
                each.unlink()

    def _newest(self) -> deltalake.DeltaTable:
        return deltalake.DeltaTable(self._table.place)


def open_delta(engine: Engine, table: LakeTable) -> DeltaLake:
    """Open a version of a table; raises SourceError where there is none."""
    try:
        newest = deltalake.DeltaTable(table.place)
    except TableNotFoundError as error:
        what = f"there is no Delta table ({table.place})"
        raise SourceError(table.name, [Fault("source", what)]) from error
    if table.version is None:
        return DeltaLake(engine, table, newest)
    try:
        return DeltaLake(engine, table, deltalake.DeltaTable(table.place, version=table.version))
    except DeltaError as error:
        what = f"version {table.version} cannot be read any more, or is not there yet; the newest is {newest.version()}"
        raise SourceError(table.name, [Fault("source", what)]) from error


def is_delta(folder: str) -> bool:
    return deltalake.DeltaTable.is_deltatable(folder)


def write_log(folder: Path, file: str, rows: int) -> None:
    """Make a folder with a file of Parquet a Delta table of its rows, in one commit."""
    _commit(folder, file, rows, "error", {})


def replace_rows(table: LakeTable, file: Path, rows: int, snapshot: str | None) -> None:
    """Replace all rows of a table by those of a file, in one commit; older versions can still be read.

    Raises ReleaseError where another `snapshot` is the newest by now. The name of the table, and its properties, stay;
    its columns and partitions are the file's.
    """
    newest = deltalake.DeltaTable(table.place)
    moved = Path(table.place) / file.name
    if snapshot is not None and _snapshot(newest) != snapshot:
        raise ReleaseError(table.name, [Fault("release", MEANWHILE)])
    version = newest.version()
    configuration = newest.metadata().configuration
    file.rename(moved)
    try:
        _commit(Path(table.place), file.name, rows, "overwrite", configuration)
    except BaseException:
        moved.unlink(missing_ok=True)
        raise
    if deltalake.DeltaTable(table.place).version() != version + 1:
        what = (
            f"was changed by somebody else between two steps of its commit: the release is there, and the rows that "
            f"were added then are in the version before it alone (after version {version})"
        )
        raise ReleaseError(table.name, [Fault("release", what)])


def _commit(folder: Path, file: str, rows: int, mode: str, configuration: dict[str, str]) -> None:
    path = folder / file
    schema = deltalake.Schema.from_arrow(parquet.read_schema(path))
    found = path.stat()
    added = AddAction(
        file,
        found.st_size,
        {},
        int(found.st_mtime * 1000),
        True,  # noqa: FBT003  its rows are new
        json.dumps({"numRecords": rows}),
    )
    create_table_with_add_actions(
        str(folder),
        schema,
        [added],
        mode,  # type: ignore[arg-type]
        [],
        configuration=configuration,
        commit_properties=deltalake.CommitProperties(max_commit_retries=0),
    )
