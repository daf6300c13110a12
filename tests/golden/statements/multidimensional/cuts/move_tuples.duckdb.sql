-- move_tuples
CREATE TEMP TABLE "af'ter" AS
SELECT
  COALESCE(b.child, CASE WHEN CASE t.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END < t.upper_low THEN t.lower_child ELSE t.upper_child END) AS region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  "w"."spread_0",
  "w"."spread_1",
  "w"."entity",
  w.row_count
FROM "wor'king" AS w
JOIN (
  SELECT
    region,
    MIN(axis) AS axis,
    MAX(low) AS upper_low,
    MIN(child) AS lower_child,
    MAX(child) AS upper_child,
    MAX(high - low) AS size
  FROM "bran'ches" AS b
  GROUP BY region
) AS t
  ON t.region = w.region
LEFT JOIN "bran'ches" AS b
  ON b.region = w.region
  AND b.low = CASE t.axis WHEN 2 THEN "w"."place_2" - ("w"."place_2" & t.size) END
