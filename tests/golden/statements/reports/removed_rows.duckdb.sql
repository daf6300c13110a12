-- removed_rows
SELECT COALESCE(SUM(row_count), 0) AS removed_rows
FROM "report'ed rows" AS c
WHERE "key_0" = 'v*' OR "key_1" = 'v*'
