-- apportioned_after
CREATE TEMP TABLE "apportioned_after' 5" AS
SELECT
  b.quasi,
  b.region,
  COALESCE(m.place, b.place) AS place,
  b.all_rows
FROM "apportioned_movable' 1" AS b
LEFT JOIN (
  SELECT
    quasi,
    region,
    place
  FROM "apportioned_moves' 3" AS t
) AS m
  ON m.quasi = b.quasi
  AND m.region = b.region
