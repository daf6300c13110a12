-- tables_of_schema
SELECT t.relname AS name
FROM pg_class AS t
JOIN pg_namespace AS n ON n.oid = t.relnamespace
WHERE n.nspname = 'a''n;on' AND t.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY t.relname
