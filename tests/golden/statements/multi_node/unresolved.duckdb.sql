-- unresolved
SELECT COUNT(*) AS unresolved
FROM "outliers of" AS t
WHERE (members & suppressed) = 0
