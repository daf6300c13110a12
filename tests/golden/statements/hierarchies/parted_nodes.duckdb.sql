-- parted_nodes
SELECT
  COALESCE(SUM(CASE WHEN "level_1" = "before_1" THEN 0 ELSE 1 END), 0) - COUNT(DISTINCT "level_1") + COALESCE(SUM("parted_1"), 0) AS "parted_1"
FROM (
  SELECT
    place,
    "level_1",
    "parted_1",
    LAG("level_1") OVER (ORDER BY place) AS "before_1"
  FROM "above the li'ne" AS n
  WHERE place >= 0
) AS b
