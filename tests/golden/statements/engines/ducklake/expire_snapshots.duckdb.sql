-- expire_snapshots
SELECT e.snapshot_id
FROM ducklake_expire_snapshots('la''ke', versions => [3, 7]) AS e
