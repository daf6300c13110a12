-- duckdb, postgres
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."age
of 👩" AS value
  FROM "the source; DROP TABLE x" AS s
)
SELECT
  value,
  '*' AS "level_1"
FROM "kanon_domain" AS d

-- spark
WITH `kanon_domain` AS (
  SELECT DISTINCT `s`.`age
of 👩` AS value
  FROM `the source; DROP TABLE x` AS s
)
SELECT
  value,
  '*' AS `level_1`
FROM `kanon_domain` AS d
