-- count_assigned
SELECT COALESCE(SUM(row_count), 0) AS row_count
FROM "in'" AS h
