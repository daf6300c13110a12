-- duckdb, postgres
SELECT COUNT(*) AS unresolved
FROM "outliers of-rows" AS t
WHERE (members & suppressed) = 0

-- spark
SELECT COUNT(*) AS unresolved
FROM `outliers of-rows` AS t
WHERE (members & suppressed) = 0
