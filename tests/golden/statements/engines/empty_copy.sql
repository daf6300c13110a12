-- duckdb, postgres
CREATE TEMP TABLE "li'ke" AS
SELECT *
FROM "staged'" AS l
WHERE FALSE

-- spark
CREATE TEMP VIEW `li'ke` AS
SELECT *
FROM `staged'` AS l
WHERE FALSE
