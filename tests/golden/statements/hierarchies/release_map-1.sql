-- duckdb
CREATE TEMP TABLE "released zip; --" AS
SELECT
  d.value,
  p."level_1" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "released zip; --" AS
SELECT
  d.value,
  p."level_1" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `released zip; --` AS
SELECT
  d.value,
  p.`level_1` AS `label`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_1`) AS INTEGER) AS `code`
FROM `domain zip; --` AS d
JOIN `complete zip; --` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
