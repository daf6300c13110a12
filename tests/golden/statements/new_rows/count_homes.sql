-- duckdb, postgres
SELECT COALESCE(SUM(row_count), 0) AS row_count
FROM "in'" AS h

-- spark
SELECT COALESCE(SUM(row_count), 0) AS row_count
FROM `in'` AS h
