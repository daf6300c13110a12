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
  AND LOWER(database_name) = LOWER('te''mp')
  AND LOWER(schema_name) = LOWER('main')
ORDER BY kind, database_name, schema_name
