-- duckdb, postgres
CREATE TEMP TABLE "kept;" AS
SELECT *
FROM "the source; DROP TABLE x"

-- spark
CREATE TEMP VIEW `kept;` AS
SELECT *
FROM `the source; DROP TABLE x`
