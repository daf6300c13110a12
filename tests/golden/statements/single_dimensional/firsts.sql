-- duckdb, postgres
SELECT quasi, low
FROM "two cu'ts" AS c
ORDER BY quasi, low

-- spark
SELECT quasi, low
FROM `two cu'ts` AS c
ORDER BY quasi, low
