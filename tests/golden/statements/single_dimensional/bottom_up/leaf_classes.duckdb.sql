-- leaf_classes
CREATE TEMP TABLE "leaves" AS
SELECT
  p."place_0" AS "part_0",
  p."place_2" AS "part_2",
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
GROUP BY 1, 2
