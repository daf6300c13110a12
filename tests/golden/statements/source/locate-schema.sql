-- duckdb
SELECT
  kind,
  temporary,
  database_name,
  schema_name,
  table_name
FROM (
  SELECT 'table' AS kind, temporary, database_name, schema_name, table_name
  FROM duckdb_tables()
  UNION ALL
  SELECT 'view' AS kind, temporary, database_name, schema_name, view_name AS table_name
  FROM duckdb_views()
) AS t
WHERE LOWER(table_name) = LOWER(?)
  AND (
    (LOWER(schema_name) = LOWER('ma''in') AND database_name IN (current_database(), 'temp'))
    OR LOWER(database_name) = LOWER('ma''in')
  )
ORDER BY kind, database_name, schema_name

-- postgres
SELECT
  CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind,
  c.relpersistence = 't' AS is_temporary,
  CURRENT_DATABASE() AS catalog_name,
  n.nspname AS schema_name,
  c.relname AS table_name
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = $1
  AND n.nspname = 'ma''in'
ORDER BY n.nspname
