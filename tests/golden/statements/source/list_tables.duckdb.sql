-- list_tables
SELECT CASE WHEN schema_name <> 'main' THEN schema_name END AS schema_name, table_name AS name
FROM duckdb_tables()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
UNION ALL
SELECT CASE WHEN schema_name <> 'main' THEN schema_name END, view_name
FROM duckdb_views()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
ORDER BY ALL
