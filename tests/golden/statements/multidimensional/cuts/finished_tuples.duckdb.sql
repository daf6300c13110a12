-- finished_tuples
CREATE TEMP TABLE "do'ne" AS
SELECT region, "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity", row_count
FROM "wor'king" AS w
WHERE NOT EXISTS (SELECT 1 FROM "bran'ches" AS b WHERE b.region = w.region)
