-- measured_counts
CREATE TEMP TABLE "counts by lo'ss" AS
SELECT
  p."place_0" AS place,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
GROUP BY p."place_0"
