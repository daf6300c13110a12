-- box_points
CREATE TEMP TABLE "points'" AS
SELECT DISTINCT
  CAST(0 AS BIGINT) AS node,
  "place_0", "place_1", "place_2"
FROM "af'ter" AS w
