-- duckdb
CREATE TEMP TABLE "sample" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
USING SAMPLE reservoir(5 ROWS) REPEATABLE (1)

-- postgres
CREATE TEMP TABLE "sample" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
ORDER BY RANDOM()
LIMIT 5

-- spark
CREATE TEMP VIEW `sample` AS
SELECT *
FROM `the source; DROP TABLE x` AS s
ORDER BY RANDOM()
LIMIT 5
