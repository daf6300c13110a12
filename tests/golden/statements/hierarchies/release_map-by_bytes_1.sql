-- duckdb
CREATE TEMP TABLE "map by bytes 1" AS
SELECT
  d.value,
  p."level_1" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY encode(CAST("p"."level_1" AS VARCHAR)) NULLS FIRST) AS INTEGER) AS "code"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "map by bytes 1" AS
SELECT
  d.value,
  p."level_1" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY (CAST("p"."level_1" AS TEXT) COLLATE "C") NULLS FIRST) AS INTEGER) AS "code"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `map by bytes 1` AS
SELECT
  d.value,
  p.`level_1` AS `label`,
  CAST(DENSE_RANK() OVER (ORDER BY CAST(CAST(`p`.`level_1` AS STRING) AS BINARY) NULLS FIRST) AS INTEGER) AS `code`
FROM `domain zip; --` AS d
JOIN `complete zip; --` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
