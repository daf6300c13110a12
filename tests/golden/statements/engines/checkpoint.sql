-- duckdb, postgres
CHECKPOINT
