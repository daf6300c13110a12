SELECT database_name, schema_name, table_name, comment
FROM duckdb_tables()
WHERE comment IS NOT NULL
  AND LOWER(database_name) = LOWER(current_database())
  AND LOWER(schema_name) = LOWER(current_schema())
ORDER BY table_name
