-- duckdb, postgres, spark
CHECKPOINT
