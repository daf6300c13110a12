SELECT table_name
FROM duckdb_tables()
WHERE LOWER(database_name) = LOWER('te''mp') AND LOWER(schema_name) = LOWER('ma''in')
ORDER BY table_name
