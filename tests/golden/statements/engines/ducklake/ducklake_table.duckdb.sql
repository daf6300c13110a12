-- ducklake_table
WITH living AS (
  SELECT s.snapshot_id, flatten(map_values(s.changes)) AS changed
  FROM ducklake_snapshots('la''ke') AS s
),
pinned AS (
  SELECT MAX(l.snapshot_id) AS newest, (
    SELECT MAX(f.snapshot_id)
    FROM living AS f
    WHERE NOT EXISTS (SELECT 1 FROM living AS b WHERE b.snapshot_id = f.snapshot_id - 1)
  ) AS first_of_row
  FROM living AS l
),
named AS (
  SELECT t.table_id, t.table_uuid, t.table_name, s.schema_name,
    greatest(t.begin_snapshot, s.begin_snapshot) AS began,
    least(t.end_snapshot, s.end_snapshot) AS ended
  FROM "__ducklake_metadata_la'ke"."ducklake_table" AS t
  JOIN "__ducklake_metadata_la'ke"."ducklake_schema" AS s ON s.schema_id = t.schema_id
  WHERE lower(t.table_name) = lower('ta"ble') AND lower(s.schema_name) = lower('sche''ma')
)
SELECT n.table_id, CAST(n.table_uuid AS VARCHAR) AS table_uuid, n.schema_name, n.table_name,
  greatest(n.began, p.first_of_row, (
    SELECT MAX(l.snapshot_id) FROM living AS l WHERE list_contains(l.changed, CAST(n.table_id AS VARCHAR))
  )) AS snapshot_id,
  (
    SELECT COUNT(*)
    FROM living AS l
    WHERE l.snapshot_id >= (
      SELECT MIN(t.begin_snapshot) FROM "__ducklake_metadata_la'ke"."ducklake_table" AS t WHERE t.table_id IN (SELECT o.table_id FROM named AS o)
    )
  ) AS versions,
  (SELECT m.value FROM "__ducklake_metadata_la'ke"."ducklake_metadata" AS m WHERE m.key = 'version' AND m.scope IS NULL) AS catalog_version
FROM named AS n
CROSS JOIN pinned AS p
WHERE n.began <= p.newest AND (n.ended IS NULL OR n.ended > p.newest)
