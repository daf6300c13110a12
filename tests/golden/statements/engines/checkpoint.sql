-- duckdb
CHECKPOINT "memory"

-- postgres
CHECKPOINT
