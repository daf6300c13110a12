-- removed_rows
SELECT COALESCE(SUM(row_count), 0) AS removed_rows
FROM "report'ed rows" AS c
WHERE (REPLACE("key_0", '*', '') = 'v' AND "key_0" <> 'v') OR (REPLACE("key_1", '*', '') = 'v' AND "key_1" <> 'v')
