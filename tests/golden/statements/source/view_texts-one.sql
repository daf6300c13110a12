-- duckdb
SELECT sql
FROM duckdb_views()
WHERE NOT internal
  AND LOWER(view_name) = LOWER('se''en')
  AND LOWER(schema_name) = LOWER('ma''in')
  AND LOWER(database_name) = LOWER('te''mp')

-- postgres
SELECT PG_GET_VIEWDEF(c.oid) AS text
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('v', 'm')
  AND c.relname = 'se''en'
  AND n.nspname = 'ma''in'
