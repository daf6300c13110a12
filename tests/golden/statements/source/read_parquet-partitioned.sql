-- duckdb
CREATE TEMP VIEW "parts read back" AS
SELECT
  * EXCLUDE ("se%22x", "ward%20%F0%9F%8F%A5"),
  "se%22x" AS "se""x",
  "ward%20%F0%9F%8F%A5" AS "ward 🏥"
FROM read_parquet(
  'par[t]s/**/*.parquet',
  union_by_name = TRUE,
  hive_partitioning = TRUE,
  hive_types_autocast = FALSE
)

-- spark
CREATE TEMP VIEW `parts read back`
USING parquet
OPTIONS (
  path 'par[t]s/**/*.parquet',
  basePath 'parts',
  mergeSchema 'true'
)
