-- duckdb, postgres
SELECT SUM(row_count) AS row_count, 0 AS targets
FROM "places, targe't" AS w

-- spark
SELECT SUM(row_count) AS row_count, 0 AS targets
FROM `places, targe't` AS w
