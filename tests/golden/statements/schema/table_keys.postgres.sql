-- table_keys
SELECT
  CAST(c.oid AS TEXT) AS number,
  CASE c.contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' ELSE 'FOREIGN KEY' END AS kind,
  n.nspname AS schema_name,
  t.relname AS table_name,
  a.attname AS column_name,
  m.nspname AS to_schema,
  r.relname AS to_table,
  b.attname AS to_column
FROM pg_constraint AS c
CROSS JOIN LATERAL UNNEST(c.conkey, COALESCE(c.confkey, c.conkey)) WITH ORDINALITY AS p (own, of, place)
JOIN pg_class AS t ON t.oid = c.conrelid
JOIN pg_namespace AS n ON n.oid = t.relnamespace
JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = p.own
LEFT JOIN pg_class AS r ON r.oid = c.confrelid
LEFT JOIN pg_namespace AS m ON m.oid = r.relnamespace
LEFT JOIN pg_attribute AS b ON b.attrelid = r.oid AND b.attnum = p.of
WHERE c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
ORDER BY c.oid, p.place
