-- duckdb, postgres
SELECT COUNT(code) AS counted
FROM "values dis'ease" AS c

-- spark
SELECT COUNT(code) AS counted
FROM `values dis'ease` AS c
