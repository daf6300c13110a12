-- count_nulls
SELECT SUM(row_count) AS row_count
FROM "domain of visits" AS d
WHERE value IS NULL
