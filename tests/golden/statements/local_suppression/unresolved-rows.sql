-- duckdb, postgres
SELECT COUNT(*) AS unresolved
FROM "outliers of-rows" AS t
WHERE (members & blanked) = 0

-- spark
SELECT COUNT(*) AS unresolved
FROM `outliers of-rows` AS t
WHERE (members & blanked) = 0
