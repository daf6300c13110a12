-- duckdb
ROLLBACK
