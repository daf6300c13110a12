-- apportioned_offers
CREATE TEMP TABLE "apportioned_offers' 1" AS
SELECT
  MOD(s.spot + c.quasi * 1, 2) AS step,
  c.quasi,
  c.region,
  c.place,
  c.row_count
FROM "common'" AS c
JOIN "spots'" AS s ON s.region = c.region
WHERE s.spot < 200
