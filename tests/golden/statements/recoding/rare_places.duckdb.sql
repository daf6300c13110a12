-- rare_places
CREATE TEMP TABLE "ra're" AS
SELECT CAST(0 AS INTEGER) AS axis, "place_0" AS place
FROM "ho'mes" AS w
WHERE "place_0" >= 0
GROUP BY "place_0"
HAVING SUM(row_count) < 5
UNION ALL
SELECT CAST(1 AS INTEGER) AS axis, "place_1" AS place
FROM "ho'mes" AS w
WHERE "place_1" >= 0
GROUP BY "place_1"
HAVING SUM(row_count) < 5
