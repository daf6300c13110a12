-- duckdb, postgres
SELECT COUNT(*) AS unresolved
FROM "outliers of" AS t
WHERE (members & blanked) = 0

-- spark
SELECT COUNT(*) AS unresolved
FROM `outliers of` AS t
WHERE (members & blanked) = 0
