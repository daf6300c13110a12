-- duckdb, postgres
SELECT COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
WHERE "na'me" IS NULL

-- spark
SELECT COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
WHERE `na'me` IS NULL
