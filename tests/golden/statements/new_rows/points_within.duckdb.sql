-- points_within
CREATE TEMP TABLE "within'" AS
SELECT
  n.node,
  "p"."place_0", "p"."place_1", "p"."place_2"
FROM "points'" AS p
JOIN "nodes'" AS n
  ON n.parent = p.node
  AND "p"."place_0" BETWEEN "n"."low_0" AND "n"."high_0"
  AND "p"."place_1" BETWEEN "n"."low_1" AND "n"."high_1"
  AND "p"."place_2" BETWEEN "n"."low_2" AND "n"."high_2"
