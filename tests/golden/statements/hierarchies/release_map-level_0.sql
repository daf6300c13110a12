-- duckdb
CREATE TEMP TABLE "as it is" AS
SELECT
  d.value,
  p."value" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."value") AS INTEGER) AS "code"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "as it is" AS
SELECT
  d.value,
  p."value" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY p."value") AS INTEGER) AS "code"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `as it is` AS
SELECT
  d.value,
  p.`value` AS `label`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`value`) AS INTEGER) AS `code`
FROM `domain zip; --` AS d
JOIN `complete zip; --` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
