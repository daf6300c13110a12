-- rare_places-together
CREATE TEMP TABLE "ra're-together" AS
SELECT CAST(0 AS INTEGER) AS axis, "place_0" AS place
FROM "ho'mes" AS w
WHERE "place_0" >= 0
GROUP BY "place_0"
HAVING SUM(row_count) < 5
