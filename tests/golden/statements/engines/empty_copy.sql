-- duckdb, postgres
CREATE TEMP TABLE "no ro'ws" AS
SELECT *
FROM "staged'" AS l
WHERE FALSE

-- spark
CREATE TEMP VIEW `no ro'ws` AS
SELECT *
FROM `staged'` AS l
WHERE FALSE
