-- duckdb
CREATE TEMP TABLE "blanked zip; --" AS
SELECT
  d.value,
  p."level_1" AS "label_1",
  p."level_2" AS "label_2",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code_1",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code_2"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "blanked zip; --" AS
SELECT
  d.value,
  p."level_1" AS "label_1",
  p."level_2" AS "label_2",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code_1",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2") AS INTEGER) AS "code_2"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `blanked zip; --` AS
SELECT
  d.value,
  p.`level_1` AS `label_1`,
  p.`level_2` AS `label_2`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_1`) AS INTEGER) AS `code_1`,
  CAST(DENSE_RANK() OVER (ORDER BY p.`level_2`) AS INTEGER) AS `code_2`
FROM `domain zip; --` AS d
JOIN `complete zip; --` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
