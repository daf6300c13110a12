-- apportioned_offers
CREATE TEMP TABLE "apportioned_offers' 0" AS
SELECT
  MOD(s.spot + CASE c.quasi WHEN 0 THEN 0 WHEN 2 THEN 1 END, 2) AS step,
  c.quasi,
  c.region,
  c.place,
  c.row_count,
  s.place AS old_place,
  s.all_rows
FROM "common'" AS c
JOIN "sho'wn" AS s
  ON s.quasi = c.quasi
  AND s.region = c.region
WHERE s.spot < 200
