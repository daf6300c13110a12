SELECT sql
FROM duckdb_views()
WHERE NOT internal
