-- duckdb, postgres
CREATE TEMP TABLE "many values" AS
SELECT
  value,
  CASE WHEN value IS NOT NULL THEN CAST(DENSE_RANK() OVER (ORDER BY value) AS INTEGER) END AS code
FROM (SELECT DISTINCT "ward 🏥" AS value FROM "the source; DROP TABLE x") AS d

-- spark
CREATE TEMP VIEW `many values` AS
SELECT
  value,
  CASE WHEN value IS NOT NULL THEN CAST(bucket + 1 + 4096 * (DENSE_RANK() OVER (PARTITION BY bucket ORDER BY value) - 1) AS INTEGER) END AS code
FROM (
  SELECT
    value,
    PMOD(XXHASH64(value), 4096) AS bucket
  FROM (SELECT DISTINCT `ward 🏥` AS value FROM `the source; DROP TABLE x`) AS d
) AS b
