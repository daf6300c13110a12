-- tables_of_schema
SELECT table_name AS name
FROM information_schema.tables
WHERE table_schema = 'a''n;on'
ORDER BY table_name
