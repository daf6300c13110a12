-- inventory
SELECT 'table' AS kind, count(*) AS number, bit_xor(hash(schema_name, table_name, sql, comment)) AS declared
FROM duckdb_tables()
WHERE database_name = 'fre"sh'
UNION ALL
SELECT 'view', count(*), bit_xor(hash(schema_name, view_name, sql, comment))
FROM duckdb_views()
WHERE NOT internal AND database_name = 'fre"sh'
UNION ALL
SELECT 'index', count(*), bit_xor(hash(schema_name, index_name, sql, comment))
FROM duckdb_indexes()
WHERE database_name = 'fre"sh'
UNION ALL
SELECT 'sequence', count(*), bit_xor(hash(schema_name, sequence_name, last_value))
FROM duckdb_sequences()
WHERE database_name = 'fre"sh'
UNION ALL
SELECT 'column', count(*), bit_xor(hash(schema_name, table_name, column_name, comment))
FROM duckdb_columns()
WHERE NOT internal AND database_name = 'fre"sh'
UNION ALL
SELECT 'function', count(*), bit_xor(hash(schema_name, function_name, macro_definition))
FROM duckdb_functions()
WHERE NOT internal AND database_name = 'fre"sh'
UNION ALL
SELECT 'type', count(*), bit_xor(hash(schema_name, type_name))
FROM duckdb_types()
WHERE NOT internal AND database_name = 'fre"sh'
ORDER BY kind
