"""Commits to a table of Iceberg: a file replaces all rows of the table, or nothing changes."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import parquet
from pyiceberg.exceptions import CommitFailedException, ValidationError, ValidationException
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import UnsupportedPyArrowTypeException
from pyiceberg.schema import Schema
from pyiceberg.table import Table, TableProperties

from kanon_sql.engines.lakes.iceberg import Batches, address_of, catalog_of, newest_version, on_disk
from kanon_sql.errors import Fault, ReleaseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Transaction

    from kanon_sql.engines.lakes.lake_tables import LakeTable

MEANWHILE = "was changed by somebody else meanwhile; nothing was published"
ELSEWHERE = (
    "has its data at an address; a release to Iceberg is written to folders of this machine so far"
)
ONCE_PARTITIONED = (
    "was partitioned by {} once; Iceberg remembers that, and takes no new column of the name of a partition. The other "
    "columns change, so that all get new ids: release under a new name, or give that column another name in a query"
)
NO_TYPE = "has a column of a type that Iceberg does not have; cast it in a query, or drop it"

NOT_OF_ICEBERG = (
    TypeError,
    ValueError,
    ValidationError,
    UnsupportedPyArrowTypeException,
    pa.ArrowException,
)
"""Errors for a column's type that Iceberg lacks, or that the type in the table cannot become."""


class Commit:
    """A transaction that replaces all rows of a table by a file. Other readers see it only after `end`."""

    def __init__(self, table: Table, transaction: Transaction, catalog: Catalog) -> None:
        self._table = table
        self._transaction = transaction
        self._catalog = catalog
        self._files: list[Path] = []

    @property
    def folder(self) -> str:
        """The folder of the table's data. Raises ReleaseError where it is not on this machine."""
        location = on_disk(self._transaction.table_metadata.location)
        if location is None:
            raise ReleaseError(".".join(self._table.name()), [Fault("release", ELSEWHERE)])
        folder = location / "data"
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def add(self, file: str) -> None:
        """Replace the rows and columns of the table by those of a Parquet file, within this commit."""
        self._files.append(Path(file))
        columns = parquet.read_schema(file).remove_metadata()
        tx = self._transaction
        if tx.table_metadata.current_snapshot() is not None:
            tx.delete(AlwaysTrue())
        if not self._has(columns):
            self._change_to(columns)
        tx.add_files([address_of(Path(file))])

    def _has(self, columns: pa.Schema) -> bool:
        """Whether the table has these columns, if need be after a promotion of types, which keeps their ids."""
        tx = self._transaction
        if [each.name for each in tx.table_metadata.schema().fields] != columns.names:
            return False
        try:
            with tx.update_schema() as update:
                update.union_by_name(columns)
        except NOT_OF_ICEBERG:
            return False
        return True

    def _change_to(self, columns: pa.Schema) -> None:
        """Replace the table's columns. The new ones get new ids, even where they have the name of an old one."""
        tx = self._transaction
        there = tx.table_metadata.schema().fields
        parts = {each.name for spec in tx.table_metadata.partition_specs for each in spec.fields}
        if once := sorted(parts & {*columns.names}):
            faults = [Fault("release", ONCE_PARTITIONED.format(", ".join(once)))]
            raise ReleaseError(".".join(self._table.name()), faults)
        if there:
            with tx.update_schema(allow_incompatible_changes=True) as update:
                for each in there:
                    update.delete_column(each.name)
        try:
            with tx.update_schema(allow_incompatible_changes=True) as update:
                update.union_by_name(columns)
        except NOT_OF_ICEBERG as error:
            faults = [Fault("release", NO_TYPE)]
            raise ReleaseError(".".join(self._table.name()), faults) from error
        named = tx.table_metadata.schema().name_mapping.model_dump_json()
        tx.set_properties(
            {TableProperties.DEFAULT_NAME_MAPPING: named}
        )  # files without ids are read by it

    def rows(self) -> object:
        """Return the rows as readers of the table will see them after the commit."""
        table, staged = self._table, self._transaction.table_metadata
        seen = Table(table.name(), staged, table.metadata_location, table.io, self._catalog)
        return Batches(seen, None)

    def end(self) -> None:
        """Commit. Raises ReleaseError if somebody else has committed meanwhile."""
        try:
            self._transaction.commit_transaction()
        except (CommitFailedException, ValidationException) as error:
            raise ReleaseError(
                ".".join(self._table.name()), [Fault("release", MEANWHILE)]
            ) from error
        self._files.clear()

    def clear(self) -> None:
        for each in self._files:
            each.unlink(missing_ok=True)


@contextmanager
def commit_of_rows(table: LakeTable, snapshot: str | None) -> Iterator[Commit]:
    """Open a commit to a table, which it creates if there is none. Removes files that are not committed.

    Raises ReleaseError if the newest version is no longer `snapshot`.
    """
    catalog, name = catalog_of(table)
    there: Any
    if catalog.table_exists(name):
        opened = catalog.load_table(name)
        if snapshot is not None and newest_version(opened) != snapshot:
            raise ReleaseError(table.name, [Fault("release", MEANWHILE)])
        there = opened.transaction()
    else:
        there = catalog.create_table_transaction(name, Schema())
        opened = there._table  # noqa: SLF001  it has the name and the access to files
    commit = Commit(opened, there, catalog)
    try:
        yield commit
    finally:
        commit.clear()
