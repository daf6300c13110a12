-- duckdb, postgres
SELECT COUNT(DISTINCT p.entity) AS entities
FROM "tup;les" AS p

-- spark
SELECT COUNT(DISTINCT p.entity) AS entities
FROM `tup;les` AS p
