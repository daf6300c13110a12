-- duckdb, postgres
CREATE TEMP TABLE "ra're-entity" AS
SELECT CAST(0 AS INTEGER) AS axis, "place_0" AS place
FROM "ho'mes" AS w
WHERE "place_0" >= 0
GROUP BY "place_0"
HAVING COUNT(DISTINCT entity) < 5
UNION ALL
SELECT CAST(1 AS INTEGER) AS axis, "place_1" AS place
FROM "ho'mes" AS w
WHERE "place_1" >= 0
GROUP BY "place_1"
HAVING COUNT(DISTINCT entity) < 5

-- spark
CREATE TEMP VIEW `ra're-entity` AS
SELECT CAST(0 AS INTEGER) AS axis, `place_0` AS place
FROM `ho'mes` AS w
WHERE `place_0` >= 0
GROUP BY `place_0`
HAVING COUNT(DISTINCT entity) < 5
UNION ALL
SELECT CAST(1 AS INTEGER) AS axis, `place_1` AS place
FROM `ho'mes` AS w
WHERE `place_1` >= 0
GROUP BY `place_1`
HAVING COUNT(DISTINCT entity) < 5
