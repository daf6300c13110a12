-- count_targets
SELECT SUM(row_count) AS row_count, COUNT(DISTINCT target) AS targets
FROM "places, targe't" AS w
