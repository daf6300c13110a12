-- duckdb, postgres
SELECT COUNT(DISTINCT region) AS regions, COUNT(*) AS branches
FROM "bran'ches" AS b

-- spark
SELECT COUNT(DISTINCT region) AS regions, COUNT(*) AS branches
FROM `bran'ches` AS b
