-- duckdb
CREATE TEMP TABLE "in layers age
of 👩" AS
SELECT
  d.value,
  p."level_2" AS "label_2",
  p."level_3" AS "label_3",
  p."low_2" AS "low_2",
  p."high_2" AS "high_2",
  CAST(DENSE_RANK() OVER (ORDER BY p."value") AS INTEGER) AS "code_0",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code_2",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_3") AS INTEGER) AS "code_3"
FROM "domain age
of 👩" AS d
JOIN "complete age
of 👩" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "in layers age
of 👩" AS
SELECT
  d.value,
  p."level_2" AS "label_2",
  p."level_3" AS "label_3",
  p."low_2" AS "low_2",
  p."high_2" AS "high_2",
  CAST(DENSE_RANK() OVER (ORDER BY p."value") AS INTEGER) AS "code_0",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code_2",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_3") AS INTEGER) AS "code_3"
FROM "domain age
of 👩" AS d
JOIN "complete age
of 👩" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `in layers age
of 👩` AS
SELECT
  d.value,
  p.`level_2` AS `label_2`,
  p.`level_3` AS `label_3`,
  p.`low_2` AS `low_2`,
  p.`high_2` AS `high_2`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`value`) AS INTEGER) AS `code_0`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_2`) AS INTEGER) AS `code_2`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_3`) AS INTEGER) AS `code_3`
FROM `domain age
of 👩` AS d
JOIN `complete age
of 👩` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
