-- catalog_of
SELECT COALESCE(MIN(database_name), current_database())
FROM duckdb_databases()
WHERE LOWER(database_name) = LOWER('te''mp')
