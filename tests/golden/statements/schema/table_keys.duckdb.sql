-- table_keys
SELECT
  CONCAT(c.table_oid, '.', c.constraint_index) AS number,
  c.constraint_type AS kind,
  c.schema_name,
  c.table_name,
  c.constraint_column_names[p.place + 1] AS column_name,
  c.schema_name AS to_schema,
  c.referenced_table AS to_table,
  c.referenced_column_names[p.place + 1] AS to_column
FROM duckdb_constraints() AS c, UNNEST(RANGE(LEN(c.constraint_column_names))) AS p (place)
WHERE c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
  AND c.database_name = current_database()
ORDER BY c.table_oid, c.constraint_index, p.place
