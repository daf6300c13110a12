SELECT sql
FROM duckdb_views()
WHERE NOT internal
  AND LOWER(view_name) = LOWER('se''en')
  AND LOWER(schema_name) = LOWER('ma''in')
  AND LOWER(database_name) = LOWER('te''mp')
