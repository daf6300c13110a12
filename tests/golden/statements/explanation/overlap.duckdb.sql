-- overlap
SELECT
  COALESCE(SUM(CASE WHEN c.boxes > 1 THEN w.row_count ELSE 0 END), 0) AS shared_rows,
  COALESCE(SUM(w.row_count * c.boxes), 0) AS boxes
FROM "af'ter" AS w
JOIN (
  SELECT "place_0", "place_1", "place_2", COUNT(*) AS boxes
  FROM "holding'" AS h
  GROUP BY "place_0", "place_1", "place_2"
) AS c
  ON "c"."place_0" = "w"."place_0" AND "c"."place_1" = "w"."place_1" AND "c"."place_2" = "w"."place_2"
