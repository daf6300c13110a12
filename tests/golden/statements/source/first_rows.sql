-- duckdb, postgres
SELECT *
FROM "the source; DROP TABLE x"
LIMIT 3

-- spark
SELECT *
FROM `the source; DROP TABLE x`
LIMIT 3
