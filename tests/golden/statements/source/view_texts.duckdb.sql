-- view_texts
SELECT sql
FROM duckdb_views()
WHERE NOT internal
