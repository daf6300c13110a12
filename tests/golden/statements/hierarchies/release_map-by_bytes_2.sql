-- duckdb
CREATE TEMP TABLE "map by bytes 2" AS
SELECT
  d.value,
  p."level_2" AS "label",
  p."low_2" AS "low",
  p."high_2" AS "high",
  CAST(DENSE_RANK() OVER (ORDER BY encode(CAST("p"."level_2" AS VARCHAR)) NULLS FIRST) AS INTEGER) AS "code"
FROM "domain age
of 👩" AS d
JOIN "complete age
of 👩" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "map by bytes 2" AS
SELECT
  d.value,
  p."level_2" AS "label",
  p."low_2" AS "low",
  p."high_2" AS "high",
  CAST(DENSE_RANK() OVER (ORDER BY (CAST("p"."level_2" AS TEXT) COLLATE "C") NULLS FIRST) AS INTEGER) AS "code"
FROM "domain age
of 👩" AS d
JOIN "complete age
of 👩" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `map by bytes 2` AS
SELECT
  d.value,
  p.`level_2` AS `label`,
  p.`low_2` AS `low`,
  p.`high_2` AS `high`,
  CAST(DENSE_RANK() OVER (ORDER BY CAST(CAST(`p`.`level_2` AS STRING) AS BINARY) NULLS FIRST) AS INTEGER) AS `code`
FROM `domain age
of 👩` AS d
JOIN `complete age
of 👩` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
