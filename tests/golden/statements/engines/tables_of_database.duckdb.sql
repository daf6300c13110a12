-- tables_of_database
SELECT schema_name, table_name
FROM duckdb_tables()
WHERE database_name = 'fre"sh'
ORDER BY ALL
