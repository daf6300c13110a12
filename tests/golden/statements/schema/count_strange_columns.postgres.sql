-- count_strange_columns
SELECT COUNT(*) AS strange_columns
FROM pg_attribute AS a
JOIN pg_class AS t ON t.oid = a.attrelid
JOIN pg_namespace AS n ON n.oid = t.relnamespace
WHERE n.nspname = 'a''n;on' AND t.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
  AND NOT (t.relname = 'peo;ple' AND a.attname IN ('i''d', 'sex'))
  AND NOT (t.relname = 'ico''ds' AND a.attname IN ('co;de'))
