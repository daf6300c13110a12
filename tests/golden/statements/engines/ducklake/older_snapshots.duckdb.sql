-- older_snapshots
SELECT s.snapshot_id
FROM ducklake_snapshots('la''ke') AS s
WHERE s.snapshot_id < (SELECT MAX(l.snapshot_id) FROM ducklake_snapshots('la''ke') AS l) AND s.snapshot_id >= (
  SELECT MIN(t.begin_snapshot)
  FROM "__ducklake_metadata_la'ke"."ducklake_table" AS t
  WHERE t.table_id IN (
    SELECT o.table_id
    FROM "__ducklake_metadata_la'ke"."ducklake_table" AS o
    JOIN "__ducklake_metadata_la'ke"."ducklake_schema" AS c ON c.schema_id = o.schema_id
    WHERE lower(o.table_name) = lower('ta"ble') AND lower(c.schema_name) = lower('sche''ma')
  )
)
ORDER BY s.snapshot_id
