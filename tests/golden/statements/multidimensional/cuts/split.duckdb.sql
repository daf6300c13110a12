-- split
CREATE TEMP TABLE "be'tween" AS
SELECT
  b.child AS region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  "w"."spread_0",
  "w"."spread_1",
  "w"."entity",
  w.row_count
FROM "wor'king" AS w
JOIN "bran'ches" AS b
  ON b.region = w.region
  AND CASE b.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END BETWEEN b.low AND b.high
