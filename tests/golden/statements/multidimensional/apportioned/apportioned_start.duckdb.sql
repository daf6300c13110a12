-- apportioned_start
CREATE TEMP TABLE "apportioned_start' 0" AS
SELECT
  c.quasi,
  c.region,
  MIN(c.place) AS place,
  MIN(c.all_rows) AS all_rows,
  MIN(c.spot) AS spot
FROM (
  SELECT
    k.quasi,
    k.region,
    k.place,
    s.row_count AS all_rows,
    s.spot,
    SUM(k.row_count) OVER (PARTITION BY k.quasi, k.region ORDER BY k.place ROWS UNBOUNDED PRECEDING) AS up_to,
    SUM(k.row_count) OVER (PARTITION BY k.quasi, k.region) AS in_all
  FROM "common'" AS k
  JOIN "spots'" AS s ON s.region = k.region
) AS c
WHERE c.up_to * 1000000 > MOD(c.spot * 618034 + c.quasi * 381966, 1000000) * c.in_all
GROUP BY c.quasi, c.region
