-- locate
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
  AND ((schema_name = current_schema() AND database_name = current_database()) OR database_name = 'temp')
ORDER BY kind, database_name, schema_name
