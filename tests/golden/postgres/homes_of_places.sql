CREATE TEMP TABLE "pla'in" AS
SELECT region, "place_0", "place_1", "place_2", CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "in'" AS h
GROUP BY region, "place_0", "place_1", "place_2"
