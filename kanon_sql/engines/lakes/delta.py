"""Tables of Delta Lake through `deltalake`. A table's log lists the files with the rows of a version."""

from __future__ import annotations

import json
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import deltalake
from deltalake.exceptions import DeltaError, DeltaProtocolError, TableNotFoundError
from deltalake.transaction import AddAction, create_table_with_add_actions
from pyarrow import parquet  # type: ignore[import-untyped]

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.duckdb.session import has_extension
from kanon_sql.engines.lakes import lakes_sql
from kanon_sql.engines.local_files import remove_empty_folders
from kanon_sql.errors import Fault, ReleaseError, SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.lakes.lake_tables import LakeTable

EXTENSION = "delta"
RETENTION = {
    "delta.logRetentionDuration": "interval 30 days",
    "delta.deletedFileRetentionDuration": "interval 7 days",
}
"""How long Delta keeps the log and the files of older versions, if the table does not set it."""
LOG, LAST_CHECKPOINT = "_delta_log", "_last_checkpoint"
MANIFESTS = "_symlink_format_manifest"
"""The folder with lists of files for engines that do not read the log. A release makes them stale."""
NULL_LABEL = "__HIVE_DEFAULT_PARTITION__"
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
        """Open the rows, if possible as a view: each statement then reads only the columns and files it needs.

        DuckDB's extension does that within DuckDB's memory, if it is installed; otherwise a dataset of Arrow does. A
        dataset reads no deletion vectors and no columns that have other names in the files: such rows are copied once.
        """
        is_here = "://" not in self._table.place
        if is_here and has_extension(self._engine, EXTENSION):
            version = self._opened.version()
            self._engine.execute(lakes_sql.read_delta(view, self._table.place, version))
            return True
        return self._engine.register(view, self._rows())

    def _rows(self) -> object:
        if not self._maps_columns:  # a dataset would look for the wrong names, and read NULL
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
        """Remove all files and folders that the newest version does not read, and the older log.

        The log holds minimum and maximum values of columns, and values of partitions, so it is replaced by one
        checkpoint. For that, the table's retention is set to zero for some commits.
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
        self._forget_folders()

    def _forget_log(self) -> None:
        """Write a checkpoint of the newest version, and remove the older log that Delta has not expired."""
        newest = self._newest()
        newest.create_checkpoint()
        version = newest.version()
        log = Path(self._table.place) / LOG
        for each in log.iterdir():
            number = each.name.partition(".")[0]
            is_older = int(number) < version if number.isdigit() else each.name != LAST_CHECKPOINT
            if (
                is_older and each.is_dir()
            ):  # parts of older checkpoints, or commits that were only staged
                shutil.rmtree(each)
            elif is_older:
                each.unlink()

    def _forget_folders(self) -> None:
        """Remove the partition folders without files of the newest version: their names are raw values."""
        folder = Path(self._table.place)
        shutil.rmtree(folder / MANIFESTS, ignore_errors=True)
        for each in folder.glob("**/*=*/.*.crc"):  # Hadoop's checksums, which nothing removes
            each.unlink()
        remove_empty_folders(folder, kept={LOG})

    def _newest(self) -> deltalake.DeltaTable:
        return deltalake.DeltaTable(self._table.place)


def open_delta(engine: Engine, table: LakeTable) -> DeltaLake:
    """Open a version of a table. Raises SourceError where the table or the version does not exist."""
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


@dataclass(frozen=True, slots=True)
class Written:
    """Parquet files that become the rows of a table. All lie in one folder, whatever their partitions."""

    files: tuple[tuple[Path, dict[str, str | None]], ...]
    """Each file with the values of its partition columns; None is NULL."""
    partitions: tuple[str, ...]
    schema: object
    """The columns of the table, as an Arrow schema."""


def partitions_of(folder: str) -> list[str]:
    """Return the columns by which the newest version of a table is partitioned."""
    return list(deltalake.DeltaTable(folder).metadata().partition_columns)


def written_in(folder: Path, partitions: Sequence[str], *, like: Path) -> Written:
    """Move partitions' files out of their folders, whose names are values: the log has the values.

    The file `like` gives the schema of all columns. With partitions, it is then deleted and not part of the table.
    """
    schema = parquet.read_schema(like)
    files: list[tuple[Path, dict[str, str | None]]] = []
    for file in sorted(folder.rglob("*.parquet")):
        labels = [unquote(each.partition("=")[2]) for each in file.relative_to(folder).parts[:-1]]
        values = {
            name: None if label == NULL_LABEL else label
            for name, label in zip(partitions, labels, strict=True)
        }
        name = f"part-{len(files):05}-{secrets.token_hex(16)}.parquet"
        files.append((file.rename(like.parent / name), values))
    if partitions:
        like.unlink()
        shutil.rmtree(folder)
    return Written(tuple(files), tuple(partitions), schema)


def write_log(folder: Path, written: Written) -> None:
    """Turn a folder of Parquet files into a Delta table of their rows, in one commit."""
    _commit(folder, written, "error", {})


def replace_rows(table: LakeTable, written: Written, snapshot: str | None) -> None:
    """Replace all rows of a table by those of the files, in one commit. Older versions stay readable.

    The table keeps its name and properties, and gets the columns and partitions of the files. Raises ReleaseError if
    the newest version is no longer `snapshot`; also after the commit, if another one came between.
    """
    newest = deltalake.DeltaTable(table.place)
    if snapshot is not None and _snapshot(newest) != snapshot:
        raise ReleaseError(table.name, [Fault("release", MEANWHILE)])
    version = newest.version()
    configuration = newest.metadata().configuration
    place = Path(table.place)
    moved = [(place / file.name, values) for file, values in written.files]
    try:
        for (file, _), (target, _) in zip(written.files, moved, strict=True):
            file.rename(target)
        there = Written(tuple(moved), written.partitions, written.schema)
        _commit(place, there, "overwrite", configuration)
    except BaseException:
        for target, _ in moved:
            target.unlink(missing_ok=True)
        raise
    if deltalake.DeltaTable(table.place).version() != version + 1:
        what = (
            f"was changed by somebody else between two steps of its commit: the release is there, and the rows that "
            f"were added then are in the version before it alone (after version {version})"
        )
        raise ReleaseError(table.name, [Fault("release", what)])


def _commit(folder: Path, written: Written, mode: str, configuration: dict[str, str]) -> None:
    added = []
    for file, values in written.files:
        found, rows = file.stat(), parquet.read_metadata(file).num_rows
        new = True
        told = json.dumps({"numRecords": rows})
        added.append(
            AddAction(file.name, found.st_size, values, int(found.st_mtime * 1000), new, told)
        )
    create_table_with_add_actions(
        str(folder),
        deltalake.Schema.from_arrow(written.schema),  # type: ignore[arg-type]
        added,
        mode,  # type: ignore[arg-type]
        list(written.partitions),
        configuration=configuration,
        commit_properties=deltalake.CommitProperties(max_commit_retries=0),
    )
