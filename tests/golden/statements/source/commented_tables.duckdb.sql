-- commented_tables
SELECT database_name, schema_name, table_name, comment
FROM duckdb_tables()
WHERE comment IS NOT NULL
  AND LOWER(database_name) = LOWER('te''mp')
  AND LOWER(schema_name) = LOWER('ma''in')
ORDER BY table_name
