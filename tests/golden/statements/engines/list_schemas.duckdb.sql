-- list_schemas
SELECT database_name, schema_name
FROM system.main.duckdb_schemas()
WHERE database_name = system.main.current_database() AND schema_name NOT IN ('information_schema', 'pg_catalog')
ORDER BY schema_name <> system.main.current_schema(), schema_name
