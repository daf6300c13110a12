-- interval_starts
SELECT quasi, low
FROM "two cu'ts" AS c
ORDER BY quasi, low
