-- duckdb
SELECT database_name, schema_name, table_name, sql, comment
FROM duckdb_tables()
WHERE LOWER(table_name) = LOWER('nowhere')
  AND database_name = current_database()
  AND schema_name = current_schema()
