-- duckdb
CREATE TEMP TABLE "blanked se""x" AS
SELECT
  d.value,
  p."level_1" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code"
FROM "domain se""x" AS d
JOIN "complete se""x" AS p
  ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "blanked se""x" AS
SELECT
  d.value,
  p."level_1" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code"
FROM "domain se""x" AS d
JOIN "complete se""x" AS p
  ON ARRAY[CAST("d"."value" AS TEXT)] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `blanked se"x` AS
SELECT
  d.value,
  p.`level_1` AS `label`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_1`) AS INTEGER) AS `code`
FROM `domain se"x` AS d
JOIN `complete se"x` AS p
  ON CAST(`d`.`value` AS STRING) IS NOT DISTINCT FROM `p`.`value`
