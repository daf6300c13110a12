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
