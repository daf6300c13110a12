-- tables_of_schema
SELECT table_name AS name
FROM information_schema.tables
WHERE LOWER(table_schema) = LOWER('a''n;on') AND table_catalog = current_database()
ORDER BY table_name
