-- boxes_of_points
CREATE TEMP TABLE "holding'" AS
SELECT
  b.region,
  "p"."place_0", "p"."place_1", "p"."place_2"
FROM "within'" AS p
JOIN "parted'" AS b
  ON b.node = p.node
  AND "p"."place_0" BETWEEN "b"."low_0" AND "b"."high_0"  AND "p"."place_1" BETWEEN "b"."low_1" AND "b"."high_1"  AND "p"."place_2" BETWEEN "b"."low_2" AND "b"."high_2"
