-- apportioned_columns
SELECT quasi
FROM "sho'wn" AS s
GROUP BY quasi
HAVING COUNT(*) = 2
