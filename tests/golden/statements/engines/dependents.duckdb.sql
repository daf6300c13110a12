-- dependents
SELECT
  'column' AS kind,
  c.column_name AS own_name,
  [c.column_name] AS columns,
  CASE WHEN i.is_generated = 'ALWAYS' THEN NULL ELSE c.column_default END AS text,
  c.comment,
  COALESCE(i.is_generated = 'ALWAYS', FALSE) AS mark
FROM duckdb_columns() AS c
LEFT JOIN information_schema.columns AS i
  ON i.table_catalog = c.database_name AND i.table_schema = c.schema_name
    AND i.table_name = c.table_name AND i.column_name = c.column_name
WHERE c.database_name = current_database() AND LOWER(c.schema_name) = LOWER('main') AND LOWER(c.table_name) = LOWER('re"lease')
UNION ALL
SELECT
  CASE k.constraint_type WHEN 'NOT NULL' THEN 'not null' ELSE 'constraint' END,
  k.constraint_name,
  k.constraint_column_names,
  k.constraint_text,
  NULL,
  k.constraint_type IN ('PRIMARY KEY', 'UNIQUE')
FROM duckdb_constraints() AS k
WHERE k.database_name = current_database() AND LOWER(k.schema_name) = LOWER('main') AND LOWER(k.table_name) = LOWER('re"lease')
UNION ALL
SELECT 'foreign key', concat_ws('.', k.schema_name, k.table_name), k.constraint_column_names, k.constraint_text, NULL, FALSE
FROM duckdb_constraints() AS k
WHERE k.database_name = current_database() AND k.constraint_type = 'FOREIGN KEY' AND LOWER(k.referenced_table) = LOWER('re"lease')
UNION ALL
SELECT 'index', i.index_name, NULL, i.sql, i.comment, i.is_unique
FROM duckdb_indexes() AS i
WHERE i.database_name = current_database() AND LOWER(i.schema_name) = LOWER('main') AND LOWER(i.table_name) = LOWER('re"lease')
UNION ALL
SELECT DISTINCT 'type', concat_ws('.', t.schema_name, t.type_name), NULL, NULL, NULL, FALSE
FROM duckdb_types() AS t
JOIN duckdb_columns() AS c
  ON STARTS_WITH(c.data_type, concat('ENUM(', array_to_string(list_transform(t.labels, lambda label: concat('''', replace(label, '''', ''''''), '''')), ', '), ')'))
WHERE t.logical_type = 'ENUM' AND NOT t.internal AND c.database_name = current_database()
  AND LOWER(c.schema_name) = LOWER('main') AND LOWER(c.table_name) = LOWER('re"lease')
UNION ALL
SELECT 'view', concat_ws('.', v.schema_name, v.view_name), NULL, v.sql, NULL, FALSE
FROM duckdb_views() AS v
WHERE NOT v.internal AND CONTAINS(LOWER(v.sql), LOWER(REPLACE('re"lease', '"', '""')))
ORDER BY ALL
