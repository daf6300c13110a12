-- duckdb, postgres
CREATE TEMP TABLE "one step" AS
SELECT
  value,
  '*' AS "level_1"
FROM "visits" AS d

-- spark
CREATE TEMP VIEW `one step` AS
SELECT
  value,
  '*' AS `level_1`
FROM `visits` AS d
