-- database_in_use
SELECT current_database() AS name, (
  SELECT d.path FROM duckdb_databases() AS d WHERE d.database_name = current_database()
) AS path
