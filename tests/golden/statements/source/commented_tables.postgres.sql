-- commented_tables
SELECT CURRENT_DATABASE() AS catalog_name, n.nspname AS schema_name, c.relname AS table_name, d.description
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_description AS d
  ON d.objoid = c.oid AND d.classoid = CAST('pg_class' AS REGCLASS) AND d.objsubid = 0
WHERE c.relkind IN ('r', 'p')
  AND n.nspname = 'ma''in'
  AND PG_HAS_ROLE(c.relowner, 'USAGE')
  AND CURRENT_DATABASE() = 'te''mp'
ORDER BY c.relname
