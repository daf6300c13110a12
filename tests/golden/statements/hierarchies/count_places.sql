-- duckdb, postgres
SELECT COUNT(DISTINCT place) AS places
FROM "line al'ong" AS a

-- spark
SELECT COUNT(DISTINCT place) AS places
FROM `line al'ong` AS a
