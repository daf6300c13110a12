-- required_columns
SELECT table_schema, table_name, column_name
FROM information_schema.columns
WHERE is_nullable = 'NO' AND table_catalog = current_database()
