-- duckdb, postgres
CREATE TEMP TABLE "value_places 4-nodes" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, value) AS INTEGER) AS place
FROM (SELECT DISTINCT "SELECT" AS value FROM "the source; DROP TABLE x") AS d

-- spark
CREATE TEMP VIEW `value_places 4-nodes` AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, value) AS INTEGER) AS place
FROM (SELECT DISTINCT `SELECT` AS value FROM `the source; DROP TABLE x`) AS d
