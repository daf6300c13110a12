-- duckdb
CREATE TEMP TABLE "released age
of 👩" AS
SELECT
  d.value,
  p."level_2" AS "label",
  p."low_2" AS "low",
  p."high_2" AS "high",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code"
FROM "domain age
of 👩" AS d
JOIN "complete age
of 👩" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "released age
of 👩" AS
SELECT
  d.value,
  p."level_2" AS "label",
  p."low_2" AS "low",
  p."high_2" AS "high",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code"
FROM "domain age
of 👩" AS d
JOIN "complete age
of 👩" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `released age
of 👩` AS
SELECT
  d.value,
  p.`level_2` AS `label`,
  p.`low_2` AS `low`,
  p.`high_2` AS `high`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_2`) AS INTEGER) AS `code`
FROM `domain age
of 👩` AS d
JOIN `complete age
of 👩` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
