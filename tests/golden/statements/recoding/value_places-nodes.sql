-- duckdb
CREATE TEMP TABLE "value_places 1-nodes" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, encode(CAST("value" AS VARCHAR))) AS INTEGER) AS place
FROM (SELECT DISTINCT "se""x" AS value FROM "the source; DROP TABLE x") AS d

-- postgres
CREATE TEMP TABLE "value_places 1-nodes" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, (CAST("value" AS TEXT) COLLATE "C")) AS INTEGER) AS place
FROM (SELECT DISTINCT "se""x" AS value FROM "the source; DROP TABLE x") AS d

-- spark
CREATE TEMP VIEW `value_places 1-nodes` AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, CAST(CAST(`value` AS STRING) AS BINARY)) AS INTEGER) AS place
FROM (SELECT DISTINCT `se"x` AS value FROM `the source; DROP TABLE x`) AS d
