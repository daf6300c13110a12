-- duckdb
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."zip; --" AS value
  FROM "the source; DROP TABLE x" AS s
)
SELECT
  value,
  CASE
    WHEN value IS NULL THEN NULL
    WHEN LENGTH(CAST("value" AS VARCHAR)) > 3 THEN NULL
    ELSE CONCAT(LEFT(CAST("value" AS VARCHAR), 2), '#')
  END AS "level_1",
  CASE
    WHEN LENGTH(CAST("value" AS VARCHAR)) > 3 THEN NULL
    ELSE '###'
  END AS "level_2"
FROM "kanon_domain" AS d

-- postgres
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."zip; --" AS value
  FROM "the source; DROP TABLE x" AS s
)
SELECT
  value,
  CASE
    WHEN value IS NULL THEN NULL
    WHEN LENGTH(CAST("value" AS TEXT)) > 3 THEN NULL
    ELSE CONCAT(LEFT(CAST("value" AS TEXT), 2), '#')
  END AS "level_1",
  CASE
    WHEN LENGTH(CAST("value" AS TEXT)) > 3 THEN NULL
    ELSE '###'
  END AS "level_2"
FROM "kanon_domain" AS d

-- spark
WITH `kanon_domain` AS (
  SELECT DISTINCT `s`.`zip; --` AS value
  FROM `the source; DROP TABLE x` AS s
)
SELECT
  value,
  CASE
    WHEN value IS NULL THEN NULL
    WHEN LENGTH(CAST(`value` AS STRING)) > 3 THEN NULL
    ELSE CONCAT(LEFT(CAST(`value` AS STRING), 2), '#')
  END AS `level_1`,
  CASE
    WHEN LENGTH(CAST(`value` AS STRING)) > 3 THEN NULL
    ELSE '###'
  END AS `level_2`
FROM `kanon_domain` AS d
