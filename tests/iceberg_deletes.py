"""Deletes of Iceberg that pyiceberg reads and does not write: files that number rows, or that list values."""

from __future__ import annotations

import secrets
import time
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

POSITIONS = [2147483546, 2147483545]
"""The ids that the format has for the path of a file and the number of a row."""


def delete_by_positions(table, *deleted):
    """Delete rows by the addresses of their files and their numbers there."""
    rows = pa.table(
        {
            "file_path": [file for file, _ in deleted],
            "pos": pa.array([number for _, number in deleted], pa.int64()),
        }
    )
    _commit(table, rows, POSITIONS, None)


def delete_by_values(table, **values):
    """Delete all rows that there are by now and have these values."""
    ids = [table.schema().find_field(name).field_id for name in values]
    _commit(table, pa.table({name: [value] for name, value in values.items()}), ids, ids)


def files_of(table):
    return [each.file.file_path for each in table.scan().plan_files()]


def _commit(table, rows, ids, equality):
    from pyiceberg.manifest import (
        DataFile,
        DataFileContent,
        FileFormat,
        ManifestContent,
        ManifestEntry,
        ManifestEntryStatus,
        ManifestWriterV2,
        write_manifest_list,
    )
    from pyiceberg.table.snapshots import Operation, Snapshot, Summary
    from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate
    from pyiceberg.typedef import Record

    class Writer(ManifestWriterV2):
        def content(self):
            return ManifestContent.DELETES

        @property
        def _meta(self):
            return {**super()._meta, "content": "deletes"}

    at, own, newest = table.location(), secrets.randbelow(2**62), table.current_snapshot()
    address = f"{at}/data/deleted-{secrets.token_hex(8)}.parquet"
    file = Path(address.removeprefix("file://"))
    given = zip(rows.schema, ids, strict=True)
    fields = (pa.field(f.name, f.type, metadata={"PARQUET:field_id": str(i)}) for f, i in given)
    parquet.write_table(rows.cast(pa.schema(fields)), file)
    content = (
        DataFileContent.POSITION_DELETES if equality is None else DataFileContent.EQUALITY_DELETES
    )
    data = DataFile.from_args(
        content=content, file_path=address, file_format=FileFormat.PARQUET, partition=Record(),
        record_count=rows.num_rows, file_size_in_bytes=file.stat().st_size, column_sizes={}, value_counts={},
        null_value_counts={}, nan_value_counts={}, lower_bounds={}, upper_bounds={}, key_metadata=None,
        split_offsets=None, equality_ids=equality, sort_order_id=None,
    )  # fmt: skip
    data.spec_id = table.spec().spec_id
    sequence = table.metadata.last_sequence_number + 1
    output = table.io.new_output(f"{at}/metadata/{secrets.token_hex(8)}-m0.avro")
    with Writer(table.spec(), table.schema(), output, own, "deflate") as writer:
        added = ManifestEntryStatus.ADDED
        writer.add(
            ManifestEntry.from_args(
                status=added, snapshot_id=own, sequence_number=None, data_file=data
            )
        )
    listed = f"{at}/metadata/snap-{own}.avro"
    lists = table.io.new_output(listed)
    with write_manifest_list(2, lists, own, newest.snapshot_id, sequence, "deflate") as manifests:
        manifests.add_manifests([writer.to_manifest_file(), *newest.manifests(table.io)])
    snapshot = Snapshot(
        snapshot_id=own, parent_snapshot_id=newest.snapshot_id, sequence_number=sequence,
        timestamp_ms=int(time.time() * 1000), manifest_list=listed,
        summary=Summary(Operation.DELETE), schema_id=table.schema().schema_id,
    )  # fmt: skip
    ages = dict.fromkeys(("max_ref_age_ms", "max_snapshot_age_ms", "min_snapshots_to_keep"))
    ref = SetSnapshotRefUpdate(ref_name="main", type="branch", snapshot_id=own, **ages)
    table.catalog.commit_table(table, (), (AddSnapshotUpdate(snapshot=snapshot), ref))
    table.refresh()
