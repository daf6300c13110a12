-- regions_of_tuples
CREATE TEMP TABLE "pla'in" AS
SELECT MIN(region) AS region, "place_0", "place_1", "place_2", CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "in'" AS h
GROUP BY "place_0", "place_1", "place_2"
