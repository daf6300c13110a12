-- list_tables
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
