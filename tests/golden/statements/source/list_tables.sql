-- duckdb
SELECT CASE WHEN schema_name <> 'main' THEN schema_name END AS schema_name, table_name AS name
FROM duckdb_tables()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
UNION ALL
SELECT CASE WHEN schema_name <> 'main' THEN schema_name END, view_name
FROM duckdb_views()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
ORDER BY ALL

-- postgres
SELECT
  CASE WHEN NOT PG_TABLE_IS_VISIBLE(c.oid) THEN n.nspname END AS schema_name,
  c.relname AS name
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT c.relispartition
  AND c.relpersistence <> 't'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  AND HAS_TABLE_PRIVILEGE(c.oid, 'SELECT')
ORDER BY n.nspname, c.relname

-- spark
SHOW TABLES
