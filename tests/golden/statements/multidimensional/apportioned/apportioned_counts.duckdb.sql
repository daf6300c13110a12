-- apportioned_counts
CREATE TEMP TABLE "counts'" AS
SELECT
  0 AS quasi,
  w.region,
  "w"."place_0" AS place,
  CAST(SUM(w.row_count) AS BIGINT) AS row_count
FROM "ho'mes" AS w
GROUP BY w.region, "w"."place_0"
UNION ALL
SELECT
  2 AS quasi,
  w.region,
  "w"."place_2" AS place,
  CAST(SUM(w.row_count) AS BIGINT) AS row_count
FROM "ho'mes" AS w
GROUP BY w.region, "w"."place_2"
