-- locate
SELECT
  CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind,
  c.relpersistence = 't' AS is_temporary,
  CURRENT_DATABASE() AS catalog_name,
  n.nspname AS schema_name,
  c.relname AS table_name
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = $1
  AND PG_TABLE_IS_VISIBLE(c.oid)
ORDER BY n.nspname
