-- count_rows_of_each
SELECT 0 AS number, COUNT(*) AS row_count
FROM "fre""sh"."main"."in ""place"
UNION ALL
SELECT 1 AS number, COUNT(*) AS row_count
FROM "fre""sh"."main"."in ""place"
ORDER BY number
