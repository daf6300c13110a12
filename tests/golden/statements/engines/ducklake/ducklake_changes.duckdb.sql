-- ducklake_changes
SELECT COUNT(*) AS changes
FROM ducklake_snapshots('la''ke') AS s
WHERE s.snapshot_id > 7 AND list_contains(flatten(map_values(s.changes)), CAST(3 AS VARCHAR))
