-- read_parquet
CREATE TEMP VIEW "read back" AS
SELECT
  *
FROM read_parquet(
  're''lease.parquet',
  union_by_name = FALSE,
  hive_partitioning = FALSE,
  hive_types_autocast = FALSE
)
