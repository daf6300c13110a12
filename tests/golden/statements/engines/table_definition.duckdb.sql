-- table_definition
SELECT database_name, schema_name, table_name, sql, comment
FROM duckdb_tables()
WHERE LOWER(table_name) = LOWER('re"lease')
  AND database_name = current_database()
  AND LOWER(schema_name) = LOWER('main')
