-- narrowest_box
CREATE TEMP TABLE "first'" AS
SELECT
  c.region,
  w."place_0",
  w."place_1",
  w."place_2",
  w."spread_0",
  w."spread_1",
  w."entity",
  w.row_count
FROM "af'ter" AS w
JOIN (
  SELECT
    "place_0", "place_1", "place_2",
    MIN(region) AS region
  FROM "holding'" AS c
  GROUP BY "place_0", "place_1", "place_2"
) AS c
  ON "c"."place_0" = "w"."place_0" AND "c"."place_1" = "w"."place_1" AND "c"."place_2" = "w"."place_2"
