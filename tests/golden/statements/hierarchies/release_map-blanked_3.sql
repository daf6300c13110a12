-- duckdb
CREATE TEMP TABLE "blanked SELECT" AS
SELECT
  d.value,
  p."level_2" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code"
FROM "domain SELECT" AS d
JOIN "complete SELECT" AS p
  ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "blanked SELECT" AS
SELECT
  d.value,
  p."level_2" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code"
FROM "domain SELECT" AS d
JOIN "complete SELECT" AS p
  ON ARRAY[CAST("d"."value" AS TEXT)] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `blanked SELECT` AS
SELECT
  d.value,
  p.`level_2` AS `label`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_2`) AS INTEGER) AS `code`
FROM `domain SELECT` AS d
JOIN `complete SELECT` AS p
  ON CAST(`d`.`value` AS STRING) IS NOT DISTINCT FROM `p`.`value`
