-- duckdb, postgres
SELECT CAST(COALESCE(SUM(p.row_count), 0) AS BIGINT) AS entities
FROM "tup;les" AS p

-- spark
SELECT CAST(COALESCE(SUM(p.row_count), 0) AS BIGINT) AS entities
FROM `tup;les` AS p
