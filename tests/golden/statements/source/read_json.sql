-- duckdb
CREATE TEMP TABLE "from json" AS
SELECT *
FROM read_json(
  'pe''ople.ndjson',
  hive_partitioning = FALSE,
  hive_types_autocast = FALSE
)

-- spark
CREATE TEMP VIEW `from json`
USING json
OPTIONS (
  path 'pe\'ople.ndjson'
)
