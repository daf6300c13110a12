-- duckdb, postgres
SELECT COUNT(*) AS row_count
FROM "the source; DROP TABLE x"

-- spark
SELECT COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
