-- read_parquet
CREATE TEMP VIEW `read back`
USING parquet
OPTIONS (
  path 're\'lease.parquet'
)
