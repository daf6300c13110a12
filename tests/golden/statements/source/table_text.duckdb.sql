-- table_text
SELECT sql
FROM duckdb_tables()
WHERE table_name = 'like it'
