-- duckdb, postgres
SELECT COUNT(*) AS runs
FROM "un'fit runs" AS u

-- spark
SELECT COUNT(*) AS runs
FROM `un'fit runs` AS u
