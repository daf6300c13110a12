-- duckdb, postgres
COMMIT
