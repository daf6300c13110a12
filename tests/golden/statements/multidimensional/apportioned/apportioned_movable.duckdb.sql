-- apportioned_movable
CREATE TEMP TABLE "apportioned_movable' 2" AS
SELECT
  quasi,
  region,
  place,
  all_rows
FROM "apportioned_start' 0" AS s
WHERE spot < 200
