-- read_json
CREATE TEMP TABLE "from json" AS
SELECT *
FROM read_json(
  'pe''ople.ndjson',
  hive_partitioning = FALSE,
  hive_types_autocast = FALSE
)
