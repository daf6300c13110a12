-- duckdb
CREATE TEMP TABLE "sample of columns" AS
SELECT
encode(CAST("s"."se""x" AS VARCHAR)) AS "se""x",
encode(CAST("s"."zip; --" AS VARCHAR)) AS "zip; --"
FROM "the source; DROP TABLE x" AS s
WHERE RANDOM() < 0.500000000

-- postgres
CREATE TEMP TABLE "sample of columns" AS
SELECT
(CAST("s"."se""x" AS TEXT) COLLATE "C") AS "se""x",
(CAST("s"."zip; --" AS TEXT) COLLATE "C") AS "zip; --"
FROM "the source; DROP TABLE x" AS s
WHERE RANDOM() < 0.500000000

-- spark
CREATE TEMP VIEW `sample of columns` AS
SELECT
CAST(CAST(`s`.`se"x` AS STRING) AS BINARY) AS `se"x`,
CAST(CAST(`s`.`zip; --` AS STRING) AS BINARY) AS `zip; --`
FROM `the source; DROP TABLE x` AS s
WHERE RANDOM() < 0.500000000
