-- apportioned_movable_after
CREATE TEMP TABLE "apportioned_movable' 6" AS
SELECT
  b.quasi,
  b.region,
  COALESCE(m.place, b.place) AS place,
  b.all_rows
FROM "apportioned_movable' 2" AS b
LEFT JOIN "apportioned_moves' 4" AS m
  ON m.quasi = b.quasi
  AND m.region = b.region
