-- duckdb, postgres
CREATE TEMP TABLE "se'en rows" AS
SELECT
  "s"."age
of 👩" AS "age
of 👩"
FROM "the source; DROP TABLE x" AS s

-- spark
CREATE TEMP VIEW `se'en rows` AS
SELECT
  `s`.`age
of 👩` AS `age
of 👩`
FROM `the source; DROP TABLE x` AS s
