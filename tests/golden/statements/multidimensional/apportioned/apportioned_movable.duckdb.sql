-- apportioned_movable
CREATE TEMP TABLE "apportioned_movable' 1" AS
SELECT
  quasi,
  region,
  place,
  all_rows
FROM "sho'wn" AS s
WHERE spot < 200
