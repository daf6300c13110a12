-- duckdb, postgres
SELECT MAX(n.level) - MIN(n.level) AS steps
FROM "no'des" AS n

-- spark
SELECT MAX(n.level) - MIN(n.level) AS steps
FROM `no'des` AS n
