"""Commits to a table of Iceberg: a file becomes all of its rows, or nothing changes."""

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

    from kanon_sql.policy.lake_tables import LakeTable

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
"""What a column of a type without a counterpart raises, or one whose type cannot become another."""


class Commit:
    """A file that becomes all rows of a table when the commit ends; nobody else sees it before."""

    def __init__(self, table: Table, transaction: Transaction, catalog: Catalog) -> None:
        self._table = table
        self._transaction = transaction
        self._catalog = catalog
        self._files: list[Path] = []

    @property
    def folder(self) -> str:
        """The folder of this machine that the table has its data in; raises ReleaseError where it is none."""
        location = on_disk(self._transaction.table_metadata.location)
        if location is None:
            raise ReleaseError(".".join(self._table.name()), [Fault("release", ELSEWHERE)])
        folder = location / "data"
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def add(self, file: str) -> None:
        """Make a file of Parquet all rows of the table, with its columns, as far as this commit is concerned."""
        self._files.append(Path(file))
        columns = parquet.read_schema(file).remove_metadata()
        tx = self._transaction
        if tx.table_metadata.current_snapshot() is not None:
            tx.delete(AlwaysTrue())
        if not self._has(columns):
            self._change_to(columns)
        tx.add_files([address_of(Path(file))])

    def _has(self, columns: pa.Schema) -> bool:
        """Whether the table has these columns, or has them after a promotion of types; their ids stay then."""
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
        """Give the table other columns, which have other ids even where they have the name of an older one."""
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
        )  # files without ids have it

    def rows(self) -> object:
        """Return the rows as a reader of the table will read them."""
        table, staged = self._table, self._transaction.table_metadata
        seen = Table(table.name(), staged, table.metadata_location, table.io, self._catalog)
        return Batches(seen, None)

    def end(self) -> None:
        """Commit; raises ReleaseError where somebody else did so first."""
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
    """Open a commit to a table, which is created by it if there is none; what was not committed is removed.

    Raises ReleaseError where another `snapshot` than that one is the newest by now.
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
