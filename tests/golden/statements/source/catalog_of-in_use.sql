-- duckdb
SELECT COALESCE(MIN(database_name), current_database())
FROM duckdb_databases()
WHERE FALSE
