-- duckdb, postgres
SELECT axis
FROM "ra'nks" AS k
GROUP BY axis
ORDER BY COUNT(DISTINCT place), axis

-- spark
SELECT axis
FROM `ra'nks` AS k
GROUP BY axis
ORDER BY COUNT(DISTINCT place), axis
