-- duckdb
WITH "se'en" AS (

SELECT DISTINCT
  CAST("s"."age
of 👩" AS VARCHAR) AS "age
of 👩"
FROM "the source; DROP TABLE x" AS s

)

SELECT
  "age
of 👩" AS value,
  COUNT(*) AS row_count
FROM "se'en"
GROUP BY "age
of 👩"

-- postgres
WITH "se'en" AS (

SELECT DISTINCT
  CAST("s"."age
of 👩" AS TEXT) AS "age
of 👩"
FROM "the source; DROP TABLE x" AS s

)

SELECT
  "age
of 👩" AS value,
  COUNT(*) AS row_count
FROM "se'en"
GROUP BY "age
of 👩"

-- spark
WITH `se'en` AS (

SELECT DISTINCT
  CAST(`s`.`age
of 👩` AS STRING) AS `age
of 👩`
FROM `the source; DROP TABLE x` AS s

)

SELECT
  `age
of 👩` AS value,
  COUNT(*) AS row_count
FROM `se'en`
GROUP BY `age
of 👩`
