-- duckdb
CREATE TEMP TABLE "se'en" AS
SELECT DISTINCT
  CAST("s"."age
of 👩" AS VARCHAR) AS "age
of 👩"
FROM "the source; DROP TABLE x" AS s

-- postgres
CREATE TEMP TABLE "se'en" AS
SELECT DISTINCT
  CAST("s"."age
of 👩" AS TEXT) AS "age
of 👩"
FROM "the source; DROP TABLE x" AS s

-- spark
CREATE TEMP VIEW `se'en` AS
SELECT DISTINCT
  CAST(`s`.`age
of 👩` AS STRING) AS `age
of 👩`
FROM `the source; DROP TABLE x` AS s
