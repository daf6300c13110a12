-- duckdb, postgres
CREATE TEMP TABLE "values ward 🏥" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY value) AS INTEGER) AS code
FROM (SELECT DISTINCT "ward 🏥" AS value FROM "the source; DROP TABLE x") AS d

-- spark
CREATE TEMP VIEW `values ward 🏥` AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY value) AS INTEGER) AS code
FROM (SELECT DISTINCT `ward 🏥` AS value FROM `the source; DROP TABLE x`) AS d
