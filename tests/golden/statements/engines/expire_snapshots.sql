-- duckdb
CALL ducklake_expire_snapshots('la''ke', versions => [3, 7])
