-- rare_counts
SELECT axis, COUNT(*) AS places
FROM "ra're-entity" AS r
GROUP BY axis
ORDER BY axis
