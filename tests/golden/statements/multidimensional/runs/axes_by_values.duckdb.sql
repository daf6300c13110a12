-- axes_by_values
SELECT axis
FROM "ra'nks" AS k
GROUP BY axis
ORDER BY COUNT(DISTINCT place), axis
