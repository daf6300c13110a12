-- attached_ducklakes
SELECT d.database_name, d.path, d.readonly
FROM duckdb_databases() AS d
WHERE d.type = 'ducklake'
ORDER BY d.database_name
